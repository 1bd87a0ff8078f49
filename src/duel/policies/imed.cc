#include "duel/policies/imed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/divergence.h"
#include "duel/core/exponential.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/evidence_grid.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// Evidence at or below which nothing has to wait: an arm that nobody beats, a pair that never met.
constexpr std::int64_t kAtOnce = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What chance alone adds to a sum over k accusers: each further term of an even pair has mean 1/2.
std::int64_t omega(std::size_t k, double slack) {
  const double m = k > 1 ? static_cast<double>(k - 1) : 0;
  return to_grid(std::max(m / 4, m / 2 - slack));
}

// T c g(n), rounded to the grid, so that sums of it are exact and can be kept up by addition.
double weighted_term(std::int64_t term, double bonus) {
  return from_grid(to_grid(from_grid(term) * bonus));
}

// The bold form: f(t) = ln(t + kBoldStart) - kBoldOffset.
constexpr double kBoldStart = 1e4;
constexpr double kBoldOffset = 3;
constexpr double kBoldBonus = 0.7;  // of c, at level 0
constexpr double kBoldHearing = 3;  // of ag
constexpr double kBoldAbove = 0.5;  // what the budget is larger above level 0
constexpr double kBoldLead = 8;     // most of R
constexpr double kClearly = 7;      // evidence of a pair beyond which more does not count in S

// min(T, 7), 0 where the margin is that of the other side.
std::int64_t capped(std::int64_t margin) {
  return std::clamp<std::int64_t>(margin, 0, to_grid(kClearly));
}

}  // namespace

Imed::Imed(const Options& options, std::size_t num_arms, RoundRng rng)
    : options_(options),
      c_(options.bold ? kBoldBonus * options.c : options.c),
      c_above_(options.bold ? 1 / kBoldBonus : 1),
      hearing_(options.bold ? kBoldHearing * options.ag : options.ag),
      above_(options.bold ? to_grid(kBoldAbove) : 0),
      credit_(to_grid(options.credit)),
      counts_(num_arms),
      lots_(num_arms),
      champion_(static_cast<Arm>(num_arms)),
      kept_(static_cast<Arm>(num_arms)),
      margin_(num_arms * num_arms),
      duels_(num_arms * num_arms),
      pair_bonus_(num_arms * num_arms),
      evidence_(num_arms),
      support_(num_arms),
      capped_(num_arms),
      score_(num_arms),
      accusers_(num_arms),
      weighted_(num_arms),
      bonus_(num_arms),
      lessened_(num_arms),
      plausibility_(num_arms, kAtOnce),
      room_(num_arms),
      tied_room_(num_arms) {
  for (std::uint64_t& lot : lots_) lot = rng.bits();
}

// The threshold f(t): ln t, and in the safe form ln t + 2 ln(1 + ln t). In the bold form that of
// level 0; what is compared with it above is made as much smaller as f is larger there.
std::int64_t Imed::budget(Round round) const {
  if (options_.bold) {
    return to_grid_below(natural_log(static_cast<double>(round) + kBoldStart) - kBoldOffset);
  }
  const double log = log_round(round);
  return to_grid_below(options_.safe ? log + 2 * natural_log(1 + log) : log);
}

double Imed::bonus_of_pair(double duels) const {
  const double log = natural_log(duels);
  return c_ * (options_.safe ? log : log * duels / (duels + options_.n0));
}

double Imed::bonus_with_pending(Arm i, Arm j) const {
  return pending_.empty() ? pair_bonus_[i * counts_.num_arms() + j]
                          : bonus_of_pair(duels_with_pending(i, j));
}

// Step 3: even pairs share, and what speaks against an arm makes it wait.
double Imed::weight(double duels, std::int64_t evidence) const {
  return (duels + options_.start) * (1 + from_grid(evidence));
}

double Imed::duels_with_pending(Arm i, Arm j) const {
  const double duels = duels_[i * counts_.num_arms() + j];
  return pending_.empty() ? duels : duels + pending_.count(i, j);
}

void Imed::refresh_pair(Arm i, Arm j) {
  const std::size_t ij = i * counts_.num_arms() + j;
  const std::size_t ji = j * counts_.num_arms() + i;
  const double points_i = counts_.points(i, j);
  const double points_j = counts_.points(j, i);
  const double duels = 0.5 * (points_i + points_j);
  const std::int64_t amount =
      to_grid(duels * divergence_from_half((points_i - points_j) / (points_i + points_j)));
  const double bonus = bonus_of_pair(duels);
  const double bonus_before = pair_bonus_[ij];
  const auto replace = [&](Arm a, std::int64_t before, std::int64_t after) {
    support_[a] += (after < 0 ? -after : 0) - (before < 0 ? -before : 0);
    if (options_.bold) capped_[a] += capped(-after) - capped(-before);
    if (before > 0) {
      weighted_[a] -= weighted_term(before, bonus_before);
      evidence_[a] -= before;
      --accusers_[a];
    }
    if (after > 0) {
      weighted_[a] += weighted_term(after, bonus);
      evidence_[a] += after;
      ++accusers_[a];
    }
    refresh_standing(a);
  };
  const std::int64_t before = margin_[ij];
  margin_[ij] = points_i < points_j ? amount : -amount;
  margin_[ji] = -margin_[ij];
  duels_[ij] = duels_[ji] = duels;
  pair_bonus_[ij] = pair_bonus_[ji] = bonus;
  replace(i, before, margin_[ij]);
  replace(j, -before, margin_[ji]);
}

std::int64_t Imed::safe_plausibility(Arm i, auto bonus) const {
  std::int64_t most = kAtOnce;
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    const std::int64_t t = term(i, j);
    if (t > 0) most = std::max(most, t + to_grid(bonus(j)));
  }
  return most;
}

void Imed::refresh_standing(Arm i) {
  score_[i] = evidence_[i] - std::min(support_[i], credit_);
  if (evidence_[i] == 0) {
    weighted_[i] = 0;
    bonus_[i] = lessened_[i] = 0;
    plausibility_[i] = kAtOnce;
    return;
  }
  bonus_[i] = to_grid(weighted_[i] / from_grid(evidence_[i]));
  lessened_[i] = evidence_[i] - omega(accusers_[i], options_.slack);
  plausibility_[i] = lessened_[i] + bonus_[i];
  if (options_.safe) {
    plausibility_[i] =
        safe_plausibility(i, [&](Arm j) { return pair_bonus_[i * counts_.num_arms() + j]; });
  }
}

// Pending duels count in the bonus. They are few, so the arms they touch are worked out here.
Imed::Standing Imed::standing() const {
  if (pending_.empty()) return {plausibility_, bonus_};
  pending_weighted_ = weighted_;
  pending_plausibility_ = plausibility_;
  pending_bonus_ = bonus_;
  for (const PendingPairs::Pair& pair : pending_.pairs()) {
    // At most one of the two has evidence against it from this pair.
    const Arm i = term(pair.low, pair.high) > 0 ? pair.low : pair.high;
    const Arm j = i == pair.low ? pair.high : pair.low;
    const std::int64_t t = term(i, j);
    if (t == 0) continue;
    pending_weighted_[i] += weighted_term(t, bonus_with_pending(i, j)) -
                            weighted_term(t, pair_bonus_[i * counts_.num_arms() + j]);
    pending_bonus_[i] = to_grid(pending_weighted_[i] / from_grid(evidence_[i]));
    pending_plausibility_[i] =
        options_.safe ? safe_plausibility(i, [&](Arm k) { return bonus_with_pending(i, k); })
                      : lessened_[i] + pending_bonus_[i];
  }
  return {pending_plausibility_, pending_bonus_};
}

// Whether j comes before `other` among the accusers of i: the stronger; of equals by lot, drawn
// when the row last changed.
bool Imed::accuses_before(Arm i, Arm j, Arm other) const {
  const std::int64_t a = term(i, j), b = term(i, other);
  if (a != b) return a > b;
  if (options_.deterministic_ties) return j < other;
  return mix64(lots_[i] ^ j) < mix64(lots_[i] ^ other);
}

Arm Imed::accuser_of(Arm i) const {
  const std::int64_t* row = margin_.data() + i * counts_.num_arms();
  Arm accuser = i;  // its own entry is 0
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (row[j] < row[accuser] || j == accuser) continue;
    if (row[j] > row[accuser] || (row[j] > 0 && accuses_before(i, j, accuser))) accuser = j;
  }
  return accuser;
}

const Imed::Ladder& Imed::ladder(Arm i) const {
  Ladder& ladder = ladders_[i];
  if (!ladder.stale) return ladder;
  ladder.stale = false;
  ladder.accusers.clear();
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (term(i, j) > 0) ladder.accusers.push_back(j);
  }
  std::sort(ladder.accusers.begin(), ladder.accusers.end(),
            [&](Arm j, Arm other) { return accuses_before(i, j, other); });
  const std::size_t rungs = ladder.accusers.size() + 1;
  ladder.evidence.assign(rungs, 0);
  ladder.plausibility.assign(rungs, kAtOnce);
  double weighted = 0;
  for (std::size_t level = rungs - 1; level-- > 0;) {
    const std::int64_t t = term(i, ladder.accusers[level]);
    const double bonus = c_above_ * bonus_with_pending(i, ladder.accusers[level]);
    weighted += weighted_term(t, bonus);
    ladder.evidence[level] = ladder.evidence[level + 1] + t;
    if (options_.safe) {
      ladder.plausibility[level] = std::max(ladder.plausibility[level + 1], t + to_grid(bonus));
      continue;
    }
    const std::int64_t evidence = ladder.evidence[level];
    ladder.plausibility[level] = evidence - omega(rungs - 1 - level, options_.slack) +
                                 to_grid(weighted / from_grid(evidence)) - above_;
  }
  return ladder;
}

// R_i.
double Imed::lead(Arm a, Arm i, double duels) const {
  const std::size_t num_arms = counts_.num_arms();
  const std::int64_t direct = term(i, a);
  if (num_arms == 2 || direct == 0) return 0;
  const double field = kClearly * static_cast<double>(num_arms - 2);
  // What i has shown is against others than a, which beats it, and the other way round.
  const double ahead = from_grid(capped_[a] - capped(direct) - capped_[i]) / field;
  if (ahead <= 0) return 0;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const double square = duels * duels;
  return kBoldLead * ahead * std::sqrt(from_grid(direct) / (duels * kLn2)) * square /
         (square + 400);
}

Imed::Plan Imed::plan(std::int64_t budget, RoundRng& rng) const {
  const std::size_t num_arms = counts_.num_arms();
  const Standing now = standing();
  // Step 1: the champion is the plausible arm with the least evidence against it.
  LeastArms<std::int64_t> least(tied_room_);
  for (Arm i = 0; i < num_arms; ++i) {
    if (now.plausibility[i] <= budget) least.offer(i, score_[i]);
  }
  if (least.empty()) return plan_above(budget, rng);
  const Arm a = least.pick(options_.deterministic_ties, rng);
  Plan plan{a, 0, least.arms().size() > 1 && !options_.deterministic_ties, kNever,
            LeastArms<double>(room_)};
  // Step 2(a): the champion answers its accuser.
  if (evidence_[a] > 0) {
    plan.candidates.offer(a, weight(duels_with_pending(a, accuser_of(a)), evidence_[a]));
  }
  // Step 2(b): everybody whom the evidence does not exclude yet.
  std::span<const double> duels(duels_.data() + a * num_arms, num_arms);
  if (!pending_.empty()) {
    pending_duels_.assign(duels.begin(), duels.end());
    for (const PendingPairs::Pair& pair : pending_.pairs()) {
      if (pair.low == a) pending_duels_[pair.high] += pair.count;
      if (pair.high == a) pending_duels_[pair.low] += pair.count;
    }
    duels = pending_duels_;
  }
  const std::int64_t* margin = margin_.data() + a * num_arms;
  for (Arm i = 0; i < num_arms; ++i) {
    if (i == a) continue;
    std::int64_t e = std::max<std::int64_t>(0, -margin[i]);  // T_ia
    std::int64_t h = kAtOnce;
    if (evidence_[i] == 0) {
      if (duels[i] > 0) h = to_grid(bonus_with_pending(a, i));
    } else if (options_.safe) {
      e = term(i, accuser_of(i));
      h = now.plausibility[i];
    } else if (options_.bold) {
      const std::int64_t rest = lessened_[i] - evidence_[a];
      h = to_grid(lead(a, i, duels[i])) + now.bonus[i];
      e = std::max(e, e > 0 ? rest : rest / 2);
      h += e;
    } else {
      e = std::max(e, lessened_[i] - evidence_[a]);
      h = e + now.bonus[i];
    }
    if (h <= budget) {
      plan.candidates.offer(i, weight(duels[i], e));
    } else {
      plan.wake_up = std::min(plan.wake_up, h);
    }
  }
  // While the champion plays itself, an arm that becomes plausible can take its place.
  if (plan.candidates.empty()) {
    for (Arm i = 0; i < num_arms; ++i) {
      if (now.plausibility[i] > budget && score_[i] <= score_[a]) {
        plan.wake_up = std::min(plan.wake_up, now.plausibility[i]);
      }
    }
  }
  test_champion(budget, plan);
  return plan;
}

Imed::Plan Imed::plan_above(std::int64_t budget, RoundRng& rng) const {
  const std::size_t num_arms = counts_.num_arms();
  ladders_.resize(num_arms);
  const Standing ground = options_.bold ? standing() : Standing{};
  std::int64_t wake_up = kNever;
  LeastArms<std::int64_t> least(tied_room_);
  std::size_t level = 0;
  while (least.empty()) {
    // At level K - 1 nothing is left of any sum.
    ++level;
    for (Arm i = 0; i < num_arms; ++i) {
      const Ladder& rungs = ladder(i);
      // Of the level below; that of level 0 is counted otherwise in the bold form.
      wake_up = std::min(wake_up, level == 1 && options_.bold ? ground.plausibility[i]
                                                              : rungs.plausibility[level - 1]);
    }
    for (Arm i = 0; i < num_arms; ++i) {
      const Ladder& rungs = ladder(i);
      const std::size_t rung = std::min(level, rungs.accusers.size());
      if (rungs.plausibility[rung] <= budget) least.offer(i, rungs.evidence[rung]);
    }
  }
  const auto tied = least.arms();
  const bool keeps = std::find(tied.begin(), tied.end(), kept_) != tied.end();
  const Arm a = keeps ? kept_ : least.pick(options_.deterministic_ties, rng);
  Plan plan{a, level, tied.size() > 1 && !keeps && !options_.deterministic_ties, wake_up,
            LeastArms<double>(room_)};
  std::int64_t others = kNever;  // mu
  for (Arm i = 0; i < num_arms; ++i) {
    const Ladder& rungs = ladder(i);
    if (i != a) others = std::min(others, rungs.evidence[std::min(level, rungs.accusers.size())]);
  }
  const Ladder& own = ladder(a);
  if (least.value() > 0) {
    plan.candidates.offer(a, weight(duels_with_pending(a, own.accusers[level]), least.value()));
  }
  const auto excused_end =
      own.accusers.begin() + static_cast<std::ptrdiff_t>(std::min(level, own.accusers.size()));
  for (Arm j = 0; j < num_arms; ++j) {
    if (j == a || std::find(own.accusers.begin(), excused_end, j) != excused_end) continue;
    const double duels = duels_with_pending(a, j);
    const std::int64_t e = term(j, a) + others;
    const std::int64_t h =
        duels == 0 ? kAtOnce : e + to_grid(c_above_ * bonus_with_pending(a, j)) - above_;
    if (h <= budget) {
      plan.candidates.offer(j, weight(duels, e));
    } else {
      plan.wake_up = std::min(plan.wake_up, h);
    }
  }
  test_champion(budget, plan);
  return plan;
}

// Step 4.
void Imed::test_champion(std::int64_t budget, Plan& plan) const {
  if (!plan.candidates.empty()) return;
  const Arm a = plan.champion;
  const BetterWorld& world = better_world(a, plan.level);
  const std::int64_t cost =
      plan.level == 0 || world.cost == kNever ? world.cost : world.cost - above_;
  if (cost > budget) {
    plan.wake_up = std::min(plan.wake_up, cost);
    return;
  }
  plan.tests_champion = true;
  for (const Arm j : world.opponents) {
    plan.candidates.offer(j, weight(duels_with_pending(a, j), term(j, a)));
  }
}

Imed::Reversal Imed::reversal(Arm loser, Arm winner, Arm arm) const {
  const std::int64_t t = term(loser, winner);
  const bool met = duels_with_pending(loser, winner) > 0;
  const double scale = losses_above_ ? c_above_ : 1;
  return {t + (met ? to_grid(scale * bonus_with_pending(loser, winner)) : 0), t, arm};
}

const std::vector<Imed::Reversal>& Imed::losses_of(Arm i) const {
  losses_.resize(counts_.num_arms());
  Losses& losses = losses_[i];
  if (!losses.stale) return losses.pairs;
  losses.stale = false;
  losses.pairs.clear();
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (term(i, j) > 0) losses.pairs.push_back(reversal(i, j, j));
  }
  std::sort(losses.pairs.begin(), losses.pairs.end());
  return losses.pairs;
}

// REQUIRES: the champion loses to exactly `level` arms and every other arm to at least as many, as
// is the case without a candidate: else the arm would be plausible at a lower level.
const Imed::BetterWorld& Imed::better_world(Arm a, std::size_t level) const {
  BetterWorld& best = better_world_;
  if (!best.stale && best.champion == a && best.level == level) return best;
  if (options_.bold && losses_above_ != (level > 0)) {
    losses_above_ = level > 0;
    for (Losses& losses : losses_) losses.stale = true;
  }
  best = {.stale = false, .champion = a, .level = level, .cost = kNever, .opponents = {}};
  beaten_.clear();
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (j != a && term(a, j) == 0) beaten_.push_back(reversal(j, a, j));
  }
  std::sort(beaten_.begin(), beaten_.end());
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (i != a) offer_worlds(i, best);
  }
  // Several worlds may name an arm.
  std::sort(best.opponents.begin(), best.opponents.end());
  best.opponents.erase(std::unique(best.opponents.begin(), best.opponents.end()),
                       best.opponents.end());
  return best;
}

// The worlds in which arm i has fewer losses than the champion, as far as they cost no more than
// the best so far.
void Imed::offer_worlds(Arm i, BetterWorld& best) const {
  const Arm a = best.champion;
  const std::vector<Reversal>& losses = losses_of(i);
  const std::size_t to_others = losses.size() - (term(i, a) > 0 ? 1 : 0);
  const bool beats_champion = term(a, i) > 0;
  const Reversal meeting = reversal(i, a, i);
  const std::size_t with_meeting = to_others > best.level ? to_others - best.level : 0;
  const std::size_t without = to_others + (beats_champion ? 1 : 2) - best.level;

  std::int64_t terms = 0;
  std::int64_t bonus = 0;
  std::int64_t dearest = kAtOnce;
  const auto offer = [&](std::int64_t cost, bool meets) {
    if (cost > best.cost) return;
    const auto tests = [&](const Reversal& pair) { return pair.price <= dearest && pair.arm != i; };
    if (!meets && std::none_of(beaten_.begin(), beaten_.end(), tests)) return;
    if (cost < best.cost) best.opponents.clear();
    best.cost = cost;
    if (meets) best.opponents.push_back(i);
    // A pair that costs as much as the dearest of the world would do in its place.
    for (const Reversal& pair : beaten_) {
      if (tests(pair)) best.opponents.push_back(pair.arm);
    }
  };
  auto loss = losses.begin();
  auto beaten = beaten_.begin();
  for (std::size_t taken = 0; terms + bonus <= best.cost; ++taken) {
    if (!beats_champion && taken == with_meeting) {
      offer(terms + meeting.term + std::max(bonus, meeting.bonus()), true);
    }
    if (taken == without) {
      offer(terms + bonus, false);
      return;
    }
    if (loss != losses.end() && loss->arm == a) ++loss;
    if (beaten != beaten_.end() && beaten->arm == i) ++beaten;
    if (loss == losses.end() && beaten == beaten_.end()) return;
    const bool takes_beaten =
        beaten != beaten_.end() && (loss == losses.end() || beaten->price <= loss->price);
    const Reversal& cheapest = takes_beaten ? *beaten++ : *loss++;
    terms += cheapest.term;
    bonus = std::max(bonus, cheapest.bonus());
    dearest = cheapest.price;
  }
}

Duel Imed::duel_of(const Plan& plan, Arm candidate, Round round) const {
  const Arm a = plan.champion;
  if (plan.tests_champion) return {a, candidate, round};
  if (plan.level > 0) {
    return {a, candidate == a ? ladder(a).accusers[plan.level] : candidate, round};
  }
  if (candidate == a) return {a, accuser_of(a), round};
  // If the champion's share is half of all evidence, no other arm can accuse more strongly.
  const std::int64_t by_champion = term(candidate, a);
  if (evidence_[candidate] <= 2 * by_champion) return {a, candidate, round};
  const Arm accuser = accuser_of(candidate);
  // In the bold form an arm that does not trail the champion meets the champion.
  const bool unheard =
      term(candidate, accuser) > by_champion && (by_champion > 0 || !options_.bold) &&
      duels_with_pending(candidate, accuser) < hearing_ * duels_with_pending(candidate, a);
  return {unheard ? accuser : a, candidate, round};
}

Imed::Choice Imed::choose(Round round, RoundRng rng) const {
  if (counts_.num_arms() == 1) return {{0, 0, round}, 0, false};
  const Plan plan = this->plan(budget(round), rng);
  const Arm a = plan.champion;
  // The candidate of least weight; without one the champion plays itself.
  const Duel duel =
      plan.candidates.empty()
          ? Duel{a, a, round}
          : duel_of(plan, plan.candidates.pick(options_.deterministic_ties, rng), round);
  return {duel, a, plan.level > 0};
}

void Imed::commit(const Choice& choice) {
  champion_ = choice.champion;
  // Level 0 neither reads nor writes it.
  if (choice.above) kept_ = choice.champion;
  const Duel& duel = choice.duel;
  if (duel.is_self()) return;
  pending_.issued(duel.first, duel.second);
  changed(duel);
}

// What is derived on demand and depends on the pair's counts or duels outstanding.
void Imed::changed(const Duel& duel) {
  better_world_.stale = true;
  if (!losses_.empty()) losses_[duel.first].stale = losses_[duel.second].stale = true;
  if (!ladders_.empty()) ladders_[duel.first].stale = ladders_[duel.second].stale = true;
}

void Imed::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.is_self()) return;
  if (!duel.foreign) pending_.settled(duel.first, duel.second);
  changed(duel);
  if (const auto points = points_of(outcome, options_.ties, rng)) {
    counts_.add(duel.first, duel.second, *points);
    // New lots for the two rows that change.
    for (const Arm i : {duel.first, duel.second}) lots_[i] = mix64(lots_[i]);
    refresh_pair(duel.first, duel.second);
  }
}

Arm Imed::recommend(RoundRng rng) const {
  if (champion_ < counts_.num_arms()) return champion_;
  // No round was played, but there may be foreign duels.
  return counts_.num_arms() == 1 ? 0 : plan(budget(1), rng).champion;
}

Jump Imed::jump(Round round, Round limit, RoundRng rng) const {
  if (counts_.num_arms() == 1) return {limit};
  if (!pending_.empty()) return {round};
  // Without a candidate nothing but ln t moves, and nobody speaks against the champion; the plan
  // knows when that can make a candidate or another champion. Tied champions are redrawn each
  // round.
  const Plan plan = this->plan(budget(round), rng);
  if (!plan.candidates.empty() || plan.champion_drawn) return {round};
  double level = from_grid(plan.wake_up);
  if (options_.bold && level < 40) {
    // ln t with ln(t + kBoldStart) - kBoldOffset = level.
    level = natural_log(std::max(1.0, exponential(level + kBoldOffset) - kBoldStart));
  }
  if (options_.safe) {
    // ln t with ln t + 2 ln(1 + ln t) = level, from below.
    const double target = level;
    level = 0;
    for (int step = 0; step < 50; ++step) {
      level += (target - level - 2 * natural_log(1 + level)) / (1 + 2 / (1 + level));
    }
  }
  return {wake_up_round(level, round, limit, [&](Round t) { return plan.wake_up <= budget(t); })};
}

Status Imed::check(const Options& options, std::size_t /*num_arms*/) {
  if (!options.safe || !options.bold) return Done{};
  return Error::invalid_argument("imed is safe or bold, not both", "option 'bold'");
}

bool Imed::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || !pending_.valid_for(num_arms) || lots_.size() != num_arms ||
      champion_ > num_arms || kept_ > num_arms) {
    return false;
  }
  Imed rebuilt(options_, num_arms, RoundRng(0, 0, 0));
  rebuilt.counts_ = counts_;
  rebuilt.pending_ = pending_;
  rebuilt.lots_ = lots_;
  rebuilt.champion_ = champion_;
  rebuilt.kept_ = kept_;
  counts_.for_each_met_pair([&](Arm i, Arm j) { rebuilt.refresh_pair(i, j); });
  *this = std::move(rebuilt);
  return true;
}

// A user who still sets one is told so, instead of being offered the nearest spelling.
Status ImedOptions::check_call(const CallSpec& call) {
  for (const auto& [key, value] : call.arguments) {
    const std::string_view instead = key == "target"  ? "`ag` says when an arm meets its accuser"
                                     : key == "kappa" ? "`slack` says what is put down to chance"
                                                      : "";
    if (instead.empty()) continue;
    return Error::invalid_argument(
               fmt::format("policy '{}' no longer has the option '{}'", call.name, key))
        .with_hint(fmt::format("imed is another policy now; {}", instead));
  }
  return Done{};
}

namespace {

const bool imed_is_registered = register_policy<Imed>(
    {.name = "imed",
     .title = "Indexed minimum empirical divergence for duels",
     .paper = "ours; after Honda, Takemura: Non-asymptotic analysis of a new bandit algorithm for "
              "semi-bounded rewards. JMLR 2015",
     .setting = "Condorcet winner, Copeland winners",
     .guarantee = "Copeland regret polylogarithmic in T where no pair is even; with safe=true "
                  "O(K^2 log T) where there also is a Condorcet winner (docs/imed-proof.md)",
     .departs = "not a published algorithm",
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<ImedOptions>()
        .number("c", &ImedOptions::c, {.least = 0, .most = 1e6},
                "weight of the bonus g(n) = ln n * n/(n + n0) of a pair: the lower, the more is "
                "tested",
                Shown::always)
        .number("n0", &ImedOptions::n0, {.least = 0, .most = 1e6},
                "duels at which the bonus of a pair reaches half of ln n", Shown::always)
        .number("ag", &ImedOptions::ag, {.least = 0, .most = 1e6},
                "an arm meets its strongest accuser while it did so less than ag times as often as "
                "the champion",
                Shown::always)
        .number("slack", &ImedOptions::slack, {.least = 0, .most = 1e6},
                "with m opponents beyond the first that beat an arm, max(m/4, m/2 - slack) of the "
                "evidence against it is put down to chance",
                Shown::always)
        .number("start", &ImedOptions::start, {.least = 0, .most = 1e6},
                "next is the pair with the least (n + start) (1 + evidence)")
        .number("credit", &ImedOptions::credit, {.least = 0, .most = 1e6},
                "most that the evidence for an arm counts in the choice of the champion")
        .flag("safe", &ImedOptions::safe,
              "the form whose regret is proved to be O(K^2 log T) for c <= 1: evidence of single "
              "pairs, threshold ln t + 2 ln(1 + ln t)")
        .flag("bold", &ImedOptions::bold,
              "where one arm is clearly the best: a quarter less regret on average, and a heavy "
              "tail: where the best two are .05 apart, one run in 500 stays with a wrong arm"));

}  // namespace
}  // namespace duel
