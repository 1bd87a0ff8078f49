#include "duel/study/method_card.h"

#include <utility>

#include "duel/continuous/learner_registry.h"
#include "duel/core/options_json.h"
#include "duel/ranking/learners/learner_catalogue.h"

namespace duel {
namespace {

MethodCard card_of(MethodCard::Kind kind, const LearnerFacts& facts,
                   std::vector<OptionFact> options) {
  return {kind,
          {.name = facts.name,
           .title = facts.title,
           .paper = facts.paper,
           .setting = facts.setting,
           .guarantee = facts.guarantee,
           .departs = facts.departs,
           .status = facts.status,
           .needs_horizon = facts.needs_horizon,
           .jumping = Jumping::none,
           .outstanding = Outstanding::sequential},
          std::move(options)};
}

}  // namespace

std::vector<MethodCard> method_cards() {
  using Kind = MethodCard::Kind;
  std::vector<MethodCard> cards;
  for (const PolicyKind& kind : policy_catalogue()) {
    cards.push_back({Kind::policy, kind.facts, kind.options});
  }
  for (const PointLearnerKind& kind : point_learner_catalogue()) {
    cards.push_back(card_of(Kind::point_learner, kind.facts, kind.options));
  }
  for (const RankerLearnerKind& kind : ranker_learner_catalogue()) {
    cards.push_back(card_of(Kind::ranker_learner, kind.facts, kind.options));
  }
  return cards;
}

std::string_view jumping_name(Jumping jumping) {
  constexpr std::string_view kNames[] = {"none", "exact", "in law"};
  return kNames[static_cast<std::size_t>(jumping)];
}

Json to_json(const MethodCard& card) {
  const PolicyFacts& facts = card.facts;
  return {{"name", facts.name},
          {"title", facts.title},
          {"paper", facts.paper},
          {"setting", facts.setting},
          {"needs_horizon", facts.needs_horizon},
          {"guarantee", facts.guarantee},
          {"departs", facts.departs},
          {"status", facts.status},
          {"jumping", jumping_name(facts.jumping)},
          {"outstanding", facts.outstanding == Outstanding::yes ? "yes" : "sequential"},
          {"options", described_json(card.options)}};
}

}  // namespace duel
