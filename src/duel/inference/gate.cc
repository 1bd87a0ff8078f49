#include "duel/inference/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {

Status check_gate(const GateRule& rule) {
  if (!(rule.alpha > 0 && rule.alpha < 1)) {
    return Error::invalid_argument(fmt::format("{} is not an error level", rule.alpha))
        .with_hint("0 < alpha < 1")
        .in_field("alpha");
  }
  if (!(rule.margin >= 0 && rule.margin < 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", rule.margin))
        .with_hint("0 <= margin < 0.5")
        .in_field("margin");
  }
  return Done{};
}

std::optional<std::uint64_t> fewest_to_reverse(GateClaim claim, double margin,
                                               std::span<const double> answers) {
  const bool for_candidate = claim == GateClaim::better || claim == GateClaim::not_worse;
  const bool at_margin = claim == GateClaim::not_worse || claim == GateClaim::beyond_margin;
  const double side = for_candidate ? 1 : -1;
  std::vector<double> units;
  for (const double y : answers) units.push_back(side * y);
  std::ranges::sort(units, std::greater());
  // Sums of decimals miss 0 by their last digit.
  constexpr double kNoLead = 1e-9;
  double lead = at_margin ? side * 2.0 * margin * static_cast<double>(units.size()) : 0;
  for (const double unit : units) lead += unit;
  std::uint64_t wrong = 0;
  for (; lead > kNoLead; ++wrong) {
    if (wrong == units.size() || units[wrong] <= 0) return std::nullopt;
    lead -= 2 * units[wrong];
  }
  return wrong;
}

Gate::Gate(const GateRule& rule)
    : rule_(rule), log_threshold_(natural_log(1.0 / rule.alpha)), even_(0), logs_{} {
  const double m = 2.0 * rule.margin;
  const double null = 0.5 - rule.margin;
  for (std::size_t k = 0; k < kNumComponents; ++k) {
    const auto [gap, weight] = PairEvidence::kComponents[k];
    const auto rate = [gap = gap](double unit) { return natural_log(1.0 + (2.0 * gap) * unit); };
    log_weights_[k] = natural_log(weight);
    // A win and a loss as in evidence against the null "wins at most 1/2 - epsilon".
    const double p = null + gap;
    not_worse_[k] = {natural_log(p / null), natural_log((1.0 - p) / (1.0 - null)),
                     rate(m / (1.0 - m * m))};
    beyond_margin_[k] = {rate(-1.0), rate((1.0 - m) / (1.0 + m)), rate(-m / (1.0 + m))};
  }
}

double Gate::mixture(const Table& rates, const Graded& graded) const {
  const auto wins = static_cast<double>(wins_), losses = static_cast<double>(losses_);
  const auto ties = static_cast<double>(ties_);
  std::array<double, kNumComponents> terms{};
  for (std::size_t k = 0; k < kNumComponents; ++k) {
    terms[k] = log_weights_[k] +
               ((wins * rates[k].win + losses * rates[k].loss) + (ties * rates[k].tie + graded[k]));
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += exponential(std::max(term - largest, -700.0));
  return largest + natural_log(sum);
}

void Gate::observe(Outcome outcome) {
  if (end_ != GateEnd::open || outcome == Outcome::skip || outcome == Outcome::none) return;
  ++(outcome == Outcome::first_wins ? wins_ : outcome == Outcome::second_wins ? losses_ : ties_);
  look();
}

void Gate::observe(double y) {
  if (end_ != GateEnd::open) return;
  const double m = 2.0 * rule_.margin;
  const std::array<double, 4> units = {y, (y + m) / (1.0 - m * m), -y, -(y + m) / (1.0 + m)};
  for (std::size_t claim = 0; claim < units.size(); ++claim) {
    for (std::size_t k = 0; k < kNumComponents; ++k) {
      graded_[claim][k] +=
          natural_log(1.0 + (2.0 * PairEvidence::kComponents[k].gap) * units[claim]);
    }
  }
  ++num_graded_;
  score_sum_ += (1.0 + y) / 2.0;
  look();
}

void Gate::look() {
  const auto now = [&](GateClaim claim, double log_evidence) {
    Logs& logs = logs_[static_cast<std::size_t>(claim)];
    logs = {log_evidence, std::max(logs.most, log_evidence)};
  };
  const auto graded = [&](GateClaim claim) -> const Graded& {
    return graded_[static_cast<std::size_t>(claim)];
  };
  using enum GateClaim;
  now(better, even_.log_evidence(wins_, losses_, graded(better)));
  now(not_worse, mixture(not_worse_, graded(not_worse)));
  now(worse, even_.log_evidence(losses_, wins_, graded(worse)));
  now(beyond_margin, mixture(beyond_margin_, graded(beyond_margin)));
  if (shown(rule_.claim)) {
    end_ = GateEnd::passed;
  } else if (shown(rule_.fail)) {
    end_ = GateEnd::failed;
  }
}

std::optional<double> Gate::mean_score() const {
  if (answers() == 0) return std::nullopt;
  return (static_cast<double>(wins_) + 0.5 * static_cast<double>(ties_) + score_sum_) /
         static_cast<double>(answers());
}

}  // namespace duel
