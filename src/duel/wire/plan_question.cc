#include "duel/wire/plan_question.h"

#include <string>

namespace duel {

PlanQuestion plan_question_of(const PlanBody& body) {
  PlanQuestion question;
  question.arms = body.arms;
  question.gap = body.gap;
  question.spread = body.spread;
  question.alpha = body.alpha;
  question.tie_rate = body.tie_rate;
  question.parallel = body.parallel;
  question.max_duels = body.max_duels;
  question.trials = body.trials;
  question.goal = std::string(to_word(body.goal));
  question.top = body.goal.top;
  question.epsilon = body.goal.margin;
  question.assume = std::string(to_word(body.goal.assume));
  if (!body.policy.empty()) question.policy = {body.policy};
  question.shared_causes = body.shared_causes;
  return question;
}

}  // namespace duel
