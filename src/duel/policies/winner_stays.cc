#include "duel/policies/winner_stays.h"

#include <algorithm>
#include <functional>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

WinnerStaysTournament::WinnerStaysTournament(std::size_t num_arms, bool deterministic_ties)
    : num_arms_(num_arms),
      deterministic_ties_(deterministic_ties),
      scores_(num_arms),
      waiting_(all_arms(num_arms)) {}

WinnerStaysTournament::Choice WinnerStaysTournament::choose(Round round, RoundRng& rng) const {
  if (num_arms_ == 1) return {{0, 0, round}};
  switch (stage_) {
    case kContest:
      // Equal: the one that went first stays first.
      return scores_[second_] > scores_[first_] ? Choice{{second_, first_, round}}
                                                : Choice{{first_, second_, round}};
    case kNextChallenger:
      return {{first_, waiting_[pick_tied(waiting_.size(), deterministic_ties_, rng)], round},
              true};
    default: {
      const std::size_t first = pick_tied(waiting_.size(), deterministic_ties_, rng);
      std::size_t second = pick_tied(waiting_.size() - 1, deterministic_ties_, rng);
      if (second >= first) ++second;
      return {{waiting_[first], waiting_[second], round}, true};
    }
  }
}

void WinnerStaysTournament::went_out(const Choice& choice) {
  if (choice.duel.is_self()) return;
  if (choice.opens) {
    const auto leave = [&](Arm arm) {
      waiting_.erase(std::lower_bound(waiting_.begin(), waiting_.end(), arm));
    };
    if (stage_ == kNothingPlayed) leave(choice.duel.first);
    leave(choice.duel.second);
    stage_ = kContest;
  }
  first_ = choice.duel.first;
  second_ = choice.duel.second;
}

bool WinnerStaysTournament::answered(const Duel& duel, Points points) {
  const bool in_contest = stage_ == kContest && ((duel.first == first_ && duel.second == second_) ||
                                                 (duel.first == second_ && duel.second == first_));
  if (!in_contest || points.first == points.second) return false;
  const Arm winner = points.first > points.second ? duel.first : duel.second;
  const Arm loser = winner == first_ ? second_ : first_;
  ++scores_[winner];
  --scores_[loser];
  if (scores_[loser] > -static_cast<std::int64_t>(round_)) return false;
  if (!waiting_.empty()) {
    first_ = winner;
    stage_ = kNextChallenger;
    return false;
  }
  // The last loser is the first challenger of the next round: an arm of the last duel.
  ++round_;
  first_ = winner;
  second_ = loser;
  for (Arm i = 0; i < scores_.size(); ++i) {
    if (i != winner && i != loser) waiting_.push_back(i);
  }
  return true;
}

bool WinnerStaysTournament::restored() const {
  if (scores_.size() != num_arms_ || round_ < 1 || stage_ > kNextChallenger) return false;
  if (first_ >= num_arms_ || second_ >= num_arms_) return false;
  if (std::adjacent_find(waiting_.begin(), waiting_.end(), std::greater_equal<>()) !=
          waiting_.end() ||
      (!waiting_.empty() && waiting_.back() >= num_arms_)) {
    return false;
  }
  const auto waits = [&](Arm arm) {
    return std::binary_search(waiting_.begin(), waiting_.end(), arm);
  };
  switch (stage_) {
    case kContest:
      return first_ != second_ && !waits(first_) && !waits(second_);
    case kNextChallenger:
      return !waiting_.empty() && !waits(first_);
    default:
      return waiting_.size() == num_arms_;
  }
}

void WinnerStaysWeak::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign || duel.is_self()) return;
  if (const auto points = points_of(outcome, ties_, rng)) tournament_.answered(duel, *points);
}

WinnerStaysStrong::Choice WinnerStaysStrong::choose(Round round, RoundRng rng) const {
  if (exploits(round)) return {{survivor_, survivor_, round}};
  return tournament_.choose(round, rng);
}
void WinnerStaysStrong::commit(const Choice& choice) {
  if (num_arms_ == 1) return;
  if (!choice.duel.is_self()) {
    phase_ = kTournament;
    tournament_.went_out(choice);
  } else if (phase_ == kBlockDue) {
    constexpr double kForever = 0x1p62;
    const double length = block_ < kForever ? block_ : kForever;
    phase_ = kBlock;
    block_ends_ = choice.duel.round + static_cast<Round>(length);
  }
}

void WinnerStaysStrong::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign || duel.is_self() || phase_ != kTournament) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points || !tournament_.answered(duel, *points)) return;
  survivor_ = tournament_.survivor();
  block_ *= options_.beta;
  phase_ = kBlockDue;
}

Jump WinnerStaysStrong::jump(Round round, Round limit, RoundRng /*rng*/) const {
  if (num_arms_ == 1) return {limit};
  if (phase_ != kBlock) return {round};
  return {std::clamp(block_ends_, round, limit)};
}

bool WinnerStaysStrong::restored() const {
  return tournament_.restored() && phase_ <= kBlock && survivor_ < num_arms_ && block_ >= 1;
}

namespace {

const char* const kWinnerStaysPaper =
    "Chen, Frazier: Dueling Bandits with Weak Regret. ICML 2017, Algorithm ";

const bool winner_stays_weak_is_registered = register_policy<WinnerStaysWeak>(
    {.name = "ws-w",
     .title = "Winner Stays, for weak regret",
     .paper = std::string(kWinnerStaysPaper) + "1",
     .setting = "Condorcet winner",
     .guarantee = "weak regret O(K^2), with a total order O(K log K), whatever T",
     .status = "reproduced",
     .keeps_pairs = false},
    {});

const bool winner_stays_strong_is_registered = register_policy<WinnerStaysStrong>(
    {.name = "ws-s",
     .title = "Winner Stays, for strong regret",
     .paper = std::string(kWinnerStaysPaper) + "2",
     .setting = "Condorcet winner",
     .guarantee = "strong regret O(K^2 + K log T), with a total order O(K log K + K log T)",
     .status = "reproduced",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    OptionTable<WinnerStaysStrongOptions>().number(
        "beta", &WinnerStaysStrongOptions::beta, {.above = 1},
        "the survivor of tournament round l is then played against itself floor(beta^l) times",
        Shown::always));

}  // namespace
}  // namespace duel
