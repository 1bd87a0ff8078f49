// For those who run the server: tokens of callers, health, readiness, metrics, version and the
// API's description. Making and revoking a token is rare, and waits for the store on the thread of
// the connection.
#include <fmt/format.h>

#include <string>

#include "duel/core/metric_family.h"
#include "duel/core/timestamp.h"
#include "duel/log/record.h"
#include "duel/server/api.h"
#include "duel/version_info.h"
#include "duel/wire/answers.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

// The lease as the store has it, and what has happened to this node since its start.
std::string node_metrics(Nodes& nodes) {
  const Nodes::Counts counts = nodes.counts();
  std::string text;
  announce_family(text, "duel_node_info", "gauge", "The node's name and the URL for other nodes.");
  text += fmt::format("duel_node_info{{node_id=\"{}\",url=\"{}\"}} 1\n", nodes.self().node_id,
                      nodes.self().url);
  write_metric(text, "duel_node_lease_held", "gauge", "Whether the node holds its lease.",
               nodes.holds_lease() ? 1 : 0);
  write_metric(text, "duel_node_takeovers_total", "counter",
               "Experiments taken over from nodes whose lease had run out.", counts.taken_over);
  write_metric(text, "duel_node_fenced_appends_total", "counter",
               "Appends that the store refused because another node owns the experiment.",
               counts.fenced);
  write_metric(text, "duel_node_reconnects_total", "counter",
               "Connections to the store that were made again.", counts.reconnects);
  write_metric(text, "duel_node_tails_appended_again_total", "counter",
               "Ends of logs appended again after the store had lost them.",
               counts.tails_appended_again);
  const auto states = nodes.states();
  if (!states.ok()) return text;
  std::size_t live = 0;
  for (const NodeState& state : *states) live += state.lease_left_ms > 0 ? 1 : 0;
  write_metric(text, "duel_node_live_nodes", "gauge", "Nodes of the store whose lease runs.", live);
  for (const NodeState& state : *states) {
    if (state.address.node_id != nodes.self().node_id) continue;
    announce_family(text, "duel_node_lease_left_seconds", "gauge",
                    "Time until the node's lease runs out, as the store has it.");
    text += fmt::format("duel_node_lease_left_seconds {:.3f}\n",
                        static_cast<double>(state.lease_left_ms) / 1000);
    write_metric(text, "duel_node_owned_experiments", "gauge", "Experiments that the node owns.",
                 state.experiments);
  }
  return text;
}

}  // namespace

void Api::list_tokens(Call& call) {
  ListOf<TokenAnswer> list;
  for (const ApiToken& token : tokens_.list()) list.items.push_back(token);
  call.send(answer_of(200, list));
}

void Api::create_token(Call& call) {
  const auto body = call.read<TokenBody>();
  if (!body) return;
  if (body->expires_at && body->expires_at->ms <= current_time_ms()) {
    return call.send(
        refusal(400, "/expires_at is in the past", false, {{"/expires_at", "is in the past"}}));
  }
  const bool links = body->link != LinkRule();
  if (links && body->scope != TokenScope::vote) {
    return call.send(refusal(400, "/scope has to be `vote` for a share link's limits", false,
                             {{"/scope", "has to be `vote` for a share link's limits"}}));
  }
  if (body->link.one_browser && body->experiment_id.empty()) {
    return call.send(refusal(400, "/experiment_id is missing: a browser votes in one experiment",
                             false, {{"/experiment_id", "is missing"}}));
  }
  // The store may take long, and the threads of connections serve everybody.
  run_on(*lookups_, call, [this, body = *body, send = call.send] { make_token(body, send); });
}

void Api::make_token(const TokenBody& body, const Send& send) {
  // From the first token on every caller needs one. If the first could not make others, nobody
  // could make any.
  const bool makes_others = body.scope == TokenScope::admin && body.experiment_id.empty();
  if (!tokens_.any() && !makes_others) {
    return send(refusal(409,
                        "the first token has to be of scope 'admin' and for all experiments: "
                        "from then on every caller needs one, and only such a token can make "
                        "others; `duel token create --scope admin`"));
  }
  const auto made = tokens_.create(body.scope, body.name, body.experiment_id,
                                   body.expires_at ? body.expires_at->ms : 0, body.link);
  if (!made.ok()) return send(refusal(made.error()));
  streams_->end_unwelcome();  // after the first token, those that were opened without one
  send(answer_of(201, NewTokenAnswer{made->second, made->first}));
}

void Api::delete_token(Call& call) {
  run_on(*lookups_, call, [this, token_id = call.parameters.at("tid"), send = call.send] {
    const auto erased = tokens_.erase(token_id);
    if (!erased.ok()) return send(refusal(erased.error()));
    streams_->end_unwelcome();
    if (!*erased) return send(refusal(404, "there is no such token"));
    send(answer_of(200, RevokedAnswer{}));
  });
}

void Api::healthz(Call& call) { call.send(answer_of(200, StatusAnswer{"ok"})); }

void Api::readyz(Call& call) {
  if (!engine_.ready()) {
    const Nodes* const nodes = engine_.store().nodes();
    const bool lease_lost = nodes != nullptr && !nodes->holds_lease();
    const bool out_of_reach = nodes != nullptr && !nodes->reachable();
    return call.send(refusal(503,
                             lease_lost     ? "this node has lost its lease on the store"
                             : out_of_reach ? "the store cannot be reached"
                                            : "the store takes no more records",
                             true));
  }
  ReadyAnswer ready;
  for (auto& [id, why] : engine_.audits().out_of_service()) {
    ready.out_of_service.push_back({id, why});
  }
  call.send(answer_of(200, ready));
}

void Api::metrics(Call& call) {
  const Engine::Counts counts = engine_.counts();
  std::string text;
  announce_family(text, "duel_build_info", "gauge", "The version of the program.");
  text += fmt::format("duel_build_info{{version=\"{}\"}} 1\n", kVersion);
  write_metric(text, "duel_store_lines_total", "counter", "Records appended to the store.",
               counts.appended_lines);
  write_metric(text, "duel_store_commits_total", "counter", "Groups of records committed.",
               counts.commits);
  write_metric(text, "duel_store_syncs_total", "counter", "Waits for the disk.", counts.syncs);
  write_metric(text, "duel_store_failed_appends_total", "counter",
               "Groups of records that the store did not take.", counts.failed_appends);
  write_metric(text, "duel_requests_waiting", "gauge", "Requests in the queue.", counts.waiting);
  write_metric(text, "duel_experiments_in_memory", "gauge", "Experiments that are loaded.",
               counts.in_memory);
  write_metric(text, "duel_event_streams", "gauge", "Open streams of live pages.",
               streams_->size());
  announce_family(text, "duel_store_append_duration_seconds", "histogram",
                  "Time that the store took to append a group.");
  engine_.append_durations().write(text, "duel_store_append_duration_seconds");
  text += metrics_->text();
  if (forwarding_) text += forwarding_->metrics();
  engine_.experiment_metrics([this, text, send = call.send](const std::string& of_experiments) {
    const auto write = [this, all = text + of_experiments, send] {
      const auto stream = send.stream("text/plain; version=0.0.4");
      Nodes* const nodes = engine_.store().nodes();
      stream->write(all + (nodes != nullptr ? node_metrics(*nodes) : ""));
      stream->finish();
    };
    // node_metrics reads from the database, and this is a thread of the engine, which must not wait
    // for it.
    if (engine_.store().nodes() == nullptr || !background_->post(write)) write();
  });
}

void Api::show_openapi(Call& call) { call.send({200, openapi(), {}}); }

void Api::version(Call& call) {
  call.send(answer_of(200, VersionAnswer{std::string(kVersion), kLogFormat}));
}

}  // namespace duel
