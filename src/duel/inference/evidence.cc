#include "duel/inference/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {

PairEvidence::PairEvidence(double epsilon) : null_(0.5 - epsilon), rates_{} {
  DUEL_CHECK(epsilon >= 0 && epsilon < 0.5);
  for (std::size_t k = 0; k < kComponents.size(); ++k) {
    // q <= 1/2, so that q + gap stays below 1.
    const double p = null_ + kComponents[k].gap;
    rates_[k] = {natural_log(kComponents[k].weight), natural_log(p / null_),
                 natural_log((1.0 - p) / (1.0 - null_)), p / null_};
  }
  least_ratio_ = -rates_.back().loss / rates_.back().win;
  for (const Rates& rates : rates_) {
    DUEL_CHECK(rates.win > 0.0015 && -rates.loss / rates.win >= least_ratio_);
  }
}

PairEvidence::Terms PairEvidence::terms(double wins, double losses) const {
  Terms terms;  // NOLINT(*-member-init): filled below
  for (std::size_t k = 0; k < terms.size(); ++k) {
    terms[k] = rates_[k].log_weight + (wins * rates_[k].win + losses * rates_[k].loss);
  }
  return terms;
}

void PairEvidence::add(Logs& logs, double unit) const {
  DUEL_CHECK(null_ == 0.5 && unit > -1.0001 && unit < 1.0001);
  for (std::size_t k = 0; k < logs.size(); ++k) {
    logs[k] += natural_log(1.0 + (2.0 * kComponents[k].gap) * unit);
  }
}

PairEvidence::Sum PairEvidence::sum_of(const Terms& terms) {
  Sum result{.shares = {}, .largest = *std::max_element(terms.begin(), terms.end()), .sum = 0};
  for (std::size_t k = 0; k < terms.size(); ++k) {
    // e^-40 < 2^-57: seven such terms stay below the rounding of the sum.
    const double below = terms[k] - result.largest;
    if (below > -40.0) result.sum += result.shares[k] = exponential(below);
  }
  return result;
}

double PairEvidence::Sum::log() const { return largest + natural_log(sum); }

double PairEvidence::log_evidence(std::uint64_t wins, std::uint64_t losses) const {
  return sum_of(terms(static_cast<double>(wins), static_cast<double>(losses))).log();
}

double PairEvidence::log_evidence(std::uint64_t wins, std::uint64_t losses,
                                  const Logs& logs) const {
  Terms all = terms(static_cast<double>(wins), static_cast<double>(losses));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] += logs[k];
  return sum_of(all).log();
}

bool PairEvidence::raise_by(Maximum& maximum, std::uint64_t wins, std::uint64_t losses, double won,
                            double lost) const {
  // E has grown by at most the largest growth of a component. The margin covers rounding, so that
  // the maximum has the bits of the plain one.
  double growth = won * rates_[0].win + lost * rates_[0].loss;
  for (std::size_t k = 1; k < rates_.size(); ++k) {
    growth = std::max(growth, won * rates_[k].win + lost * rates_[k].loss);
  }
  if (growth < -1e-7) return false;
  // And it is at most a mean's largest value, and at most eight times its largest term.
  const Terms logs = terms(static_cast<double>(wins), static_cast<double>(losses));
  double largest = logs[0], factor = logs[0] - rates_[0].log_weight;
  for (std::size_t k = 1; k < logs.size(); ++k) {
    largest = std::max(largest, logs[k]);
    factor = std::max(factor, logs[k] - rates_[k].log_weight);
  }
  constexpr double kLog8 = 2.0794415416798357;
  static_assert(kComponents.size() == 8);
  if (std::min(factor, largest + kLog8) + 1e-6 < maximum.log_evidence) return false;
  const Sum now = sum_of(logs);
  const double value = now.log();
  if (value > maximum.log_evidence) {
    maximum = {.log_evidence = value, .wins = wins, .losses = losses};
    return true;
  }
  // How E would stand after 1, 2, 4, 8 wins in a row: while that is too little, more duels are.
  const double enough = exponential(maximum.log_evidence - now.largest) * (1 - 1e-9);
  Terms odds;  // NOLINT(*-member-init): filled below
  for (std::size_t k = 0; k < odds.size(); ++k) odds[k] = rates_[k].odds;
  maximum.look_at = wins + 1;
  for (const std::uint64_t more : {1, 2, 4, 8}) {
    double sum = 0;
    for (std::size_t k = 0; k < odds.size(); ++k) {
      sum += now.shares[k] * odds[k];
      odds[k] *= odds[k];
    }
    if (!(sum < enough)) break;
    maximum.look_at = wins + more + 1;
  }
  return false;
}

double uniform_log_evidence(std::uint64_t wins, std::uint64_t losses, double epsilon) {
  DUEL_CHECK(epsilon >= 0 && epsilon < 0.5);
  const double q = 0.5 - epsilon;
  const double odds = (1.0 - q) / q;
  const auto n = static_cast<double>(wins) + static_cast<double>(losses);
  // Terms from k = s downwards: first rising, then falling. Rescaled before they overflow.
  constexpr double kScale = 0x1p+500;
  double term = 1, sum = 1;
  double scalings = 0;
  for (std::uint64_t m = wins; m > 0; --m) {
    const auto k = static_cast<double>(m);
    const double ratio = k / (n + 2.0 - k) * odds;
    term *= ratio;
    sum += term;
    if (sum > kScale) {
      sum /= kScale;
      term /= kScale;
      scalings += 1;
    }
    // Ratios fall with k: what is left is below term ratio/(1 - ratio).
    if (ratio < 0.5 && term < sum * 0x1p-60) break;
  }
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  return natural_log(sum / (static_cast<double>(losses) + 1.0)) + scalings * (500.0 * kLn2);
}

std::string format_evidence(double log_evidence) {
  if (log_evidence < 690.0 && log_evidence > -690.0) {
    return fmt::format("{:.9g}", exponential(log_evidence));
  }
  // E = 10^d * m with 1 <= m < 10.
  constexpr double kLn10 = 0x1.26bb1bbb55516p+1;
  double d = std::floor(log_evidence / kLn10);
  std::string mantissa = fmt::format("{:.8f}", exponential(log_evidence - d * kLn10));
  if (mantissa.size() > 10) {  // 10.00000000, or a quotient that rounded across a power of ten
    d += 1;
    mantissa = fmt::format("{:.8f}", exponential(log_evidence - d * kLn10));
  }
  while (mantissa.back() == '0') mantissa.pop_back();
  if (mantissa.back() == '.') mantissa.pop_back();
  return fmt::format("{}e{}{}", mantissa, d < 0 ? "-" : "+",
                     static_cast<std::int64_t>(std::abs(d)));
}

}  // namespace duel
