#include <fmt/format.h>

#include <string>
#include <utility>

#include "duel/experiment/record.h"
#include "duel/server/answers.h"
#include "duel/server/api.h"
#include "duel/version_info.h"

namespace duel {
namespace {

// The lease as the store has it, and what has happened to this node since its start.
std::string node_metrics(Nodes& nodes) {
  const Nodes::Counts counts = nodes.counts();
  std::string text = fmt::format(
      "# TYPE duel_node_info gauge\nduel_node_info{{node_id=\"{}\",url=\"{}\"}} 1\n"
      "# TYPE duel_node_lease_held gauge\nduel_node_lease_held {}\n"
      "# TYPE duel_node_takeovers_total counter\nduel_node_takeovers_total {}\n"
      "# TYPE duel_node_fenced_appends_total counter\nduel_node_fenced_appends_total {}\n"
      "# TYPE duel_node_reconnects_total counter\nduel_node_reconnects_total {}\n"
      "# TYPE duel_node_tails_appended_again_total counter\n"
      "duel_node_tails_appended_again_total {}\n",
      nodes.self().node_id, nodes.self().url, nodes.holds_lease() ? 1 : 0, counts.taken_over,
      counts.fenced, counts.reconnects, counts.tails_appended_again);
  const auto states = nodes.states();
  if (!states.ok()) return text;
  text += "# TYPE duel_node_live_nodes gauge\n";
  std::size_t live = 0;
  for (const NodeState& state : *states) live += state.lease_left_ms > 0 ? 1 : 0;
  text += fmt::format("duel_node_live_nodes {}\n", live);
  for (const NodeState& state : *states) {
    if (state.address.node_id != nodes.self().node_id) continue;
    text += fmt::format(
        "# TYPE duel_node_lease_left_seconds gauge\nduel_node_lease_left_seconds {:.3f}\n"
        "# TYPE duel_node_owned_experiments gauge\nduel_node_owned_experiments {}\n",
        static_cast<double>(state.lease_left_ms) / 1000, state.experiments);
  }
  return text;
}

}  // namespace

void Api::healthz(Call& call) { call.send({200, body_json(StatusAnswer{"ok"}), {}}); }

void Api::readyz(Call& call) {
  if (!engine_.ready()) {
    const Nodes* const nodes = engine_.store().nodes();
    const bool lease_lost = nodes != nullptr && !nodes->holds_lease();
    return call.send(refusal(503,
                             lease_lost ? "this node has lost its lease on the store"
                                        : "the store takes no more records",
                             true));
  }
  call.send({200, body_json(StatusAnswer{"ready"}), {}});
}

void Api::metrics(Call& call) {
  const Engine::Counts counts = engine_.counts();
  std::string text = fmt::format(
      "# TYPE duel_build_info gauge\nduel_build_info{{version=\"{}\"}} 1\n"
      "# TYPE duel_store_lines_total counter\nduel_store_lines_total {}\n"
      "# TYPE duel_store_commits_total counter\nduel_store_commits_total {}\n"
      "# TYPE duel_store_syncs_total counter\nduel_store_syncs_total {}\n"
      "# TYPE duel_store_failed_appends_total counter\nduel_store_failed_appends_total {}\n"
      "# TYPE duel_requests_waiting gauge\nduel_requests_waiting {}\n"
      "# TYPE duel_experiments_in_memory gauge\nduel_experiments_in_memory {}\n"
      "# TYPE duel_event_streams gauge\nduel_event_streams {}\n",
      kVersion, counts.appended_lines, counts.commits, counts.syncs, counts.failed_appends,
      counts.waiting, counts.in_memory, streams_->size());
  text +=
      "# HELP duel_store_append_duration_seconds Time that the store took to append a group.\n"
      "# TYPE duel_store_append_duration_seconds histogram\n";
  engine_.append_durations().write(text, "duel_store_append_duration_seconds");
  text += metrics_->text();
  if (forwarding_) text += forwarding_->metrics();
  engine_.ask_all(
      AnswerWhen::appended,
      [this](const auto&, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["text"] = engine_.experiment_metrics();
        return answer;
      },
      [this, text, call_stream = call.stream](const ServerAnswer& answer) {
        const std::string all =
            text + (answer.status == 200 ? answer.body.at("text").get<std::string>() : "");
        const auto write = [this, all, call_stream] {
          const auto stream = call_stream(
              200, {{"Content-Type", "text/plain; version=0.0.4"}, {"Cache-Control", "no-store"}});
          Nodes* const nodes = engine_.store().nodes();
          stream->write(all + (nodes != nullptr ? node_metrics(*nodes) : ""));
          stream->finish();
        };
        // What is said of nodes is read from the store, which this thread must not wait for.
        if (engine_.store().nodes() == nullptr || !background_.submit(write)) write();
      });
}

void Api::show_openapi(Call& call) { call.send({200, openapi(), {}}); }

void Api::version(Call& call) {
  call.send({200, body_json(VersionAnswer{std::string(kVersion), kLogFormat}), {}});
}

}  // namespace duel
