#include "duel/truth/round_problem.h"

#include "duel/truth/feature_problem.h"
#include "duel/truth/set_problem.h"

namespace duel {

bool is_round_problem(const CallSpec& call) {
  return call.name == kChoice || call.name == kMultileave || has_fresh_rows(call);
}

Result<RoundProblemPtr> round_problem(const CallSpec& call) {
  return has_fresh_rows(call) ? fresh_linear_problem(call) : set_problem(call);
}

}  // namespace duel
