#include "duel/truth/submatrix.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "duel/core/check.h"

namespace duel {
namespace {

// Puts `arm` into the chain (best first) behind all that beat it; false where it does not beat all
// the others.
bool insert_into_chain(const PreferenceMatrix& matrix, Arm arm, std::vector<Arm>& chain) {
  std::size_t place = 0;
  while (place < chain.size() && matrix(chain[place], arm) > 0.5) ++place;
  for (std::size_t k = place; k < chain.size(); ++k) {
    if (!(matrix(arm, chain[k]) > 0.5)) return false;
  }
  chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(place), arm);
  return true;
}

}  // namespace

PreferenceMatrix submatrix(const PreferenceMatrix& matrix, std::span<const Arm> arms,
                           std::string name) {
  std::vector<std::string> names;
  std::vector<double> p;
  for (const Arm i : arms) {
    DUEL_CHECK(i < matrix.num_arms());
    names.push_back(matrix.arm_name(i));
    for (const Arm j : arms) p.push_back(matrix(i, j));
  }
  // A part of a valid matrix is valid, so this fails only on arms named twice or none.
  return PreferenceMatrix::create(std::move(name), std::move(names), std::move(p)).value();
}

std::vector<Arm> winner_and_others(const PreferenceMatrix& matrix, Arm winner, std::size_t size,
                                   RoundRng rng) {
  DUEL_CHECK(winner < matrix.num_arms() && size >= 1 && size <= matrix.num_arms());
  std::vector<Arm> arms{winner};
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (i != winner) arms.push_back(i);
  }
  for (std::size_t k = 1; k < size; ++k) {  // the first steps of a shuffle of the others
    std::swap(arms[k], arms[k + rng.below(arms.size() - k)]);
  }
  arms.resize(size);
  std::sort(arms.begin(), arms.end());
  return arms;
}

std::vector<std::uint32_t> subset_total_orders(const PreferenceMatrix& matrix,
                                               std::uint32_t samples, std::uint64_t seed) {
  DUEL_CHECK(samples >= 1);
  const std::size_t num_arms = matrix.num_arms();
  const Stream draws(seed, 0, Purpose::generate, "subset orders");
  std::vector<std::uint32_t> lengths(num_arms + 1, 0);  // chains that ended with so many arms
  std::vector<Arm> order(num_arms);
  std::iota(order.begin(), order.end(), Arm{0});
  std::vector<Arm> chain;
  chain.reserve(num_arms);
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    RoundRng rng = draws.at(sample);
    chain.clear();
    for (std::size_t k = 0; k < num_arms; ++k) {
      std::swap(order[k], order[k + rng.below(num_arms - k)]);
      if (!insert_into_chain(matrix, order[k], chain)) break;
    }
    ++lengths[chain.size()];
    // Back to the start, so that a sample depends on its number alone.
    std::iota(order.begin(), order.end(), Arm{0});
  }
  std::vector<std::uint32_t> counts(num_arms);
  std::uint32_t longer = 0;
  for (std::size_t k = num_arms; k >= 1; --k) counts[k - 1] = longer += lengths[k];
  return counts;
}

}  // namespace duel
