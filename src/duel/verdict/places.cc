#include "duel/verdict/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "duel/core/logarithm.h"
#include "duel/core/pair_counts.h"
#include "duel/inference/error_budget.h"
#include "duel/inference/evidence.h"
#include "duel/inference/posterior_best.h"
#include "duel/verdict/panel_standing.h"

namespace duel {
namespace {

std::vector<Arm> active_arms(const Ledger& ledger) {
  std::vector<Arm> active;
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    if (ledger.arms()[arm].active) active.push_back(arm);
  }
  return active;
}

// What the pairs have been shown to say. Evidence that has turned round, so that both sides of a
// pair reached a threshold, says nothing.
class ShownPairs {
 public:
  explicit ShownPairs(const Ledger& ledger)
      : certifier_(ledger.certifier()),
        margin_(ledger.experiment().goal.margin > 0),
        budget_(ledger.experiment().stopping.alpha, ledger.experiment().arms.size(),
                ledger.parts().fixed_set) {}

  // With the evidence that a certificate of i asks for.
  bool rules_out(Arm i, Arm j) const { return settled(i, j) && !settled(j, i); }
  // With the evidence that makes all such statements right at once.
  bool beats(Arm i, Arm j) const { return declared(i, j) && !declared(j, i); }

 private:
  bool settled(Arm i, Arm j) const {
    if (!margin_) return certifier_.settled(i, j);
    return evidence_now(i, j) >= certifier_.log_threshold(i);
  }
  bool declared(Arm i, Arm j) const {
    if (!margin_) return certifier_.declared(i, j);
    const auto [low, high] = std::minmax(i, j);
    return evidence_now(i, j) >= natural_log(budget_.edge_threshold(high, low));
  }
  // With a margin the certificate's evidence is that i is not far behind, which puts no arm before
  // another. This is the evidence that it is ahead.
  double evidence_now(Arm i, Arm j) const {
    return ahead_.log_evidence(certifier_.wins(i, j), certifier_.wins(j, i));
  }

  const Certifier& certifier_;
  bool margin_;
  ErrorBudget budget_;
  PairEvidence ahead_;
};

void believe(Places& places, const Ledger& ledger, const std::vector<Arm>& active) {
  PairCounts counts(active.size());
  for (Arm a = 0; a < active.size(); ++a) {
    for (Arm b = a + 1; b < active.size(); ++b) {
      const ShownCounts pair = ledger.pair(active[a], active[b]);
      counts.add(a, b,
                 {static_cast<std::uint32_t>(2 * pair.first_wins),
                  static_cast<std::uint32_t>(2 * pair.second_wins)});
    }
  }
  const PosteriorBest best = posterior_best(counts);
  for (Arm a = 0; a < active.size(); ++a) {
    ArmPlace& place = places.arms[active[a]];
    place.probability_best = best.probability[a];
    place.log_probability = best.log_probability[a];
    place.expected_beaten = best.expected_beaten[a];
  }
  places.probability_no_winner = best.no_winner;
}

void range_by_scores(Places& places, const std::vector<Interval>& scores,
                     const std::vector<Arm>& active) {
  for (const Arm i : active) {
    RankRange& range = places.arms[i].range;
    for (const Arm j : active) {
      if (scores[j].lower > scores[i].upper) ++range.best;
      if (scores[i].lower > scores[j].upper) --range.worst;
    }
  }
}

void range_by_pairs(Places& places, const Ledger& ledger, const std::vector<Arm>& active) {
  const ShownPairs shown(ledger);
  for (const Arm i : active) {
    RankRange& range = places.arms[i].range;
    bool ruled_out = false;
    for (const Arm j : active) {
      if (i == j) continue;
      ruled_out = ruled_out || shown.rules_out(j, i);
      if (shown.beats(j, i)) ++range.best;
      if (shown.beats(i, j)) --range.worst;
    }
    if (ruled_out) range.best = std::max<std::size_t>(range.best, 2);
    range.best = std::min(range.best, range.worst);
  }
}

// What a certificate says, and the certain beginning of an order, is certain of the places as well.
void range_by_certificate(Places& places, const Ledger& ledger, const std::vector<Arm>& order,
                          std::size_t certain) {
  const auto confine = [&](Arm arm, std::size_t best, std::size_t worst) {
    RankRange& range = places.arms[arm].range;
    range.best = std::clamp(range.best, best, worst);
    range.worst = std::clamp(range.worst, range.best, worst);
  };
  const auto& given = ledger.certificate();
  if (given && given->kind == CertificateKind::winner) confine(*given->winner, 1, 1);
  std::size_t named = certain;
  if (given && given->kind == CertificateKind::set) {
    named = given->arms.size();
    for (const Arm arm : given->arms) confine(arm, 1, named);
  } else {
    for (std::size_t k = 0; k < certain; ++k) confine(order[k], k + 1, k + 1);
  }
  for (std::size_t k = named; k < order.size(); ++k) confine(order[k], named + 1, order.size());
}

// What is certain of these people: an arm that cannot be beaten by another does not come after it.
void range_by_panel(Places& places, const PanelCount& count, const std::vector<Arm>& active) {
  for (const Arm i : active) {
    RankRange& range = places.arms[i].range;
    bool ruled_out = false;
    for (const Arm j : active) {
      if (i == j) continue;
      ruled_out = ruled_out || count.cannot_beat(i, j);
      if (count.beats(j, i)) ++range.best;
      if (count.cannot_beat(j, i)) --range.worst;
    }
    if (ruled_out) range.best = std::max<std::size_t>(range.best, 2);
    range.best = std::min(range.best, range.worst);
  }
}

std::optional<Arm> best_scored(const ScoreCertifier& board) {
  Arm best = 0;
  for (Arm i = 0; i < board.scores().size(); ++i) {
    const Interval& mine = board.scores()[i];
    const Interval& other = board.scores()[best];
    if (std::tie(mine.lower, mine.upper) > std::tie(other.lower, other.upper)) best = i;
  }
  return board.winner().value_or(best);
}

std::optional<Arm> leader_of(const Places& places, const Ledger& ledger,
                             const std::vector<Arm>& active, const std::vector<Arm>& order) {
  if (ledger.total().decisive() == 0) return std::nullopt;
  if (ledger.parts().panel) return panel_leader(ledger);
  if (ledger.scores()) return best_scored(*ledger.scores());
  if (!order.empty()) return order.front();
  if (const auto& given = ledger.certificate()) return given->winner;
  std::optional<Arm> leader;
  for (const Arm i : active) {
    const ArmPlace& place = places.arms[i];
    if (!place.may_be_first()) continue;
    if (!leader || place.log_probability > places.arms[*leader].log_probability) leader = i;
  }
  return leader;
}

}  // namespace

std::string to_text(const RankRange& range) {
  return range.best == range.worst ? fmt::format("{}", range.best)
                                   : fmt::format("{} to {}", range.best, range.worst);
}

Places places_of(const Ledger& ledger, const std::vector<Arm>& order, std::size_t certain) {
  Places places;
  const std::vector<Arm> active = active_arms(ledger);
  places.arms.assign(ledger.num_arms(), {.range = {.best = 1, .worst = active.size()}});
  believe(places, ledger, active);
  if (const Panel* const panel = ledger.panel()) {
    range_by_panel(places, panel->count(), active);
    range_by_certificate(places, ledger, order, certain);
  } else if (ledger.scores()) {
    range_by_scores(places, ledger.scores()->scores(), active);
  } else {
    range_by_pairs(places, ledger, active);
    range_by_certificate(places, ledger, order, certain);
  }
  places.leader = leader_of(places, ledger, active, order);
  if (!places.leader || ledger.certificate() || ledger.scores() || !order.empty()) return places;
  for (const Arm rival : active) {
    if (rival == *places.leader || !places.arms[rival].may_be_first()) continue;
    const ShownCounts pair = ledger.pair(rival, *places.leader);
    if (pair.decisive() > 0 && pair.rate() >= 0.5) places.tied.push_back(rival);
  }
  return places;
}

}  // namespace duel
