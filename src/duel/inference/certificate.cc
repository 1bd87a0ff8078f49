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
  look_at(winner, loser, raise(winner, loser));
}

void Certifier::observe(const Duel& duel, const AnswerUnit& answer) {
  DUEL_CHECK(duel.first < num_arms_ && duel.second < num_arms_);
  if (duel.is_self()) return;
  served(duel);
  if (looked_) return;
  const auto add = [&](Arm i, Arm j, double unit, double lead) {
    PairUnits& units = units_[{i, j}];
    if (unit != 0) evidence_.add(units.logs, unit);
    ++units.count;
    units.decisive += answer.decisive ? 1 : 0;
    units.lead += lead;
    units.score_sum += (1.0 + lead) / 2.0;
  };
  add(duel.first, duel.second, answer.unit, answer.lead);
  add(duel.second, duel.first, answer.reverse, -answer.lead);
  decisive_ += answer.decisive ? 1 : 0;
  if (options_.one_look) return;
  const bool forth = answer.unit > 0 && raise(duel.first, duel.second);
  const bool back = answer.reverse > 0 && raise(duel.second, duel.first);
  look_at(duel.first, duel.second, forth || back);
}

bool Certifier::raise(Arm i, Arm j) {
  PairState& state = pair(i, j);
  const std::uint64_t losses = pair(j, i).wins;
  const auto found = units_.empty() ? units_.end() : units_.find({i, j});
  if (found == units_.end()) return evidence_.raise(state.best, state.wins, losses);
  PairUnits& units = found->second;
  // Logarithms may rise while no count does, so that nothing is skipped as it is for counts.
  const double value = evidence_.log_evidence(state.wins, losses, units.logs);
  if (!(value > state.best.log_evidence)) return false;
  state.best = {.log_evidence = value, .wins = state.wins, .losses = losses};
  units.logs_then = units.logs;
  return true;
}

void Certifier::look_at(Arm i, Arm j, bool raised) {
  // A side that did not rise can only have been waiting for the number of answers.
  const bool now_enough = decisive(i, j) == options_.min_decisive_per_pair;
  if (!raised && !now_enough) return;
  settle(i, j);
  settle(j, i);
  look_for_winner(i);
  look_for_winner(j);
  look_for_no_winner();
}

const PairUnits* Certifier::units(Arm i, Arm j) const {
  const auto found = units_.find({i, j});
  return found == units_.end() ? nullptr : &found->second;
}

std::uint64_t Certifier::decisive(Arm i, Arm j) const {
  const std::uint64_t whole = pair(i, j).wins + pair(j, i).wins;
  if (units_.empty()) return whole;
  const PairUnits* const some = units(i, j);
  return some == nullptr ? whole : whole + some->decisive;
}

double Certifier::lead(Arm i, Arm j) const {
  const double whole = static_cast<double>(pair(i, j).wins) - static_cast<double>(pair(j, i).wins);
  const PairUnits* const some = units_.empty() ? nullptr : units(i, j);
  return some == nullptr ? whole : whole + some->lead;
}

void Certifier::look() {
  DUEL_CHECK(options_.one_look && !looked_);
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (i != j) raise(i, j);
    }
  }
  looked_ = true;
  recount();
}

PairFinding Certifier::finding(Arm i, Arm j, double log_threshold) const {
  const PairUnits* const some = units(i, j);
  return {.winner = i,
          .loser = j,
          .wins = pair(i, j).wins,
          .losses = pair(j, i).wins,
          .log_evidence = log_evidence(i, j),
          .log_threshold = log_threshold,
          .wins_then = pair(i, j).best.wins,
          .losses_then = pair(i, j).best.losses,
          .units = some == nullptr ? std::nullopt : std::optional(*some)};
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
