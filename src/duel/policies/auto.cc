#include "duel/policies/auto.h"

#include <utility>

#include "duel/core/numbers.h"

namespace duel {

CallSpec policy_for(const AutoOptions& options) {
  if (options.aim == Aim::regret) return {"imed", {}};
  if (!Goal(options.goal).is_score()) {
    CallSpec certify{"certify", {{"alpha", format_number(options.alpha)}}};
    if (options.shared_causes) certify.arguments.emplace_back("shared_causes", "true");
    return certify;
  }
  // Without a Condorcet winner most policies turn to pairs that do not settle the Copeland winner,
  // and never come to an end; ecw-rmed plays those that tell the winners from the rest.
  return {options.goal == Goal::copeland ? "ecw-rmed" : "uniform", {}};
}

namespace {

OptionTable<AutoOptions> auto_options() {
  OptionTable<AutoOptions> table;
  table.choice<Aim>("aim", &AutoOptions::aim,
                    {{"regret", Aim::regret}, {"certificate", Aim::certificate}},
                    "little regret, or few duels to a certificate; a run says which it needs");
  table.choice<Goal::Kind>("goal", &AutoOptions::goal,
                           {{"condorcet", Goal::condorcet},
                            {"copeland", Goal::copeland},
                            {"borda", Goal::borda},
                            {"set", Goal::set},
                            {"order", Goal::order},
                            {"ranking", Goal::ranking},
                            {"epsilon", Goal::epsilon}},
                           "what the certificate is about; a run says which it needs");
  table.number("alpha", &AutoOptions::alpha, {.above = 0, .below = 1},
               "error level of the certificate in view");
  table.flag("shared_causes", &AutoOptions::shared_causes,
             "whether that certificate allows for causes that pairs share; a run says so");
  return with_common_options(std::move(table));
}

PolicyKind::Made configure_auto(const CallSpec& call, const PolicySetting& setting) {
  AutoOptions defaults;
  defaults.aim = setting.aim;
  defaults.goal = setting.goal.kind;
  defaults.alpha = setting.alpha;
  defaults.shared_causes = setting.shared_causes;
  DUEL_ASSIGN(const AutoOptions options, auto_options().parse(call, defaults, "policy"));
  CallSpec chosen = policy_for(options);
  // Options that every policy has are handed on as the user wrote them.
  for (const auto& [key, value] : call.arguments) {
    if (key == "ties" || key == "deterministic_ties") chosen.arguments.emplace_back(key, value);
  }
  PolicySetting meant = setting;
  if (options.goal != setting.goal.kind) meant.goal = options.goal;
  return configure_policy(chosen, meant);
}

// By itself: g++ 12 warns of members that are not initialised where it stands in the call.
PolicyFacts auto_facts() {
  return {.name = "auto",
          .title = "The default: imed for little regret, certify for few duels to a certificate",
          .paper = "none; chosen by measurement, see docs/choosing-a-policy.md",
          .setting = "any",
          .guarantee = "that of the policy it becomes",
          .departs =
              "becomes imed where regret counts; certify where a certificate of a Condorcet "
              "winner, a set, an order or an arm that is good enough is wanted, ecw-rmed "
              "for one of a Copeland winner, uniform for Borda",
          .status = "tested",
          .jumping = Jumping::in_law};
}

const bool auto_is_registered =
    register_policy({auto_facts(), auto_options().facts(), configure_auto});

}  // namespace
}  // namespace duel
