#include "duel/continuous/bgd.h"

#include "duel/continuous/learner_registry.h"

namespace duel {
namespace {

LearnerFacts facts(std::string name, std::string title) {
  return {
      .name = std::move(name),
      .title = std::move(title),
      .paper = "Flaxman, Kalai, McMahan; SODA 2005, as the baseline of Yue, Joachims; ICML 2009",
      .setting =
          "continuous: concave utility on a convex set in R^d; sees the probability of "
          "winning (simulation only)",
      .guarantee = "strong regret of the order of DBGD's",
      .departs = "the step gamma c u is not printed; it reproduces the published ordering",
      .status = "reproduced",
      .needs_horizon = true,
      .sees_probability = true};
}

const bool bgd_is_registered =
    register_point_learner(facts("bgd1", "Bandit Gradient Descent on the probability of winning"),
                           bgd1_step) &&
    register_point_learner(
        facts("bgd2", "Bandit Gradient Descent on the probability's distance from 1/2"), bgd2_step);

}  // namespace
}  // namespace duel
