#include "duel/wire/ubi_event.h"

#include "duel/core/dated_text.h"
#include "duel/core/described_json.h"
#include "duel/core/digest.h"
#include "duel/core/timestamp.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

bool is_action_line(const Json& json) {
  if (json.members().size() != 1) return false;
  const auto& [name, value] = json.members().front();
  return (name == "index" || name == "create") && value.is_object();
}

bool is_query(const Json& json) {
  return json.is_object() && !json.contains("action_name") &&
         (json.contains("user_query") || json.contains("query_response_hit_ids"));
}

}  // namespace

Result<UbiEvent> ubi_event_of(const Json& json) {
  if (const Json* source = json.find("_source")) return ubi_event_of(*source);
  UbiEvent event;
  event.is_other = is_action_line(json) || is_query(json);
  if (event.is_other) return event;
  DescribedReader reader(UnknownFields::ignored);
  UbiBody body;
  const Json* written = json.find("timestamp");
  if (written != nullptr && written->is_unsigned()) {
    Json dated = json;
    dated["timestamp"] = with_date(written->dump());
    reader.read(dated, "", body);
  } else {
    reader.read(json, "", body);
  }
  if (!reader.errors().empty()) {
    const FieldError& first = reader.errors().front();
    return Error::invalid_argument((first.pointer.empty() ? "the event" : first.pointer) + " " +
                                   first.message);
  }
  for (const auto& [name, value] : {std::pair("/action_name", &body.action_name),
                                    {"/timestamp", &body.timestamp},
                                    {"/query_id", &body.query_id}}) {
    if (value->empty()) return Error::invalid_argument(std::string(name) + " is empty");
  }
  const auto time = parse_written_time(body.timestamp);
  if (!time || time->form != WrittenTime::Form::zoned) {
    return Error::invalid_argument("/timestamp is not a time such as 2026-11-15T09:00:00Z");
  }
  const UbiAttributes attributes = body.event_attributes.value_or(UbiAttributes{});
  event.page.duel_id = body.query_id;
  event.page.action = body.action_name;
  event.closes = body.action_name == kCloseAction;
  if (attributes.object) event.page.object = attributes.object->object_id.value_or("");
  if (attributes.position) event.page.ordinal = attributes.position->ordinal;
  if (attributes.duel) {
    event.experiment_id = attributes.duel->experiment_id.value_or("");
    event.report_token = attributes.duel->report_token.value_or("");
  }
  std::string known_by;
  const std::string ordinal = event.page.ordinal ? std::to_string(*event.page.ordinal) : "";
  for (const std::string& part : {event.page.duel_id, event.page.action, event.page.object, ordinal,
                                  body.timestamp, body.session_id.value_or("")}) {
    known_by += std::to_string(part.size()) + ":" + part;
  }
  event.page.identity = sha256_hex(known_by);
  return event;
}

}  // namespace duel
