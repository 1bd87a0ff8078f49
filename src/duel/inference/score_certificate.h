// Certificates of a Copeland or Borda winner among a fixed set of K arms: each pair gets a beta-binomial
// confidence sequence at level 2 alpha/(K (K - 1)), so that all of them hold at all times with
// probability 1 - alpha; a winner is settled when its score's lower bound reaches every other arm's
// upper bound.
#pragma once

#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"

namespace duel {

enum class Score {
  copeland,  // #{j : p_ij > 1/2}
  borda,     // mean over j != i of p_ij
};

struct ScoreBoard {
  std::vector<Interval> scores;  // per arm, all valid at once
  std::optional<Arm> winner;     // lowest index if scores are settled to be equal
};

// Counts must be whole decisive duels in serving order. O(K^2). An error names what is out of range: fewer
// than two arms, alpha outside (0, 1), a half count.
Result<ScoreBoard> score_board(const PairCounts& counts, Score score, double alpha);

}  // namespace duel
