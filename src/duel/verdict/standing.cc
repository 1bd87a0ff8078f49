#include "duel/verdict/standing.h"

#include <algorithm>
#include <cmath>

#include "duel/core/divergence.h"
#include "duel/inference/contest.h"
#include "duel/inference/evidence.h"

namespace duel {
namespace {

// About how many duels until ln E has grown by `log_missing`. On average a decisive duel adds
// d(p, q) to ln E against the null q, once the mixture has found p; ties and what cannot be
// evidence add nothing. Of the pair's duels that ended `waiting` are not in the evidence yet, and
// `evidence` is the number of those that are.
std::optional<std::uint64_t> duels_to(double log_missing, const ShownCounts& pair, double null,
                                      std::uint64_t waiting, std::uint64_t evidence) {
  const double wins = static_cast<double>(pair.first_wins) + 1;
  const double losses = static_cast<double>(pair.second_wins) + 1;
  const double p = wins / (wins + losses);
  if (p <= null) return std::nullopt;
  const std::uint64_t final_ones = pair.answered() + pair.expired;
  const std::uint64_t counted = final_ones - std::min(final_ones, waiting);
  const double telling =
      (static_cast<double>(std::min(evidence, counted)) + 1) / (static_cast<double>(counted) + 1);
  const double duels = std::max(1.0, log_missing) / (kl_bernoulli(p, null) * telling);
  if (!(duels < 1e15)) return std::nullopt;
  const auto all = static_cast<std::uint64_t>(std::ceil(duels));
  return all - std::min(all, waiting);
}

// All arms, the best first; those that are certain come before the others, in their order.
std::vector<Arm> in_order(const Ledger& ledger, const std::vector<Arm>& certain) {
  std::vector<Arm> arms = order_so_far(ledger.certifier());
  std::stable_sort(arms.begin(), arms.end(), [&](Arm a, Arm b) {
    return std::find(certain.begin(), certain.end(), a) <
           std::find(certain.begin(), certain.end(), b);
  });
  return arms;
}
std::vector<Arm> certain_arms(const Ledger& ledger) {
  return ledger.orders()->certificate() ? ledger.orders()->certificate()->named
                                        : ledger.orders()->certain_beginning();
}

// The same of a pair with graded or audited answers: as fast as its evidence has grown so far.
std::optional<std::uint64_t> duels_by_growth(double log_missing, double log_now,
                                             std::uint64_t duels, std::uint64_t waiting) {
  if (!(log_now > 0) || duels == 0) return std::nullopt;
  const double more = std::max(1.0, log_missing) * static_cast<double>(duels) / log_now;
  if (!(more < 1e15)) return std::nullopt;
  const auto all = static_cast<std::uint64_t>(std::ceil(more));
  return all - std::min(all, waiting);
}

// Estimated from the present counts, whose evidence may be below the highest so far.
std::optional<std::uint64_t> duels_left_of(const Ledger& ledger, const WaitingAnswers& waiting,
                                           Arm i, Arm j, double needed) {
  const PairEvidence evidence(ledger.experiment().goal.margin);
  const Certifier& certifier = ledger.certifier();
  if (const PairUnits* const units = certifier.units(i, j)) {
    const double log_now =
        evidence.log_evidence(certifier.wins(i, j), certifier.wins(j, i), units->logs);
    return duels_by_growth(needed - log_now, log_now, ledger.pair(i, j).answered(),
                           waiting.of_pair(i, j));
  }
  const double now = evidence.log_evidence(certifier.wins(i, j), certifier.wins(j, i));
  return duels_to(needed - now, ledger.pair(i, j), evidence.null_probability(),
                  waiting.of_pair(i, j), certifier.wins(i, j) + certifier.wins(j, i));
}

// The arms in front, and what they still have to show.
void judge_order(Standing& standing, const Ledger& ledger) {
  const OrderCertifier& orders = *ledger.orders();
  OrderStanding& order = standing.order.emplace();
  const std::vector<Arm> first = certain_arms(ledger);
  order.arms = in_order(ledger, first);
  order.named = static_cast<std::size_t>(orders.goal().kind == Goal::ranking ? ledger.num_arms()
                                                                             : orders.goal().top);
  if (orders.goal().kind != Goal::set) order.certain = first.size();
  const std::vector<Arm> named(order.arms.begin(),
                               order.arms.begin() + static_cast<std::ptrdiff_t>(order.named));
  std::uint64_t left = 0;
  bool known = true;
  for (const Duel& duel : needed_pairs(orders.goal(), named, ledger.num_arms())) {
    NeededPair pair{.first = duel.first,
                    .second = duel.second,
                    .shown = orders.reached(duel.first, duel.second),
                    .duels_left = 0};
    if (!pair.shown) {
      pair.duels_left =
          duels_left_of(ledger, standing.waiting, pair.first, pair.second, orders.log_threshold());
    }
    known = known && pair.duels_left.has_value();
    left += pair.duels_left.value_or(0);
    order.needed.push_back(pair);
  }
  if (known) standing.duels_left = left;
}

// How far each rival is from being beaten by the leader.
void judge_pairs(Standing& standing, const Ledger& ledger) {
  const Certifier& certifier = ledger.certifier();
  const Arm leader = *standing.leader;
  std::uint64_t left = 0;
  bool known = true;
  for (ArmStanding& rival : standing.arms) {
    if (rival.arm == leader || !certifier.active(rival.arm)) continue;
    const double reached = certifier.log_evidence(leader, rival.arm);
    const double needed = certifier.log_threshold(leader);
    rival.beaten = std::clamp(reached / needed, 0.0, 1.0);
    if (reached >= needed) {
      rival.duels_left = 0;
      continue;
    }
    rival.duels_left = duels_left_of(ledger, standing.waiting, leader, rival.arm, needed);
    known = known && rival.duels_left.has_value();
    left += rival.duels_left.value_or(0);
  }
  if (known) standing.duels_left = left;
}

// Whom the verdict names, so that each of them needs enough duels.
std::vector<Arm> named_arms(const Standing& standing, const Ledger& ledger) {
  if (standing.order) {
    const auto& arms = standing.order->arms;
    return {arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(standing.order->named)};
  }
  std::vector<Arm> named = standing.places.tied;
  if (standing.leader) {
    named.insert(named.begin(), *standing.leader);
  } else if (ledger.total().decisive() == 0) {
    for (const ArmStanding& arm : standing.arms) {
      if (ledger.arms()[arm.arm].active) named.push_back(arm.arm);
    }
  }
  return named;
}

}  // namespace

std::size_t OrderStanding::shown() const {
  return static_cast<std::size_t>(std::ranges::count(needed, true, &NeededPair::shown));
}

std::optional<Arm> leader_of(const Ledger& ledger) {
  if (ledger.parts().space) return std::nullopt;
  if (!ledger.orders()) return places_of(ledger).leader;
  if (ledger.total().decisive() == 0) return std::nullopt;
  return in_order(ledger, certain_arms(ledger)).front();
}

Standing standing_of(const Ledger& ledger) {
  Standing standing;
  const auto num_arms = static_cast<Arm>(ledger.num_arms());
  for (Arm i = 0; i < num_arms; ++i) {
    ArmStanding& arm = standing.arms.emplace_back();
    arm.arm = i;
    arm.counts = ledger.of_arm(i);
  }
  standing.waiting = waiting_answers(ledger);
  if (ledger.parts().space) {
    standing.space = space_standing(ledger);
    return standing;
  }
  const bool decisive = ledger.total().decisive() > 0;
  if (ledger.orders() && decisive) {
    judge_order(standing, ledger);
    standing.places = places_of(ledger, standing.order->arms, standing.order->certain);
  } else {
    standing.places = places_of(ledger);
  }
  standing.leader = standing.places.leader;
  if (ledger.parts().panel) {
    standing.panel = panel_standing(ledger, standing.leader);
    return standing;
  }
  if (ledger.scores() && decisive) {
    for (ArmStanding& arm : standing.arms) arm.score = ledger.scores()->scores()[arm.arm];
  } else if (!ledger.orders() && standing.leader) {
    judge_pairs(standing, ledger);
  }
  for (const Arm arm : named_arms(standing, ledger)) {
    if (standing.too_little || standing.arms[arm].counts.decisive() >= Standing::kFewestDecisive) {
      continue;
    }
    standing.too_little = arm;
  }
  return standing;
}

std::vector<std::string> ids_of(const Ledger& ledger, const std::vector<Arm>& arms) {
  std::vector<std::string> ids;
  ids.reserve(arms.size());
  for (const Arm arm : arms) ids.push_back(ledger.id_of(arm));
  return ids;
}

}  // namespace duel
