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

// By experiment, why it did not take the event; nothing if it did. Empty for what is no event.
using Verdicts = std::map<std::string, std::optional<std::string>>;

// For an event that reached no experiment.
Verdicts rejected_by_all(std::string reason) { return {{"", std::move(reason)}}; }

// An event is accepted if at least one experiment took it. Otherwise the answer lists the reasons,
// each once.
EventsAnswer answer_to_events(const std::vector<Verdicts>& verdicts) {
  EventsAnswer answer;
  for (std::size_t k = 0; k < verdicts.size(); ++k) {
    if (verdicts[k].empty()) continue;
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

// Why the event is not taken, or nothing.
Result<std::optional<std::string>> take_event(const Turn& turn, const UbiEvent& event) {
  if (!event.closes) return turn.experiment.click(event.page, turn.moment);
  Report report{.duel_id = event.page.duel_id};
  report.close = true;
  DUEL_ASSIGN(const Reported reported, turn.experiment.report(report, turn.moment));
  const bool is_taken =
      reported.what == Reported::What::applied || reported.what == Reported::What::duplicate;
  return is_taken ? std::optional<std::string>() : "the page compares nothing";
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

// The answers of several experiments about the events of one request. They arrive on several
// threads.
class GatheredEvents {
 public:
  // Which events are for which experiment; those that are for none have their verdict already.
  using ByExperiment = std::map<std::string, std::vector<std::size_t>>;

  GatheredEvents(Send send, std::size_t events) : send_(std::move(send)), verdicts_(events) {}

  Result<ByExperiment> sort(Store& store, const Events& events) {
    ByExperiment all;
    for (std::size_t k = 0; k < events.size(); ++k) {
      if (!events[k].ok()) {
        verdicts_[k] = rejected_by_all(events[k].error().message);
        continue;
      }
      if (events[k]->is_other) continue;
      DUEL_ASSIGN(const auto experiments, experiments_for(store, *events[k]));
      if (experiments.empty()) verdicts_[k] = rejected_by_all(kNoDuel);
      for (const std::string& eid : experiments) {
        verdicts_[k][eid] = std::nullopt;
        all[eid].push_back(k);
      }
    }
    return all;
  }
  // So many experiments will be asked. With none the answer goes out.
  void expect(std::size_t experiments) {
    left_ = experiments;
    if (left_ == 0) send_(answer_of(202, answer_to_events(verdicts_)));
  }
  void reject(const std::string& eid, std::size_t event, std::string reason) {
    const std::lock_guard lock(mutex_);
    verdicts_.at(event)[eid] = std::move(reason);
  }
  // An experiment has taken its events, or rejected some. If it could not take them (`refused`) the
  // whole request fails and the caller repeats it: events that were taken already are recognised by
  // their identity and count once.
  void answered(std::optional<ServerAnswer> refused = {}) {
    std::unique_lock lock(mutex_);
    if (refused && !refused_) refused_ = std::move(refused);
    if (--left_ > 0) return;
    lock.unlock();
    send_(refused_ ? std::move(*refused_) : answer_of(202, answer_to_events(verdicts_)));
  }

 private:
  const Send send_;
  std::mutex mutex_;  // guards what follows
  std::size_t left_ = 0;
  std::vector<Verdicts> verdicts_;  // by event
  std::optional<ServerAnswer> refused_;
};

}  // namespace

// Sends each event to the owners of the experiments that it is for.
void Api::take_events_over_nodes(Call& call, std::vector<Result<Json>> items,
                                 std::vector<Result<UbiEvent>> events) {
  const auto work = [this, items = std::move(items), events = std::move(events), &fact = call.fact,
                     caller = call.caller, send = call.send, token_id = token_id_of(call),
                     trace = trace_headers(call.request)] {
    const auto gathered = std::make_shared<GatheredEvents>(send, items.size());
    const auto sorted = gathered->sort(engine_.store(), events);
    if (!sorted.ok()) return send(refusal(sorted.error()));
    gathered->expect(sorted->size());
    for (const auto& [eid, indices] : *sorted) {
      HttpRequest request;
      request.method = HttpMethod::post;
      request.method_text = "POST";
      request.target = request.path = "/v1/events";
      request.headers = trace;
      request.headers.emplace_back("content-type", "application/json");
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
      const auto gather = [gathered, eid, indices](const HttpResponse& response) {
        const auto told = Json::parse(response.text());
        if (response.status != 202 || !told) {
          return gathered->answered(ServerAnswer{response.status, told.value_or(Json()), {}});
        }
        for (const Json& one : told->at("rejected").items()) {
          gathered->reject(eid, indices.at(one.at("index").get<std::size_t>()),
                           one.at("reason").get<std::string>());
        }
        gathered->answered();
      };
      forwarding_->send(eid, std::move(request), token_id, here, gather);
    }
  };
  run_on(*lookups_, call, work);
}

// Gives each event to the experiments that it is for.
void Api::take_events_here(const Send& send, const Caller& caller, Events all) {
  const auto events = std::make_shared<const Events>(std::move(all));
  const auto gathered = std::make_shared<GatheredEvents>(send, events->size());
  auto sorted = gathered->sort(engine_.store(), *events);
  if (!sorted.ok()) return send(refusal(sorted.error()));
  for (auto& [eid, indices] : *sorted) {
    if (caller.may(TokenScope::duel, eid)) continue;
    std::erase_if(indices, [&, &id = eid](std::size_t k) {
      const UbiEvent& event = *(*events)[k];
      const auto proven = report_tokens_.verify(event.report_token);
      if (proven && proven->experiment_id == id && proven->duel_id == event.page.duel_id) {
        return false;
      }
      gathered->reject(id, k, kNoToken);
      return true;
    });
  }
  std::erase_if(*sorted, [](const auto& of_one) { return of_one.second.empty(); });
  gathered->expect(sorted->size());
  for (const auto& [eid, indices] : *sorted) {
    using NotTaken = std::optional<std::string>;  // why the event is not taken
    engine_.ask_in_parts<NotTaken>(
        eid, AnswerWhen::durable, Engine::Parts::one_by_one, indices.size(),
        [events, indices](const Turn& turn, std::size_t k,
                          std::vector<NotTaken>& reasons) -> Status {
          auto taken = take_event(turn, *(*events)[indices[k]]);
          // Only a store that cannot be read or written is a reason to send everything again.
          if (!taken.ok() && taken.error().code == ErrorCode::io) return taken.error();
          reasons.push_back(taken.ok() ? *taken : taken.error().message);
          return Done{};
        },
        [gathered, eid, indices](const Result<std::vector<NotTaken>>& reasons,
                                 const Delivery& delivery) {
          const bool known = reasons.ok() || reasons.error().code != ErrorCode::not_found;
          if (!reasons.ok() && known) {
            return gathered->answered(refusal_of(reasons.error(), delivery));
          }
          for (std::size_t k = 0; k < indices.size(); ++k) {
            if (!known) {
              gathered->reject(eid, indices[k], "there is no such experiment");
            } else if ((*reasons)[k]) {
              gathered->reject(eid, indices[k], *(*reasons)[k]);
            }
          }
          gathered->answered();
        });
  }
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
    if (!caller.is_anonymous() || !event.ok() || event->is_other) continue;
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
  const bool named = std::ranges::all_of(
      events, [](const auto& event) { return !event.ok() || !event->experiment_id.empty(); });
  if (named) return take_events_here(call.send, caller, std::move(events));
  // The store is asked which experiments the others are for.
  run_on(*lookups_, call, [this, caller, send = call.send, events = std::move(events)] {
    take_events_here(send, caller, events);
  });
}

}  // namespace duel
