#include "duel/judging/interview_result.h"

#include "duel/core/described_json.h"
#include "duel/verdict/audit_standing.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/verdict.h"
#include "duel/verdict/why_not_yet.h"

namespace duel {
namespace {

Json arm_json(const Ledger& ledger, const Standing& standing, const ArmStanding& arm) {
  Json json;
  json["arm_id"] = ledger.id_of(arm.arm);
  json["wins"] = arm.counts.first_wins;
  json["losses"] = arm.counts.second_wins;
  json["duels"] = arm.counts.served;
  if (arm.beaten) json["evidence_against_it"] = *arm.beaten;
  if (arm.score) json["score"] = {arm.score->lower, arm.score->upper};
  json["wins_against"] = Json::object();
  for (const ArmStanding& other : standing.arms) {
    if (other.arm == arm.arm) continue;
    json["wins_against"][ledger.id_of(other.arm)] = ledger.pair(arm.arm, other.arm).first_wins;
  }
  return json;
}

}  // namespace

Json interview_json(const Interview& interview, const Standing& standing, RunEnding ending,
                    const std::vector<HealthCheck>& health, const std::string& certificate) {
  const Ledger& ledger = interview.ledger();
  Json json;
  json["experiment_id"] = ledger.experiment().experiment_id;
  json["status"] = std::string(to_word(ending));
  json["verdict"] = verdict_of(ledger, standing);
  json["log"] = interview.log_file();
  if (ending == RunEnding::certified) {
    const GivenCertificate& given = *ledger.certificate();
    json["certificate"] = {{"file", certificate}, {"kind", to_word(given.kind)}};
    json["winner"] = given.winner ? Json(ledger.id_of(*given.winner)) : Json();
    if (!given.arms.empty()) json["named"] = ids_of(ledger, given.arms);
  }
  json["goal"] = describe(ledger.experiment().goal);
  if (ledger.parts().audited) json["audit"] = described_json(audit_standing(ledger));
  if (standing.panel) json["panel"] = described_json(*standing.panel);
  if (standing.order) json["order"] = described_json(order_of(ledger, *standing.order));
  if (standing.leader) json["leader"] = ledger.id_of(*standing.leader);
  json["policy"] = ledger.experiment().policy;
  json["alpha"] = ledger.experiment().stopping.alpha;
  const ShownCounts total = ledger.total();
  json["duels"] = {{"served", total.served},   {"decisive", total.decisive()},
                   {"ties", total.ties},       {"both_bad", total.both_bad},
                   {"skips", total.skips},     {"invalid", total.invalid},
                   {"expired", total.expired}, {"pending", total.pending()}};
  json["why_not_yet"] = described_json(why_not_yet(ledger, standing, health));
  json["expected_duels_left"] = ending == RunEnding::certified ? Json() : Json(standing.duels_left);
  json["arms"] = Json::array();
  if (standing.space) {
    json["space"] = described_json(*standing.space);
    return json;
  }
  for (const ArmStanding& arm : standing.arms) {
    json["arms"].push_back(arm_json(ledger, standing, arm));
  }
  return json;
}

}  // namespace duel
