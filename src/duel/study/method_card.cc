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
  switch (jumping) {
    case Jumping::none:
      return "none";
    case Jumping::exact:
      return "exact";
    case Jumping::in_law:
      return "in law";
  }
  return "";
}

Json to_json(const MethodCard& card) {
  const PolicyFacts& facts = card.facts;
  Json json;
  json["name"] = facts.name;
  json["title"] = facts.title;
  json["paper"] = facts.paper;
  json["setting"] = facts.setting;
  json["needs_horizon"] = facts.needs_horizon;
  json["guarantee"] = facts.guarantee;
  json["departs"] = facts.departs;
  json["status"] = facts.status;
  json["jumping"] = std::string(jumping_name(facts.jumping));
  json["outstanding"] = facts.outstanding == Outstanding::yes ? "yes" : "sequential";
  json["options"] = described_json(card.options);
  return json;
}

}  // namespace duel
