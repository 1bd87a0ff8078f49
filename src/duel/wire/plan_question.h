// The question of a plan that a caller sends.
#pragma once

#include "duel/study/plan.h"
#include "duel/wire/requests.h"

namespace duel {

PlanQuestion plan_question_of(const PlanBody& body);

}  // namespace duel
