#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/server/answers.h"
#include "duel/server/api.h"
#include "duel/server/request_body.h"
#include "duel/server/ubi_event.h"

namespace duel {
namespace {

// The event for one experiment, as its owner gets it.
Json narrowed(const Json& item, const std::string& experiment_id) {
  Json event = item;
  event["event_attributes"]["duel"]["experiment_id"] = experiment_id;
  return event;
}

// The answers of several owners about the events of one request.
struct GatheredEvents {
  std::mutex mutex;
  std::size_t owners_left = 0;
  // By event and experiment: why it was not taken, or nothing.
  std::vector<std::map<std::string, std::optional<std::string>>> verdicts;
  std::optional<HttpResponse> refused;  // one owner could not take its events

  // As on one node: the last experiment has the last word.
  EventsAnswer answer() const {
    EventsAnswer taken;
    for (std::size_t k = 0; k < verdicts.size(); ++k) {
      const std::optional<std::string>& reason = verdicts[k].rbegin()->second;
      if (reason) {
        taken.rejected.push_back({k, *reason});
      } else {
        ++taken.accepted;
      }
    }
    return taken;
  }
};

}  // namespace

// Each event goes to the owners of the experiments that it is for. If one of them cannot take its
// events the whole is to be repeated: what was taken before is known by its identity.
void Api::take_events_over_nodes(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = is_lines(type);
  if (type != "text/plain" && !lines && type != "application/json") {
    return call.send(refusal(415,
                             "the body must be application/json, application/x-ndjson or "
                             "text/plain"));
  }
  std::vector<std::optional<Json>> items = items_of(call.request, lines);
  if (items.size() > kMostItems) {
    return call.send(refusal(413, fmt::format("more than {} events", kMostItems)));
  }
  const auto work = [this, items = std::move(items), caller = call.caller, send = call.send,
                     authorization = call.request.header("authorization") != nullptr
                                         ? *call.request.header("authorization")
                                         : std::string()] {
    const auto gathered = std::make_shared<GatheredEvents>();
    gathered->verdicts.resize(items.size());
    std::map<std::string, std::vector<std::size_t>> of_experiment;
    for (std::size_t k = 0; k < items.size(); ++k) {
      auto& verdicts = gathered->verdicts[k];
      const auto event =
          items[k] ? ubi_event_of(*items[k]) : Error::invalid_argument("the line is not JSON");
      if (!event.ok()) {
        verdicts[""] = event.error().message;
        continue;
      }
      std::vector<std::string> experiments{event->experiment_id};
      if (event->experiment_id.empty()) {
        auto found = engine_.store().experiments_of(event->page.duel_id);
        if (!found.ok()) return send(refusal(found.error()));
        experiments = std::move(*found);
      }
      if (experiments.empty()) verdicts[""] = "no duel was served under this query_id";
      for (const std::string& eid : experiments) {
        verdicts[eid] = std::nullopt;
        of_experiment[eid].push_back(k);
      }
    }
    gathered->owners_left = of_experiment.size();
    if (of_experiment.empty()) {
      return send(ServerAnswer{202, body_json(gathered->answer()), {}});
    }
    for (const auto& [eid, indices] : of_experiment) {
      HttpRequest request;
      request.method = HttpMethod::post;
      request.method_text = "POST";
      request.target = request.path = "/v1/events";
      request.headers = {{"content-type", "application/json"}};
      if (!authorization.empty()) request.headers.emplace_back("authorization", authorization);
      Json body = Json::array();
      for (const std::size_t k : indices) body.push_back(narrowed(*items[k], eid));
      request.body = body.dump();
      const auto here = [this, caller](HttpRequest asked, const Forwarding::Respond& respond) {
        Call local{std::move(asked),
                   {},
                   caller,
                   [respond](const ServerAnswer& answer) { respond(to_http(answer)); },
                   {},
                   true};
        take_events(local);
      };
      const auto gather = [gathered, send, eid = eid, indices = indices](HttpResponse response) {
        std::unique_lock lock(gathered->mutex);
        const auto told = response.status == 202 ? Json::parse(response.body) : std::nullopt;
        if (told) {
          for (const Json& one : told->at("rejected").items()) {
            gathered->verdicts[indices.at(one.at("index").get<std::size_t>())][eid] =
                one.at("reason").get<std::string>();
          }
        } else if (!gathered->refused) {
          gathered->refused = std::move(response);
        }
        if (--gathered->owners_left > 0) return;
        lock.unlock();
        if (!gathered->refused) {
          return send(ServerAnswer{202, body_json(gathered->answer()), {}});
        }
        const auto problem_body = Json::parse(gathered->refused->body);
        send({gathered->refused->status, problem_body.value_or(Json()), {}});
      };
      forwarding_->send(eid, std::move(request), here, gather);
    }
  };
  if (!background_.submit(work)) {
    call.send(refusal(429, "too much work waits; try again", true));
  }
}

void Api::take_events(Call& call) {
  if (forwarding_ && !call.from_node) return take_events_over_nodes(call);
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
              reason = "the experiment does not serve pages";
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
