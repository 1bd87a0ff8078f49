// How often a policy names an arm at the end of a run that is no Copeland winner.
#pragma once

#include <algorithm>
#include <cstdint>

#include "duel/truth/winners.h"
#include "tests/policies/side_by_side.h"

namespace duel {

class LastRecommendation : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena&, Arm recommended) override {
    arm = recommended;
  }
  Arm arm = 0;
};

template <class P>
int wrong_runs(const typename P::Options& options, const PreferenceMatrix& matrix, Round rounds,
               std::uint32_t trials, std::uint64_t seed) {
  const auto ranks = ranks_by_index(matrix.num_arms());
  const CopelandScores scores = copeland_scores(matrix);
  const std::vector<Round> checkpoints = {rounds};
  int wrong = 0;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const TrialStreams streams(seed, trial, "wrong runs");
    MatrixArena arena(matrix, ranks, OutcomeStream(seed, trial));
    P policy(options, matrix.num_arms(), streams.choice.at(0));
    LastRecommendation last;
    play_trial(policy, arena, streams, {checkpoints}, last);
    const auto& winners = scores.winners;
    wrong += std::find(winners.begin(), winners.end(), last.arm) == winners.end() ? 1 : 0;
  }
  return wrong;
}

}  // namespace duel
