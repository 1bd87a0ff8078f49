// Routes that only the web pages use: the progress of a vote, the last duels, the policies to
// choose from.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "duel/policies/registry.h"
#include "duel/server/api.h"
#include "duel/server/recent_duels.h"
#include "duel/verdict/standing.h"
#include "duel/wire/answers.h"
#include "duel/wire/reply.h"

namespace duel {
namespace {

// How far the leader is on its way to a certificate, 0 to 1; nothing if the goal goes by scores.
std::optional<double> share_of_evidence(const Ledger& ledger, const Standing& standing) {
  if (ledger.certificate()) return 1.0;
  if (standing.order) {
    return static_cast<double>(standing.order->shown()) /
           static_cast<double>(std::max<std::size_t>(1, standing.order->needed.size()));
  }
  std::optional<double> least;
  for (const ArmStanding& rival : standing.arms) {
    if (rival.beaten) least = std::min(least.value_or(1), std::max(0.0, *rival.beaten));
  }
  return least;
}

}  // namespace

// Voters see this, so it names no arm: a voter who knows which arm leads no longer votes blind.
void Api::show_progress(Call& call) {
  show(call, "progress", [](const View& view) -> Result<Json> {
    const Ledger& ledger = view.ledger();
    const Standing standing = standing_of(ledger);
    return described_json(VotingProgress{.experiment_id = view.id(),
                                         .name = ledger.name(),
                                         .state = ledger.state(),
                                         .mode = ledger.experiment().service.mode,
                                         .answers = ledger.certifier().decisive(),
                                         .certified = ledger.certificate().has_value(),
                                         .share_of_evidence = share_of_evidence(ledger, standing),
                                         .expected_duels_left = standing.duels_left});
  });
}

void Api::list_duels(Call& call) {
  const auto limit = call.query_count("limit", 20, 1, 200);
  if (!limit.ok()) return call.send(refusal(limit.error()));
  const bool taken = views_.submit([this, limit = *limit, eid = call.eid(), send = call.send] {
    const auto duels = recent_duels(engine_.store(), eid, limit);
    send(duels.ok() ? answer_of(200, ListOf{*duels}) : refusal(duels.error()));
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

void Api::list_policies(Call& call) {
  ListOf<PolicyAnswer> list;
  for (const PolicyKind& kind : policy_catalogue()) {
    const PolicyFacts& facts = kind.facts;
    // A server has many duels open at once, which a sequential policy cannot handle.
    if (facts.outstanding != Outstanding::yes) continue;
    list.items.push_back({facts.name, facts.title, facts.paper, facts.setting, facts.guarantee,
                          facts.status, facts.needs_horizon, kind.options});
  }
  call.send(answer_of(200, list));
}

}  // namespace duel
