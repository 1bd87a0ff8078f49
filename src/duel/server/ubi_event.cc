#include "duel/server/ubi_event.h"

#include "duel/core/digest.h"

namespace duel {
namespace {

// The text at a path of names, or nothing.
std::string text_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view name : path) {
    at = at->find(name);
    if (at == nullptr) return {};
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

Result<UbiEvent> ubi_event_of(const Json& json) {
  if (!json.is_object()) return Error::invalid_argument("an event is an object");
  UbiEvent event;
  event.page.duel_id = text_at(json, {"query_id"});
  event.page.action = text_at(json, {"action_name"});
  event.page.object = text_at(json, {"event_attributes", "object", "object_id"});
  event.experiment_id = text_at(json, {"event_attributes", "duel", "experiment_id"});
  event.report_token = text_at(json, {"event_attributes", "duel", "report_token"});
  const std::string timestamp = text_at(json, {"timestamp"});
  if (event.page.action.empty()) return Error::invalid_argument("action_name is missing");
  if (timestamp.empty()) return Error::invalid_argument("timestamp is missing");
  if (event.page.duel_id.empty()) return Error::invalid_argument("query_id is missing");
  std::string ordinal;
  if (const Json* attributes = json.find("event_attributes")) {
    if (const Json* position = attributes->find("position")) {
      const Json* value = position->find("ordinal");
      if (value != nullptr && value->is_unsigned()) {
        event.page.ordinal = value->get<std::uint64_t>();
        ordinal = std::to_string(*event.page.ordinal);
      }
    }
  }
  std::string known_by;
  for (const std::string& part : {event.page.duel_id, event.page.action, event.page.object, ordinal,
                                  timestamp, text_at(json, {"session_id"})}) {
    known_by += std::to_string(part.size()) + ":" + part;
  }
  event.page.identity = sha256_hex(known_by);
  return event;
}

}  // namespace duel
