#include "duel/verdict/given_reasons.h"

#include <utility>
#include <variant>

#include "duel/core/text_map.h"
#include "duel/log/experiment_log.h"

namespace duel {

Result<std::vector<GivenReason>> reasons_in_log(const std::string& file) {
  std::vector<GivenReason> reasons;
  TextMap<std::pair<std::string, std::string>> shown;  // by duel, while it is open
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
      shown[serve->duel_id] = {serve->first, serve->second};
    }
    const auto* outcome = std::get_if<OutcomeRecord>(&entry.record);
    if (outcome == nullptr || outcome->reason.empty()) return Done{};
    const auto duel = shown.find(outcome->duel_id);
    if (duel == shown.end()) return Done{};
    reasons.push_back({.duel_id = outcome->duel_id,
                       .first = duel->second.first,
                       .second = duel->second.second,
                       .result = outcome->answer.result,
                       .winner = outcome->answer.winner,
                       .score = outcome->answer.score,
                       .judge = outcome->source.id,
                       .cached = outcome->cached,
                       .reason = outcome->reason});
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(file, sink));
  return reasons;
}

}  // namespace duel
