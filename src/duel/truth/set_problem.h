// The round problems in which several arms are shown at once (round_problem.h).
#pragma once

#include "duel/truth/round_problem.h"

namespace duel {

inline constexpr const char* kChoice = "choice";
inline constexpr const char* kMultileave = "multileave";

// REQUIRES: the call has one of these names.
Result<RoundProblemPtr> set_problem(const CallSpec& call);

}  // namespace duel
