// How far one ranker is ahead of another at one look, after a number of impressions that was fixed
// beforehand: Delta_AB with its standard error, a sign test, and a bootstrap over clusters.
// Chapelle, Joachims, Radlinski, Yue, Large-scale validation and analysis of interleaved search
// evaluation, ACM TOIS 30(1), 2012: Delta_AB = (wins(A) + ties/2)/(wins(A) + wins(B) + ties) - 1/2.
//
// Impressions of one user share the user's taste. A test that takes them for independent finds
// differences that do not exist; clusters (users) are independent of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "duel/inference/interval.h"

namespace duel {

struct ClusterOutcomes {
  std::uint32_t wins = 0;
  std::uint32_t losses = 0;
  std::uint32_t ties = 0;

  std::uint32_t answers() const { return wins + losses + ties; }
};

struct DeltaOptions {
  std::uint32_t resamples = 1000;
  double delta = 0.05;  // of the interval
  std::uint64_t seed = 0;
};

struct DeltaAb {
  std::uint64_t wins = 0, losses = 0, ties = 0;
  std::uint64_t clusters = 0;  // with an answer
  double value = 0;
  // Of `value`, if every answer were independent, and if clusters are. Unknown for fewer than two.
  std::optional<double> independent_error;
  std::optional<double> clustered_error;
  // Percentiles of `value` over clusters drawn with replacement.
  std::optional<Interval> bootstrap;
  // Two-sided, exact: of decided answers, and of clusters by who won more of theirs.
  double sign_test = 1;
  double cluster_sign_test = 1;

  // How much larger the variance is than that of independent answers.
  std::optional<double> design_effect() const;
};

// Those of `all` clusters that have an answer; the others do not count. A function of its
// arguments.
DeltaAb delta_ab(std::span<const ClusterOutcomes> all, const DeltaOptions& options = {});

// P(a fair coin is at least as uneven as `wins` : `losses`), 1 without throws.
double sign_test(std::uint64_t wins, std::uint64_t losses);

}  // namespace duel
