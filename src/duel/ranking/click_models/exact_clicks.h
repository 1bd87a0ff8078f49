// What the chain of a click model gives without sampling, by dynamic programming over its states.
#pragma once

#include <span>
#include <vector>

#include "duel/ranking/click_models/click_model.h"

namespace duel {

// The probability that a user clicks exactly at `clicks` on a list with these grades. O(length).
// REQUIRES: `clicks` ascending, distinct, inside the list; every grade known to the model.
double click_pattern_probability(const ClickModel& model, std::span<const Grade> grades,
                                 std::span<const Position> clicks);

// For each position, the probability that it is clicked. O(length * states).
std::vector<double> click_probabilities(const ClickModel& model, std::span<const Grade> grades);

// The distribution of the number of clicks: entry n is the probability of n clicks.
// O(length^2 * states).
std::vector<double> click_count_distribution(const ClickModel& model,
                                             std::span<const Grade> grades);

// The distribution of an additive credit: a click at position k earns `credits[k]`, and entry c -
// low is the probability that the sum is c. `low` and the size span the sums that can occur.
// O(length * states * range of the sum). REQUIRES: credits.size() == grades.size().
struct CreditDistribution {
  int low = 0;                // the least sum
  std::vector<double> share;  // share[i]: probability of low + i

  double probability_of_positive() const;
  double probability_of_negative() const;
  double probability_of_zero() const;
  double mean() const;
};
CreditDistribution click_credit_distribution(const ClickModel& model, std::span<const Grade> grades,
                                             std::span<const int> credits);

// Calls visit(clicks, probability) for every pattern of clicks that has a positive probability, in
// lexicographic order of clicked/skipped from the top; the probabilities sum to 1. Up to 2^length
// patterns: for short lists.
template <class Visit>
void for_each_click_pattern(const ClickModel& model, std::span<const Grade> grades, Visit visit) {
  std::vector<Position> clicks;
  const auto descend = [&](const auto& self, Position k) -> void {
    if (k == grades.size()) {
      const double p = click_pattern_probability(model, grades, clicks);
      if (p > 0) visit(std::span<const Position>(clicks), p);
      return;
    }
    clicks.push_back(k);
    self(self, k + 1);
    clicks.pop_back();
    self(self, k + 1);
  };
  descend(descend, 0);
}

}  // namespace duel
