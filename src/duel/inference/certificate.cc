#include "duel/inference/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"

namespace duel {

Result<Certifier> Certifier::make(std::size_t num_arms, const CertificateOptions& options) {
  if (num_arms < 1) {
    return Error::invalid_argument("no arms", "arms", "at least one is needed");
  }
  if (!(options.alpha > 0 && options.alpha < 1)) {
    return Error::invalid_argument(fmt::format("{} is not an error level", options.alpha),
                                   "option alpha", "0 < alpha < 1");
  }
  if (!(options.epsilon >= 0 && options.epsilon < 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", options.epsilon),
                                   "option epsilon", "0 <= epsilon < 0.5");
  }
  if (options.winner_exists && (!options.arms_fixed || options.epsilon != 0)) {
    return Error::unsupported("needs arms_fixed and epsilon 0", "option winner_exists",
                              "leave the assumption out, or fix the arms");
  }
  return Certifier(num_arms, options);
}

Certifier::Certifier(std::size_t num_arms, const CertificateOptions& options)
    : options_(options),
      budget_(options.alpha, num_arms, options.arms_fixed, options.shared_causes, options.epsilon,
              options.winner_exists),
      evidence_(options.epsilon),
      num_arms_(num_arms),
      num_active_(num_arms),
      arms_(num_arms),
      pairs_(num_arms * num_arms) {
  recount();
}

Result<Arm> Certifier::add_arm() {
  if (options_.arms_fixed) {
    return Error::unsupported("no arm can be added: the set is fixed", "option arms_fixed",
                              "its thresholds hold for the arms of the start only");
  }
  const std::size_t before = num_arms_;
  std::vector<PairState> pairs((before + 1) * (before + 1));
  for (std::size_t i = 0; i < before; ++i) {
    for (std::size_t j = 0; j < before; ++j) pairs[i * (before + 1) + j] = pairs_[i * before + j];
  }
  pairs_ = std::move(pairs);
  arms_.emplace_back();
  ++num_arms_;
  ++num_active_;
  recount();
  return static_cast<Arm>(before);
}

Status Certifier::retire(Arm arm) {
  if (arm >= num_arms_) {
    return Error::not_found(fmt::format("there is no arm {}", arm), "retire",
                            fmt::format("{} arms joined so far", num_arms_));
  }
  if (options_.arms_fixed) {
    return Error::unsupported(fmt::format("arm {} cannot be retired: the set is fixed", arm),
                              "option arms_fixed",
                              "its thresholds hold for the arms of the start only");
  }
  if (!arms_[arm].active) return Done{};
  arms_[arm].active = false;
  --num_active_;
  if (arms_[arm].served) ++retired_after_duel_;
  recount();
  return Done{};
}

void Certifier::served(const Duel& duel) {
  if (duel.is_self()) return;
  arms_[duel.first].served = true;
  arms_[duel.second].served = true;
}

void Certifier::recount() {
  unbeaten_ = 0;
  for (Arm i = 0; i < num_arms_; ++i) {
    ArmState& arm = arms_[i];
    arm.log_threshold = natural_log(budget_.threshold(i, retired_after_duel_));
    // All pairs of the arms at the start have the same threshold.
    if (i > 0) arm.log_edge_threshold = natural_log(budget_.edge_threshold(i, 0));
    arm.unsettled = num_active_ - (arm.active ? 1 : 0);
    arm.beaten_by = 0;
    unbeaten_ += arm.active ? 1 : 0;
  }
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (i == j) continue;
      pair(i, j).settled = pair(i, j).edge = false;
      settle(i, j);
    }
  }
  for (Arm i = 0; i < num_arms_; ++i) look_for_winner(i);
  look_for_no_winner();
}

// Marks what the pair's evidence has reached; never takes a mark away.
void Certifier::settle(Arm i, Arm j) {
  if (!arms_[i].active || !arms_[j].active || !enough(i, j)) return;
  PairState& state = pair(i, j);
  if (!state.settled && state.best.log_evidence >= arms_[i].log_threshold) {
    state.settled = true;
    --arms_[i].unsettled;
  }
  if (!state.edge && state.best.log_evidence >= log_edge_threshold(i, j)) {
    state.edge = true;
    if (arms_[j].beaten_by++ == 0) --unbeaten_;
  }
}

void Certifier::observe(const Duel& duel, Outcome outcome) {
  DUEL_CHECK(duel.first < num_arms_ && duel.second < num_arms_);
  if (duel.is_self()) return;
  served(duel);
  if (looked_ || (outcome != Outcome::first_wins && outcome != Outcome::second_wins)) return;
  const bool first_won = outcome == Outcome::first_wins;
  const Arm winner = first_won ? duel.first : duel.second;
  const Arm loser = first_won ? duel.second : duel.first;
  ++decisive_;
  PairState& won = pair(winner, loser);
  ++won.wins;
  if (options_.one_look) return;
  // A loss lowers E, so that only the winner's side can reach a new maximum.
  const bool raised = evidence_.raise(won.best, won.wins, pair(loser, winner).wins);
  // The other side can only have been waiting for the number of duels.
  const bool now_enough = duels(winner, loser) == options_.min_decisive_per_pair;
  if (!raised && !now_enough) return;
  settle(winner, loser);
  if (now_enough) settle(loser, winner);
  look_for_winner(winner);
  look_for_winner(loser);
  look_for_no_winner();
}

void Certifier::look() {
  DUEL_CHECK(options_.one_look && !looked_);
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (i != j) evidence_.raise(pair(i, j).best, pair(i, j).wins, pair(j, i).wins);
    }
  }
  looked_ = true;
  recount();
}

PairFinding Certifier::finding(Arm i, Arm j, double log_threshold) const {
  return {.winner = i,
          .loser = j,
          .wins = pair(i, j).wins,
          .losses = pair(j, i).wins,
          .log_evidence = log_evidence(i, j),
          .log_threshold = log_threshold,
          .wins_then = pair(i, j).best.wins,
          .losses_then = pair(i, j).best.losses};
}

void Certifier::look_for_winner(Arm i) {
  // Without a rival there is nothing to certify.
  if (winner_ || !arms_[i].active || num_active_ < 2 || arms_[i].unsettled != 0) return;
  winner_.emplace();
  winner_->winner = i;
  winner_->decisive = decisive_;
  for (Arm j = 0; j < num_arms_; ++j) {
    if (j == i || !arms_[j].active) continue;
    winner_->findings.push_back(finding(i, j, arms_[i].log_threshold));
  }
}

void Certifier::look_for_no_winner() {
  // With a margin epsilon, "at most epsilon worse" in a circle contradicts no winner.
  if (options_.winner_exists || no_winner_ || options_.epsilon > 0 || num_active_ < 2 ||
      unbeaten_ != 0) {
    return;
  }
  no_winner_.emplace();
  no_winner_->decisive = decisive_;
  // The arm with the most evidence of beating each; following it runs into a cycle.
  std::vector<Arm> beater(num_arms_);
  Arm start = 0;
  for (Arm j = 0; j < num_arms_; ++j) {
    if (!arms_[j].active) continue;
    start = j;
    std::optional<Arm> best;
    for (Arm i = 0; i < num_arms_; ++i) {
      if (i == j || !arms_[i].active || !pair(i, j).edge) continue;
      if (!best || log_evidence(i, j) > log_evidence(*best, j)) best = i;
    }
    beater[j] = *best;
    no_winner_->findings.push_back(finding(*best, j, log_edge_threshold(*best, j)));
  }
  std::vector<bool> visited(num_arms_, false);
  Arm at = start;
  while (!visited[at]) {
    visited[at] = true;
    at = beater[at];
  }
  const Arm first = at;
  do {
    no_winner_->cycle.push_back(at);
    at = beater[at];
  } while (at != first);
  // Followed from beaten to beater; each is to beat the next.
  std::reverse(no_winner_->cycle.begin(), no_winner_->cycle.end());
}

bool Certifier::restored() const {
  const auto active = static_cast<std::size_t>(std::ranges::count(arms_, true, &ArmState::active));
  return arms_.size() == num_arms_ && pairs_.size() == num_arms_ * num_arms_ &&
         active == num_active_;
}

}  // namespace duel
