#include "duel/inference/error_budget.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/inference/order_threshold.h"

namespace duel {

ErrorBudget::ErrorBudget(double alpha, std::size_t initial_arms, bool arms_fixed,
                         bool shared_causes, double epsilon, bool winner_exists)
    : alpha_(alpha),
      initial_arms_(initial_arms),
      arms_fixed_(arms_fixed),
      shared_causes_(shared_causes),
      epsilon_(epsilon),
      winner_exists_(winner_exists) {
  DUEL_CHECK(alpha > 0 && alpha < 1);
  DUEL_CHECK(initial_arms >= 1);
  DUEL_CHECK(epsilon >= 0);
  DUEL_CHECK(!winner_exists || (arms_fixed && epsilon == 0));
}

double ErrorBudget::share_of_added(Arm i) const {
  DUEL_CHECK(!arms_fixed_);
  const auto m = static_cast<double>(i - initial_arms_ + 1);
  return 0.2 * alpha_ / (m * (m + 1.0));
}

double ErrorBudget::share(Arm i) const {
  if (i < initial_arms_) return share_of_start() / static_cast<double>(initial_arms_);
  return share_of_added(i);
}

double ErrorBudget::threshold(Arm i, std::uint64_t retired_after_duel) const {
  const double share_of_i = share(i);
  if (arms_fixed_) {
    if (epsilon_ > 0 || initial_arms_ < 2) return 1.0 / share_of_i;
    // K/alpha, with the bits that it has in certificates given so far.
    const double by_union =
        winner_exists_ ? union_threshold(alpha_, initial_arms_, true) : 1.0 / share_of_i;
    return shared_causes_ ? by_union : std::min(by_union, set_threshold(alpha_, 1, winner_exists_));
  }
  if (retired_after_duel == 0) return 1.0 / (0.9 * share_of_i);
  const auto r = static_cast<double>(retired_after_duel);
  return r * (r + 1.0) / (0.1 * share_of_i);
}

double ErrorBudget::edge_threshold(Arm i, Arm j) const {
  DUEL_CHECK(i != j);
  const Arm later = std::max(i, j);
  const auto before = static_cast<double>(later);  // arms that joined before it
  if (later < initial_arms_) {
    const auto k = static_cast<double>(initial_arms_);
    return k * (k - 1.0) / share_of_start();
  }
  return 2.0 * before / share_of_added(later);
}

}  // namespace duel
