#include "duel/policies/borda_cb.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "duel/core/logarithm.h"
#include "duel/policies/registry.h"

namespace duel {

double BordaCbExplorer::width() const {
  const auto k = static_cast<double>(points_.size());
  const double log_term = natural_log(2.0 * k) - natural_log(options_.delta) +
                          natural_log(static_cast<double>(std::max<Round>(options_.horizon, 1)));
  return 2.0 * std::sqrt(k / static_cast<double>(answered_) * log_term);
}

double BordaCbExplorer::score(Arm arm) const {
  return static_cast<double>(points_.size()) * 0.5 * static_cast<double>(points_[arm]) /
         static_cast<double>(answered_);
}

bool BordaCbExplorer::is_decided() const {
  std::vector<std::uint64_t> two = points_;
  std::partial_sort(two.begin(), two.begin() + 2, two.end(), std::greater<>());
  const double lead = static_cast<double>(points_.size()) * 0.5 *
                      static_cast<double>(two[0] - two[1]) / static_cast<double>(answered_);
  return lead > 2.0 * width();
}

void BordaCbExplorer::answered(const Duel& duel, Points points, RoundRng& /*rng*/) {
  points_[duel.first] += points.first;
  ++answered_;
  if (is_decided()) finished_ = 1;
}

Arm BordaCbExplorer::leader(RoundRng rng) const {
  return largest_of(all_arms(points_.size()), options_.deterministic_ties, rng,
                    [&](Arm arm) { return points_[arm]; });
}

bool BordaCbExplorer::restored(std::span<const Duel> /*pending*/) {
  std::uint64_t sum = 0;
  for (const std::uint64_t points : points_) sum += points;
  return finished_ <= 1 && points_.size() == num_arms_ && sum / 2 <= answered_;
}

namespace {

const bool borda_cb_is_registered = register_policy<BordaCb>(
    {.name = "borda-cb",
     .title = "Borda confidence bound: uniform pairs, then the arm with the highest Borda score",
     .paper =
         "Saha, Koren, Mansour: Adversarial Dueling Bandits. ICML 2021, Borda-Confidence-Bound",
     .setting = "Borda winner with a gap",
     .guarantee = "Borda regret O(K ln(K T/delta)/D^2) with probability 1 - delta, D the gap",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    OptionTable<BordaCbOptions>()
        .horizon(&BordaCbOptions::horizon)
        .number("delta", &BordaCbOptions::delta, {.above = 0, .below = 1},
                "probability of exploiting a wrong arm", Shown::always));

}  // namespace
}  // namespace duel
