#include "duel/policies/opt_max.h"

#include <algorithm>
#include <cmath>

#include "duel/policies/stopping.h"

namespace duel {

OptMaxTournament::OptMaxTournament(const Options& options, std::size_t num_arms, RoundRng& rng)
    : options_(options), num_arms_(num_arms) {
  const auto k = static_cast<double>(num_arms);
  log_arms_ = natural_log(k);
  size_ = std::sqrt(6.0 * k * log_arms_);
  std::vector<Arm> order = all_arms(num_arms);
  shuffle(order, rng);
  if (num_arms > 1 && options.delta >= 1.0 / k) {
    step_ = kAnchor;
    const double drawn = std::ceil(k / size_ * natural_log(8.0 / options.delta));
    if (drawn < k) order.resize(static_cast<std::size_t>(drawn));
  }
  elimination_ = SequentialElimination(std::move(order));
  set_rule();
}

bool OptMaxTournament::prunes() const {
  return static_cast<double>(rivals_.size()) > 2 * size_ &&
         static_cast<double>(pass_) < log_arms_ * log_arms_;
}

void OptMaxTournament::set_rule() {
  const double epsilon = options_.epsilon;
  const double delta = options_.delta;
  const auto each = [&](double all) {
    return all / static_cast<double>(std::max<std::size_t>(elimination_.order.size(), 1));
  };
  switch (step_) {
    case kAll:
      rule_ = {0, epsilon, each(delta)};
      break;
    case kAnchor:
      rule_ = {0, epsilon / 3, each(delta / 8)};
      break;
    case kPrune:
      rule_ = {epsilon / 3, 2 * epsilon / 3, delta / 4 / std::ldexp(2.0, static_cast<int>(pass_))};
      break;
    case kChallenge:
      rule_ = {2 * epsilon / 3, epsilon, delta / (4.0 * static_cast<double>(num_arms_))};
      break;
    default:
      rule_ = {0, epsilon, each(delta / 4)};
  }
}

void OptMaxTournament::begin_pruning() {
  anchor_ = elimination_.anchor;
  rivals_.clear();
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    if (arm != anchor_) rivals_.push_back(arm);
  }
  pass_ = 1;
  step_ = kPrune;
}

std::vector<Match> OptMaxTournament::played(std::span<const Match> matches, RoundRng& rng) {
  switch (step_) {
    case kPrune: {
      rivals_.clear();
      for (const Match& match : matches) {
        if (match.verdict == Match::first_wins) rivals_.push_back(match.first);
      }
      ++pass_;
      break;
    }
    case kChallenge:
      if (matches.front().verdict == Match::first_wins) {
        std::vector<Arm> order = rivals_;
        shuffle(order, rng);
        elimination_ = SequentialElimination(std::move(order));
        step_ = kRest;
      } else {
        ++pass_;
      }
      break;
    default:
      elimination_.played(matches.front());
  }
  return next_matches();
}

std::vector<Match> OptMaxTournament::next_matches() {
  if (step_ == kAnchor && elimination_.finished()) begin_pruning();
  if (step_ == kPrune && !prunes()) {
    step_ = kChallenge;
    pass_ = 0;
  }
  if (step_ == kChallenge && pass_ == rivals_.size()) {
    elimination_ = SequentialElimination({anchor_});
    step_ = kDone;
  }
  if ((step_ == kAll || step_ == kRest) && elimination_.finished()) step_ = kDone;
  set_rule();
  switch (step_) {
    case kDone:
      return {};
    case kPrune: {
      std::vector<Match> matches;
      for (const Arm arm : rivals_) matches.push_back({.first = arm, .second = anchor_});
      return matches;
    }
    case kChallenge:
      return {{.first = rivals_[pass_], .second = anchor_}};
    default:
      return {elimination_.match()};
  }
}

bool OptMaxTournament::restored(std::size_t num_arms, std::span<const Match> matches) {
  if (step_ < kAll || step_ > kDone || anchor_ >= num_arms || !elimination_.restored(num_arms) ||
      elimination_.order.empty() || matches.empty() != (step_ == kDone) ||
      !std::all_of(rivals_.begin(), rivals_.end(), [=](Arm arm) { return arm < num_arms; })) {
    return false;
  }
  if (step_ == kPrune && (matches.size() != rivals_.size() || pass_ < 1 || pass_ > 1000)) {
    return false;
  }
  if (step_ == kChallenge && pass_ >= rivals_.size()) return false;
  if ((step_ == kAll || step_ == kAnchor || step_ == kRest) && elimination_.finished())
    return false;
  set_rule();
  return true;
}

namespace {

const bool opt_max_is_registered = register_stopping_policy<OptMax>(
    {.name = "opt-max",
     .title = "Opt-Max, a nearly best arm of many",
     .paper = "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar: Maxing and Ranking with Few "
              "Assumptions. NIPS 2017, Algorithm OPT-MAX",
     .setting = "strong stochastic transitivity",
     .guarantee = "no arm beats the one it stops on by more than epsilon, with probability >= 1 - "
                  "delta, after O(K/epsilon^2 log(1/delta)) duels",
     .departs = "the anchor has no match with itself",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::winner,
    OptionTable<OptMaxOptions>()
        .number("epsilon", &OptMaxOptions::epsilon, {.above = 0, .below = 0.5},
                "by how much an arm may beat the one that is returned", Shown::always)
        .number("delta", &OptMaxOptions::delta, {.above = 0, .below = 1},
                "probability with which one may beat it by more; a run that certifies gives its "
                "level. Below 1/K the policy is seq-eliminate",
                Shown::always));

}  // namespace
}  // namespace duel
