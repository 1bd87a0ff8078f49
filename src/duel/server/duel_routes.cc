#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duel/server/api.h"
#include "duel/server/bodies.h"
#include "duel/server/request_body.h"

namespace duel {

void Api::serve_duels(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<DuelBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.serve(body, now);
      },
      call.send);
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
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  const auto asked = read_body<DuelBody>(*parsed.json, UnknownFields::ignored, refused);
  if (!asked) return call.send(std::move(refused));
  const auto lists = read_body<InterleavingBody>(*parsed.json, UnknownFields::ignored, refused);
  if (!lists) return call.send(std::move(refused));
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *asked, lists = *lists, sees](OwnedExperiment& experiment,
                                            std::int64_t now) -> Result<ServerAnswer> {
        DuelBody wanted = body;
        wanted.count = 1;
        // Whoever sent no list cannot be shown.
        for (const LedgerArm& arm : experiment.ledger().arms()) {
          const bool has = std::any_of(lists.lists.begin(), lists.lists.end(),
                                       [&](const auto& one) { return one.first == arm.entry.id; });
          if (!has && arm.active) wanted.exclude.push_back(arm.entry.id);
        }
        DUEL_ASSIGN(ServerAnswer served, experiment.serve(wanted, now));
        if (served.status >= 400) return served;
        const Json& serving = served.body.at("serving");
        if (serving.get<std::string>() == "fallback") {
          Json items = Json::array();
          const std::string arm = served.body.at("arms").items()[0].at("arm_id").get<std::string>();
          std::uint64_t ordinal = 0;
          for (const auto& [name, list] : lists.lists) {
            if (name != arm) continue;
            for (const Json& object : list.items()) {
              items.push_back(
                  {{"object_id", object}, {"ordinal", ++ordinal}, {"competitive", false}});
            }
          }
          served.body["items"] = std::move(items);
          return served;
        }
        DUEL_ASSIGN(
            ServerAnswer page,
            experiment.interleave(served.body.at("duel_id").get<std::string>(), lists, sees, now));
        if (page.status >= 400) return page;
        served.body.update(page.body);
        return served;
      },
      call.send);
}

void Api::report_outcome(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<OutcomeBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const bool trusted = call.caller.may(TokenScope::duel, call.eid());
  const bool voter = call.caller.may(TokenScope::vote, call.eid());
  if (!trusted && body->report_token.empty()) {
    return call.send(refusal(401, "a token or a report token is needed"));
  }
  OwnedExperiment::ReportOptions options{.trusted = trusted};
  const std::string* next = call.request.query_value("next");
  options.next = next != nullptr && *next == "1" && (trusted || voter);
  if (const std::string* id = call.request.query_value("next_duel_id")) options.next_duel_id = *id;
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, options, duel = call.parameters.at("did")](OwnedExperiment& experiment,
                                                                std::int64_t now) {
        return experiment.report(duel, body, options, now);
      },
      call.send);
}

void Api::report_outcomes(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = is_lines(type);
  if (!lines && type != "application/json") {
    return call.send(refusal(415, "the body must be application/json or application/x-ndjson"));
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
      [items = std::move(items)](OwnedExperiment& experiment, std::int64_t now) {
        Json answers = Json::array();
        for (std::size_t k = 0; k < items.size(); ++k) {
          Json answer;
          answer["index"] = std::uint64_t{k};
          const auto finish = [&](std::string_view status, const std::string& detail) {
            answer["status"] = std::string(status);
            if (!detail.empty()) answer["detail"] = detail;
            answers.push_back(std::move(answer));
          };
          if (!items[k]) {
            finish("invalid", "the line is not JSON");
            continue;
          }
          ServerAnswer refused;
          const auto body = read_body<OutcomeBody>(*items[k], UnknownFields::refused, refused);
          if (!body) {
            finish("invalid", refused.body.at("detail").get<std::string>());
            continue;
          }
          answer["duel_id"] = body->duel_id;
          const auto reported = experiment.report(body->duel_id, *body, {}, now);
          if (reported.ok() && reported->status == 200) {
            finish(reported->body.at("status").get<std::string>(), "");
          } else if (reported.ok()) {
            finish(reported->status == 409 ? "conflict" : "invalid",
                   reported->body.at("detail").get<std::string>());
          } else {
            const bool unknown = reported.error().code == ErrorCode::not_found;
            finish(unknown ? "unknown" : "invalid", reported.error().message);
          }
        }
        ServerAnswer all;
        all.body["items"] = std::move(answers);
        return Result<ServerAnswer>(std::move(all));
      },
      call.send);
}

}  // namespace duel
