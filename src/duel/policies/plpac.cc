#include "duel/policies/plpac.h"

#include <algorithm>
#include <functional>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/stopping.h"

namespace duel {

double PlpacTournament::natural_log_of_constant(std::size_t num_arms, double delta) {
  return natural_log(4.0) + 2.0 * natural_log(static_cast<double>(num_arms)) - natural_log(delta);
}

double PlpacTournament::radius(Arm i, Arm j) const {
  const double n = counts_.duels(i, j);
  return hoeffding_radius(log_constant_ + 2.0 * natural_log(n), n);
}

std::vector<Match> PlpacTournament::next_matches(RoundRng& rng) const {
  std::vector<Match> matches;
  if (arms_.size() == 1) return matches;
  const Arm pivot = arms_[rng.below(arms_.size())];
  for (const Arm arm : arms_) {
    if (arm != pivot) matches.push_back({.first = arm, .second = pivot});
  }
  return matches;
}

std::vector<Match> PlpacTournament::played(std::span<const Match> matches, RoundRng& rng) {
  const Arm pivot = matches.front().second;
  for (const Match& match : matches) {
    sample(match.winner(), match.loser());
    if (match.verdict != Match::first_wins) continue;
    for (const Match& other : matches) {
      if (other.verdict == Match::second_wins) sample(match.first, other.first);
    }
  }
  // Every pair of arms that are left has met or not; one that has not has no radius.
  const auto lower = [&](Arm i, Arm j) { return counts_.mean(i, j) - radius(i, j); };
  const auto met = [&](Arm i, Arm j) { return counts_.total(i, j) > 0; };
  std::vector<Arm> left;
  for (const Arm j : arms_) {
    if (std::none_of(arms_.begin(), arms_.end(),
                     [&](Arm i) { return i != j && met(i, j) && lower(i, j) > 0.5; })) {
      left.push_back(j);
    }
  }
  arms_ = std::move(left);
  for (const Arm i : arms_) {
    if (std::all_of(arms_.begin(), arms_.end(), [&](Arm j) {
          return i == j || (met(i, j) && lower(i, j) >= 0.5 - epsilon_);
        })) {
      arms_ = {i};
      break;
    }
  }
  if (arms_.empty()) arms_ = {pivot};
  return next_matches(rng);
}

Arm PlpacTournament::leader(std::span<const Match> /*matches*/, RoundRng rng) const {
  return largest_of(arms_, false, rng, [&](Arm i) {
    double wins = 0;
    for (const Arm j : arms_) wins += i == j ? 0 : counts_.mean(i, j);
    return wins;
  });
}

bool PlpacTournament::restored(std::size_t num_arms, std::span<const Match> matches) const {
  if (!counts_.consistent() || counts_.num_arms() != num_arms || arms_.empty() ||
      arms_.back() >= num_arms ||
      std::adjacent_find(arms_.begin(), arms_.end(), std::greater_equal<>()) != arms_.end()) {
    return false;
  }
  return matches.size() == arms_.size() - 1;
}

namespace {

const bool plpac_is_registered = register_stopping_policy<Plpac>(
    {.name = "plpac",
     .title = "PLPAC, the best arm of a Plackett-Luce model",
     .paper = "Szoerenyi, Busa-Fekete, Paul, Huellermeier: Online Rank Elicitation for "
              "Plackett-Luce: A Dueling Bandits Approach. NIPS 2015, Algorithm PLPAC",
     .setting = "Plackett-Luce (Bradley-Terry) model",
     .guarantee = "stops on an arm that no other beats by more than epsilon with probability >= 1 "
                  "- delta, under the model",
     .status = "tested",
     .jumping = Jumping::exact},
    Finds::winner,
    OptionTable<PlpacOptions>()
        .number("epsilon", &PlpacOptions::epsilon, {.below = 0.5, .least = 0},
                "by how much an arm may beat the one that is returned; 0: it is the best",
                Shown::always)
        .number("delta", &PlpacOptions::delta, {.above = 0, .below = 1},
                "probability of stopping on another arm; a run that certifies gives its level",
                Shown::always));

}  // namespace
}  // namespace duel
