#include "duel/inference/score_certificate.h"

#include <fmt/format.h>

#include "duel/core/logarithm.h"
#include "duel/inference/confidence_sequence.h"

namespace duel {

namespace {

Status check(std::size_t num_arms, double alpha) {
  if (num_arms < 2) {
    return Error::invalid_argument(fmt::format("{} arms have no winner", num_arms), "arms",
                                   "at least two are needed");
  }
  if (!(alpha > 0 && alpha < 1)) {
    return Error::invalid_argument(fmt::format("{} is no error level", alpha), "option alpha",
                                   "0 < alpha < 1");
  }
  return Done{};
}

// At K = 2 and alpha near 1 delta stays below 1, as the sequence needs.
double level_of_pair(std::size_t num_arms, double alpha) {
  const auto k = static_cast<double>(num_arms);
  return 2.0 * alpha / (k * (k - 1.0));
}

// What a pair adds to the score of an arm that wins it with a probability in `p`.
Interval part_of(const Interval& p, Score score, std::size_t num_arms) {
  if (score == Score::copeland) return {p.lower > 0.5 ? 1.0 : 0.0, p.upper > 0.5 ? 1.0 : 0.0};
  const double rivals = static_cast<double>(num_arms) - 1.0;
  return {p.lower / rivals, p.upper / rivals};
}

std::optional<Arm> settled_winner(const std::vector<Interval>& scores) {
  for (Arm i = 0; i < scores.size(); ++i) {
    bool best = true;
    for (Arm j = 0; j < scores.size(); ++j) {
      best = best && (i == j || scores[i].lower >= scores[j].upper);
    }
    if (best) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<ScoreBoard> score_board(const PairCounts& counts, Score score, double alpha) {
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  DUEL_RETURN_IF_ERROR(check(num_arms, alpha));
  const double delta = level_of_pair(num_arms, alpha);
  ScoreBoard board{.scores = std::vector<Interval>(num_arms, {0, 0}), .winner = {}};
  const auto add = [&](Arm arm, const Interval& p) {
    const Interval part = part_of(p, score, num_arms);
    board.scores[arm].lower += part.lower;
    board.scores[arm].upper += part.upper;
  };
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      if (counts.points(i, j) % 2 != 0 || counts.points(j, i) % 2 != 0) {
        return Error::unsupported("ties that count one half", fmt::format("arms {} and {}", i, j),
                                  "leave ties out, or decide them by a coin");
      }
      const Interval p =
          beta_binomial_sequence(counts.points(i, j) / 2, counts.points(j, i) / 2, delta);
      add(i, p);
      add(j, {1.0 - p.upper, 1.0 - p.lower});
    }
  }
  board.winner = settled_winner(board.scores);
  return board;
}

Result<ScoreCertifier> ScoreCertifier::make(std::size_t num_arms, Score score, double alpha,
                                            std::uint64_t min_decisive_per_pair) {
  DUEL_RETURN_IF_ERROR(check(num_arms, alpha));
  return ScoreCertifier(num_arms, score, level_of_pair(num_arms, alpha), min_decisive_per_pair);
}

ScoreCertifier::ScoreCertifier(std::size_t num_arms, Score score, double delta,
                               std::uint64_t min_decisive_per_pair)
    : num_arms_(num_arms),
      score_(score),
      delta_(delta),
      min_decisive_(min_decisive_per_pair),
      short_pairs_(min_decisive_per_pair == 0 ? 0 : num_arms * (num_arms - 1) / 2),
      wins_(num_arms * num_arms),
      parts_(num_arms * num_arms, part_of({}, score, num_arms)),
      scores_(num_arms) {
  for (Arm i = 0; i < num_arms; ++i) sum_up(i);
}

void ScoreCertifier::observe(Arm winner, Arm loser) {
  DUEL_CHECK(winner != loser && winner < num_arms_ && loser < num_arms_);
  ++decisive_;
  ++wins(winner, loser);
  // From the lower arm's side, as the whole board is computed: the same bits.
  const Arm i = winner < loser ? winner : loser;
  const Arm j = winner < loser ? loser : winner;
  if (wins(i, j) + wins(j, i) == min_decisive_) --short_pairs_;
  Interval p;
  if (score_ == Score::copeland) {
    // All that counts is whether one half is ruled out, and on which side of it the pair is.
    const bool decided =
        beta_binomial_log_evidence(wins(i, j), wins(j, i), 0.5) >= natural_log(1.0 / delta_);
    if (decided) p = wins(i, j) > wins(j, i) ? Interval{1, 1} : Interval{0, 0};
  } else {
    p = beta_binomial_sequence(wins(i, j), wins(j, i), delta_);
  }
  parts_[i * num_arms_ + j] = part_of(p, score_, num_arms_);
  parts_[j * num_arms_ + i] = part_of({1.0 - p.upper, 1.0 - p.lower}, score_, num_arms_);
  sum_up(i);
  sum_up(j);
  look_for_winner();
}

void ScoreCertifier::sum_up(Arm arm) {
  Interval sum{0, 0};
  for (Arm j = 0; j < num_arms_; ++j) {
    if (j == arm) continue;
    sum.lower += parts_[arm * num_arms_ + j].lower;
    sum.upper += parts_[arm * num_arms_ + j].upper;
  }
  scores_[arm] = sum;
}

void ScoreCertifier::look_for_winner() {
  if (winner_ || short_pairs_ > 0) return;
  // The arm with the largest lower bound, the lowest of them, is the only one that can be settled.
  Arm best = 0;
  for (Arm i = 1; i < num_arms_; ++i) {
    if (scores_[i].lower > scores_[best].lower) best = i;
  }
  for (Arm j = 0; j < num_arms_; ++j) {
    if (j != best && scores_[best].lower < scores_[j].upper) return;
  }
  winner_ = best;
}

}  // namespace duel
