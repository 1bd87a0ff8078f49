// What the policies of linear utilities share: the features, answers with their differences of
// features, and what is known of every arm. Each of them has its own `select`.
//
// Without features each arm has a utility of its own (the unit vectors), which is the Bradley-Terry
// model. In a context (AnyPolicy::see) a duel's features are noted when it goes out.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/core/vectors.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/linear_utility.h"
#include "duel/policies/parts/tickets.h"
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"

namespace duel {

enum class UtilityEstimator { mle, online };

struct LinearOptions : PolicyOptions {
  std::shared_ptr<const FeatureRows> features;  // null: unit vectors
  UtilityEstimator estimator = UtilityEstimator::mle;

  void set_defaults(const PolicySetting& setting) { features = setting.features; }
};

// With `width`: the bounds are width sqrt(d ln(t + 1)) of a duel's length in V^-1.
struct LinearWidthOptions : LinearOptions {
  double width = 1;
};

template <class Options>
OptionTable<Options> linear_options() {
  OptionTable<Options> table;
  table.choice("estimator", static_cast<UtilityEstimator Options::*>(&LinearOptions::estimator),
               std::vector<std::pair<std::string, UtilityEstimator>>{
                   {"mle", UtilityEstimator::mle}, {"online", UtilityEstimator::online}},
               "how utilities are fitted: by maximum likelihood, or one step for each answer, for "
               "contexts that do not repeat");
  return table;
}
template <class Options>
OptionTable<Options> linear_width_options() {
  return linear_options<Options>().number(
      "width", static_cast<double Options::*>(&LinearWidthOptions::width), {.least = 0},
      "width of the bounds, in units of sqrt(d ln(t + 1)); the theory asks for a far larger one",
      Shown::always);
}

// The means and the uncertainties of all arms at one time.
class LinearView {
 public:
  LinearView(const FeatureRows& rows, const LinearUtility& utility) : rows_(rows) {
    const std::size_t d = rows.width();
    spread_.reserve(rows.size() * d);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<double> w = utility.spread_times(rows[i]);
      spread_.insert(spread_.end(), w.begin(), w.end());
      squares_.push_back(std::max(0.0, dot(w, rows[i])));
      means_.push_back(dot(utility.theta(), rows[i]));
    }
  }

  std::size_t num_arms() const { return means_.size(); }
  // theta . x_i, and |x_i| in V^-1.
  double mean(Arm i) const { return means_[i]; }
  double width(Arm i) const { return std::sqrt(squares_[i]); }
  // |x_i - x_j| in V^-1, the same bits for (j, i).
  double width(Arm i, Arm j) const {
    if (i > j) std::swap(i, j);
    const std::span<const double> w = {spread_.data() + i * rows_.width(), rows_.width()};
    return std::sqrt(std::max(0.0, squares_[i] + squares_[j] - 2 * dot(w, rows_[j])));
  }
  Arm best() const {
    return static_cast<Arm>(std::max_element(means_.begin(), means_.end()) - means_.begin());
  }
  // At this many times sqrt(d ln(t + 1)) the first other arm's mean and bound reach the best one's.
  double first_reach(Arm best) const {
    double least = HUGE_VAL;
    for (Arm i = 0; i < num_arms(); ++i) {
      if (i == best) continue;
      const double between = width(i, best);
      const double gap = mean(best) - mean(i);
      if (between > 0) least = std::min(least, gap / between);
      if (gap <= 0) least = 0;
    }
    return least;
  }

 private:
  const FeatureRows& rows_;
  std::vector<double> spread_;   // V^-1 x_i
  std::vector<double> squares_;  // x_i . V^-1 x_i
  std::vector<double> means_;
};

// `Derived` has select(round, rng) and whether it needs V: static constexpr bool kUsesWidths.
template <class Derived>
class LinearPolicy : public SelectingPolicy<Derived> {
 public:
  void issued(const Duel& duel, RoundRng /*rng*/) {
    std::vector<double> z = difference(duel.first, duel.second);
    if (Derived::kUsesWidths && !duel.is_self()) utility_.went_out(z);
    if (context_ && !duel.is_self()) tickets_.issued(duel, std::move(z));
  }

  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    std::optional<std::vector<double>> noted;
    if (!duel.foreign) noted = tickets_.settled(duel);
    const bool in_context = context_.has_value() || noted.has_value();
    const std::vector<double> z = noted ? *std::move(noted) : difference(duel.first, duel.second);
    const auto points = points_of(outcome, ties_, rng);
    if (Derived::kUsesWidths) {
      if (duel.foreign && points) utility_.went_out(z);
      if (!duel.foreign && !points) utility_.was_lost(z);
    }
    if (!points) return;
    const double share = 0.5 * points->first;
    // A pair is told in one direction, so that both orders share a row.
    if (in_context) return utility_.hear(LinearUtility::kNoPair, z, share);
    const bool in_order = duel.first < duel.second;
    const std::uint64_t key = in_order ? std::uint64_t{duel.first} << 32 | duel.second
                                       : std::uint64_t{duel.second} << 32 | duel.first;
    if (in_order) return utility_.hear(key, z, share);
    utility_.hear(key, difference(duel.second, duel.first), 1 - share);
  }

  // The largest utility.
  Arm recommend(RoundRng rng) const {
    return largest_of(all_arms(num_arms_), deterministic_ties_, rng,
                      [&](Arm arm) { return dot(utility_.theta(), rows()[arm]); });
  }

  void see(const FeatureRows& rows) {
    context_.reset();
    if (rows.width() == utility_.width() && rows.size() == num_arms_) context_ = rows;
  }

  const LinearUtility& utility() const { return utility_; }

  // A context is told anew before each round that has one.
  void fields(auto& archive) { archive(utility_, tickets_); }
  bool restored() {
    return utility_.restored(table_->width()) &&
           tickets_.restored(num_arms_, [&](const std::vector<double>& z) {
             return z.size() == table_->width();
           });
  }

  static Status check(const LinearOptions& options, std::size_t num_arms) {
    if (!options.features || options.features->size() == num_arms) return Done{};
    return Error::invalid_argument(fmt::format("there are features of {} arms, and {} arms",
                                               options.features->size(), num_arms));
  }

 protected:
  LinearPolicy(const LinearOptions& options, std::size_t num_arms)
      : ties_(options.ties),
        deterministic_ties_(options.deterministic_ties),
        num_arms_(num_arms),
        table_(options.features
                   ? options.features
                   : std::make_shared<const FeatureRows>(FeatureRows::identity(num_arms))),
        utility_(table_->width(), options.estimator == UtilityEstimator::online) {}

  const FeatureRows& rows() const { return context_ ? *context_ : *table_; }
  std::size_t num_arms() const { return num_arms_; }
  bool deterministic_ties() const { return deterministic_ties_; }
  LinearView view() const { return LinearView(rows(), utility_); }
  // width sqrt(d ln(t + 1)).
  double bound(double width, Round t) const {
    return width * std::sqrt(static_cast<double>(utility_.width()) * log_round(t + 1));
  }
  // The round at which a policy that idles with `best` wakes up; `awake(bound)` is what it decides
  // by.
  template <class Awake>
  Jump jump_until(double width, const LinearView& view, Arm best, Round round, Round limit,
                  Awake awake) const {
    if (!(width > 0)) return {awake(0.0) ? round : limit};  // the bounds do not grow
    const double reach = view.first_reach(best) / width;
    const double level = reach * reach / static_cast<double>(utility_.width());
    return {wake_up_round(level, round, limit, [&](Round t) { return awake(bound(width, t)); })};
  }

 private:
  std::vector<double> difference(Arm i, Arm j) const {
    std::vector<double> z(rows().width());
    add_scaled(rows()[i], -1, rows()[j], z);
    return z;
  }

  Ties ties_;
  bool deterministic_ties_;
  std::size_t num_arms_;
  std::shared_ptr<const FeatureRows> table_;
  std::optional<FeatureRows> context_;
  LinearUtility utility_;
  Tickets<std::vector<double>> tickets_;  // of duels in contexts: z
};

// The best pairs found so far, and one of them.
class BestPairs {
 public:
  explicit BestPairs(double bar = -HUGE_VAL) : best_(bar) {}
  double value() const { return best_; }
  void offer(Arm i, Arm j, double value) {
    if (value < best_) return;
    if (value > best_) {
      best_ = value;
      pairs_.clear();
    }
    pairs_.emplace_back(std::min(i, j), std::max(i, j));
  }
  const std::vector<std::pair<Arm, Arm>>& pairs() const { return pairs_; }
  Duel pick(Round round, bool deterministic_ties, RoundRng& rng) {
    std::sort(pairs_.begin(), pairs_.end());
    const auto [i, j] = pairs_[pick_tied(pairs_.size(), deterministic_ties, rng)];
    return {i, j, round};
  }

 private:
  double best_;
  std::vector<std::pair<Arm, Arm>> pairs_;
};

// Arms sorted by a number of theirs, the largest first.
template <class Value>
std::vector<Arm> sorted_by(std::vector<Arm> arms, Value value) {
  std::stable_sort(arms.begin(), arms.end(), [&](Arm a, Arm b) { return value(a) > value(b); });
  return arms;
}

}  // namespace duel
