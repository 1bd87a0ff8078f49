#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "duel/experiment/experiment_result.h"
#include "duel/server/api.h"
#include "duel/server/bodies.h"
#include "duel/server/request_body.h"
#include "duel/study/plan.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

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
  const std::int64_t points = std::clamp<std::int64_t>(call.query_number("points", 200), 2, 2000);
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [points](OwnedExperiment& experiment, std::int64_t) {
        return experiment.timeline(static_cast<std::size_t>(points));
      },
      call.send);
}

void Api::open_stream(Call& call) {
  const auto write_result = [](HttpStream& stream, std::uint64_t sequence) {
    // Whatever the page saw before, it looks anew: results are whole, not differences.
    stream.write(fmt::format("id: {0}\nevent: result\ndata: {{\"sequence\":{0}}}\n\n", sequence));
  };
  const Listens who = call.from_node ? Listens::node : Listens::client;
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [](OwnedExperiment& experiment, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["sequence"] = experiment.ledger().sequence();
        return answer;
      },
      [this, streams = streams_, eid = call.eid(), send = call.send, open = call.stream, who,
       write_result](const ServerAnswer& answer) {
        // Another node's: it is heard there, once for all who listen here.
        const bool elsewhere = answer.status == 421 && who == Listens::client;
        if (answer.status != 200 && !elsewhere) return send(answer);
        const auto stream = open(200, {{"Content-Type", "text/event-stream"},
                                       {"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"}});
        if (!elsewhere) write_result(*stream, answer.body.at("sequence").get<std::uint64_t>());
        streams->add(eid, stream, who);
        if (!elsewhere) return;
        const auto heard = upstreams_->last_sequence(eid);
        // A stream that ends is opened again by its page.
        if (!upstreams_->follow(eid)) return stream->finish();
        if (heard) write_result(*stream, *heard);
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
  if (!spec.ok()) {
    // The field is a pointer here.
    Error error = spec.error();
    if (!error.where.empty() && !error.where.starts_with('/')) error.where = "/" + error.where;
    return call.send(refusal(error));
  }
  const bool taken = background_.submit([spec = *spec, send = call.send] {
    std::atomic<bool> stop = false;
    const auto begun = Clock::now();
    PlanHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](std::uint64_t, std::uint64_t) {
      if (Clock::now() - begun > std::chrono::seconds(20)) stop = true;
    };
    const auto results = run_plan(spec, hooks);
    send(results.ok() ? ServerAnswer{200, to_json(*results, 0), {}} : refusal(results.error()));
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

}  // namespace duel
