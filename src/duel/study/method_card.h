// What Duel says of a method that can be named: a policy, or a learner of points or of rankers. The
// command line, Python and the documents show the same card.
#pragma once

#include <string_view>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/options.h"
#include "duel/policies/registry.h"

namespace duel {

struct MethodCard {
  enum class Kind { policy, point_learner, ranker_learner };

  Kind kind = Kind::policy;
  PolicyFacts facts;
  std::vector<OptionFact> options;
};

// Policies, then learners of points, then of rankers, each sorted by name.
std::vector<MethodCard> method_cards();

// "none", "exact" or "in law".
std::string_view jumping_name(Jumping jumping);

// Facts and options; not the kind.
Json to_json(const MethodCard& card);

}  // namespace duel
