// Long runs: what the theory says of growth, seen over a million and more rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "duel/simulation/simulation.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

struct Growth {
  double slope;  // mean regret per unit of ln t
  double se;
};

// Growth of the regret between two checkpoints inside one set of runs.
Growth growth(const std::string& matrix_name, const std::string& policy, Round from, Round to,
              std::uint32_t trials) {
  const PreferenceMatrix matrix = resolve_matrix(matrix_name).value();
  SimulationPlan plan;
  plan.matrix = &matrix;
  plan.policies = {parse_call(policy).value()};
  plan.checkpoints = {from, to};
  plan.trials = trials;
  plan.seed = 3;
  const PolicyRecord record = Simulation::create(plan).value().run(0).value();
  double sum = 0, squares = 0;
  for (std::uint32_t k = 0; k < trials; ++k) {
    const double difference = record.trials.value(k, 1, 0) - record.trials.value(k, 0, 0);
    sum += difference;
    squares += difference * difference;
  }
  const double mean = sum / trials;
  const double log_ratio = std::log(static_cast<double>(to) / static_cast<double>(from));
  return {mean / log_ratio, std::sqrt((squares / trials - mean * mean) / (trials - 1)) / log_ratio};
}

// RMED2FH meets the lower bound asymptotically; between 1e5 and 1e7 its slope lies between 0.8 and
// 2 times the constant.
TEST(Asymptotics, rmed2fh_grows_like_the_lower_bound) {
  for (const std::string matrix : {"arxiv", "cyclic", "arithmetic"}) {
    const double bound = regret_lower_bound(resolve_matrix(matrix).value()).value().value;
    const Growth seen = growth(matrix, "rmed2fh", 100'000, 10'000'000, 1000);
    EXPECT_GT(seen.slope, 0.8 * bound - 4 * seen.se) << matrix;
    EXPECT_LT(seen.slope, 2 * bound + 4 * seen.se) << matrix;
  }
}

// RMED1 is optimal where every arm's cheapest opponent is the winner, and not on the cyclic
// problem.
TEST(Asymptotics, rmed1_grows_like_the_bound_with_the_winner_as_target) {
  for (const std::string matrix : {"arxiv", "cyclic", "arithmetic"}) {
    const double bound =
        regret_lower_bound(resolve_matrix(matrix).value()).value().condorcet_target;
    const Growth seen = growth(matrix, "rmed1", 10'000'000, 1'000'000'000, 1000);
    EXPECT_NEAR(seen.slope / bound, 1, 0.25 + 4 * seen.se / bound) << matrix;
  }
}

}  // namespace
}  // namespace duel
