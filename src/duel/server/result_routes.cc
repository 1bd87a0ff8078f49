#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/server/api.h"
#include "duel/study/plan.h"
#include "duel/verdict/experiment_result.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const std::vector<EngineEvent>& events) {
  std::string text;
  for (const EngineEvent& event : events) text += to_text(event);
  return text;
}

// The fields of the question are those of the body.
ServerAnswer refused_plan(Error error) {
  if (!error.field.empty()) error.where = "/" + error.field;
  return refusal(error);
}

}  // namespace

void Api::show_result(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.result(); }, call.send);
}

void Api::show_certificate(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.certificate(); },
      call.send);
}

void Api::show_health(Call& call) {
  // The owner's checks first, then those that read the log, away from the owner's thread.
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.health(); },
      [this, eid = call.eid(), send = call.send](ServerAnswer answer) {
        if (answer.status != 200) return send(std::move(answer));
        const bool taken = background_.submit([this, eid, send, answer = std::move(answer)] {
          const auto checks = traffic_.checks(engine_.store(), eid);
          if (!checks.ok()) return send(refusal(checks.error()));
          ServerAnswer all = answer;
          if (overall(*checks) == HealthVerdict::failed) all.body["verdict"] = "failed";
          const Json more = to_json(*checks);
          for (const Json& check : more.items()) all.body["checks"].push_back(check);
          send(std::move(all));
        });
        if (!taken) send(refusal(429, "too much work waits; try again", true));
      });
}

void Api::show_timeline(Call& call) {
  const auto points = call.query_count("points", 200, 2, 2000);
  if (!points.ok()) return call.send(refusal(points.error()));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [points = *points](OwnedExperiment& experiment, std::int64_t) {
        return experiment.timeline(points);
      },
      call.send);
}

void Api::open_stream(Call& call) {
  std::optional<std::uint64_t> seen;  // by whoever was cut off and comes again
  if (const std::string* header = call.request.header("last-event-id")) {
    if (const auto number = parse_count(*header); number.ok()) seen = *number;
  }
  const Listens who = call.from_node ? Listens::node : Listens::client;
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [seen](OwnedExperiment& experiment, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["text"] = text_of(events_since(experiment.ledger(), seen));
        return answer;
      },
      [this, streams = streams_, eid = call.eid(), send = call.send, open = call.stream, who,
       seen](const ServerAnswer& answer) {
        // Another node's: it is heard there, once for all who listen here.
        const bool elsewhere = answer.status == 421 && who == Listens::client;
        if (answer.status != 200 && !elsewhere) return send(answer);
        const auto stream = open(200, {{"Content-Type", "text/event-stream"},
                                       {"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"}});
        if (!elsewhere) {
          if (const std::string text = answer.body.at("text").get<std::string>(); !text.empty()) {
            stream->write(text);
          }
        }
        streams->add(eid, stream, who);
        if (!elsewhere) return;
        const auto heard = upstreams_->last_sequence(eid);
        // A stream that ends is opened again by its page.
        if (!upstreams_->follow(eid)) return stream->finish();
        if (seen && heard != seen) {
          // What came between only the owner knows.
          stream->write(to_text({eid, heard.value_or(*seen), "reset"}));
        } else if (heard && !seen) {
          stream->write(to_text({eid, *heard, "result"}));
        }
      });
}

void Api::plan(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<PlanBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  PlanQuestion question;
  question.threads = 1;
  question.arms = body->arms;
  question.gap = body->gap;
  question.spread = body->spread;
  question.alpha = body->alpha;
  question.tie_rate = body->tie_rate;
  question.parallel = body->parallel;
  question.max_duels = body->max_duels;
  question.trials = body->trials;
  question.goal = std::string(to_word(body->goal));
  question.top = body->goal.top;
  question.epsilon = body->goal.margin;
  question.assume = std::string(to_word(body->goal.assume));
  if (!body->policy.empty()) question.policy = {body->policy};
  question.shared_causes = body->shared_causes;
  const auto spec = plan_spec(question);
  if (!spec.ok()) return call.send(refused_plan(spec.error()));
  const bool taken = background_.submit([spec = *spec, send = call.send] {
    std::atomic<bool> stop = false;
    const auto begun = Clock::now();
    PlanHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](std::uint64_t, std::uint64_t) {
      if (Clock::now() - begun > std::chrono::seconds(20)) stop = true;
    };
    const auto results = run_plan(spec, hooks);
    send(results.ok() ? ServerAnswer{200, to_json(*results, 0), {}}
                      : refused_plan(results.error()));
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

}  // namespace duel
