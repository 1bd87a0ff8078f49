#include "duel/policies/rmed.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "duel/core/divergence.h"
#include "duel/core/rows.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/evidence_grid.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr std::int64_t kFarBelow = std::numeric_limits<std::int64_t>::min() / 4;

}  // namespace

double log_log_round(Round t) { return t < 3 ? 0.0 : natural_log(log_round(t)); }

template <RmedVariant variant>
Rmed<variant>::Rmed(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      stride_(padded_row(num_arms)),
      f_(options.f_scale * std::pow(static_cast<double>(num_arms), options.f_power)),
      term_(num_arms * stride_),
      evidence_(stride_, std::numeric_limits<std::int64_t>::max()),
      mean_(num_arms * num_arms, 0.5),
      divergence_(variant == RmedVariant::two ? num_arms * num_arms : 0),
      remaining_(stride_),
      next_(stride_),
      room_(num_arms) {
  if constexpr (variant == RmedVariant::fixed_horizon) {
    const double plays = std::ceil(options.alpha * log_log_round(options.horizon));
    initial_passes_ = plays < 1 ? 1 : static_cast<std::uint32_t>(plays);
  }
  for (std::size_t i = 0; i < num_arms; ++i) {
    evidence_[i] = 0;
    remaining_[i] = -1;
    term_[i * stride_ + i] = kFarBelow;
    for (std::size_t k = num_arms; k < stride_; ++k) term_[i * stride_ + k] = kFarBelow;
  }
}

template <RmedVariant variant>
void Rmed<variant>::refresh_pair(Arm i, Arm j) {
  const double points_i = counts_.points(i, j);
  const double points_j = counts_.points(j, i);
  const double total = points_i + points_j;
  const double divergence = divergence_from_half((points_i - points_j) / total);
  const std::int64_t amount = to_grid(0.5 * total * divergence);
  const std::int64_t term = points_i < points_j ? amount : -amount;
  const auto replace = [&](Arm a, Arm b, std::int64_t value) {
    std::int64_t& entry = term_[a * stride_ + b];
    evidence_[a] += std::max<std::int64_t>(value, 0) - std::max<std::int64_t>(entry, 0);
    entry = value;
  };
  replace(i, j, term);
  replace(j, i, -term);
  mean_[i * num_arms() + j] = points_i / total;
  mean_[j * num_arms() + i] = points_j / total;
  if constexpr (variant == RmedVariant::two) {
    divergence_[i * num_arms() + j] = divergence;
    divergence_[j * num_arms() + i] = divergence;
  }
}

template <RmedVariant variant>
std::int64_t Rmed<variant>::evidence_budget(Round round) const {
  return to_grid_below(log_round(round) + f_);
}

template <RmedVariant variant>
Arm Rmed<variant>::likely_winner(RoundRng& rng) const {
  const std::int64_t least = smallest(evidence_.data(), stride_);
  const IntLanes leasts = {least, least};
  return static_cast<Arm>(pick_match(
      stride_,
      [&](std::size_t k) -> IntLanes { return load_lanes<IntLanes>(&evidence_[k]) == leasts; },
      [&](std::size_t tied) { return pick_tied(tied, options_.deterministic_ties, rng); }));
}

template <RmedVariant variant>
void Rmed<variant>::admit(Round round, std::vector<std::int64_t>& next) const {
  const std::int64_t least = smallest(evidence_.data(), stride_);
  const std::int64_t budget = evidence_budget(round);
  for (std::size_t k = 0; k < stride_; ++k) {
    const std::int64_t likely = evidence_[k] - least <= budget ? -1 : 0;
    next[k] |= likely & ~remaining_[k];
  }
}

template <RmedVariant variant>
bool Rmed<variant>::loop_is_over() const {
  return std::all_of(remaining_.begin() + cursor_, remaining_.end(),
                     [](std::int64_t member) { return member == 0; });
}

template <RmedVariant variant>
void Rmed<variant>::refill() {
  remaining_.swap(next_);
  std::fill(next_.begin(), next_.end(), 0);
  cursor_ = 0;
  loop_start_ = 1;
}

template <RmedVariant variant>
Arm Rmed<variant>::cheapest_opponent(Arm l, Arm winner, RoundRng& rng) const {
  const std::int64_t* term = &term_[l * stride_];
  const double* winner_mean = &mean_[winner * num_arms()];
  double least_regret = 0;
  if constexpr (variant != RmedVariant::one) least_regret = options_.clamp;
  LeastArms<double> cheapest(room_);
  for (Arm j = 0; j < num_arms(); ++j) {
    if (term[j] <= 0) continue;
    double divergence = 0;
    if constexpr (variant == RmedVariant::two) {
      divergence = divergence_[l * num_arms() + j];
    } else {
      const double total = static_cast<double>(counts_.total(l, j));
      divergence = divergence_from_half(
          (static_cast<double>(counts_.points(l, j)) - static_cast<double>(counts_.points(j, l))) /
          total);
    }
    // Twice the regret of (l, j) as estimated; sampling error can make it negative.
    cheapest.offer(j, std::max(least_regret, winner_mean[l] + winner_mean[j] - 1.0) / divergence);
  }
  return cheapest.empty() ? winner : cheapest.pick(options_.deterministic_ties, rng);
}

template <RmedVariant variant>
void Rmed<variant>::freeze_targets(RoundRng& rng) {
  const Arm winner = likely_winner(rng);
  targets_.resize(num_arms());
  for (Arm l = 0; l < num_arms(); ++l) targets_[l] = cheapest_opponent(l, winner, rng);
}

template <RmedVariant variant>
Arm Rmed<variant>::opponent_of(Arm l, Round round, RoundRng& rng) const {
  const Arm winner = likely_winner(rng);
  const std::int64_t* term = &term_[l * stride_];
  // Step 4 of RMED2 and RMED2FH: the cheapest opponent, unless l met i* too seldom.
  if constexpr (variant != RmedVariant::one) {
    Round clock = round;
    if constexpr (variant == RmedVariant::fixed_horizon) clock = options_.horizon;
    const double log_log = log_log_round(clock);
    const bool frozen = variant == RmedVariant::two || !targets_.empty();
    if (l != winner && log_log > 0 && frozen) {
      const Arm target =
          variant == RmedVariant::two ? cheapest_opponent(l, winner, rng) : targets_[l];
      if (target != l && term[target] >= 0 &&
          counts_.duels(l, winner) >= counts_.duels(l, target) / log_log) {
        return target;
      }
    }
  }
  // Step 4 of RMED1, O = {j : mean(l, j) <= 1/2}.
  if (l != winner && term[winner] >= 0) return winner;
  bool beats_all = true;
  for (Arm j = 0; j < num_arms(); ++j) beats_all = beats_all && term[j] < 0;
  if (beats_all) return winner;
  LeastArms<double> strongest(room_);
  for (Arm j = 0; j < num_arms(); ++j) {
    if (j != l) strongest.offer(j, mean_[l * num_arms() + j]);
  }
  return strongest.pick(options_.deterministic_ties, rng);
}

template <RmedVariant variant>
std::uint32_t Rmed<variant>::plays_due(Round round) const {
  if constexpr (variant == RmedVariant::two) {
    return static_cast<std::uint32_t>(std::ceil(options_.alpha * log_log_round(round)));
  } else {
    return 0;
  }
}

template <RmedVariant variant>
std::optional<typename Rmed<variant>::PairCursor> Rmed<variant>::pair_to_explore(
    std::uint32_t due) const {
  if (due <= explored_ || num_arms() < 2) return std::nullopt;
  PairCursor pair = due == exploring_for_ ? explore_cursor_ : PairCursor{};
  do {
    double plays = counts_.duels(pair.i, pair.j);
    for (const auto& ticket : tickets_) {
      plays += std::minmax(ticket.duel.first, ticket.duel.second) == std::minmax(pair.i, pair.j);
    }
    if (plays < due) return pair;
  } while (pair.advance(num_arms()));
  return std::nullopt;
}

template <RmedVariant variant>
typename Rmed<variant>::Choice Rmed<variant>::choose(Round round, RoundRng rng) const {
  // Step 1: the initial phase.
  if (!returned_.empty()) {
    const Duel& again = returned_.back();
    return {.duel = {again.first, again.second, round}, .phase = Phase::initial, .returned = true};
  }
  if (in_initial_phase()) {
    return {.duel = {initial_cursor_.i, initial_cursor_.j, round}, .phase = Phase::initial};
  }
  Choice choice;
  // Step 6. In a simulation `observe` refills a finished loop; here outcomes are still pending.
  choice.refill = loop_is_over();
  // Step 2.
  if (variant == RmedVariant::two && (loop_start_ != 0 || choice.refill)) {
    choice.plays_due = plays_due(round);
    if (const auto pair = pair_to_explore(choice.plays_due)) {
      choice.duel = {pair->i, pair->j, round};
      choice.phase = Phase::exploration;
      return choice;
    }
  }
  // Step 3.
  Arm l = cursor_;
  if (choice.refill) {
    std::vector<std::int64_t> next = next_;
    admit(last_issued_, next);
    for (l = 0; next[l] == 0;) ++l;
  } else {
    while (remaining_[l] == 0) ++l;
  }
  // Step 4.
  choice.duel = {l, opponent_of(l, round, rng), round};
  return choice;
}

template <RmedVariant variant>
void Rmed<variant>::commit(const Choice& choice) {
  switch (choice.phase) {
    case Phase::initial:
      if (choice.returned) {
        returned_.pop_back();
      } else if (!initial_cursor_.advance(num_arms())) {
        ++initial_passes_done_;
      }
      break;
    case Phase::exploration:
      exploring_for_ = choice.plays_due;
      explore_cursor_ = {choice.duel.first, choice.duel.second};
      break;
    case Phase::main:
      if (choice.refill) {
        admit(last_issued_, next_);
        refill();
      }
      explored_ = std::max(explored_, choice.plays_due);
      loop_start_ = 0;
      // Step 5: l leaves L_R.
      remaining_[choice.duel.first] = 0;
      cursor_ = choice.duel.first + 1;
      break;
  }
  last_issued_ = choice.duel.round;
  tickets_.issued(choice.duel, choice.phase);
}

template <RmedVariant variant>
bool Rmed<variant>::is_outstanding(Phase phase) const {
  return std::any_of(tickets_.begin(), tickets_.end(),
                     [&](const auto& ticket) { return ticket.note == phase; });
}

template <RmedVariant variant>
void Rmed<variant>::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  std::optional<Phase> phase;
  if (!duel.foreign) {
    phase = tickets_.settled(duel);
    if (!phase) return;
  }
  // Step 5: the counts.
  if (!duel.is_self()) {
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      counts_.add(duel.first, duel.second, *points);
      refresh_pair(duel.first, duel.second);
    } else {
      if (phase == Phase::initial) returned_.push_back(duel);
      explored_ = exploring_for_ = 0;  // a play that was counted as on its way is lost
    }
  }
  // Step 1 of RMED2FH: the end of the initial phase.
  if constexpr (variant == RmedVariant::fixed_horizon) {
    if (phase == Phase::initial && !in_initial_phase() && returned_.empty() &&
        !is_outstanding(Phase::initial)) {
      freeze_targets(rng);
    }
  }
  // Steps 5 and 6: the lists.
  if (phase == Phase::main) {
    admit(duel.round, next_);
    if (tickets_.empty() && loop_is_over()) refill();
  }
}

template <RmedVariant variant>
Jump Rmed<variant>::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const Jump stay{round};
  if (!tickets_.empty() || in_initial_phase() || !returned_.empty() || loop_start_ == 0) {
    return stay;
  }
  // Idle: the loop consists of one arm that beats every other.
  Arm l = 0;
  while (remaining_[l] == 0) ++l;
  if (std::count(remaining_.begin(), remaining_.end(), -1) != 1) return stay;
  std::int64_t rival = std::numeric_limits<std::int64_t>::max();
  for (Arm j = 0; j < num_arms(); ++j) {
    if (term_[l * stride_ + j] >= 0) return stay;
    if (j != l) rival = std::min(rival, evidence_[j]);
  }
  // The round at which a rival is admitted is itself still a self-duel, and is played.
  Round until = limit;
  if (num_arms() > 1) {
    const std::int64_t lead = rival - evidence_[l];
    const double level = from_grid(lead) - f_;
    until = wake_up_round(level, round, limit, [&](Round t) { return lead <= evidence_budget(t); });
  }
  if constexpr (variant == RmedVariant::two) {
    const double level = std::exp(static_cast<double>(explored_) / options_.alpha);
    until = wake_up_round(level, round, until, [&](Round t) { return plays_due(t) > explored_; });
  }
  return {until};
}

template <RmedVariant variant>
bool Rmed<variant>::restored() {
  const auto is_list = [&](const std::vector<std::int64_t>& list) {
    if (list.size() != stride_) return false;
    for (std::size_t k = 0; k < stride_; ++k) {
      if (list[k] != 0 && (list[k] != -1 || k >= num_arms())) return false;
    }
    return true;
  };
  const auto is_duel = [&](const Duel& duel) {
    return duel.first < num_arms() && duel.second < num_arms();
  };
  const auto is_cursor = [&](const PairCursor& cursor) {
    return num_arms() < 2 || (cursor.i < cursor.j && cursor.j < num_arms());
  };
  if (!counts_.consistent() || !is_list(remaining_) || !is_list(next_)) return false;
  if (!is_cursor(initial_cursor_) || !is_cursor(explore_cursor_)) return false;
  if (!std::all_of(returned_.begin(), returned_.end(), is_duel)) return false;
  if (!tickets_.restored(num_arms(), [](Phase phase) { return phase <= Phase::main; })) {
    return false;
  }
  if (!targets_.empty() && targets_.size() != num_arms()) return false;
  for (const Arm target : targets_) {
    if (target >= num_arms()) return false;
  }
  if (tickets_.empty() && loop_is_over()) return false;
  const Rmed fresh(options_, num_arms(), RoundRng(0, 0, 0));
  term_ = fresh.term_;
  evidence_ = fresh.evidence_;
  mean_ = fresh.mean_;
  divergence_ = fresh.divergence_;
  cursor_ = 0;
  counts_.for_each_met_pair([&](Arm i, Arm j) { refresh_pair(i, j); });
  return true;
}

template class Rmed<RmedVariant::one>;
template class Rmed<RmedVariant::two>;
template class Rmed<RmedVariant::fixed_horizon>;

namespace {

constexpr const char* kRmedPaper =
    "Komiyama, Honda, Kashima, Nakagawa: Regret Lower Bound and Optimal Algorithm in Dueling "
    "Bandit "
    "Problem. COLT 2015";
constexpr const char* kGridNote =
    "empirical divergences lie on a grid of 2^-36, so that equal evidence is exactly equal";

template <class Options>
OptionTable<Options> rmed_options() {
  OptionTable<Options> table;
  if constexpr (std::derived_from<Options, Rmed2Options>) {
    table.number("alpha", &Options::alpha, {.above = 0},
                 "every pair is explored alpha ln ln t times (t the horizon for rmed2fh)",
                 Shown::always);
  }
  if constexpr (std::derived_from<Options, Rmed2FhOptions>) table.horizon(&Options::horizon);
  table.number("f_scale", &Options::f_scale, {.least = 0},
               "an arm is drawn while its divergence exceeds the least by at most ln t + f, "
               "f = f_scale K^f_power");
  table.number("f_power", &Options::f_power, {.least = 0}, "the exponent of K in f");
  if constexpr (std::derived_from<Options, Rmed2Options>) {
    table.number("clamp", &Options::clamp, {.least = 0},
                 "least value of an estimated regret when opponents are compared");
  }
  return table;
}

const bool rmed_1_is_registered = register_policy<Rmed<RmedVariant::one>>(
    {.name = "rmed1",
     .title = "Relative Minimum Empirical Divergence",
     .paper = std::string(kRmedPaper) + ", Algorithm 1 with the RMED1 rule",
     .setting = "Condorcet winner",
     .guarantee = "asymptotically optimal where each arm's cheapest opponent is the winner",
     .departs = kGridNote,
     .status = "reproduced",
     .jumping = Jumping::exact},
    rmed_options<Rmed1Options>());

const bool rmed_2_is_registered = register_policy<Rmed<RmedVariant::two>>(
    {.name = "rmed2",
     .title = "Relative Minimum Empirical Divergence with cheapest opponents",
     .paper = std::string(kRmedPaper) + ", Algorithm 1 with the RMED2 rule",
     .setting = "Condorcet winner",
     .guarantee = "asymptotically optimal, plus O(K^2 log log T)",
     .departs = std::string(kGridNote) +
                "; estimated regrets below 0 count as 0 (the authors' program: 0.01, option clamp)",
     .status = "reproduced",
     .jumping = Jumping::exact},
    rmed_options<Rmed2Options>());

const bool rmed_2fh_is_registered = register_policy<Rmed<RmedVariant::fixed_horizon>>(
    {.name = "rmed2fh",
     .title = "Relative Minimum Empirical Divergence with cheapest opponents, fixed horizon",
     .paper = std::string(kRmedPaper) + ", Algorithm 2",
     .setting = "Condorcet winner",
     .guarantee = "asymptotically optimal: meets the regret lower bound",
     .departs = std::string(kGridNote) +
                "; estimated regrets below 0 count as 0 (the authors' program: 0.01, option clamp)",
     .status = "reproduced",
     .jumping = Jumping::exact},
    rmed_options<Rmed2FhOptions>());

}  // namespace
}  // namespace duel
