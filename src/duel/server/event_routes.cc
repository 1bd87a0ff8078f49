// Clicks and other events (UBI). An event names a duel, and may be for several experiments, on
// several nodes; the answer says for each event whether one of them took it.
//
// An event that is sent again counts once, so on any failure the caller repeats the whole body.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/server/api.h"
#include "duel/wire/answers.h"
#include "duel/wire/received_body.h"
#include "duel/wire/ubi_event.h"

namespace duel {
namespace {

// By experiment, why it did not take the event; nothing if it did.
using Verdicts = std::map<std::string, std::optional<std::string>>;

// For an event that reached no experiment.
Verdicts rejected_by_all(std::string reason) { return {{"", std::move(reason)}}; }

// An event is accepted if at least one experiment took it. Otherwise the answer lists the reasons,
// each once.
EventsAnswer answer_to_events(const std::vector<Verdicts>& verdicts) {
  EventsAnswer answer;
  for (std::size_t k = 0; k < verdicts.size(); ++k) {
    std::vector<std::string> reasons;
    bool taken = false;
    for (const auto& [experiment_id, reason] : verdicts[k]) {
      taken = taken || !reason;
      if (reason && std::ranges::find(reasons, *reason) == reasons.end()) {
        reasons.push_back(*reason);
      }
    }
    if (taken) {
      ++answer.accepted;
    } else {
      answer.rejected.push_back({k, fmt::format("{}", fmt::join(reasons, "; "))});
    }
  }
  return answer;
}

using Events = std::vector<Result<UbiEvent>>;

Events events_of(const std::vector<Result<Json>>& items) {
  Events events;
  for (const Result<Json>& item : items) {
    events.push_back(item.ok() ? ubi_event_of(*item) : Result<UbiEvent>(item.error()));
  }
  return events;
}

// The experiments that an event is for; none if its id cannot be a duel's.
Result<std::vector<std::string>> experiments_for(Store& store, const UbiEvent& event) {
  if (!check_id("a duel", event.page.duel_id).ok()) return std::vector<std::string>();
  if (event.experiment_id.empty()) return store.experiments_of(event.page.duel_id);
  return std::vector{event.experiment_id};
}

constexpr const char* kNoDuel = "no duel was served under this query_id";
constexpr const char* kNoToken = "a token or a report token is needed";

// The event as it is sent to the owner of one experiment. It names that experiment, so that the
// owner does not look for the others as well.
Json narrowed(const Json& item, const std::string& experiment_id) {
  Json event = item;
  event["event_attributes"]["duel"]["experiment_id"] = experiment_id;
  return event;
}

// The answers of several owners about the events of one request. They arrive on several threads.
struct GatheredEvents {
  std::mutex mutex;  // guards what follows
  std::size_t owners_left = 0;
  std::vector<Verdicts> verdicts;       // by event
  std::optional<HttpResponse> refused;  // one owner could not take its events
};

}  // namespace

// Sends each event to the owners of the experiments that it is for. If one of them cannot take its
// events, the whole request fails and the caller repeats it: events that were taken already are
// recognised by their identity and count once.
void Api::take_events_over_nodes(Call& call, std::vector<Result<Json>> items,
                                 std::vector<Result<UbiEvent>> events) {
  const auto work = [this, items = std::move(items), events = std::move(events), &fact = call.fact,
                     caller = call.caller, send = call.send, token_id = token_id_of(call)] {
    const auto gathered = std::make_shared<GatheredEvents>();
    gathered->verdicts.resize(items.size());
    std::map<std::string, std::vector<std::size_t>> of_experiment;
    for (std::size_t k = 0; k < items.size(); ++k) {
      Verdicts& verdicts = gathered->verdicts[k];
      if (!events[k].ok()) {
        verdicts = rejected_by_all(events[k].error().message);
        continue;
      }
      const auto experiments = experiments_for(engine_.store(), *events[k]);
      if (!experiments.ok()) return send(refusal(experiments.error()));
      if (experiments->empty()) verdicts = rejected_by_all(kNoDuel);
      for (const std::string& eid : *experiments) {
        verdicts[eid] = std::nullopt;
        of_experiment[eid].push_back(k);
      }
    }
    gathered->owners_left = of_experiment.size();
    if (of_experiment.empty()) {
      return send(answer_of(202, answer_to_events(gathered->verdicts)));
    }
    for (const auto& [eid, indices] : of_experiment) {
      HttpRequest request;
      request.method = HttpMethod::post;
      request.method_text = "POST";
      request.target = request.path = "/v1/events";
      request.headers = {{"content-type", "application/json"}};
      Json body = Json::array();
      for (const std::size_t k : indices) body.push_back(narrowed(*items[k], eid));
      request.body = body.dump();
      const auto here = [this, &fact, caller](HttpRequest asked, Forwarding::Respond respond) {
        Call local{&Api::take_events,
                   fact,
                   std::move(asked),
                   {},
                   caller,
                   relayed(std::move(respond), nullptr),
                   true};
        take_events(local);
      };
      const auto gather = [gathered, send, eid, indices](HttpResponse response) {
        std::unique_lock lock(gathered->mutex);
        const auto told = response.status == 202 ? Json::parse(response.text()) : std::nullopt;
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
          return send(answer_of(202, answer_to_events(gathered->verdicts)));
        }
        const auto problem_body = Json::parse(gathered->refused->text());
        send({gathered->refused->status, problem_body.value_or(Json()), {}});
      };
      forwarding_->send(eid, std::move(request), token_id, here, gather);
    }
  };
  run_later(call, work);
}

void Api::take_events(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = is_lines(type);
  if (type != "text/plain" && !lines && type != "application/json") {
    return call.send(refusal(415,
                             "the body must be application/json, application/x-ndjson or "
                             "text/plain"));
  }
  Batch batch = batch_of(call.request, lines, call.limits(), "events");
  if (batch.refused) return call.send(*batch.refused);
  const Caller caller = call.caller;
  Events events = events_of(batch.items);
  // Without an API token every event needs a report token for its duel. Events without one are
  // rejected here, before they cost a look into the store or a turn on the engine's thread.
  for (Result<UbiEvent>& event : events) {
    if (!caller.is_anonymous() || !event.ok()) continue;
    const auto proven = report_tokens_.verify(event->report_token);
    if (!proven || proven->duel_id != event->page.duel_id) {
      event = Error::invalid_argument(kNoToken);
    }
  }
  if (std::ranges::none_of(events, [](const auto& event) { return event.ok(); })) {
    std::vector<Verdicts> verdicts;
    for (const auto& event : events) verdicts.push_back(rejected_by_all(event.error().message));
    return call.send(answer_of(202, answer_to_events(verdicts)));
  }
  if (forwarding_ && !call.from_node) {
    return take_events_over_nodes(call, std::move(batch.items), std::move(events));
  }
  engine_.ask_all<EventsAnswer>(
      AnswerWhen::durable,
      [this, caller, events = std::move(events)](const Engine::Find& find) -> Result<EventsAnswer> {
        const auto may_report = [&](const UbiEvent& event, const std::string& eid) {
          if (caller.may(TokenScope::duel, eid)) return true;
          const auto proven = report_tokens_.verify(event.report_token);
          return proven && proven->experiment_id == eid && proven->duel_id == event.page.duel_id;
        };
        // Pass 1: find all experiments. One that is away puts the request off and makes this run
        // again from the start, so nothing may be changed before all of them are at hand.
        std::vector<Verdicts> verdicts(events.size());
        std::map<std::string, std::optional<Turn>> turns;
        for (std::size_t k = 0; k < events.size(); ++k) {
          const Result<UbiEvent>& event = events[k];
          if (!event.ok()) {
            verdicts[k] = rejected_by_all(event.error().message);
            continue;
          }
          DUEL_ASSIGN(const auto experiments, experiments_for(engine_.store(), *event));
          if (experiments.empty()) verdicts[k] = rejected_by_all(kNoDuel);
          for (const std::string& eid : experiments) {
            verdicts[k][eid] = std::nullopt;
            if (!may_report(*event, eid)) {
              verdicts[k][eid] = kNoToken;
            } else if (!turns.contains(eid)) {
              const Result<Turn> turn = find(eid);
              if (!turn.ok() && turn.error().code != ErrorCode::not_found) return turn.error();
              turns.emplace(eid, turn.ok() ? std::optional(*turn) : std::nullopt);
            }
          }
        }
        // Pass 2: give the events to them.
        for (std::size_t k = 0; k < events.size(); ++k) {
          if (!events[k].ok()) continue;
          for (auto& [eid, refusal] : verdicts[k]) {
            if (refusal) continue;
            const std::optional<Turn>& turn = turns[eid];
            if (!turn) {
              refusal = "there is no such experiment";
              continue;
            }
            auto taken = turn->experiment.click(events[k]->page, turn->moment);
            // Only a store that cannot be read or written is a reason to send everything again.
            if (!taken.ok() && taken.error().code == ErrorCode::io) return taken.error();
            refusal = taken.ok() ? *taken : taken.error().message;
          }
        }
        return answer_to_events(verdicts);
      },
      told(call.send, [](const EventsAnswer& answer) { return answer_of(202, answer); }));
}

}  // namespace duel
