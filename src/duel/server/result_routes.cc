#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "duel/server/api.h"
#include "duel/server/request_body.h"
#include "duel/server/timeline.h"
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
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.health(); }, call.send);
}

void Api::show_timeline(Call& call) {
  const std::int64_t points = std::clamp<std::int64_t>(call.query_number("points", 200), 2, 2000);
  const bool taken = background_.submit([this, points, eid = call.eid(), send = call.send] {
    const auto timeline = timeline_of(engine_.store(), eid, static_cast<std::size_t>(points));
    send(timeline.ok() ? ServerAnswer{200, *timeline, {}} : refusal(timeline.error()));
  });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
}

void Api::open_stream(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [](OwnedExperiment& experiment, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["sequence"] = experiment.ledger().sequence();
        return answer;
      },
      [streams = streams_, eid = call.eid(), send = call.send,
       open = call.stream](const ServerAnswer& answer) {
        if (answer.status != 200) return send(answer);
        const auto stream = open(200, {{"Content-Type", "text/event-stream"},
                                       {"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"}});
        const auto sequence = answer.body.at("sequence").get<std::uint64_t>();
        // Whatever the page saw before, it looks anew: results are whole, not differences.
        stream->write(
            fmt::format("id: {0}\nevent: result\ndata: {{\"sequence\":{0}}}\n\n", sequence));
        streams->add(eid, stream);
      });
}

void Api::plan(Call& call) {
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  const Json& json = *parsed.json;
  PlanQuestion question;
  question.threads = 1;
  question.trials = 200;
  try {
    const auto number = [&](const char* name, double otherwise) {
      const Json* value = json.find(name);
      return value == nullptr ? otherwise : value->get<double>();
    };
    question.arms = static_cast<std::uint64_t>(number("arms", 5));
    question.gap = number("gap", 0.1);
    question.spread = number("spread", 0);
    question.alpha = number("alpha", 0.05);
    question.tie_rate = number("tie_rate", 0);
    question.parallel = static_cast<std::uint64_t>(number("parallel", 1));
    question.max_duels = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(number("max_duels", 100'000)), 1'000'000);
    question.trials =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(number("trials", 200)), 10, 1000);
    if (const Json* goal = json.find("goal")) question.goal = goal->get<std::string>();
    if (const Json* policy = json.find("policy")) question.policy = {policy->get<std::string>()};
    if (const Json* shared = json.find("shared_causes"))
      question.shared_causes = shared->get<bool>();
  } catch (const JsonError& error) {
    return call.send(refusal(400, error.what()));
  }
  if (*question.arms > 50) return call.send(refusal(400, "/arms is at most 50 here"));
  const auto spec = plan_spec(question);
  if (!spec.ok()) return call.send(refusal(spec.error()));
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
