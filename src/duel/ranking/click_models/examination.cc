#include "duel/ranking/click_models/examination.h"

#include <cmath>

#include "duel/core/check.h"

namespace duel {
namespace {

constexpr std::uint32_t kTabled = 256;  // deeper places are computed when asked

double power_of(std::uint32_t n, double eta) {
  return eta == 1 ? 1.0 / static_cast<double>(n) : std::pow(static_cast<double>(n), -eta);
}

}  // namespace

Examination Examination::power(double eta) {
  DUEL_CHECK(eta >= 0);
  std::vector<double> values;
  for (std::uint32_t n = 1; n <= kTabled; ++n) values.push_back(power_of(n, eta));
  return {std::move(values), eta, false};
}

Examination Examination::listed(std::vector<double> values) {
  DUEL_CHECK(!values.empty());
  for (const double p : values) DUEL_CHECK(p >= 0 && p <= 1);
  return {std::move(values), 0, true};
}

double Examination::beyond(std::uint32_t n) const {
  return listed_ ? values_.back() : power_of(n, eta_);
}

}  // namespace duel
