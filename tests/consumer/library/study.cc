// Two policies on a published matrix: mean regret after 10 000 rounds, with its standard error.
#include <iomanip>
#include <iostream>

#include "duel/duel.h"

int main() {
  duel::StudySpec spec;
  spec.policies = {"rmed1", "rucb"};
  spec.matrices = {"arxiv"};
  spec.rounds = 10'000;
  spec.trials = 50;
  spec.seed = 1;
  const auto outcome = duel::run_study(spec);
  if (!outcome.ok()) {
    std::cerr << outcome.error().to_string() << '\n';
    return 1;
  }
  std::cout << std::fixed << std::setprecision(1);
  for (const duel::PolicyResult& policy : outcome->results.runs[0].policies) {
    const duel::CheckpointResult& end = policy.checkpoints.back();
    std::cout << policy.policy << ' ' << end.regrets[0].mean << " +- " << end.regrets[0].se << '\n';
  }
}
