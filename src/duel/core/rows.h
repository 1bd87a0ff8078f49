// Passes over rows of numbers, two lanes at a time on every machine we run on (NEON, SSE2). Rows
// are padded to a multiple of kRowBlock, so that no pass has a tail. What is computed does not
// depend on the order of the lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace duel {

inline constexpr std::size_t kRowBlock = 8;

constexpr std::size_t padded_row(std::size_t num_arms) {
  return (num_arms + kRowBlock - 1) / kRowBlock * kRowBlock;
}

template <class T>
struct Lanes {
  using Type __attribute__((vector_size(16))) = T;
};
using DoubleLanes = Lanes<double>::Type;
using IntLanes = Lanes<std::int64_t>::Type;
static_assert(sizeof(DoubleLanes) == 16 && sizeof(IntLanes) == 16);

template <class L, class T>
inline L load_lanes(const T* from) {
  L lanes;
  std::memcpy(&lanes, from, sizeof(L));
  return lanes;
}

// The extreme of value(k), k = 0, 2, .. in steps of two lanes; `Better` picks per lane.
template <class L, class Value, class Better>
inline auto reduce_lanes(std::size_t size, Value value, Better better) {
  L a = value(0), b = value(2), c = value(4), d = value(6);
  for (std::size_t k = kRowBlock; k < size; k += kRowBlock) {
    a = better(value(k), a);
    b = better(value(k + 2), b);
    c = better(value(k + 4), c);
    d = better(value(k + 6), d);
  }
  const L last = better(better(a, b), better(c, d));
  const L turned = {last[1], last[0]};
  return better(last, turned)[0];
}

// Largest value(k) over a padded row. REQUIRES: size > 0 and a multiple of kRowBlock.
template <class Value>
inline double largest(std::size_t size, Value value) {
  return reduce_lanes<DoubleLanes>(size, value,
                                   [](DoubleLanes x, DoubleLanes y) { return x > y ? x : y; });
}

inline double largest(const double* row, std::size_t size) {
  return largest(size, [row](std::size_t k) { return load_lanes<DoubleLanes>(row + k); });
}

inline std::int64_t smallest(const std::int64_t* row, std::size_t size) {
  return reduce_lanes<IntLanes>(
      size, [row](std::size_t k) { return load_lanes<IntLanes>(row + k); },
      [](IntLanes x, IntLanes y) { return x < y ? x : y; });
}

// How many lanes fulfil a condition, and the sum of their indices: where there is one, the sum is
// its index. `matches(k)` gives all-ones lanes where the condition holds.
struct Matches {
  std::size_t count;
  std::size_t index_sum;
};

template <class Condition>
inline Matches count_matches(std::size_t size, Condition matches) {
  IntLanes count_a = {0, 0}, count_b = {0, 0}, sum_a = {0, 0}, sum_b = {0, 0};
  IntLanes index = {0, 1};
  for (std::size_t k = 0; k < size; k += 4) {
    const IntLanes a = matches(k);
    const IntLanes b = matches(k + 2);
    count_a -= a;
    count_b -= b;
    sum_a += a & index;
    sum_b += b & (index + 2);
    index += 4;
  }
  const IntLanes count = count_a + count_b;
  const IntLanes sum = sum_a + sum_b;
  return {static_cast<std::size_t>(count[0] + count[1]), static_cast<std::size_t>(sum[0] + sum[1])};
}

// An index that fulfils a condition: the only one, or where there are several, number pick(count)
// of them in ascending order. REQUIRES: there is one.
template <class Condition, class Pick>
inline std::size_t pick_match(std::size_t size, Condition matches, Pick pick) {
  const Matches found = count_matches(size, matches);
  if (found.count == 1) return found.index_sum;
  std::size_t n = pick(found.count);
  for (std::size_t k = 0;; k += 2) {
    const IntLanes match = matches(k);
    if (match[0] != 0 && n-- == 0) return k;
    if (match[1] != 0 && n-- == 0) return k + 1;
  }
}

// One of the indices at which value(k) is largest over a padded row, as by pick_match. The common
// case, a single largest value, takes one pass over the row, one over the largest values of its
// blocks, and no branch that depends on where the value lies.
template <class Value, class Pick>
inline std::size_t pick_largest(std::size_t size, Value value, Pick pick) {
  constexpr std::size_t kRemembered = 128;  // blocks; longer rows are passed over once more
  const auto better = [](DoubleLanes x, DoubleLanes y) { return x > y ? x : y; };
  const auto block_largest = [&](std::size_t k) {
    return better(better(value(k), value(k + 2)), better(value(k + 4), value(k + 6)));
  };
  DoubleLanes blocks[kRemembered + 1];
  const std::size_t num_blocks = size / kRowBlock;
  DoubleLanes lanes = block_largest(0);
  blocks[0] = lanes;
  for (std::size_t b = 1; b < num_blocks; ++b) {
    const DoubleLanes block = block_largest(b * kRowBlock);
    if (b < kRemembered) blocks[b] = block;
    lanes = better(block, lanes);
  }
  // Which lane holds it cannot be foreseen, so it is not branched on.
  const DoubleLanes turned = {lanes[1], lanes[0]};
  const DoubleLanes bests = better(lanes, turned);
  const double best = bests[0];

  if (num_blocks > 1 && num_blocks <= kRemembered) {
    blocks[num_blocks] = bests + bests;  // pads an odd number of blocks; unequal unless best is 0
    if (best == 0.0) blocks[num_blocks] = bests - 1.0;
    const Matches places = count_matches(2 * ((num_blocks + 1) / 2 * 2), [&](std::size_t k) {
      return IntLanes(blocks[k / 2] == bests);
    });
    if (places.count == 1) {
      const std::size_t lane = places.index_sum % 2;
      const std::size_t begin = places.index_sum / 2 * kRowBlock;
      std::size_t count = 0, sum = 0;
      for (std::size_t k = 0; k < kRowBlock; k += 2) {
        const bool equal = value(begin + k)[lane] == best;
        count += equal ? 1 : 0;
        sum += equal ? k : 0;
      }
      if (count == 1) return begin + sum + lane;
    }
  }
  return pick_match(size, [&](std::size_t k) { return IntLanes(value(k) == bests); }, pick);
}

}  // namespace duel
