#include "duel/inference/order_certificate.h"

#include <algorithm>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/inference/order_threshold.h"

namespace duel {

std::vector<Duel> needed_pairs(const Goal& goal, const std::vector<Arm>& named,
                               std::size_t num_arms) {
  DUEL_CHECK(goal.is_order());
  std::vector<bool> before(num_arms, false);  // members of the set, or arms that came earlier
  if (goal.kind == Goal::set) {
    for (const Arm i : named) before[i] = true;
  }
  std::vector<Duel> pairs;
  for (const Arm i : named) {
    before[i] = true;
    for (Arm j = 0; j < num_arms; ++j) {
      if (!before[j]) pairs.push_back({.first = i, .second = j});
    }
  }
  return pairs;
}

Result<OrderCertifier> OrderCertifier::make(const Goal& goal, std::size_t num_arms,
                                            const CertificateOptions& options) {
  DUEL_CHECK(goal.is_order());
  DUEL_RETURN_IF_ERROR(check_goal(goal, num_arms));
  if (!options.arms_fixed) {
    return Error::unsupported("this goal needs a fixed set of arms", "option arms_fixed",
                              "the proof of its certificate counts the arms of the start");
  }
  return OrderCertifier(goal, num_arms, options);
}

OrderCertifier::OrderCertifier(const Goal& goal, std::size_t num_arms,
                               const CertificateOptions& options)
    : goal_(goal),
      num_arms_(num_arms),
      num_named_(static_cast<std::size_t>(goal.arms_named(num_arms))),
      min_decisive_per_pair_(options.min_decisive_per_pair),
      log_threshold_(
          natural_log(order_threshold(goal, num_arms, options.alpha, options.shared_causes))),
      reached_(num_arms * num_arms),
      taken_(num_arms * num_arms),
      beats_(num_arms) {}

void OrderCertifier::take(Arm i, Arm j, bool now) {
  std::uint8_t& before = taken_[i * num_arms_ + j];
  if ((before != 0) == now) return;
  before = now ? 1 : 0;
  now ? ++beats_[i] : --beats_[i];
}

// Whether something changed that a certificate may follow from.
bool OrderCertifier::update(const Certifier& pairs, Arm i, Arm j) {
  if (pairs.decisive(i, j) < min_decisive_per_pair_) return false;
  const auto raise = [&](Arm a, Arm b) {
    std::uint8_t& reached = reached_[a * num_arms_ + b];
    if (reached == 0 && pairs.log_evidence(a, b) >= log_threshold_) reached = 1;
    return reached != 0;
  };
  const bool forth = raise(i, j), back = raise(j, i);
  if (!forth && !back) return false;
  const bool was_forth = taken(i, j), was_back = taken(j, i);
  if (forth != back) {
    take(i, j, forth);
    take(j, i, back);
  } else if (const double lead = pairs.lead(i, j); lead != 0) {
    take(i, j, lead > 0);
    take(j, i, lead < 0);
  }
  return taken(i, j) != was_forth || taken(j, i) != was_back;
}

void OrderCertifier::observe(const Certifier& pairs, Arm i, Arm j) {
  if (i != j && update(pairs, i, j)) look_for_certificate(pairs);
}

void OrderCertifier::look(const Certifier& pairs) {
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = i + 1; j < num_arms_; ++j) update(pairs, i, j);
  }
  look_for_certificate(pairs);
}

// A member beats all K - k outside, and an outsider, which beats no member, at most K - k - 1.
std::optional<std::vector<Arm>> OrderCertifier::find_set() const {
  std::vector<Arm> members;
  std::vector<bool> is_member(num_arms_, false);
  for (Arm i = 0; i < num_arms_; ++i) {
    if (beats_[i] + num_named_ < num_arms_) continue;
    members.push_back(i);
    is_member[i] = true;
  }
  if (members.size() != num_named_) return std::nullopt;
  for (const Arm i : members) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (!is_member[j] && !taken(i, j)) return std::nullopt;
    }
  }
  return members;
}

// The first arm beats K - 1. The second beats all but the first, so K - 2; and so on, up to the
// first place that no arm has.
std::vector<Arm> OrderCertifier::find_beginning() const {
  std::vector<Arm> beginning;
  while (beginning.size() < num_named_) {
    const auto found = std::find(beats_.begin(), beats_.end(), num_arms_ - beginning.size() - 1);
    if (found == beats_.end()) break;
    beginning.push_back(static_cast<Arm>(found - beats_.begin()));
  }
  return beginning;
}

std::optional<std::vector<Arm>> OrderCertifier::find_sequence() const {
  std::vector<Arm> sequence = find_beginning();
  if (sequence.size() < num_named_) return std::nullopt;
  if (goal_.kind != Goal::ranking) return sequence;
  std::vector<bool> named(num_arms_, false);
  for (const Arm i : sequence) named[i] = true;
  sequence.push_back(
      static_cast<Arm>(std::find(named.begin(), named.end(), false) - named.begin()));
  return sequence;
}

void OrderCertifier::look_for_certificate(const Certifier& pairs) {
  if (certificate_) return;
  auto named = goal_.kind == Goal::set ? find_set() : find_sequence();
  if (!named) return;
  OrderCertificate given{.named = std::move(*named), .decisive = pairs.decisive(), .findings = {}};
  for (const Duel& pair : needed_pairs(goal_, given.named, num_arms_)) {
    DUEL_CHECK(reached(pair.first, pair.second));
    given.findings.push_back(pairs.finding(pair.first, pair.second, log_threshold_));
  }
  certificate_ = std::move(given);
}

std::vector<Arm> OrderCertifier::certain_beginning() const {
  if (goal_.kind == Goal::set) return {};
  return certificate_ ? certificate_->named : find_beginning();
}

bool OrderCertifier::restored() const {
  const std::size_t pairs = num_arms_ * num_arms_;
  return reached_.size() == pairs && taken_.size() == pairs && beats_.size() == num_arms_;
}

}  // namespace duel
