// Strengths beside the effect of what else differs between two arms: their lengths, a style, the
// place in which they stand. The log-odds that the arm shown first is preferred are
//   u_first - u_second + sum_k beta_k x_k,
// x the difference of the covariates, divided by its root mean square so that beta_k is the effect
// of a typical difference. An answer may be graded: then its share takes the place of 0 or 1.
//
// Standard errors are robust to clusters (Liang and Zeger 1986): answers to one task, or of one
// voter, may depend on each other in any way. They need many clusters.
//
// All parameters have normal priors of standard deviation 10, which bound them where every answer
// goes one way and weigh as little as a hundredth of an answer. The prior also makes sum u = 0.
//
// A description, not a certificate: intervals are those of a sample of fixed size, and that a
// covariate explains an answer does not say that it caused it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"

namespace duel {

struct CovariateAnswer {
  Arm first = 0;
  Arm second = 0;
  double share = 0.5;                 // of the first: 1, 0, 0.5 for a tie, or a score between
  std::vector<double> differences{};  // first minus second, of each covariate
  std::size_t cluster = 0;            // 0, 1, 2, .. without gaps
};

struct CovariateFit {
  std::vector<double> strength;    // u, summing to 0
  std::vector<double> effect;      // beta, of a typical difference
  std::vector<double> scale;       // the typical difference, in the covariate's own unit
  std::vector<double> covariance;  // of u and beta, row major
  std::size_t clusters = 0;

  double standard_error(Arm i, Arm j) const;  // of u_i - u_j
  double effect_standard_error(std::size_t k) const;
  // By the normal law, at one fixed number of answers. REQUIRES: 0 < delta < 1.
  Interval difference_interval(Arm i, Arm j, double delta) const;
  Interval effect_interval(std::size_t k, double delta) const;
};

// An error where fewer than two clusters answered, or where a covariate never differs.
// REQUIRES: arms < num_arms, two different ones in each answer; differences of names.size() finite
// numbers each; shares in [0, 1].
Result<CovariateFit> fit_with_covariates(std::size_t num_arms,
                                         const std::vector<std::string>& names,
                                         std::span<const CovariateAnswer> answers);

}  // namespace duel
