// The synthetic problems P1 .. P5 of Yue and Joachims (ICML 2009, section 5.1): d = 50, a ball of
// radius 10, logistic link, w_1 = sqrt(5/d) (1, .., 1), gamma = R/sqrt(T), delta = delta_L sqrt(0.4
// R d) T^(-1/4). Regret is strong and averaged over comparisons, so that it is at most 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "duel/continuous/value_function.h"
#include "duel/core/duel.h"
#include "duel/reproduction/reproduction.h"

namespace duel {

struct DbgdProblem {
  std::string learner;  // `dbgd(delta_l=0.8)`
  ValueFunction value = ValueFunction::v1;
};

// [problem][checkpoint][trial]: average regret up to there.
using AverageRegrets = std::vector<std::vector<std::vector<double>>>;

// REQUIRES: checkpoints ascend; the last is T.
Result<AverageRegrets> play_dbgd_problems(const ReproductionContext& context,
                                          std::span<const DbgdProblem> problems,
                                          std::span<const Round> checkpoints, std::uint32_t trials);

}  // namespace duel
