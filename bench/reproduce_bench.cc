// RUCB alone on the largest panel of `rucb-fig4`: 100 runs of 4.5e6 rounds on 64 rankers. On a
// given matrix (DUEL_BENCH_MATRIX, of 64 arms or more), else on a generated one of like difficulty.
#include <fmt/format.h>

#include <cstdlib>

#include "bench/workloads.h"
#include "duel/simulation/simulation.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/submatrix.h"
#include "duel/truth/winners.h"

namespace duel {

void reproduce_workload() {
  constexpr std::size_t kArms = 64;
  const char* given = std::getenv("DUEL_BENCH_MATRIX");
  const PreferenceMatrix whole =
      resolve_matrix(given != nullptr ? given : "bradley-terry(k=64,seed=1,spread=0.3)").value();
  const Arm winner = condorcet_winner(whole).value();
  const auto arms = winner_and_others(whole, winner, kArms,
                                      Stream(0, 0, Purpose::generate, "rucb-fig4").at(kArms));
  const PreferenceMatrix matrix = submatrix(whole, arms, "panel");
  fmt::print("\n## RUCB alone on 64 rankers of {}: 100 runs of 4.5e6 rounds\n\n", whole.name());
  fmt::print(
      "| threads | wall, s | cpu, s | informative duels a run | ns each "
      "|\n|---|---|---|---|---|\n");
  for (const unsigned threads : {1U, 2U}) {
    SimulationPlan plan;
    plan.matrix = &matrix;
    plan.policies = {parse_call("rucb(alpha=0.51)").value()};
    plan.checkpoints = {4'500'000};
    plan.trials = 100;
    plan.threads = threads;
    const PolicyRecord record = Simulation::create(plan).value().run(0).value();
    double informative = 0;
    for (std::uint32_t k = 0; k < plan.trials; ++k) {
      informative += static_cast<double>(record.trials.informative(k, 0));
    }
    fmt::print("| {} | {:.2f} | {:.2f} | {:.0f} | {:.0f} |\n", threads, record.seconds,
               record.cpu_seconds, informative / plan.trials,
               1e9 * record.cpu_seconds / informative);
  }
}

}  // namespace duel
