#include "duel/continuous/dbgd.h"

#include <cmath>

#include "duel/continuous/learner_registry.h"
#include "duel/core/undefined.h"

namespace duel {

double dbgd_regret_bound(double horizon, double radius, std::size_t dimension,
                         double lipschitz_value, double lipschitz_link, double second_order_link) {
  const auto d = static_cast<double>(dimension);
  const double lipschitz = lipschitz_link * lipschitz_value;
  const double gain = lipschitz_link * std::sqrt(13 * lipschitz) * std::pow(horizon, 0.25);
  const double loss = lipschitz_value * second_order_link * std::sqrt(2 * radius * d);
  if (!(gain > loss)) return kUndefined;
  const double lambda = gain / (gain - loss);
  return 2 * lambda * std::pow(horizon, 0.75) * std::sqrt(26 * radius * d * lipschitz);
}

namespace {
const bool dbgd_is_registered = register_point_learner(
    {.name = "dbgd",
     .title = "Dueling Bandit Gradient Descent",
     .paper = "Yue, Joachims; Interactively optimizing information retrieval systems as a dueling "
              "bandits problem; ICML 2009, Algorithm 1",
     .setting = "continuous: concave utility on a convex set in R^d",
     .guarantee =
         "2 lambda_T T^(3/4) sqrt(26 R d L) strong regret, lambda_T -> 1; none on the unit "
         "sphere",
     .departs = "nowhere; batch=n is the paper's n queries per update, decay is for rankers",
     .status = "reproduced",
     .needs_horizon = true},
    dbgd_step);
}  // namespace

}  // namespace duel
