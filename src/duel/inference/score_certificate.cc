#include "duel/inference/score_certificate.h"

#include <fmt/format.h>

#include "duel/inference/confidence_sequence.h"

namespace duel {

Result<ScoreBoard> score_board(const PairCounts& counts, Score score, double alpha) {
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  if (num_arms < 2) {
    return Error{ErrorCode::invalid_argument, fmt::format("{} arms have no winner", num_arms),
                 "arms", "at least two are needed"};
  }
  if (!(alpha > 0 && alpha < 1)) {
    return Error{ErrorCode::invalid_argument, fmt::format("{} is no error level", alpha),
                 "option alpha", "0 < alpha < 1"};
  }
  const auto k = static_cast<double>(num_arms);
  const double delta = 2.0 * alpha / (k * (k - 1.0));
  ScoreBoard board{.scores = std::vector<Interval>(num_arms, {0, 0}), .winner = {}};
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      if (counts.points(i, j) % 2 != 0 || counts.points(j, i) % 2 != 0) {
        return Error{ErrorCode::unsupported, "ties that count one half",
                     fmt::format("arms {} and {}", i, j),
                     "leave ties out, or decide them by a coin"};
      }
      // At K = 2 and alpha near 1 delta stays below 1, as the sequence needs.
      const Interval p =
          beta_binomial_sequence(counts.points(i, j) / 2, counts.points(j, i) / 2, delta);
      const auto add = [&](Arm arm, double lower, double upper) {
        if (score == Score::copeland) {
          board.scores[arm].lower += lower > 0.5 ? 1 : 0;
          board.scores[arm].upper += upper > 0.5 ? 1 : 0;
        } else {
          board.scores[arm].lower += lower / (k - 1.0);
          board.scores[arm].upper += upper / (k - 1.0);
        }
      };
      add(i, p.lower, p.upper);
      add(j, 1.0 - p.upper, 1.0 - p.lower);
    }
  }
  for (Arm i = 0; i < num_arms && !board.winner; ++i) {
    bool best = true;
    for (Arm j = 0; j < num_arms; ++j) {
      best = best && (i == j || board.scores[i].lower >= board.scores[j].upper);
    }
    if (best) board.winner = i;
  }
  return board;
}

}  // namespace duel
