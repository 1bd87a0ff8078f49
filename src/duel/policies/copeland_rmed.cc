#include "duel/policies/copeland_rmed.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "duel/core/divergence.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/evidence_grid.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// Costs r/d are held in units of 2^-20 and end at 2^18, so that equal ones are equal and sums of
// them exact, for up to 4096 arms.
std::int64_t cost_on_grid(double cost) {
  return static_cast<std::int64_t>(std::min(cost, 0x1p18) * 0x1p20 + 0.5);
}

// The smallest evidence on the grid that is at least ln t.
std::int64_t evidence_needed(Round round) { return to_grid_above(log_round(round)); }

double nearness_at(Round round, double beta) {
  const double log_t = log_round(round);
  return log_t <= 1.0 ? beta : beta / std::max(1.0, natural_log(log_t));
}

}  // namespace

CopelandRmed::CopelandRmed(const Options& options, std::size_t num_arms, bool exact)
    : options_(options),
      exact_(exact),
      counts_(num_arms),
      evidence_(num_arms * num_arms),
      divergence_(num_arms * num_arms),
      losses_(num_arms),
      superiors_(exact ? 0 : num_arms),
      loss_sums_(num_arms),
      solvers_(exact ? num_arms : 0),
      costs_(num_arms),
      room_(num_arms),
      remaining_(num_arms * num_arms),
      next_(num_arms * num_arms),
      maybe_due_(num_arms * num_arms) {
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      remaining_.insert(index(i, j));
      maybe_due_.insert(index(i, j));
    }
  }
  if (num_arms == 1) remaining_.insert(0);
  winners_.reserve(num_arms);
  stale_columns_.reserve(num_arms);
  sorted_.reserve(num_arms);
  for (auto& column : superiors_) column.reserve(num_arms);
  find_winners();
}

Status CwRmed::check(const Options& /*options*/, std::size_t num_arms) {
  if (num_arms <= kMostAllocationArms) return Done{};
  return Error::unsupported("policy 'cw-rmed' takes at most " +
                            std::to_string(kMostAllocationArms) + " arms, not " +
                            std::to_string(num_arms))
      .with_hint("ecw-rmed takes any number");
}

double CopelandRmed::regret(Arm i, Arm j) const {
  const std::uint32_t excess = losses_[i] + losses_[j] - 2 * fewest_;
  return static_cast<double>(excess) / static_cast<double>(2 * (num_arms() - 1));
}

void CopelandRmed::find_winners() {
  fewest_ = *std::min_element(losses_.begin(), losses_.end());
  find_arms(losses_, fewest_, winners_);
}

void CopelandRmed::refresh_pair(Arm i, Arm j) {
  const double points_i = counts_.points(i, j);
  const double points_j = counts_.points(j, i);
  const double total = points_i + points_j;
  const double divergence = divergence_from_half((points_i - points_j) / total);
  const std::int64_t amount = to_grid(0.5 * total * divergence);
  const bool loses = points_i < points_j;
  const bool wins = points_i > points_j;
  const bool same_side = loses ? beats(j, i) : wins ? beats(i, j) : !beats(i, j) && !beats(j, i);
  if (!same_side) {
    losses_[i] += (loses ? 1U : 0U) - (beats(j, i) ? 1U : 0U);
    losses_[j] += (wins ? 1U : 0U) - (beats(i, j) ? 1U : 0U);
    all_stale_ = true;
  } else if (!all_stale_) {
    stale_columns_.push_back(loses ? i : j);
    // Many answers between two decisions: sooner or later everything is stale.
    if (stale_columns_.size() >= num_arms()) all_stale_ = true;
  }
  evidence_[index(i, j)] = loses ? amount : -amount;
  evidence_[index(j, i)] = loses ? -amount : amount;
  divergence_[index(i, j)] = divergence_[index(j, i)] = divergence;
}

// --- exploration of pairs ------------------------------------------------------------------------

std::uint32_t CopelandRmed::plays_due(Round round) const {
  return static_cast<std::uint32_t>(std::ceil(options_.alpha * std::sqrt(log_round(round))));
}

bool CopelandRmed::is_due(Arm i, Arm j, std::uint32_t due, double nearness) const {
  const double points_i = counts_.points(i, j);
  const double points_j = counts_.points(j, i);
  const double total = points_i + points_j;
  const std::uint32_t pending = pending_.empty() ? 0 : pending_.count(i, j);
  if (0.5 * total + pending < due) return true;
  const double imbalance = total == 0 ? 0.0 : std::abs(points_i - points_j) / total;
  return pending == 0 && 0.5 * imbalance < nearness;
}

std::optional<std::size_t> CopelandRmed::pair_to_explore(Round round) const {
  const std::uint32_t due = plays_due(round);
  const double nearness = nearness_at(round, options_.beta);
  if (due > explored_) {  // any pair may be due now
    for (Arm i = 0; i < num_arms(); ++i) {
      for (Arm j = i + 1; j < num_arms(); ++j) {
        if (is_due(i, j, due, nearness)) return index(i, j);
      }
    }
    return std::nullopt;
  }
  for (std::size_t at = maybe_due_.first(); at != maybe_due_.end(); at = maybe_due_.first(at + 1)) {
    const Duel pair = duel_at(at, round);
    if (is_due(pair.first, pair.second, explored_, nearness)) return at;
  }
  return std::nullopt;
}

// Forgets the pairs that turned out not to be due; a pair can become due again by an answer about
// it, or when more plays are due for all.
void CopelandRmed::note_explored(const Choice& choice) {
  const Round round = choice.duel.round;
  if (const std::uint32_t due = plays_due(round); due > explored_) {
    explored_ = due;
    const double nearness = nearness_at(round, options_.beta);
    for (Arm i = 0; i < num_arms(); ++i) {
      for (Arm j = i + 1; j < num_arms(); ++j) {
        if (is_due(i, j, due, nearness)) {
          maybe_due_.insert(index(i, j));
        } else {
          maybe_due_.erase(index(i, j));
        }
      }
    }
    return;
  }
  const std::size_t up_to = choice.phase == Phase::exploration
                                ? index(choice.duel.first, choice.duel.second)
                                : maybe_due_.end();
  for (std::size_t at = maybe_due_.first(); at < up_to; at = maybe_due_.first(at + 1)) {
    maybe_due_.erase(at);
  }
}

// --- the decision
// ----------------------------------------------------------------------------------

void CopelandRmed::refresh_column(Arm i2) {
  std::vector<Arm>& superiors = superiors_[i2];
  LossSums& sums = loss_sums_[i2];
  superiors.clear();
  sums = {};
  if (fewest_ > 0) {  // else a Condorcet winner: no number of losses of i2 would do
    sorted_.clear();
    for (Arm j = 0; j < num_arms(); ++j) {
      const std::int64_t entry = evidence_[index(i2, j)];
      if (entry <= 0) continue;
      superiors.push_back(j);
      costs_[j] = cost_on_grid(regret(j, i2) / divergence_[index(j, i2)]);
      sorted_.push_back(entry);
    }
    std::sort(superiors.begin(), superiors.end(),
              [&](Arm a, Arm b) { return costs_[a] != costs_[b] ? costs_[a] < costs_[b] : a < b; });
    std::sort(sorted_.begin(), sorted_.end());
    const std::size_t m = losses_[i2] - fewest_ + 1;
    if (m <= sorted_.size()) {
      sums.cut = sorted_[m - 1];
      sums.sum = std::accumulate(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(m),
                                 std::int64_t{0});
      if (m < sorted_.size()) sums.longer = sums.sum + sorted_[m];
    }
  }
  for (std::size_t w = 0; w < winners_.size(); ++w) {
    shares_[w * num_arms() + i2] = fewest_ > 0 ? share_of(winners_[w], i2) : Share{};
  }
}

// The cheapest way to give the |S| - k superiors of i2 (without i1) with the least evidence ln t
// together: h of them get ln t/(h - k) each, h chosen by cost.
CopelandRmed::Share CopelandRmed::share_of(Arm i1, Arm i2) const {
  Share share;
  if (i1 == i2) return share;
  const std::vector<Arm>& superiors = superiors_[i2];
  const std::size_t size = superiors.size() - (beats(i1, i2) ? 1 : 0);
  const std::size_t needed = losses_[i2] - fewest_ + 1;
  if (needed > size) return share;
  const std::size_t k = size - needed;
  // The least sum/(h - k), compared as fractions; no factor is negative, and both of a product are
  // below 2^51.
  __extension__ using Wide = unsigned __int128;
  std::int64_t sum = 0, best = 0;
  std::size_t h = 0;
  for (const Arm j : superiors) {
    if (j == i1) continue;
    sum += costs_[j];
    ++h;
    if (h <= k) continue;
    if (share.taken == 0 ||
        static_cast<Wide>(sum) * share.divisor < static_cast<Wide>(best) * (h - k)) {
      best = sum;
      share.taken = static_cast<std::uint32_t>(h);
      share.divisor = static_cast<std::uint32_t>(h - k);
    }
  }
  share.cost = best / share.divisor;
  for_each_taken(share, i1, i2, [&](Arm j) {
    share.least = std::min(share.least, evidence(i2, j) * share.divisor);
  });
  return share;
}

void CopelandRmed::prepare(Round round) {
  const bool changed = all_stale_ || !stale_columns_.empty();
  if (all_stale_) {
    find_winners();
    for (AllocationSolver& solver : solvers_) solver.forget();
  }
  if (!exact_) {
    if (all_stale_) {
      if (shares_.size() < winners_.size() * num_arms()) {
        shares_.resize(winners_.size() * num_arms());
      }
      for (Arm i2 = 0; i2 < num_arms(); ++i2) refresh_column(i2);
    } else {
      for (const Arm i2 : stale_columns_) refresh_column(i2);
    }
  }
  stale_columns_.clear();
  all_stale_ = false;
  if (exact_) {
    if (changed) allocation_costs_.clear();
    const std::int64_t needed = evidence_needed(round);
    if (!allocation_costs_.empty() || std::any_of(winners_.begin(), winners_.end(), [&](Arm i1) {
          return certainty(i1) >= needed;
        })) {
      return;
    }
    const std::size_t pairs = num_arms() * num_arms();
    allocations_.assign(winners_.size() * pairs, 0.0);
    for (std::size_t w = 0; w < winners_.size(); ++w) {
      allocation_costs_.push_back(
          solvers_[w].solve({num_arms(), winners_[w], losses_, evidence_, divergence_},
                            std::span<double>(allocations_).subspan(w * pairs, pairs)));
    }
  }
}

std::int64_t CopelandRmed::certainty(Arm i1) const {
  if (exact_) {
    return least_alternative({num_arms(), i1, losses_, evidence_, divergence_}, kNone);
  }
  std::int64_t least = kNone;
  for (Arm i2 = 0; i2 < num_arms(); ++i2) {
    if (i2 == i1) continue;
    const std::int64_t entry = evidence_[index(i2, i1)];  // > 0: i1 beats i2
    if (entry > 0) least = std::min(least, entry);        // (a)
    const LossSums& sums = loss_sums_[i2];                // (b)
    least = std::min(least, entry > 0 && entry <= sums.cut ? sums.longer - entry : sums.sum);
  }
  return least;
}

std::int64_t CopelandRmed::allocation_cost(std::size_t winner_number) const {
  if (exact_) return allocation_costs_[winner_number];
  const Arm i1 = winners_[winner_number];
  std::int64_t cost = 0;
  for (Arm j = 0; j < num_arms(); ++j) {
    if (beats(i1, j)) cost += cost_on_grid(regret(i1, j) / divergence_[index(i1, j)]);
  }
  for (Arm i2 = 0; i2 < num_arms(); ++i2) cost += shares_[winner_number * num_arms() + i2].cost;
  return cost;
}

CopelandRmed::Decision CopelandRmed::decide(Round round, RoundRng& rng) const {
  const std::int64_t needed = evidence_needed(round);
  for (const Arm i1 : winners_) {
    if (certainty(i1) >= needed) return {i1, true};
  }
  if (winners_.size() == 1) return {winners_[0], false};
  LeastArms<std::int64_t> cheapest(room_);
  for (std::size_t w = 0; w < winners_.size(); ++w) {
    cheapest.offer(winners_[w], allocation_cost(w));
  }
  return {cheapest.pick(options_.deterministic_ties, rng), false};
}

// Calls take(list index) for every candidate.
void CopelandRmed::for_each_candidate(const Decision& decision, Round round, auto take) const {
  const Arm i1 = decision.winner;
  take(index(i1, i1));
  if (decision.sure) return;
  const auto w = static_cast<std::size_t>(std::lower_bound(winners_.begin(), winners_.end(), i1) -
                                          winners_.begin());
  if (exact_) {
    const double log_t = log_round(round);
    const double* allocation = &allocations_[w * num_arms() * num_arms()];
    for (Arm i = 0; i < num_arms(); ++i) {
      for (Arm j = i + 1; j < num_arms(); ++j) {
        if (allocation[index(i, j)] * log_t > counts_.duels(i, j)) take(index(i, j));
      }
    }
  } else {
    // n < q ln t is n d times the divisor < ln t.
    const std::int64_t needed = evidence_needed(round);
    for (Arm i2 = 0; i2 < num_arms(); ++i2) {
      const std::int64_t entry = evidence_[index(i2, i1)];
      if (entry > 0 && entry < needed) take(list_index(i1, i2));
      const Share& share = shares_[w * num_arms() + i2];
      if (share.least >= needed) continue;
      for_each_taken(share, i1, i2, [&](Arm j) {
        if (evidence(i2, j) * share.divisor < needed) take(list_index(j, i2));
      });
    }
  }
}

void CopelandRmed::admit(const Decision& decision, Round round) {
  leader_ = decision.winner;
  for_each_candidate(decision, round, [&](std::size_t at) {
    if (!remaining_.contains(at)) next_.insert(at);
  });
}

// --- the policy ---------------------------------------------------------------------------------

CopelandRmed::Choice CopelandRmed::choose(Round round, RoundRng rng) const {
  Choice choice;
  if (const auto pair = pair_to_explore(round)) {
    choice.phase = Phase::exploration;
    choice.duel = duel_at(*pair, round);
    return choice;
  }
  std::size_t at = remaining_.first();
  if (at == remaining_.end()) {
    choice.refill = true;
    choice.decision = decide(last_issued_, rng);
    at = next_.first();
    for_each_candidate(choice.decision, last_issued_,
                       [&](std::size_t candidate) { at = std::min(at, candidate); });
  }
  choice.duel = duel_at(at, round);
  return choice;
}

void CopelandRmed::commit(const Choice& choice) {
  note_explored(choice);
  if (choice.phase == Phase::main) {
    if (choice.refill) {
      admit(choice.decision, last_issued_);
      remaining_.swap(next_);
    }
    remaining_.erase(index(choice.duel.first, choice.duel.second));
  }
  last_issued_ = choice.duel.round;
  last_first_ = choice.duel.first;
  tickets_.issued(choice.duel, choice.phase);
  pending_.issued(choice.duel.first, choice.duel.second);
  // `choose` cannot prepare, and needs it when the list has run out.
  if (remaining_.empty()) prepare(last_issued_);
}

void CopelandRmed::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  std::optional<Phase> phase;
  if (!duel.foreign) {
    phase = tickets_.settled(duel);
    if (!phase) return;
    pending_.settled(duel.first, duel.second);
  }
  if (!duel.is_self()) {
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      counts_.add(duel.first, duel.second, *points);
      refresh_pair(duel.first, duel.second);
    }
    maybe_due_.insert(list_index(duel.first, duel.second));
  }
  if (phase == Phase::main) {
    prepare(duel.round);
    admit(decide(duel.round, rng), duel.round);
  }
  if (tickets_.empty() && remaining_.empty()) remaining_.swap(next_);
  if (remaining_.empty()) prepare(last_issued_);
}

Arm CopelandRmed::recommend(RoundRng rng) const {
  if (leader_ != kNobody) return leader_;
  return least_of(all_arms(num_arms()), options_.deterministic_ties, rng,
                  [&](Arm i) { return losses_[i]; });
}

Jump CopelandRmed::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const Jump stay{round};
  if (!tickets_.empty() || all_stale_ || !stale_columns_.empty() || !next_.empty()) return stay;
  const std::size_t at = remaining_.first();
  if (at == remaining_.end() || remaining_.first(at + 1) != remaining_.end()) return stay;
  const auto i1 = static_cast<Arm>(at / num_arms());
  if (at != index(i1, i1) || i1 != last_first_) return stay;
  // i1 stays the first winner that is sure: those before it cannot become so while ln t rises.
  const std::int64_t needed = evidence_needed(round);
  for (const Arm winner : winners_) {
    if (winner == i1) break;
    if (certainty(winner) >= needed) return stay;
  }
  if (losses_[i1] != fewest_) return stay;
  if (num_arms() == 1) return {limit};
  if (pair_to_explore(round)) return stay;
  // The round at which i1 is no longer sure is itself still a self-duel, and is played.
  const std::int64_t known = certainty(i1);
  Round until = wake_up_round(from_grid(known), round, limit,
                              [&](Round t) { return known < evidence_needed(t); });
  const double plays = std::max(explored_, plays_due(round)) / options_.alpha;
  until =
      wake_up_round(plays * plays, round, until, [&](Round t) { return plays_due(t) > explored_; });
  return {until};
}

std::vector<Duel> CopelandRmed::candidates(Round round) {
  prepare(round);
  RoundRng rng(0, 0, 0);
  std::vector<Duel> pairs;
  for_each_candidate(decide(round, rng), round,
                     [&](std::size_t at) { pairs.push_back(duel_at(at, round)); });
  return pairs;
}

bool CopelandRmed::restored() {
  if (!counts_.consistent() || !remaining_.restored() || !next_.restored()) return false;
  const auto is_list = [&](const IndexSet& list) {
    for (std::size_t at = list.first(); at != list.end(); at = list.first(at + 1)) {
      if (at / num_arms() > at % num_arms()) return false;
    }
    return true;
  };
  if (!is_list(remaining_) || !is_list(next_)) return false;
  if (leader_ != kNobody && leader_ >= num_arms()) return false;
  if (last_first_ >= num_arms()) return false;
  if (!tickets_.restored(num_arms(), [](Phase phase) { return phase <= Phase::main; })) {
    return false;
  }
  pending_ = {};
  for (const auto& ticket : tickets_) pending_.issued(ticket.duel.first, ticket.duel.second);
  if (remaining_.empty() && (tickets_.empty() || last_issued_ == 0)) return false;
  std::fill(evidence_.begin(), evidence_.end(), 0);
  std::fill(divergence_.begin(), divergence_.end(), 0.0);
  std::fill(losses_.begin(), losses_.end(), 0U);
  stale_columns_.clear();
  all_stale_ = true;
  counts_.for_each_met_pair([&](Arm i, Arm j) { refresh_pair(i, j); });
  for (Arm i = 0; i < num_arms(); ++i) {
    for (Arm j = i + 1; j < num_arms(); ++j) maybe_due_.insert(index(i, j));
  }
  if (last_issued_ > 0) prepare(last_issued_);
  return true;
}

namespace {

constexpr const char* kCopelandRmedPaper =
    "Komiyama, Honda, Nakagawa: Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal "
    "Algorithm, and Computationally Efficient Algorithm. ICML 2016, ";
constexpr const char* kCopelandRmedDeparts =
    "evidence lies on a grid of 2^-36 and costs on one of 2^-20, so that equal ones are exactly "
    "equal; of several winners that are sure the one with the lowest index is played";

OptionTable<CopelandRmedOptions> copeland_rmed_options() {
  return OptionTable<CopelandRmedOptions>()
      .number("alpha", &CopelandRmedOptions::alpha, {.above = 0, .most = 1e6},
              "every pair is played alpha sqrt(ln t) times", Shown::always)
      .number("beta", &CopelandRmedOptions::beta, {.least = 0, .most = 0.5},
              "a pair is played until its mean is beta/max(1, ln ln t) away from 1/2",
              Shown::always);
}

const bool copeland_rmed_efficient_is_registered = register_policy<EcwRmed>(
    {.name = "ecw-rmed",
     .title = "Efficient Copeland-winners relative minimum empirical divergence",
     .paper = std::string(kCopelandRmedPaper) + "Algorithm 2",
     .setting = "Copeland winner, no pair even",
     .guarantee = "O(K log T) Copeland regret with a constant near the optimal one",
     .departs = kCopelandRmedDeparts,
     .status = "reproduced",
     .jumping = Jumping::exact},
    copeland_rmed_options());

const bool copeland_rmed_exact_is_registered = register_policy<CwRmed>(
    {.name = "cw-rmed",
     .title = "Copeland-winners relative minimum empirical divergence",
     .paper = std::string(kCopelandRmedPaper) + "Algorithm 1",
     .setting = "Copeland winner, no pair even, at most 8 arms",
     .guarantee = "asymptotically optimal Copeland regret",
     .departs = std::string(kCopelandRmedDeparts) +
                "; estimated regrets are raised by at most 2e-5, so that the cheapest allocation "
                "is one and the same",
     .status = "experimental",
     .jumping = Jumping::exact},
    copeland_rmed_options());

}  // namespace
}  // namespace duel
