#include "duel/continuous/kernel_belief.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/rng.h"
#include "duel/core/turns.h"

namespace duel {
namespace {

constexpr std::size_t kSpread = 256;
constexpr std::size_t kLocal = 256;
constexpr std::size_t kCentres = 16;  // candidates that local ones are drawn around

std::size_t num_frequencies(const KernelOptions& options, std::size_t dimension) {
  if (options.features > 0) return (options.features + 1) / 2;
  return dimension <= 8 ? 64 : 128;
}

double length_of(const KernelOptions& options, std::size_t dimension) {
  return options.length.value_or(0.25 * std::sqrt(static_cast<double>(dimension)));
}

std::vector<double> prior_of(const CosineFeatures& features, std::span<const double> in_use,
                             double trust) {
  std::vector<double> prior = features.at(in_use);
  for (double& value : prior) value *= trust;
  return prior;
}

std::string for_purpose(std::string_view owner, std::string_view purpose) {
  return std::string(owner) + "/" + std::string(purpose);
}

}  // namespace

OptionTable<KernelOptions> kernel_options() {
  OptionTable<KernelOptions> table;
  table.count("features", &KernelOptions::features, 0, 4096,
              "features of the utility; 0: 128 up to 8 dimensions, 256 beyond");
  table.automatic_number("length", &KernelOptions::length, {.above = 0},
                         "distance in the unit cube over which utilities are alike; auto: "
                         "sqrt(d)/4");
  table.number("trust", &KernelOptions::trust, {.least = 0},
               "how much better than elsewhere the point in use is taken to be at first, in "
               "log-odds");
  return table;
}

KernelBelief::KernelBelief(const KernelOptions& options, const TunerSetting& setting,
                           std::string_view owner)
    : setting_(setting),
      in_use_(setting.in_use()),
      features_(CosineFeatures::drawn(in_use_.size(), num_frequencies(options, in_use_.size()),
                                      length_of(options, in_use_.size()),
                                      setting.stream(for_purpose(owner, "frequencies")).at(1))),
      fit_(prior_of(features_, in_use_, options.trust)),
      spread_(in_use_.size(), setting.stream(for_purpose(owner, "spread")).at(1)),
      local_(setting.stream(for_purpose(owner, "local"))),
      recommended_(in_use_) {
  std::vector<std::vector<double>> points = {in_use_, in_use_};
  for (std::size_t k = 0; k < kSpread; ++k) points.push_back(next_spread_point());
  hold_candidates(points);
  means_ = values_of(fit_.theta());  // the largest is the point's in use, the first
}

std::vector<double> KernelBelief::next_spread_point() {
  std::vector<double> point = spread_.at(++spread_taken_);
  setting_.space->round_to_steps(point);
  return point;
}

void KernelBelief::hold_candidates(const std::vector<std::vector<double>>& points) {
  num_candidates_ = points.size();
  coordinates_.resize(num_candidates_ * in_use_.size());
  for (std::size_t c = 0; c < num_candidates_; ++c) {
    for (std::size_t k = 0; k < in_use_.size(); ++k) {
      coordinates_[k * num_candidates_ + c] = points[c][k];
    }
  }
  values_ = features_.of_all(coordinates_, num_candidates_);
}

std::vector<double> KernelBelief::candidate(std::size_t index) const {
  std::vector<double> point(in_use_.size());
  for (std::size_t k = 0; k < point.size(); ++k) {
    point[k] = coordinates_[k * num_candidates_ + index];
  }
  return point;
}

bool KernelBelief::same_point(std::size_t a, std::size_t b) const {
  for (std::size_t k = 0; k < in_use_.size(); ++k) {
    if (coordinates_[k * num_candidates_ + a] != coordinates_[k * num_candidates_ + b])
      return false;
  }
  return true;
}

std::vector<double> KernelBelief::values_of(std::span<const double> theta) const {
  std::vector<double> sums(num_candidates_);
  for (std::size_t m = 0; m < theta.size(); ++m) {
    const double weight = theta[m];
    const double* const feature = values_.data() + m * num_candidates_;
    for (std::size_t c = 0; c < num_candidates_; ++c) sums[c] += weight * feature[c];
  }
  return sums;
}

void KernelBelief::find_best() {
  means_ = values_of(fit_.theta());
  best_ = static_cast<std::size_t>(std::max_element(means_.begin(), means_.end()) - means_.begin());
  recommended_ = candidate(best_);
}

void KernelBelief::hear(std::span<const double> first, std::span<const double> second,
                        Outcome outcome) {
  if (outcome == Outcome::skip || outcome == Outcome::none) return;
  const double answer = outcome == Outcome::first_wins    ? 1.0
                        : outcome == Outcome::second_wins ? 0.0
                                                          : 0.5;
  const std::uint64_t n = fit_.answers() + 1;
  const bool refits = n - refitted_at_ >= std::max<std::uint64_t>(1, n / 100);
  fit_.add(features_.difference(first, second), answer, refits ? 3 : 1);
  find_best();
  if (!refits) return;
  refitted_at_ = n;
  renew_candidates();
  find_best();
}

void KernelBelief::renew_candidates() {
  std::vector<std::size_t> order(num_candidates_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + kCentres, order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return means_[a] != means_[b] ? means_[a] > means_[b] : a < b;
                    });
  std::vector<std::vector<double>> points = {recommended_, in_use_};
  points.reserve(2 + kSpread + kLocal);
  for (std::size_t k = 0; k < kSpread; ++k) points.push_back(next_spread_point());
  // The search narrows with the answers.
  double width = 0.08;
  for (std::uint64_t n = fit_.answers(); n >= 200 && width > 0.02; n -= 200) width /= 2;
  width = std::max(width, 0.02);
  RoundRng rng = local_.at(++refits_);
  for (std::size_t i = 0; i < kLocal; ++i) {
    std::vector<double> point = candidate(order[i % kCentres]);
    const double deviation = i % 2 == 1 ? width : 2.5 * width;
    for (double& x : point) x = std::clamp(x + deviation * normal_by_turns(rng), 0.0, 1.0);
    setting_.space->round_to_steps(point);
    points.push_back(std::move(point));
  }
  hold_candidates(points);
}

double KernelBelief::belief(std::span<const double> a, std::span<const double> b) const {
  const PreferenceFit::Gap gap = fit_.gap(features_.difference(a, b));
  return gap.deviation > 0 ? gap.mean / gap.deviation : 0;
}

std::size_t KernelBelief::best_of_draw(std::vector<double> normals) const {
  fit_.draw(normals);
  const std::vector<double> values = values_of(normals);
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::size_t KernelBelief::best_apart_from(std::size_t index) const {
  constexpr double kApart = 0.05;
  std::optional<std::size_t> apart, other;
  for (std::size_t c = 0; c < num_candidates_; ++c) {
    double square = 0;
    for (std::size_t k = 0; k < in_use_.size(); ++k) {
      const double by =
          coordinates_[k * num_candidates_ + c] - coordinates_[k * num_candidates_ + index];
      square += by * by;
    }
    if (square > kApart * kApart && (!apart || means_[c] > means_[*apart])) apart = c;
    if (square > 0 && (!other || means_[c] > means_[*other])) other = c;
  }
  DUEL_CHECK(other.has_value());  // spread points are not all on one step
  return apart.value_or(*other);
}

}  // namespace duel
