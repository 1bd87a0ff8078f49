// Problems whose arms have features: what a policy is told of each arm, and the utilities that
// decide, P(i beats j) = 1/(1 + exp(u_j - u_i)).
//
//   linear(k=32,d=5,seed=1,scale=1,features=sphere)   u = theta . x, theta drawn; with fresh=true
//                                                     the rows are drawn anew in every round
//   table(features=arms.csv,utilities=utilities.csv)  a user's own; u may be anything
//
// sphere: rows uniform on the unit sphere, theta uniform on the sphere of radius `scale`. gauss:
// rows normal with variance 1/d. cube: k = 2^d, the corners of {-1, 1}^d with uniform (-0.1, 0)
// added to every coordinate, theta on the first two coordinates alone (Di et al., ICLR 2024).
#pragma once

#include <memory>
#include <string_view>

#include "duel/core/call_spec.h"
#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/truth/round_problem.h"
#include "duel/truth/strengths.h"

namespace duel {

struct FeatureProblem {
  std::shared_ptr<const Strengths> strengths;
  std::shared_ptr<const FeatureRows> features;
};

bool is_feature_problem(std::string_view name);
Result<FeatureProblem> feature_problem(const CallSpec& call);

// linear(..,fresh=true): contexts.
bool has_fresh_rows(const CallSpec& call);
Result<RoundProblemPtr> fresh_linear_problem(const CallSpec& call);

}  // namespace duel
