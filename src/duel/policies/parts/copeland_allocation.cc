#include "duel/policies/parts/copeland_allocation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "duel/core/check.h"

namespace duel {
namespace {

constexpr std::size_t kMostPairs = kMostAllocationPairs;
constexpr double kRounding = 1e-9;

// Pairs i < j, numbered in order.
std::size_t pair_number(std::size_t num_arms, Arm i, Arm j) {
  if (i > j) std::swap(i, j);
  return i * num_arms - i * (i + 1) / 2 + (j - i - 1);
}

// The results whose turning brings one arm i2 nearer to having fewer losses than i1.
struct Turns {
  std::array<std::uint8_t, 2 * kMostAllocationArms> singles{};  // pair numbers
  std::size_t num_singles = 0;
  std::optional<std::uint8_t> counts_twice;  // i1's own win over i2
  std::size_t needed = 0;
};

Turns turns_for(const AllocationProblem& problem, Arm i2) {
  const Arm i1 = problem.winner;
  Turns turns;
  turns.needed = problem.losses[i2] - problem.losses[i1] + 1;
  const auto number = [&](Arm i, Arm j) {
    return static_cast<std::uint8_t>(pair_number(problem.num_arms, i, j));
  };
  for (Arm j = 0; j < problem.num_arms; ++j) {
    if (j != i2 && problem.evidence[i1 * problem.num_arms + j] < 0) {
      turns.singles[turns.num_singles++] = number(i1, j);
    }
    if (problem.evidence[i2 * problem.num_arms + j] <= 0) continue;
    if (j == i1) {
      turns.counts_twice = number(i1, i2);
    } else {
      turns.singles[turns.num_singles++] = number(i2, j);
    }
  }
  return turns;
}

template <class Weight>
struct Alternative {
  Weight weight;
  std::uint32_t pairs;  // bit per pair number
};

// The lightest: the lightest single turns, with or without the one that counts twice. Nothing if
// there are not enough results to turn.
template <class Weight>
std::optional<Alternative<Weight>> lightest_alternative(
    Turns turns, const std::array<Weight, kMostPairs>& weights) {
  std::sort(turns.singles.begin(),
            turns.singles.begin() + static_cast<std::ptrdiff_t>(turns.num_singles),
            [&](std::uint8_t a, std::uint8_t b) {
              return weights[a] != weights[b] ? weights[a] < weights[b] : a < b;
            });
  std::optional<Alternative<Weight>> best;
  const auto consider = [&](std::size_t taken, bool twice) {
    if (taken > turns.num_singles) return;
    Alternative<Weight> alternative{};
    const auto turn = [&](std::uint8_t pair) {
      alternative.weight += weights[pair];
      alternative.pairs |= std::uint32_t{1} << pair;
    };
    for (std::size_t k = 0; k < taken; ++k) turn(turns.singles[k]);
    if (twice) turn(*turns.counts_twice);
    if (!best || alternative.weight < best->weight) best = alternative;
  };
  consider(turns.needed, false);
  if (turns.counts_twice) consider(turns.needed > 2 ? turns.needed - 2 : 0, true);
  return best;
}

// The program at its optimum, from the slacks.
PackingProgram optimal_program(const AllocationProblem& problem, const PackingProgram::Row& costs) {
  const std::size_t num_arms = problem.num_arms;
  const std::size_t num_pairs = num_arms * (num_arms - 1) / 2;
  std::array<Turns, kMostAllocationArms> turns;
  for (Arm i2 = 0; i2 < num_arms; ++i2) {
    if (i2 != problem.winner) turns[i2] = turns_for(problem, i2);
  }
  PackingProgram program(num_pairs, costs);
  for (int step = 0;; ++step) {
    DUEL_CHECK(step < 100000);
    const auto& y = program.prices();
    const auto* const cheapest =
        std::min_element(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(num_pairs));
    if (num_pairs > 0 && *cheapest < -kRounding) {
      program.enter(std::uint32_t{1} << (cheapest - y.begin()), 0);
      continue;
    }
    std::optional<Alternative<double>> entering;
    for (Arm i2 = 0; i2 < num_arms; ++i2) {
      if (i2 == problem.winner) continue;
      const auto lightest = lightest_alternative(turns[i2], y);
      if (lightest && (!entering || lightest->weight < entering->weight)) entering = lightest;
    }
    if (!entering || entering->weight >= 1.0 - kRounding) return program;
    program.enter(entering->pairs, 1);
  }
}

}  // namespace

std::int64_t least_alternative(const AllocationProblem& problem, std::int64_t none) {
  std::array<std::int64_t, kMostPairs> weights{};
  for (Arm i = 0; i < problem.num_arms; ++i) {
    for (Arm j = i + 1; j < problem.num_arms; ++j) {
      weights[pair_number(problem.num_arms, i, j)] =
          std::abs(problem.evidence[i * problem.num_arms + j]);
    }
  }
  std::int64_t least = none;
  for (Arm i2 = 0; i2 < problem.num_arms; ++i2) {
    if (i2 == problem.winner) continue;
    if (const auto lightest = lightest_alternative(turns_for(problem, i2), weights)) {
      least = std::min(least, lightest->weight);
    }
  }
  return least;
}

PackingProgram::PackingProgram(std::size_t num_pairs, const Row& costs)
    : num_pairs_(num_pairs), basic_(costs) {
  for (std::size_t row = 0; row < num_pairs; ++row) inverse_[row][row] = 1;
}

void PackingProgram::enter(std::uint32_t pairs, double gain) {
  std::array<double, kMostPairs> direction{};
  for (std::size_t row = 0; row < num_pairs_; ++row) {
    for (std::size_t pair = 0; pair < num_pairs_; ++pair) {
      if ((pairs >> pair & 1) != 0) direction[row] += inverse_[row][pair];
    }
  }
  std::size_t leaving = num_pairs_;
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < num_pairs_; ++row) {
    if (direction[row] > kRounding && basic_[row] / direction[row] < step) {
      step = basic_[row] / direction[row];
      leaving = row;
    }
  }
  DUEL_CHECK(leaving < num_pairs_);  // the program is bounded: costs are finite
  const double pivot = direction[leaving];
  for (std::size_t pair = 0; pair < num_pairs_; ++pair) inverse_[leaving][pair] /= pivot;
  for (std::size_t row = 0; row < num_pairs_; ++row) {
    if (row == leaving || direction[row] == 0) continue;
    basic_[row] = std::max(0.0, basic_[row] - step * direction[row]);
    for (std::size_t pair = 0; pair < num_pairs_; ++pair) {
      inverse_[row][pair] -= direction[row] * inverse_[leaving][pair];
    }
  }
  basic_[leaving] = step;
  gains_[leaving] = gain;
  prices_.fill(0);
  for (std::size_t row = 0; row < num_pairs_; ++row) {
    if (gains_[row] == 0) continue;
    for (std::size_t pair = 0; pair < num_pairs_; ++pair) prices_[pair] += inverse_[row][pair];
  }
}

bool PackingProgram::feasible_for(const Row& costs) const {
  for (std::size_t row = 0; row < num_pairs_; ++row) {
    double value = 0;
    for (std::size_t pair = 0; pair < num_pairs_; ++pair)
      value += inverse_[row][pair] * costs[pair];
    if (value < 0) return false;
  }
  return true;
}

double allocation_regret(const AllocationProblem& problem, Arm i, Arm j) {
  const auto places = static_cast<double>(problem.num_arms * problem.num_arms);
  const std::uint32_t excess =
      problem.losses[i] + problem.losses[j] - 2 * problem.losses[problem.winner];
  return static_cast<double>(excess) / static_cast<double>(2 * (problem.num_arms - 1)) +
         1e-5 * (1.0 + static_cast<double>(i * problem.num_arms + j) / places);
}

std::int64_t AllocationSolver::solve(const AllocationProblem& problem, std::span<double> q) {
  const std::size_t num_arms = problem.num_arms;
  DUEL_CHECK(num_arms <= kMostAllocationArms);
  // In terms of y = q d the constraints are sums. Pairs that are even are in no alternative.
  std::array<double, kMostPairs> costs{};
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const double divergence = problem.divergence[i * num_arms + j];
      costs[pair_number(num_arms, i, j)] =
          divergence > 0 ? allocation_regret(problem, i, j) / divergence : 1.0;
    }
  }
  if (!program_ || !program_->feasible_for(costs)) program_ = optimal_program(problem, costs);
  double total = 0;
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const std::size_t pair = pair_number(num_arms, i, j);
      const double y = program_->prices()[pair];
      const double divergence = problem.divergence[i * num_arms + j];
      q[i * num_arms + j] = y > kRounding ? y / divergence : 0.0;
      total += costs[pair] * std::max(y, 0.0);
    }
  }
  return static_cast<std::int64_t>(std::min(total, 0x1p40) * 0x1p20 + 0.5);
}

}  // namespace duel
