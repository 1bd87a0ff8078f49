// Double Thompson sampling: jumping against plain loops that draw every sample of every round, from
// their Beta distributions or as coins with cached probabilities.
#include <fmt/format.h>

#include <string>

#include "bench/trial_cost.h"
#include "bench/workloads.h"
#include "tests/policies/twins/dts_twin.h"

namespace duel {

void sampling_workload() {
  const std::string text = "bradley-terry(k=64,seed=1,spread=1)";
  const BenchProblem problem(text);
  const Round rounds = 10'000'000;
  fmt::print("\n## D-TS, {}, T = 1e7, one core\n\n", text);
  fmt::print(
      "| policy | jumping, ms per trial | informative duels | us per informative duel | Beta "
      "draws, "
      "us per round | ratio for 1e7 rounds | coins, us per round | ratio for 1e7 rounds "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const bool plus : {false, true}) {
    const std::string name = plus ? "dts-plus" : "dts";
    const TrialCost cost = trial_cost(problem, name, rounds, 5);
    // The first rounds are dearer than later ones for D-TS+, whose scores tie then; 20000 rounds
    // are what the plain loops would do 500 times over.
    const double beta = literal_seconds_per_round(
        problem, DtsBetaTwin(plus, 0.51, Ties::coin, false, 64), name, 20'000);
    const double coins = literal_seconds_per_round(
        problem, DtsTwin(plus, 0.51, Ties::coin, false, 64), name, 20'000);
    const auto ratio = [&](double per_round) {
      return per_round * static_cast<double>(rounds) / cost.seconds;
    };
    fmt::print("| {} | {:.1f} | {:.0f} | {:.2f} | {:.1f} | {:.0f} | {:.1f} | {:.0f} |\n", name,
               1e3 * cost.seconds, cost.informative, 1e6 * cost.seconds / cost.informative,
               1e6 * beta, ratio(beta), 1e6 * coins, ratio(coins));
  }
}

}  // namespace duel
