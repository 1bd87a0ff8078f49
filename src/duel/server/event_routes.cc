#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "duel/server/answers.h"
#include "duel/server/api.h"
#include "duel/server/request_body.h"
#include "duel/server/ubi_event.h"

namespace duel {

void Api::take_events(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool plain = type == "text/plain";
  const bool lines = is_lines(type);
  if (!plain && !lines && type != "application/json") {
    return call.send(refusal(415,
                             "the body must be application/json, application/x-ndjson or "
                             "text/plain"));
  }
  std::vector<std::optional<Json>> items = items_of(call.request, lines);
  if (items.size() > kMostItems) {
    return call.send(refusal(413, fmt::format("more than {} events", kMostItems)));
  }
  const Caller caller = call.caller;
  engine_.ask_all(
      AnswerWhen::durable,
      [this, caller, items = std::move(items)](const auto& find,
                                               std::int64_t now) -> Result<ServerAnswer> {
        EventsAnswer taken;
        const auto reject = [&](std::size_t index, const std::string& reason) {
          taken.rejected.push_back({index, reason});
        };
        for (std::size_t k = 0; k < items.size(); ++k) {
          const auto event =
              items[k] ? ubi_event_of(*items[k]) : Error::invalid_argument("the line is not JSON");
          if (!event.ok()) {
            reject(k, event.error().message);
            continue;
          }
          std::vector<std::string> experiments;
          if (event->experiment_id.empty()) {
            DUEL_ASSIGN(experiments, engine_.store().experiments_of(event->page.duel_id));
          } else {
            experiments.push_back(event->experiment_id);
          }
          if (experiments.empty()) {
            reject(k, "no duel was served under this query_id");
            continue;
          }
          std::optional<std::string> reason;
          for (const std::string& eid : experiments) {
            if (!caller.may(TokenScope::duel, eid)) {
              const auto proven = engine_.tokens().verify(event->report_token);
              if (!proven || proven->experiment_id != eid ||
                  proven->duel_id != event->page.duel_id) {
                reason = "a token or a report token is needed";
                continue;
              }
            }
            DUEL_ASSIGN(OwnedExperiment * experiment, find(eid));
            if (experiment->ledger().experiment().service.mode != Mode::interleave) {
              reason = "the experiment shows no pages";
              continue;
            }
            DUEL_ASSIGN(reason, experiment->take_event(event->page, now));
          }
          if (reason) {
            reject(k, *reason);
          } else {
            ++taken.accepted;
          }
        }
        return ServerAnswer{202, body_json(taken), {}};
      },
      call.send);
}

}  // namespace duel
