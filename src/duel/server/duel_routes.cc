#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duel/server/api.h"
#include "duel/wire/answers.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

// One of many: what is wrong with it does not keep the others from being taken. What is wrong with
// the store is an error: a caller who were told that the item is invalid would drop its outcome.
Result<BatchOutcome> report_item(OwnedExperiment& experiment, const std::optional<Json>& item,
                                 std::int64_t now) {
  BatchOutcome told{.index = 0, .duel_id = "", .status = "invalid", .detail = ""};
  if (!item) {
    told.detail = "the line is not JSON";
    return told;
  }
  ServerAnswer refused;
  const auto body = read_body<OutcomeBody>(*item, UnknownFields::refused, refused);
  if (!body) {
    told.detail = refused.body.at("detail").get<std::string>();
    return told;
  }
  told.duel_id = body->duel_id;
  const auto reported = experiment.report(body->duel_id, *body, {}, now);
  if (!reported.ok() && reported.error().code == ErrorCode::io) return reported.error();
  const ServerAnswer answer = reported.ok() ? *reported : refusal(reported.error());
  if (answer.status == 200) {
    told.status = answer.body.at("status").get<std::string>();
    return told;
  }
  if (answer.status == 404) told.status = "unknown";
  if (answer.status == 409) told.status = "conflict";
  told.detail = answer.body.at("detail").get<std::string>();
  return told;
}

}  // namespace

// Counts what goes out, and only that: an answer may be asked for again before it does.
Engine::Send Api::counting_served(const Call& call) {
  return [this, eid = call.eid(), send = call.send](const ServerAnswer& answer) {
    engine_.metrics().count_served(eid, answer);
    send(answer);
  };
}

Engine::Send Api::counting_outcomes(const Call& call) {
  return [this, eid = call.eid(), send = call.send](const ServerAnswer& answer) {
    engine_.metrics().count_served(eid, answer);
    engine_.metrics().count_rejected(eid, answer);
    send(answer);
  };
}

void Api::serve_duels(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<DuelBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  // Whoever holds a share link votes; the token says nothing about who that is.
  const bool voter = !call.caller.may(TokenScope::duel, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body, voter](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.serve(body, voter, now);
      },
      counting_served(call));
}

void Api::show_duel(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [duel = call.parameters.at("did")](OwnedExperiment& experiment, std::int64_t) {
        return experiment.show_duel(duel);
      },
      call.send);
}

void Api::interleave_duel(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<InterleavingBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body, sees, duel = call.parameters.at("did")](OwnedExperiment& experiment,
                                                             std::int64_t now) {
        return experiment.interleave(duel, body, sees, now);
      },
      call.send);
}

void Api::interleave_in_one(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<OneShotBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  if (body->duel.count != 1 || !body->duel.batch_id.empty()) {
    return call.send(refusal(400, "/batch_id is for duels without lists"));
  }
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body, sees](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.interleave_in_one(body, sees, now);
      },
      counting_served(call));
}

void Api::report_outcome(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<OutcomeBody>(call.request, UnknownFields::refused, refused);
  if (!body) return counting_outcomes(call)(std::move(refused));
  const bool trusted = call.caller.may(TokenScope::duel, call.eid());
  const bool voter = call.caller.may(TokenScope::vote, call.eid());
  if (!trusted && body->report_token.empty()) {
    const bool known = call.caller.token.has_value();
    return call.send(known ? refusal(403, "this token reports only with the duel's report token")
                           : refusal(401, "a token or a report token is needed"));
  }
  OwnedExperiment::ReportOptions options{.trusted = trusted, .voter = !trusted};
  const std::string* next = call.request.query_value("next");
  options.next = next != nullptr && *next == "1" && (trusted || voter);
  if (const std::string* id = call.request.query_value("next_duel_id")) {
    if (const Status named = check_id("a duel", *id); !named.ok()) {
      return counting_outcomes(call)(refusal(
          400, fmt::format("next_duel_id: {}; {}", named.error().message, named.error().hint)));
    }
    options.next_duel_id = *id;
  }
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, options, duel = call.parameters.at("did")](OwnedExperiment& experiment,
                                                                std::int64_t now) {
        return experiment.report(duel, body, options, now);
      },
      counting_outcomes(call));
}

void Api::report_outcomes(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = is_lines(type);
  if (!lines && type != "application/json") {
    return call.send(refusal(415, "the body must be application/json or application/x-ndjson"));
  }
  if (call.request.body.find_first_not_of(" \r\n\t") == std::string::npos) {
    return call.send(
        refusal(400, "the body is empty: send an array of outcomes, or one on each line"));
  }
  std::vector<std::optional<Json>> items = items_of(call.request, lines);
  if (!lines && items.size() == 1 && !items[0]) {
    return call.send(refusal(400, "the body is not JSON"));
  }
  if (items.size() > kMostItems) {
    return call.send(refusal(413, fmt::format("more than {} outcomes", kMostItems)));
  }
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [items = std::move(items)](OwnedExperiment& experiment,
                                 std::int64_t now) -> Result<ServerAnswer> {
        BatchOutcomes all;
        for (std::size_t k = 0; k < items.size(); ++k) {
          // The items before an error stay: sent again, they are duplicates.
          DUEL_ASSIGN(BatchOutcome told, report_item(experiment, items[k], now));
          told.index = k;
          all.items.push_back(std::move(told));
        }
        return ServerAnswer{200, described_json(all), {}};
      },
      counting_outcomes(call));
}

}  // namespace duel
