// Every registered policy at growing numbers of arms: what an informative duel costs, and what a
// round does.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "bench/trial_cost.h"
#include "bench/workloads.h"

namespace duel {

void field_workload() {
  fmt::print(
      "\n## All policies: bradley-terry(k=K,seed=1,spread=1), ns per informative duel / ns per "
      "round\n\nT = 1e6 for K <= 64, 1e5 for 136, 1e4 for 1000. The first rounds of D-TS decide "
      "all "
      "K^2/2 flips of a tournament in which nobody stands out yet.\n\n"
      "| policy | K = 6 | 16 | 64 | 136 | 1000 |\n|---|---|---|---|---|---|\n");
  for (const std::string& name : policy_names()) {
    fmt::print("| {} ", name);
    for (const int k : {6, 16, 64, 136, 1000}) {
      const BenchProblem problem(fmt::format("bradley-terry(k={},seed=1,spread=1)", k));
      const Round rounds = k <= 64 ? 1'000'000 : k <= 136 ? 100'000 : 10'000;
      const PolicySetting setting{problem.matrix.num_arms(), rounds};
      if (!configure_policy({name, {}}, setting).ok()) {  // cw-rmed refuses more than 8 arms
        fmt::print("| - ");
        continue;
      }
      const TrialCost cost = trial_cost(problem, name, rounds, k <= 16 ? 3 : 1);
      fmt::print("| {:.0f} / {:.1f} ", 1e9 * cost.seconds / cost.informative,
                 1e9 * cost.seconds / static_cast<double>(rounds));
    }
    fmt::print("|\n");
    std::fflush(stdout);
  }
}

}  // namespace duel
