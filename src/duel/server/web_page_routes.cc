// What only the pages ask for: how far a vote has got, the last duels, the policies to choose from.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "duel/core/options_json.h"
#include "duel/policies/registry.h"
#include "duel/server/api.h"
#include "duel/server/recent_duels.h"
#include "duel/verdict/standing.h"
#include "duel/wire/reply.h"

namespace duel {
namespace {

// How far the leader is on its way to a certificate, 0 to 1; nothing where the goal goes by scores.
Json share_of_evidence(const Ledger& ledger, const Standing& standing) {
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

// For voters, so it names no arm: a voter who knows who leads is not blind any more.
void Api::show_progress(Call& call) {
  show(call, "progress", [](const View& view) -> Result<Json> {
    const Ledger& ledger = view.ledger();
    const Standing standing = standing_of(ledger);
    Json json;
    json["experiment_id"] = view.id();
    json["name"] = ledger.name();
    json["state"] = std::string(to_word(ledger.state()));
    json["mode"] = std::string(to_word(ledger.experiment().service.mode));
    json["answers"] = ledger.certifier().decisive();
    json["certified"] = ledger.certificate().has_value();
    json["share_of_evidence"] = share_of_evidence(ledger, standing);
    json["expected_duels_left"] = standing.duels_left;
    return json;
  });
}

void Api::list_duels(Call& call) {
  const auto limit = call.query_count("limit", 20, 1, 200);
  if (!limit.ok()) return call.send(refusal(limit.error()));
  const bool taken = views_.submit([this, limit = *limit, eid = call.eid(), send = call.send] {
    const auto duels = recent_duels(engine_.store(), eid, limit);
    send(duels.ok() ? ServerAnswer{200, *duels, {}} : refusal(duels.error()));
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

void Api::list_policies(Call& call) {
  Json items = Json::array();
  for (const PolicyKind& kind : policy_catalogue()) {
    // A server has many duels open at once.
    if (kind.facts.outstanding != Outstanding::yes) continue;
    items.push_back({{"name", kind.facts.name},
                     {"title", kind.facts.title},
                     {"paper", kind.facts.paper},
                     {"setting", kind.facts.setting},
                     {"guarantee", kind.facts.guarantee},
                     {"status", kind.facts.status},
                     {"needs_horizon", kind.facts.needs_horizon},
                     {"options", options_json(kind.options)}});
  }
  ServerAnswer answer;
  answer.body["items"] = std::move(items);
  answer.body["next_cursor"] = Json();
  call.send(std::move(answer));
}

}  // namespace duel
