#include "duel/policies/copeland_allocation.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

// A result that an alternative may turn around.
struct Turn {
  std::size_t pair;  // index of (low, high)
  bool counts_twice;
};

std::size_t pair_index(const AllocationProblem& problem, Arm i, Arm j) {
  return i < j ? i * problem.num_arms + j : j * problem.num_arms + i;
}

// All results whose turning brings i2 nearer to having fewer losses than i1.
std::vector<Turn> turns_for(const AllocationProblem& problem, Arm i2) {
  const Arm i1 = problem.winner;
  std::vector<Turn> turns;
  for (Arm j = 0; j < problem.num_arms; ++j) {
    if (j != i2 && problem.evidence[i1 * problem.num_arms + j] < 0) {
      turns.push_back({pair_index(problem, i1, j), false});
    }
    if (problem.evidence[i2 * problem.num_arms + j] > 0) {
      turns.push_back({pair_index(problem, i2, j), j == i1});
    }
  }
  return turns;
}

std::size_t turns_needed(const AllocationProblem& problem, Arm i2) {
  return problem.losses[i2] - problem.losses[problem.winner] + 1;
}

// The alternative in favour of i2 with the least weight: the lightest single turns, with or without
// the one that counts twice. Nothing if there are not enough results to turn.
template <class Weight, class WeightOf>
std::optional<std::pair<Weight, std::vector<std::size_t>>> lightest_alternative(
    const AllocationProblem& problem, Arm i2, WeightOf weight_of) {
  std::vector<Turn> turns = turns_for(problem, i2);
  std::sort(turns.begin(), turns.end(), [&](const Turn& a, const Turn& b) {
    if (a.counts_twice != b.counts_twice) return b.counts_twice;  // it comes last
    const Weight wa = weight_of(a.pair), wb = weight_of(b.pair);
    return wa != wb ? wa < wb : a.pair < b.pair;
  });
  const bool has_double = !turns.empty() && turns.back().counts_twice;
  const std::size_t singles = turns.size() - (has_double ? 1 : 0);
  const std::size_t needed = turns_needed(problem, i2);
  std::optional<std::pair<Weight, std::vector<std::size_t>>> best;
  const auto consider = [&](std::size_t taken, bool with_double) {
    if (taken > singles) return;
    Weight weight{};
    std::vector<std::size_t> pairs;
    for (std::size_t k = 0; k < taken; ++k) {
      weight += weight_of(turns[k].pair);
      pairs.push_back(turns[k].pair);
    }
    if (with_double) {
      weight += weight_of(turns.back().pair);
      pairs.push_back(turns.back().pair);
    }
    if (!best || weight < best->first) best = {weight, std::move(pairs)};
  };
  consider(needed, false);
  if (has_double) consider(needed > 2 ? needed - 2 : 0, true);
  return best;
}

}  // namespace

std::int64_t least_alternative(const AllocationProblem& problem, std::int64_t none) {
  std::int64_t least = none;
  for (Arm i2 = 0; i2 < problem.num_arms; ++i2) {
    if (i2 == problem.winner) continue;
    const auto lightest = lightest_alternative<std::int64_t>(
        problem, i2, [&](std::size_t pair) { return std::abs(problem.evidence[pair]); });
    if (lightest) least = std::min(least, lightest->first);
  }
  return least;
}

double allocation_regret(const AllocationProblem& problem, Arm i, Arm j) {
  const double places = static_cast<double>(problem.num_arms * problem.num_arms);
  const std::uint32_t excess =
      problem.losses[i] + problem.losses[j] - 2 * problem.losses[problem.winner];
  return static_cast<double>(excess) / static_cast<double>(2 * (problem.num_arms - 1)) +
         1e-5 * (1.0 + static_cast<double>(pair_index(problem, i, j)) / places);
}

std::int64_t cheapest_allocation(const AllocationProblem& problem, std::span<double> q) {
  // Variables y = q d, one per pair that is not even, so that the constraints are sums.
  std::vector<int> column(problem.num_arms * problem.num_arms, -1);
  std::vector<std::size_t> pairs;
  std::vector<double> cost;
  for (Arm i = 0; i < problem.num_arms; ++i) {
    for (Arm j = i + 1; j < problem.num_arms; ++j) {
      const std::size_t pair = pair_index(problem, i, j);
      if (problem.evidence[pair] == 0) continue;
      column[pair] = static_cast<int>(pairs.size());
      pairs.push_back(pair);
      cost.push_back(allocation_regret(problem, i, j) / problem.divergence[pair]);
    }
  }
  ClpSimplex solver;
  solver.setLogLevel(0);
  solver.setPrimalTolerance(1e-10);
  solver.setDualTolerance(1e-10);
  solver.resize(0, static_cast<int>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    solver.setColumnBounds(static_cast<int>(k), 0.0, COIN_DBL_MAX);
    solver.setObjectiveCoefficient(static_cast<int>(k), cost[k]);
  }
  std::vector<double> y(pairs.size(), 0.0);
  const std::vector<double> ones(pairs.size(), 1.0);
  for (bool violated = true; violated;) {
    violated = false;
    for (Arm i2 = 0; i2 < problem.num_arms; ++i2) {
      if (i2 == problem.winner) continue;
      const auto lightest = lightest_alternative<double>(
          problem, i2, [&](std::size_t pair) { return y[static_cast<std::size_t>(column[pair])]; });
      if (!lightest || lightest->first >= 1.0 - 1e-8) continue;
      violated = true;
      std::vector<int> columns;
      for (const std::size_t pair : lightest->second) columns.push_back(column[pair]);
      solver.addRow(static_cast<int>(columns.size()), columns.data(), ones.data(), 1.0,
                    COIN_DBL_MAX);
    }
    if (!violated) break;
    solver.dual();
    DUEL_CHECK(solver.isProvenOptimal());
    std::copy_n(solver.getColSolution(), y.size(), y.begin());
  }
  double total = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    // Drops what is only the solver's rounding.
    q[pairs[k]] = y[k] > 1e-9 ? y[k] / problem.divergence[pairs[k]] : 0.0;
    total += cost[k] * y[k];
  }
  return static_cast<std::int64_t>(std::min(total, 0x1p40) * 0x1p20 + 0.5);
}

}  // namespace duel
