// What a smooth utility over a space may be after some comparisons, and the points that are worth
// asking about: the part that `kernel-ts` and `random` share.
//
// The utility is linear in random cosine features (a normal process with a Gaussian kernel, nearly)
// with a bump at the point in use, which is taken to be a sensible one. It is fitted to all answers
// (preference_fit.h). The candidates are drawn anew at each refit: the best guess, the point in
// use, points spread over the cube, and points around the best candidates so far.
// Cost       n answers, d dimensions, M features: a refit takes O(n M + 514 M d), after every
//            answer up to 200 and then after every n/100; between refits O(M^2 + n M + 514 M).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duel/continuous/cosine_features.h"
#include "duel/continuous/preference_fit.h"
#include "duel/continuous/spread_points.h"
#include "duel/continuous/tuner.h"
#include "duel/core/options.h"

namespace duel {

struct KernelOptions {
  std::uint64_t features = 0;    // M; 0: 128 up to 8 dimensions, 256 beyond
  std::optional<double> length;  // of the kernel in the unit cube; auto: sqrt(d)/4
  double trust = 2;              // height of the bump at the point in use, in log-odds
};

OptionTable<KernelOptions> kernel_options();

class KernelBelief {
 public:
  KernelBelief(const KernelOptions& options, const TunerSetting& setting, std::string_view owner);

  // An answer to any pair of points.
  void hear(std::span<const double> first, std::span<const double> second, Outcome outcome);
  // m/s (Tuner::belief).
  double belief(std::span<const double> a, std::span<const double> b) const;

  std::size_t num_candidates() const { return num_candidates_; }
  std::vector<double> candidate(std::size_t index) const;
  // Utilities of all candidates at the mode of the posterior.
  std::span<const double> means() const { return means_; }
  // The candidate of the largest mean, the first of several; the point in use before any answer.
  std::size_t best() const { return best_; }
  std::span<const double> recommended() const { return recommended_; }
  // The candidate with the largest value of a utility drawn from the posterior with these standard
  // normal numbers.
  std::size_t best_of_draw(std::vector<double> normals) const;
  // Of the candidates at a distance from one, the best; of those that differ where none is so far.
  std::size_t best_apart_from(std::size_t index) const;
  bool same_point(std::size_t a, std::size_t b) const;

  const PreferenceFit& fit() const { return fit_; }
  const CosineFeatures& features() const { return features_; }
  std::vector<double> next_spread_point();

 private:
  void renew_candidates();
  void hold_candidates(const std::vector<std::vector<double>>& points);
  std::vector<double> values_of(std::span<const double> theta) const;
  void find_best();

  TunerSetting setting_;
  std::vector<double> in_use_;
  CosineFeatures features_;
  PreferenceFit fit_;
  SpreadPoints spread_;
  std::uint64_t spread_taken_ = 0;
  Stream local_;
  std::uint64_t refits_ = 0;
  std::uint64_t refitted_at_ = 0;  // answers
  std::size_t num_candidates_ = 0;
  std::vector<double> coordinates_;  // of candidates: coordinate k of c at k * num_candidates_ + c
  std::vector<double> values_;       // features of candidates
  std::vector<double> means_;
  std::size_t best_ = 0;
  std::vector<double> recommended_;
};

// A tuner that hears every answer, also of pairs that somebody else chose.
class KernelTuner : public Tuner {
 public:
  void tell(const PointPair& pair, Outcome outcome) override {
    belief_.hear(pair.first, pair.second, outcome);
  }
  std::span<const double> recommend() const override { return belief_.recommended(); }
  std::optional<double> belief(std::span<const double> a,
                               std::span<const double> b) const override {
    return belief_.belief(a, b);
  }

 protected:
  KernelTuner(const KernelOptions& options, const TunerSetting& setting, std::string_view owner)
      : belief_(options, setting, owner) {}

  KernelBelief belief_;
};

}  // namespace duel
