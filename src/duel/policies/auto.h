// `auto`: the policy of a user who does not choose. It is none of its own: by what the run is for
// it becomes another policy, whose name the run then shows. docs/choosing-a-policy.md has the
// measurements.
#pragma once

#include "duel/core/goal.h"
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"

namespace duel {

struct AutoOptions : PolicyOptions {
  Aim aim = Aim::regret;
  Goal::Kind goal = Goal::condorcet;
  double alpha = 0.05;  // level of the certificate in view
  bool shared_causes = false;
};

// What `auto` becomes.
CallSpec policy_for(const AutoOptions& options);

}  // namespace duel
