#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "duel/core/digest.h"
#include "duel/server/api.h"
#include "duel/server/imported_log.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {

void Api::create_experiment(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<ExperimentBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  if (body->arms.size() > engine_.most_arms()) {
    const std::string why = too_many_arms(body->arms.size(), engine_.most_arms());
    return call.send(refusal(400, "/arms " + why, false, {{"/arms", why}}));
  }
  const std::string request = sha256_hex(Json::parse(call.request.body).value().dump());
  const std::string chance = random_bytes(6);
  std::uint64_t seed = 0;
  for (const char byte : chance) seed = seed << 8 | static_cast<unsigned char>(byte);
  const auto record = experiment_of(call.eid(), *body, request, seed);
  if (!record.ok()) return call.send(refusal(record.error()));
  engine_.create(*record, call.send);
}

void Api::list_experiments(Call& call) {
  const auto limit = call.query_count("limit", 1000, 1, 1000);
  if (!limit.ok()) return call.send(refusal(limit.error()));
  const std::string* cursor = call.request.query_value("cursor");
  engine_.list(cursor != nullptr ? *cursor : "", *limit, call.send);
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
      [body = *body, arm = call.parameters.at("aid"), most = engine_.most_arms()](
          OwnedExperiment& experiment, std::int64_t now) -> Result<ServerAnswer> {
        const Ledger& ledger = experiment.ledger();
        if (ledger.num_arms() >= most && !ledger.find_arm(arm)) {
          const std::string why = too_many_arms(ledger.num_arms() + 1, most);
          return refusal(409, "/arms " + why, false, {{"/arms", why}});
        }
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
  if (!is_lines(media_type_of(call.request))) {
    return call.send(refusal(415, "the body must be application/x-ndjson"));
  }
  // A log is read and folded before its owner is asked to write it, away from the threads that talk
  // to clients.
  const auto text = std::make_shared<std::string>(std::move(call.request.body));
  const bool taken = background_.submit([this, text, eid = call.eid(), send = call.send] {
    engine_.import_log(eid, std::move(*text), send);
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

}  // namespace duel
