// What a plan takes with its default options.
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "bench/workloads.h"
#include "duel/study/plan.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {

void plan_workload() {
  fmt::print("\n## duel plan, 1000 experiments of `auto` and 1000 of round-robin\n\n");
  fmt::print("| truth | seconds | processor seconds | duels simulated | ns per duel |\n");
  fmt::print("|---|---|---|---|---|\n");
  PlanSpec spec;
  spec.policies = {{"auto", {}}};
  const std::vector<PlanTruth> truths = {guessed_truth(5, 0.05, 0).value(),
                                         guessed_truth(10, 0.1, 1).value(),
                                         known_truth(resolve_matrix("arxiv").value())};
  for (const PlanTruth& truth : truths) {
    spec.truth = truth;
    const std::clock_t cpu = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    const PlanResults results = run_plan(spec).value();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    double duels = 0;
    for (const PlanEntry& entry : results.entries) duels += entry.mean * results.trials;
    fmt::print("| {} | {:.1f} | {:.1f} | {:.3g} | {:.0f} |\n", truth.name, wall.count(), seconds,
               duels, 1e9 * seconds / duels);
  }
}

}  // namespace duel
