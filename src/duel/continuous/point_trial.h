// One trial of a learner of points against a hidden value: every comparison is answered through the
// link, and the strong regret eps(w*, w) + eps(w*, w') of Yue and Joachims (ICML 2009) is summed,
// eps(a, b) = P(a beats b) - 1/2 and w* the known best point. It lies in [0, 1] per comparison.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/continuous/link.h"
#include "duel/continuous/point_learner.h"
#include "duel/continuous/value_function.h"

namespace duel {

struct PointProblem {
  ValueFunction value = ValueFunction::v1;
  Link link = Link::logistic;
};

// P(first beats second).
double win_probability(const PointProblem& problem, std::span<const double> first,
                       std::span<const double> second);

// Plays `checkpoints.back()` comparisons and returns the strong regret summed up to every
// checkpoint. Draws depend on (seed, trial, owner) alone; outcomes are shared by all owners.
// REQUIRES: checkpoints ascend, the first is at least 1.
std::vector<double> play_points(PointLearner& learner, const PointProblem& problem,
                                std::span<const Round> checkpoints, std::uint64_t seed,
                                std::uint32_t trial, std::string_view owner);

}  // namespace duel
