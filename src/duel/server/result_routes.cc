// What is shown of an experiment: result, certificate, health, timeline, and the stream of events;
// for the web pages the progress of a vote, the last duels, and the policies to choose from. What
// is read from a log is made on reader threads (views.h), and plans run on background threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/numbers.h"
#include "duel/policies/registry.h"
#include "duel/server/api.h"
#include "duel/server/recent_duels.h"
#include "duel/study/plan.h"
#include "duel/verdict/glance.h"
#include "duel/verdict/health.h"
#include "duel/verdict/standing.h"
#include "duel/wire/answers.h"
#include "duel/wire/experiment_answers.h"
#include "duel/wire/plan_question.h"
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

// A field of the question has the same name in the body, so it can be pointed at.
ServerAnswer refused_plan(Error error) {
  if (!error.field.empty()) error.where = "/" + error.field;
  return refusal(error);
}

// How far the leader is on its way to a certificate, 0 to 1; nothing if the goal goes by scores.
std::optional<double> share_of_evidence(const Ledger& ledger, const Standing& standing) {
  if (ledger.certificate()) return 1.0;
  if (standing.order) {
    return static_cast<double>(standing.order->shown()) /
           static_cast<double>(std::max<std::size_t>(1, standing.order->needed.size()));
  }
  if (standing.space) {
    if (!standing.space->candidate) return std::nullopt;
    const CandidateStanding& candidate = *standing.space->candidate;
    return std::clamp(*candidate.log_evidence / *candidate.log_threshold, 0.0, 1.0);
  }
  std::optional<double> least;
  for (const ArmStanding& rival : standing.arms) {
    if (rival.beaten) least = std::min(least.value_or(1), std::max(0.0, *rival.beaten));
  }
  return least;
}

}  // namespace

void Api::show_text(const Call& call, std::string what, Views::Make make) {
  views_.show(call.eid(), std::move(what), std::move(make),
              [send = call.send](const Result<ShownText>& shown) {
                if (!shown.ok()) return send(refusal(shown.error()));
                send({200, {}, {{"Duel-Sequence", std::to_string(shown->sequence)}}, shown->text});
              });
}

void Api::show(const Call& call, std::string what, std::function<Result<Json>(const View&)> make) {
  show_text(call, std::move(what), [make = std::move(make)](const View& view) {
    const Result<Json> json = make(view);
    return json.ok() ? Result<std::string>(json->dump() + "\n") : json.error();
  });
}

void Api::show_result(Call& call) {
  show(call, "result", [this](const View& view) -> Result<Json> {
    const Ledger& ledger = view.ledger();
    DUEL_ASSIGN(const IfWrong if_wrong, view.if_wrong());
    DUEL_ASSIGN(BySlice by_slice, view.by_slice());
    ResultAnswer answer{sliced(result_of(ledger, board_of(ledger), if_wrong), std::move(by_slice)),
                        ledger.served(),
                        ledger.sequence(),
                        {}};
    views_.note_glance(view.id(), glance_of(answer.verdict, answer.health, ledger.sequence()));
    if (ledger.parts().pages) answer.pages = view.history().pages().so_far(ledger);
    return described_json(answer);
  });
}

void Api::show_certificate(Call& call) {
  // The bytes of the certificate's file, not JSON of our own: `duel verify` compares byte for byte.
  show_text(call, "certificate", [](const View& view) -> Result<std::string> {
    DUEL_ASSIGN(std::string text, view.certificate());
    if (text.empty()) return Error::not_found("there is no certificate yet");
    return text;
  });
}

void Api::show_health(Call& call) {
  show(call, "health", [this](const View& view) -> Result<Json> {
    std::vector<HealthCheck> checks = check_health(view.ledger());
    DUEL_ASSIGN(const std::vector<HealthCheck> traffic,
                traffic_.checks(engine_.store(), view.id()));
    checks.insert(checks.end(), traffic.begin(), traffic.end());
    return described_json(Health{overall(checks), checks});
  });
}

void Api::show_timeline(Call& call) {
  const auto points = call.query_count("points", 200, 2, 2000);
  if (!points.ok()) return call.send(refusal(points.error()));
  show(call, "timeline/" + std::to_string(*points),
       [points = *points](const View& view) -> Result<Json> {
         return described_json(
             view.history().timeline().series(view.ledger(), view.last_time_ms(), points));
       });
}

void Api::open_stream(Call& call) {
  std::optional<std::uint64_t> seen;  // by a page that was cut off and comes again
  if (const std::string* header = call.request.header("last-event-id")) {
    if (const auto number = parse_count(*header); number.ok()) seen = *number;
  }
  EventStreams::Listener listener{.stream = nullptr};
  if (call.from_node) {
    listener.who = Listens::node;
    listener.sign = [this, hop = *call.request.header(Hops::kHeader),
                     number = std::uint64_t{0}](std::string_view event) mutable {
      return hops_->signed_event(hop, number++, event);
    };
  }
  if (call.caller.token) listener.token_id = call.caller.token->token_id;
  const Listens who = listener.who;
  engine_.ask<std::string>(
      call.eid(), AnswerWhen::durable,
      [seen](const Turn& turn) -> Result<std::string> {
        return text_of(events_since(turn.experiment.ledger(), seen));
      },
      [this, streams = streams_, eid = call.eid(), send = call.send, listener, who, seen](
          const Result<std::string>& missed, const Delivery& delivery) {
        // Another node owns it: this node listens there, once for all clients that listen here.
        const bool elsewhere =
            !missed.ok() && reason_of(missed.error()) == Reason::not_ours && who == Listens::client;
        if (!missed.ok() && !elsewhere) return send(refusal_of(missed.error(), delivery));
        const auto stream = send.stream("text/event-stream", {{"X-Accel-Buffering", "no"}});
        EventStreams::Listener listening = listener;
        listening.stream = stream;
        if (!elsewhere && !missed->empty()) listening.write(*missed);
        // For an experiment of this node no event is missed between `missed` and here: later ones
        // are sent after this function, by the same thread.
        streams->add(eid, std::move(listening));
        if (!elsewhere) return;
        const auto heard = upstreams_->last_sequence(eid);
        // A page whose stream ends opens it again after a pause.
        if (!upstreams_->follow(eid)) return stream->finish();
        if (seen && heard != seen) {
          // Only the owner knows what the page has missed, so the page loads everything again.
          stream->write(to_text({eid, heard.value_or(*seen), "reset"}));
        } else if (heard && !seen) {
          stream->write(to_text({eid, *heard, "result"}));
        }
      });
}

void Api::plan(Call& call) {
  const auto body = call.read<PlanBody>();
  if (!body) return;
  PlanQuestion question = plan_question_of(*body);
  question.threads = 1;
  const auto spec = plan_spec(question);
  if (!spec.ok()) return call.send(refused_plan(spec.error()));
  run_later(call, [spec = *spec, send = call.send] {
    std::atomic<bool> stop = false;
    const auto begun = Clock::now();
    PlanHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](std::uint64_t, std::uint64_t) {
      if (Clock::now() - begun > std::chrono::seconds(20)) stop = true;
    };
    const auto results = run_plan(spec, hooks);
    send(results.ok() ? answer_of(200, *results) : refused_plan(results.error()));
  });
}

// Voters see this, so it names no arm: a voter who knows which arm leads no longer votes blind.
void Api::show_progress(Call& call) {
  show(call, "progress", [](const View& view) -> Result<Json> {
    const Ledger& ledger = view.ledger();
    const Standing standing = standing_of(ledger);
    return described_json(VotingProgress{
        .experiment_id = view.id(),
        .name = ledger.name(),
        .state = ledger.state(),
        .mode = ledger.experiment().service.mode,
        .answers = ledger.parts().panel ? ledger.total().decisive() : ledger.certifier().decisive(),
        .certified = ledger.certificate().has_value(),
        .share_of_evidence = coarse_share(share_of_evidence(ledger, standing)),
        .expected_duels_left = coarse_count(standing.duels_left)});
  });
}

void Api::list_duels(Call& call) {
  const auto limit = call.query_count("limit", 20, 1, 200);
  if (!limit.ok()) return call.send(refusal(limit.error()));
  read_later(call, [this, limit = *limit, eid = call.eid(), send = call.send] {
    const auto duels = recent_duels(engine_.store(), eid, limit);
    send(duels.ok() ? answer_of(200, ListOf{*duels}) : refusal(duels.error()));
  });
}

void Api::list_policies(Call& call) {
  ListOf<PolicyAnswer> list;
  for (const PolicyKind& kind : policy_catalogue()) {
    const PolicyFacts& facts = kind.facts;
    // A server has many duels open at once, which a sequential policy cannot handle.
    if (facts.outstanding != Outstanding::yes) continue;
    list.items.push_back({facts.name, facts.title, facts.paper, facts.setting, facts.guarantee,
                          facts.status, facts.needs_horizon, kind.options});
  }
  call.send(answer_of(200, list));
}

}  // namespace duel
