#include "duel/server/recent_duels.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/experiment/result_pages.h"

namespace duel {
namespace {

// Lines of a duel: its serve and its outcome, and clicks in between. Where they are more, so many
// times more are read.
constexpr std::uint64_t kLinesPerDuel = 8;
constexpr std::uint64_t kTimesMore = 4;

void copy_member(const Json& from, const char* name, const char* as, Json& to) {
  if (const Json* value = from.find(name)) to[as] = *value;
}

// The duels served after record `after`, in their order.
Result<std::vector<Json>> duels_after(Store& store, const std::string& experiment_id,
                                      std::uint64_t after) {
  std::vector<Json> duels;
  TextMap<std::size_t> places;
  std::unordered_set<std::string> with_page;
  const auto sink = [&](std::string_view line) -> Status {
    const auto json = Json::parse(line);
    if (!json) return Error::invalid_data("a line of the log is not JSON", experiment_id);
    const Json* kind = json->find("record");
    const Json* id = json->find("duel_id");
    if (kind == nullptr || id == nullptr) return Done{};
    const std::string record = kind->get<std::string>();
    const std::string duel_id = id->get<std::string>();
    if (record == "serve") {
      Json duel;
      duel["duel_id"] = duel_id;
      copy_member(*json, "first", "first", duel);
      copy_member(*json, "second", "second", duel);
      copy_member(*json, "serving", "serving", duel);
      copy_member(*json, "task", "task_id", duel);
      copy_member(*json, "time", "served_at", duel);
      // One arm shown alone waits for nobody's answer.
      const Json* serving = json->find("serving");
      const bool alone = serving != nullptr && *serving == Json("exploit");
      duel["state"] = alone ? "closed" : "served";
      places[duel_id] = duels.size();
      duels.push_back(std::move(duel));
      return Done{};
    }
    const auto place = places.find(duel_id);
    if (place == places.end()) return Done{};
    if (record == "interleaved") with_page.insert(duel_id);
    Json& duel = duels[place->second];
    // The first answer counts.
    if (duel.at("state").get<std::string>() != "served") return Done{};
    if (record == "outcome") {
      duel["state"] = "reported";
      copy_member(*json, "result", "result", duel);
      copy_member(*json, "winner", "winner", duel);
      copy_member(*json, "place", "place", duel);
      copy_member(*json, "note", "note", duel);
      copy_member(*json, "response_ms", "response_ms", duel);
      copy_member(*json, "time", "reported_at", duel);
    } else if (record == "expired") {
      const Json* note = json->find("note");
      const bool page_ended = with_page.contains(duel_id) && note != nullptr &&
                              is_page_ending(note->get<std::string>());
      duel["state"] = page_ended ? "closed" : "expired";
      if (!page_ended) return Done{};
      duel["result"] = *note;
      copy_member(*json, "time", "reported_at", duel);
    }
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(store.read(experiment_id, after, sink));
  return duels;
}

}  // namespace

Result<Json> recent_duels(Store& store, const std::string& experiment_id, std::size_t limit) {
  DUEL_ASSIGN(const Head head, store.head(experiment_id));
  if (head.sequence == 0) {
    return Error::not_found("there is no experiment '" + experiment_id + "'");
  }
  std::vector<Json> duels;
  const std::uint64_t most = std::min(head.sequence, kMostRecentLines);
  for (std::uint64_t lines = limit * kLinesPerDuel;; lines *= kTimesMore) {
    lines = std::min(lines, most);
    DUEL_ASSIGN(duels, duels_after(store, experiment_id, head.sequence - lines));
    if (duels.size() >= limit || lines == most) break;
  }
  Json items = Json::array();
  for (std::size_t k = 0; k < std::min(limit, duels.size()); ++k) {
    items.push_back(std::move(duels[duels.size() - 1 - k]));
  }
  Json json;
  json["items"] = std::move(items);
  json["next_cursor"] = Json();
  return json;
}

}  // namespace duel
