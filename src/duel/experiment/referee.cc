#include "duel/experiment/referee.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "duel/core/check.h"
#include "duel/inference/order_threshold.h"

namespace duel {

Result<Referee> Referee::make(std::size_t num_arms, const Goal& goal, const StoppingRule& stopping,
                              Looks borda_looks, bool one_look) {
  DUEL_RETURN_IF_ERROR(check_goal(goal, num_arms));
  const CertificateOptions options{
      .alpha = stopping.alpha,
      .arms_fixed = stopping.arms_fixed,
      .min_decisive_per_pair = stopping.min_decisive_per_pair,
      .shared_causes = stopping.shared_causes,
      .one_look = one_look,
      .epsilon = goal.margin,
      // Of the other goals the certifier only keeps the evidence.
      .winner_exists = goal.kind == Goal::condorcet && goal.assume == Assumption::order};
  if (!stopping.arms_fixed &&
      (goal.is_score() || goal.is_order() || goal.assume == Assumption::order)) {
    return Error::unsupported(
        goal.assume == Assumption::order
            ? std::string("an order can be assumed only for a fixed set of arms")
            : fmt::format("the goal {} needs a fixed set of arms", to_word(goal)),
        "stopping.arms_fixed", "set it to true, or take the goal condorcet");
  }
  DUEL_ASSIGN(Certifier certifier, Certifier::make(num_arms, options));
  Referee referee(goal, std::move(certifier));
  if (goal.is_order()) {
    DUEL_ASSIGN(referee.orders_, OrderCertifier::make(goal, num_arms, options));
  } else if (goal.is_score()) {
    const bool borda = goal.kind == Goal::borda;
    DUEL_ASSIGN(referee.scores_,
                ScoreCertifier::make(num_arms, borda ? Score::borda : Score::copeland,
                                     stopping.alpha, stopping.min_decisive_per_pair,
                                     borda || one_look ? borda_looks : Looks::every_duel));
  }
  return referee;
}

void Referee::look() {
  certifier_.look();
  if (scores_) scores_->look();
  if (orders_) orders_->look(certifier_);
}

std::uint64_t Referee::served(Arm first, Arm second) {
  const std::uint64_t place = order_.released() + order_.waiting();
  certifier_.served({.first = first, .second = second});
  order_.served(place, first, second, [](const Duel&, Outcome) {});  // no answer before its serve
  return place;
}

void Referee::answered(std::uint64_t place, const EvidenceAnswer& answer) {
  const auto* outcome = std::get_if<Outcome>(&answer);
  if (outcome == nullptr) {
    DUEL_CHECK(takes_units());
    const auto* audited = std::get_if<AuditedAnswer>(&answer);
    units_[place] = audited == nullptr
                        ? Waiting{.is_audited = false, .graded = std::get<GradedAnswer>(answer)}
                        : Waiting{.is_audited = true, .audited = *audited};
  }
  const Outcome kept = outcome == nullptr ? Outcome::tie : *outcome;
  order_.answered(place, kept, [&](const Duel& duel, Outcome released) {
    const auto unit = units_.empty() ? decltype(units_)::node_type() : units_.extract(duel.round);
    if (unit.empty()) {
      release(duel, released);
    } else {
      release(duel, unit.mapped());
    }
    // Before the one look no evidence has been raised.
    if (orders_) orders_->observe(certifier_, duel.first, duel.second);
  });
}

void Referee::release(const Duel& duel, Outcome answer) {
  certifier_.observe(duel, answer);
  if (!scores_) return;
  if (answer == Outcome::first_wins) scores_->observe(duel.first, duel.second);
  if (answer == Outcome::second_wins) scores_->observe(duel.second, duel.first);
}

void Referee::release(const Duel& duel, const Waiting& answer) {
  if (!answer.is_audited) {
    const double y = answer.graded.y;
    certifier_.observe(duel, {.unit = y, .reverse = -y, .lead = y, .decisive = y != 0});
    return;
  }
  const bool in_order = duel.first < duel.second;
  const AuditedAnswer seen = in_order ? answer.audited : mirrored(answer.audited);
  const Duel pair{.first = std::min(duel.first, duel.second),
                  .second = std::max(duel.first, duel.second)};
  const AuditedUnits::Unit made = audited_[{pair.first, pair.second}].release(seen);
  const bool answered = seen.drawn && !seen.lost;
  // With a share of 1 it is the evidence of people alone, to the bit.
  if (answered && seen.share == 1 && (seen.person == 1 || seen.person == -1 || seen.person == 0)) {
    certifier_.observe(pair, seen.person > 0   ? Outcome::first_wins
                             : seen.person < 0 ? Outcome::second_wins
                                               : Outcome::tie);
    return;
  }
  certifier_.observe(pair, {.unit = made.unit,
                            .reverse = made.reverse,
                            .lead = seen.lost ? 0 : made.value,
                            .decisive = answered && seen.person != 0});
}

const AuditedUnits* Referee::audited(Arm i, Arm j) const {
  const auto found = audited_.find(std::minmax(i, j));
  return found == audited_.end() ? nullptr : &found->second;
}

std::optional<Decision> Referee::decision() const {
  if (scores_) {
    if (!scores_->winner()) return std::nullopt;
    return Decision{
        scores_->score() == Score::copeland ? CertificateKind::copeland : CertificateKind::borda,
        scores_->winner(),
        {}};
  }
  if (orders_) {
    if (!orders_->certificate()) return std::nullopt;
    const CertificateKind kind = goal_.kind == Goal::set     ? CertificateKind::set
                                 : goal_.kind == Goal::order ? CertificateKind::order
                                                             : CertificateKind::ranking;
    return Decision{kind, std::nullopt, orders_->certificate()->named};
  }
  if (certifier_.winner()) {
    return Decision{
        goal_.kind == Goal::epsilon ? CertificateKind::epsilon : CertificateKind::winner,
        certifier_.winner()->winner,
        {}};
  }
  if (certifier_.no_winner()) return Decision{CertificateKind::no_winner, std::nullopt, {}};
  return std::nullopt;
}

bool Referee::restored() const {
  return order_.restored() && certifier_.restored() && (!scores_ || scores_->restored()) &&
         (!orders_ || orders_->restored());
}

}  // namespace duel
