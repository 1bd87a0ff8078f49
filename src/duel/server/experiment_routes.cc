#include <fmt/format.h>

#include <string>
#include <utility>

#include "duel/core/digest.h"
#include "duel/experiment/experiment_log.h"
#include "duel/server/api.h"
#include "duel/server/bodies.h"
#include "duel/server/request_body.h"

namespace duel {

void Api::create_experiment(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<ExperimentBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const std::string request = sha256_hex(Json::parse(call.request.body).value().dump());
  const std::string chance = random_bytes(6);
  std::uint64_t seed = 0;
  for (const char byte : chance) seed = seed << 8 | static_cast<unsigned char>(byte);
  const auto record = experiment_of(call.eid(), *body, request, seed);
  if (!record.ok()) return call.send(refusal(record.error()));
  engine_.create(*record, call.send);
}

void Api::list_experiments(Call& call) {
  const std::int64_t limit = call.query_number("limit", 1000);
  if (limit < 1 || limit > 1000) return call.send(refusal(400, "limit is not between 1 and 1000"));
  const std::string* cursor = call.request.query_value("cursor");
  engine_.list(cursor != nullptr ? *cursor : "", static_cast<std::size_t>(limit), call.send);
}

void Api::show_experiment(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.show(); }, call.send);
}

void Api::patch_experiment(Call& call) {
  const std::string* if_match = call.request.header("if-match");
  if (if_match == nullptr) return call.send(refusal(428, "the header If-Match is missing"));
  ServerAnswer refused;
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  // What exists but cannot change is another matter than what does not exist.
  for (const char* name : {"mode", "arms", "policy", "goal", "stopping", "presentation",
                           "interleave", "tasks", "seed"}) {
    if (parsed.json->contains(name)) {
      return call.send(refusal(409, fmt::format("/{} cannot change", name), false,
                               {{fmt::format("/{}", name), "cannot change"}}));
    }
  }
  const auto body = read_body<PatchBody>(*parsed.json, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, match = *if_match](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.patch(body, match, now);
      },
      call.send);
}

void Api::change_state(Call& call) {
  const std::string verb = call.request.path.substr(call.request.path.rfind('/') + 1);
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [verb](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.change_state(verb, now);
      },
      call.send);
}

void Api::put_arm(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<NewArmBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, arm = call.parameters.at("aid")](OwnedExperiment& experiment,
                                                      std::int64_t now) {
        return experiment.add_arm(arm, body, now);
      },
      call.send);
}

void Api::delete_arm(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [arm = call.parameters.at("aid")](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.retire_arm(arm, now);
      },
      call.send);
}

void Api::take_comparisons(Call& call) {
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  ServerAnswer refused;
  const auto body =
      read_body<std::vector<ComparisonBody>>(*parsed.json, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.compare(body, now);
      },
      call.send);
}

void Api::import_log(Call& call) {
  const std::string eid = call.eid();
  std::string named;
  const auto extent =
      read_log_text(call.request.body, "body", [&](const LogEntry& entry) -> Status {
        if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
          named = experiment->experiment_id;
        }
        return Done{};
      });
  if (!extent.ok()) return call.send(refusal(422, extent.error().to_string()));
  if (extent->cut_bytes > 0 || extent->records == 0) {
    return call.send(refusal(422, "the log is empty or its last line is cut"));
  }
  if (named != eid) {
    return call.send(refusal(422, fmt::format("the log is of the experiment '{}'", named)));
  }
  engine_.import_log(eid, std::move(call.request.body), call.send);
}

}  // namespace duel
