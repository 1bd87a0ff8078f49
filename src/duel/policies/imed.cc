#include "duel/policies/imed.h"

#include <algorithm>
#include <limits>

#include "duel/core/divergence.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/evidence_grid.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr std::int64_t kAtOnce = std::numeric_limits<std::int64_t>::min();

std::int64_t budget(Round round) { return to_grid_below(log_round(round)); }

// Extra wins on each side in the estimates that choose a target, and what keeps its price above 0.
constexpr double kExtraWins = 5;
constexpr double kLeastRegret = 0.001;

}  // namespace

Imed::Imed(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      kappa_(to_grid(options.kappa)),
      term_(num_arms * num_arms),
      evidence_(num_arms),
      beaten_by_(num_arms),
      lost_points_(num_arms),
      log_duels_(num_arms * num_arms),
      room_(num_arms) {}

void Imed::refresh_pair(Arm i, Arm j) {
  const double points_i = counts_.points(i, j);
  const double points_j = counts_.points(j, i);
  const double total = points_i + points_j;
  const std::int64_t amount =
      to_grid(0.5 * total * divergence_from_half((points_i - points_j) / total));
  log_duels_[i * counts_.num_arms() + j] = log_duels_[j * counts_.num_arms() + i] =
      to_grid(options_.c * natural_log(0.5 * total));
  const auto replace = [&](Arm a, Arm b, std::int64_t value) {
    std::int64_t& entry = term_[a * counts_.num_arms() + b];
    evidence_[a] += value - entry;
    beaten_by_[a] += (value > 0 ? 1 : 0) - (entry > 0 ? 1 : 0);
    entry = value;
  };
  replace(i, j, points_i < points_j ? amount : 0);
  replace(j, i, points_j < points_i ? amount : 0);
  if (options_.target) {
    for (const Arm a : {i, j}) {
      lost_points_[a] = 0;
      for (Arm b = 0; b < counts_.num_arms(); ++b) {
        if (term(a, b) > 0) lost_points_[a] += counts_.total(a, b);
      }
    }
  }
}

double Imed::duels_with_pending(Arm i, Arm j) const {
  return counts_.duels(i, j) + (pending_.empty() ? 0.0 : pending_.count(i, j));
}

bool Imed::has_one_champion() const {
  const std::int64_t least = *std::min_element(evidence_.begin(), evidence_.end());
  return std::count(evidence_.begin(), evidence_.end(), least) == 1;
}

Arm Imed::champion(RoundRng& rng) const {
  LeastArms<std::int64_t> least(room_);
  for (Arm i = 0; i < counts_.num_arms(); ++i) least.offer(i, evidence_[i]);
  return least.pick(options_.deterministic_ties, rng);
}

std::int64_t Imed::index_of(Arm i, Arm champion) const {
  double n = pending_.empty() ? counts_.duels(i, champion) : duels_with_pending(i, champion);
  if (n == 0) return kAtOnce;
  if (options_.target) {
    // All duels of i that speak against it; those with the champion always do.
    n = 0.5 * static_cast<double>(lost_points_[i]);
    if (term(i, champion) == 0) n += counts_.duels(i, champion);
    for (const PendingPairs::Pair& pair : pending_.pairs()) {
      if (pair.low != i && pair.high != i) continue;
      const Arm other = pair.low == i ? pair.high : pair.low;
      if (other == champion || term(i, other) > 0) n += 1;
    }
  }
  const std::int64_t opponents = std::max<std::int64_t>(0, std::int64_t{beaten_by_[i]} - 1);
  const std::int64_t evidence =
      std::max(term(i, champion), evidence_[i] - evidence_[champion] - kappa_ * opponents);
  if (!options_.target && pending_.empty()) {
    return evidence + log_duels_[champion * counts_.num_arms() + i];
  }
  return evidence + to_grid(options_.c * natural_log(n));
}

LeastArms<std::int64_t> Imed::next_in_line(Arm champion) const {
  LeastArms<std::int64_t> least(room_);
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (i != champion) least.offer(i, index_of(i, champion));
  }
  return least;
}

Arm Imed::target_of(Arm b, Arm champion, Round round, RoundRng& rng) const {
  const auto mean = [&](Arm i, Arm j) {
    return (counts_.wins(i, j) + kExtraWins) / (counts_.duels(i, j) + 2 * kExtraWins);
  };
  const auto regret = [&](Arm j) {
    return j == champion ? 0.0 : std::max(0.0, mean(champion, j) - 0.5);
  };
  LeastArms<double> cheapest(room_);
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (j == b || term(b, j) == 0) continue;
    cheapest.offer(
        j, (regret(b) + regret(j) + kLeastRegret) / divergence_from_half(2.0 * mean(b, j) - 1.0));
  }
  if (cheapest.empty()) return champion;
  const Arm target = cheapest.pick(options_.deterministic_ties, rng);
  const double log_log = natural_log(log_round(round + 20));
  const bool met_often_enough =
      duels_with_pending(b, champion) * log_log >= duels_with_pending(b, target);
  return met_often_enough ? target : champion;
}

Duel Imed::select(Round round, RoundRng rng) const {
  const Arm a = champion(rng);
  if (counts_.num_arms() == 1) return {a, a, round};
  const auto next = next_in_line(a);
  if (next.value() > budget(round)) return {a, a, round};
  const Arm b = next.pick(options_.deterministic_ties, rng);
  if (!options_.target) return {a, b, round};
  return {target_of(b, a, round, rng), b, round};
}

void Imed::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.is_self()) return;
  if (!duel.foreign) pending_.settled(duel.first, duel.second);
  if (const auto points = points_of(outcome, options_.ties, rng)) {
    counts_.add(duel.first, duel.second, *points);
    refresh_pair(duel.first, duel.second);
  }
}

Jump Imed::jump(Round round, Round limit, RoundRng rng) const {
  if (counts_.num_arms() == 1) return {limit, std::nullopt};
  // Tied champions are redrawn in every round.
  if (!pending_.empty() || (!options_.deterministic_ties && !has_one_champion())) {
    return {round, std::nullopt};
  }
  const std::int64_t index = next_in_line(champion(rng)).value();
  return {
      wake_up_round(from_grid(index), round, limit, [&](Round t) { return index <= budget(t); }),
      std::nullopt};
}

bool Imed::restored() {
  if (!counts_.consistent() || !pending_.valid_for(counts_.num_arms())) return false;
  std::fill(term_.begin(), term_.end(), 0);
  std::fill(evidence_.begin(), evidence_.end(), 0);
  std::fill(beaten_by_.begin(), beaten_by_.end(), 0);
  counts_.for_each_met_pair([&](Arm i, Arm j) { refresh_pair(i, j); });
  return true;
}

namespace {

OptionTable<ImedOptions> imed_options() {
  OptionTable<ImedOptions> table;
  table.number("c", &ImedOptions::c, {.least = 0, .most = 1e6},
               "weight of ln n in the index: 1 is the greediest, 0 can lock on a wrong arm",
               Shown::always);
  table.number("kappa", &ImedOptions::kappa, {.least = 0, .most = 1e6},
               "taken back from the evidence against an arm per opponent beyond the first",
               Shown::always);
  table.flag("target", &ImedOptions::target,
             "an arm meets the opponent that refutes it most cheaply instead of the champion");
  return table;
}

const bool registered = register_policy<Imed>(
    {.name = "imed",
     .title = "Indexed minimum empirical divergence for duels",
     .paper = "ours; after Honda, Takemura: Non-asymptotic analysis of a new bandit algorithm for "
              "semi-bounded rewards. JMLR 2015",
     .setting = "Condorcet winner",
     .guarantee = "none proved",
     .departs = "not a published algorithm",
     .status = "experimental",
     .jumping = Jumping::exact},
    imed_options());

}  // namespace
}  // namespace duel
