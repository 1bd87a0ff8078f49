// A simulated experiment from its first duel to its certificate, without a log. The rule that stops
// (experiment/referee.h) and the choice of what to ask (experiment/live_experiment.h) are those of
// a live one; who answers is the caller's affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/experiment/referee.h"
#include "duel/policies/registry.h"

namespace duel {

struct CertifiedRunSetting {
  const ConfiguredPolicy* policy = nullptr;  // null: all pairs in turn
  std::size_t num_arms = 0;
  Goal goal = Goal::condorcet;
  StoppingRule stopping;       // its max_duels is positive
  std::uint64_t parallel = 1;  // duels outstanding at a time; any of them may be answered first
  bool together = false;       // the next are asked when all of them are answered
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
  Looks borda_looks = Looks::every_fiftieth;
  // People audit a program (inference/audited_units.h): `answer` is theirs, and the program's is
  // the same with the probability `judge_agreement`, and otherwise the other arm. 0: nobody audits.
  double audits = 0;
  double judge_agreement = 0;
};

struct CertifiedRun {
  std::optional<Decision> decision;  // none: all duels were used up
  std::uint64_t duels = 0;           // that went out
  std::uint64_t people = 0;          // of them, those that people answered
  std::vector<Duel> unanswered;      // of them, at the end
};

// `answer` is called once for each duel, when its answer comes.
// REQUIRES: a setting that the referee takes, and a policy made for its number of arms.
CertifiedRun run_to_certificate(const CertifiedRunSetting& setting,
                                const std::function<Outcome(const Duel&)>& answer);

}  // namespace duel
