#include "duel/cli/log_import.h"

#include <variant>

#include "duel/core/json.h"
#include "duel/log/experiment_log.h"

namespace duel::cli {

Result<std::string> experiment_of_log(std::string_view text, const std::string& name) {
  std::string id;
  DUEL_ASSIGN(const LogExtent extent,
              read_log_text(text, name, [&](const LogEntry& entry) -> Status {
                if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
                  id = experiment->experiment_id;
                }
                return Done{};
              }));
  if (extent.cut_bytes > 0) {
    return Error::invalid_data("the last line is cut", name,
                               "'duel run' or 'duel vote' on the log removes it");
  }
  if (id.empty()) return Error::invalid_data("the log holds no experiment", name);
  return id;
}

Status import_log(ApiClient& client, const std::string& experiment_id, const std::string& text) {
  DUEL_ASSIGN(const HttpResponse response,
              client.send(HttpMethod::post, experiment_target(experiment_id, "/import"), text,
                          "application/x-ndjson", Repeat::safe));
  const auto told = client.content_of(response);
  if (told.ok()) return Done{};
  if (response.status != 409) return told.error();
  DUEL_ASSIGN(const Json there, client.get(experiment_target(experiment_id)));
  const auto extent =
      read_log_text(text, experiment_id, [](const LogEntry&) -> Status { return Done{}; });
  const Json* head = there.find("head");
  if (extent.ok() && head != nullptr && *head == Json(extent->head)) return Done{};
  return told.error();
}

}  // namespace duel::cli
