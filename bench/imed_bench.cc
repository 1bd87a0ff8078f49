// What an informative duel of the index policies costs: at level 0, where some arm is plausible as
// a Condorcet winner, and on problems without one, where imed works at higher levels.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "bench/trial_cost.h"
#include "bench/workloads.h"

namespace duel {

void imed_workload() {
  fmt::print(
      "\n## imed: ns per informative duel, T = 1e6\n\n"
      "| problem | arms | imed | rmed1 | ecw-rmed |\n"
      "|---|---|---|---|---|\n");
  for (const std::string matrix :
       {"arxiv", "bradley-terry(k=6,seed=1,spread=1)", "bradley-terry(k=16,seed=1,spread=1)",
        "bradley-terry(k=64,seed=1,spread=1)", "no-condorcet(k=5,seed=1)",
        "no-condorcet(k=16,seed=1)", "no-condorcet(k=32,seed=1)"}) {
    const BenchProblem problem(matrix);
    fmt::print("| {} | {} ", matrix, problem.matrix.num_arms());
    for (const std::string policy : {"imed", "rmed1", "ecw-rmed"}) {
      const TrialCost cost = trial_cost(problem, policy, 1'000'000, 25);
      fmt::print("| {:.0f} ", 1e9 * cost.seconds / cost.informative);
    }
    fmt::print("|\n");
    std::fflush(stdout);
  }
}

}  // namespace duel
