#include "duel/inference/score_certificate.h"

#include <fmt/format.h>

#include "duel/core/archive_containers.h"
#include "duel/core/logarithm.h"
#include "duel/core/numbers.h"
#include "duel/inference/confidence_sequence.h"

namespace duel {

namespace {

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

}  // namespace

Result<ScoreCertifier> ScoreCertifier::make(std::size_t num_arms, Score score, double alpha,
                                            std::uint64_t min_decisive_per_pair, Looks looks) {
  if (num_arms < 2) {
    return Error::invalid_argument(
        fmt::format("{} no winner", counted(num_arms, "arm has", "arms have")), "arms",
        "at least two are needed");
  }
  if (!(alpha > 0 && alpha < 1)) {
    return Error::invalid_argument(fmt::format("{} is not an error level", alpha), "option alpha",
                                   "0 < alpha < 1");
  }
  return ScoreCertifier(num_arms, score, level_of_pair(num_arms, alpha), min_decisive_per_pair,
                        looks);
}

ScoreCertifier::ScoreCertifier(std::size_t num_arms, Score score, double delta,
                               std::uint64_t min_decisive_per_pair, Looks looks)
    : num_arms_(num_arms),
      score_(score),
      delta_(delta),
      min_decisive_(min_decisive_per_pair),
      looks_(looks),
      is_unseen_(num_arms * num_arms),
      short_pairs_(min_decisive_per_pair == 0 ? 0 : num_arms * (num_arms - 1) / 2),
      wins_(num_arms * num_arms),
      parts_(num_arms * num_arms, part_of({}, score, num_arms)),
      scores_(num_arms) {
  for (Arm i = 0; i < num_arms; ++i) sum_up(i);
}

void ScoreCertifier::observe(Arm winner, Arm loser) {
  DUEL_CHECK(winner != loser && winner < num_arms_ && loser < num_arms_);
  if (looked_) return;
  ++decisive_;
  ++wins(winner, loser);
  const Pair pair = winner < loser ? Pair{winner, loser} : Pair{loser, winner};
  if (wins(winner, loser) + wins(loser, winner) == min_decisive_) --short_pairs_;
  if (!is_unseen_[pair.low * num_arms_ + pair.high]) {
    is_unseen_[pair.low * num_arms_ + pair.high] = true;
    unseen_.push_back(pair);
  }
  if (looks_ == Looks::once || decisive_ < next_look_) return;
  if (looks_ == Looks::every_fiftieth) next_look_ = decisive_ + 1 + decisive_ / 50;
  look_at_unseen();
}

void ScoreCertifier::look() {
  DUEL_CHECK(looks_ == Looks::once && !looked_);
  look_at_unseen();
  looked_ = true;
}

void ScoreCertifier::look_at_unseen() {
  for (const Pair& met : unseen_) look_at(met);
  unseen_.clear();
  look_for_winner();
}

void ScoreCertifier::look_at(const Pair& pair) {
  const auto [i, j] = pair;
  is_unseen_[i * num_arms_ + j] = false;
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
  // Every arm: of several with the same lower bound one may be settled, and which comes first must
  // not matter.
  for (Arm i = 0; i < num_arms_ && !winner_; ++i) {
    bool reached = true;
    for (Arm j = 0; j < num_arms_ && reached; ++j) {
      reached = j == i || scores_[i].lower >= scores_[j].upper;
      if (lowest_only_ && j < i) reached = reached && scores_[i].lower > scores_[j].lower;
    }
    if (reached) winner_ = i;
  }
}

namespace {

template <class Archive>
void archive_intervals(Archive& archive, std::vector<Interval>& intervals) {
  std::vector<double> bounds;
  for (const Interval& one : intervals) {
    bounds.push_back(one.lower);
    bounds.push_back(one.upper);
  }
  archive(bounds);
  if constexpr (kReadsState<Archive>) {
    intervals.clear();
    for (std::size_t k = 0; k + 1 < bounds.size(); k += 2) {
      intervals.push_back({bounds[k], bounds[k + 1]});
    }
  }
}

}  // namespace

template <class Archive>
void ScoreCertifier::fields(Archive& archive) {
  archive_fields(archive, looked_, lowest_only_, decisive_, next_look_, unseen_, is_unseen_,
                 short_pairs_, wins_, winner_);
  archive_intervals(archive, parts_);
  archive_intervals(archive, scores_);
}
template void ScoreCertifier::fields(StateWriter& archive);
template void ScoreCertifier::fields(StateReader& archive);

bool ScoreCertifier::restored() const {
  const std::size_t pairs = num_arms_ * num_arms_;
  return is_unseen_.size() == pairs && wins_.size() == pairs && parts_.size() == pairs &&
         scores_.size() == num_arms_;
}

}  // namespace duel
