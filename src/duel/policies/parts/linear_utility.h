// What answers say about a utility that is linear in features: P(i beats j) = s(theta . z), z = x_i
// - x_j, s logistic.
//
// theta minimises sum log(1 + exp(-(2 y - 1) theta . z)) + lambda/2 |theta|^2, lambda = 1 (the
// maximum likelihood of Saha, NeurIPS 2021, with a ridge). It is found anew by Newton's method
// after every answer up to 32, and then after every 16th part of the answers, at most 256; answers
// between are taken in by one step of a Kalman filter, which is Newton's step where the earlier
// answers' gradient vanishes. Where contexts do not repeat (`online`) these steps are all, and no
// answer is kept.
// Cost  O(d^2) an answer, and O(p d^2 + d^3) a step of Newton's for p different pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "duel/core/rng.h"

namespace duel {

class LinearUtility {
 public:
  // Answers to the same pair share a row: the key tells them. Answers with kNoPair share none.
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};

  LinearUtility(std::size_t width, bool online);

  std::size_t width() const { return theta_.size(); }
  std::uint64_t answers() const { return answers_; }
  std::span<const double> theta() const { return theta_; }
  // theta + scale L^-T n, n standard normal and L L^T = H, the curvature at theta.
  std::vector<double> drawn(double scale, RoundRng& rng) const;

  // The share `y` of a win, 0, 1/2 or 1.
  void hear(std::uint64_t pair, std::span<const double> z, double y);
  // At most so many steps of Newton's method.
  void fit(int most_steps = 50);

  // V = lambda I + sum z z^T over the duels that went out and were not lost.
  void went_out(std::span<const double> z) { change_spread(z, 1); }
  void was_lost(std::span<const double> z) { change_spread(z, -1); }
  // V^-1 x.
  std::vector<double> spread_times(std::span<const double> x) const;

  void fields(auto& archive) {
    archive(theta_, factor_, spread_, inverse_, changes_, answers_, fitted_at_, keys_, differences_,
            won_, asked_);
  }
  bool restored(std::size_t width);

 private:
  std::span<const double> difference(std::size_t row) const {
    return {differences_.data() + row * width(), width()};
  }
  double objective(std::span<const double> theta) const;
  void change_spread(std::span<const double> z, double sign);
  void invert_spread();

  bool online_;
  std::vector<double> theta_;
  std::vector<double> factor_;   // of H
  std::vector<double> spread_;   // V
  std::vector<double> inverse_;  // V^-1
  std::uint64_t changes_ = 0;    // of V since it was inverted
  std::uint64_t answers_ = 0;
  std::uint64_t fitted_at_ = 0;  // answers
  // Of each different pair: its key, z, the wins and the answers.
  std::vector<std::uint64_t> keys_;
  std::vector<double> differences_;
  std::vector<double> won_;
  std::vector<double> asked_;
  std::unordered_map<std::uint64_t, std::size_t> rows_;  // by key; derived
};

}  // namespace duel
