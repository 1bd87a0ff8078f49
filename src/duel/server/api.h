// The HTTP API over the engine: who may do what, what a body has to say, and where it goes. Any
// thread may call `handle`; the reply is sent before it returns, or later on another thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/http/http.h"
#include "duel/http/http_metrics.h"
#include "duel/http/rate_limits.h"
#include "duel/http/router.h"
#include "duel/nodes/forwarding.h"
#include "duel/nodes/hop.h"
#include "duel/nodes/upkeep.h"
#include "duel/nodes/upstreams.h"
#include "duel/server/answered_request.h"
#include "duel/server/api_tokens.h"
#include "duel/server/event_streams.h"
#include "duel/server/voters.h"
#include "duel/service/engine.h"
#include "duel/service/views.h"
#include "duel/verdict/traffic_health.h"
#include "duel/wire/answers.h"
#include "duel/wire/openapi.h"
#include "duel/wire/received_body.h"
#include "duel/wire/reply.h"
#include "duel/wire/report_token.h"
#include "duel/wire/requests.h"
#include "duel/wire/ubi_event.h"

namespace duel {

// Where the answer to a call goes. Handlers keep it instead of the whole call. REQUIRES: one of its
// copies is used, and only once.
class Send {
 public:
  explicit Send(std::shared_ptr<HttpExchange> outlet) : outlet_(std::move(outlet)) {}
  void operator()(ServerAnswer answer) const { outlet_->send(to_http(std::move(answer))); }
  // Answers with a body of that type, which is written piece by piece.
  std::shared_ptr<HttpStream> stream(std::string type, const HttpFields& more = {}) const {
    HttpFields headers{{"Content-Type", std::move(type)}, {"Cache-Control", "no-store"}};
    headers.insert(headers.end(), more.begin(), more.end());
    return outlet_->stream(200, std::move(headers));
  }
  const std::shared_ptr<HttpExchange>& outlet() const { return outlet_; }

 private:
  std::shared_ptr<HttpExchange> outlet_;
};

struct ApiOptions {
  HttpAddress listen;                      // what `Host` may say
  std::string public_url;                  // the same behind a proxy: https://duel.example.org
  std::vector<std::string> allow_origins;  // pages elsewhere that may call
  double rate_limit = 5000;                // requests a second of one token; 0: no limit
  // Requests come from a command on the store's file, not from a socket: no token is needed.
  bool caller_owns_store = false;
  // In which a proxy before this server adds the address of the client, in lower case; empty: there
  // is none, and the address is the connection's.
  std::string client_address_header{};
  OnAnswered on_answered{};  // empty: requests are not logged
};

// Adds the header that tells a forwarding node that this one had no lease (hop.h), if so.
ServerAnswer with_lease(ServerAnswer answer, const Delivery& delivery);
inline ServerAnswer refusal_of(const Error& error, const Delivery& delivery) {
  return with_lease(refusal(error), delivery);
}

// Answers through `respond`; a stream goes to the caller itself, through `streams`.
Send relayed(Forwarding::Respond respond, std::shared_ptr<HttpExchange> streams);

// Signs and checks report tokens. Every node of a store has the same key.
ReportTokens report_tokens_of(const Engine& engine);

class Api {
 public:
  Api(Engine& engine, ApiTokens& tokens, ApiOptions options);
  // Waits until the engine has answered everything, since its answers refer to this object.
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  void handle(HttpRequest&& request, HttpReply reply);
  // Whether a request may send its body, and how much of one (HttpLimits::admit).
  HttpAdmission admit_body(const HttpRequest& head);
  // Ends streams, so that a server can drain.
  void close();

  const std::deque<RouteFact>& facts() const { return facts_; }
  Json openapi() const;

 private:
  // Who asks. If no token was ever made for the store, everybody may do everything (`open`).
  struct Caller {
    std::optional<ApiToken> token;
    bool open = false;
    bool may(TokenScope scope, std::string_view experiment_id) const;
    // The share link that it came by, or null.
    const ApiToken* link() const {
      return token && token->scope == TokenScope::vote ? &*token : nullptr;
    }
    // The token of a program that answers duels, or null.
    const ApiToken* judge() const {
      return token && token->scope == TokenScope::judge ? &*token : nullptr;
    }
    // No API token: only a report token in the body can open a route.
    bool is_anonymous() const { return !open && !token; }
  };
  struct Call;
  using Handler = void (Api::*)(Call&);
  struct Call {
    Handler handler;
    const RouteFact& fact;
    HttpRequest request;
    PathParameters parameters;
    Caller caller;
    Send send;
    bool from_node = false;  // another node forwarded it; it is not forwarded again
    std::string token_id{};  // of the caller's token, as that node names it; empty: none
    std::shared_ptr<AnsweredRequest> noted{};  // for the log; null: there is none

    const std::string& eid() const { return parameters.at("eid"); }
    // The limits for parsing the body; tighter for a caller without an API token.
    JsonLimits limits() const;
    // A whole number in the query, from `low` to `high`.
    Result<std::uint64_t> query_count(std::string_view name, std::uint64_t otherwise,
                                      std::uint64_t low, std::uint64_t high) const;
    // The body as a struct. Nothing if it is not valid, and then the caller has been told.
    template <class Body>
    std::optional<Body> read() const {
      ServerAnswer refused;
      auto body = body_of<Body>(request, limits(), UnknownFields::refused, refused);
      if (!body) send(std::move(refused));
      return body;
    }
  };

  void add_routes();  // routes.cc
  // `scopes`: any of them opens the route, and so does `admin`; none: open to all. The caller adds
  // to the returned fact what goes in and out.
  RouteFact& add(HttpMethod method, std::string pattern, std::string name, std::string summary,
                 std::vector<TokenScope> scopes, Handler handler);
  void name_hosts();
  // Finds out who calls and whether they may, and calls the handler, here or on the owner's node.
  void admit(Call call, bool tokens_are_fresh);
  void send_to_owner(Call call);
  std::optional<ServerAnswer> check_origin(const HttpRequest& request) const;
  // Whether an unknown token may have been made by another node since this one read the tokens. If
  // so, they are read again. REQUIRES: several nodes share the store.
  bool may_be_new(const std::string& authorization);
  std::optional<ServerAnswer> check_rate(const Caller& caller);
  // For the experiment that the path names, if it names one.
  std::optional<ServerAnswer> check_scope(const RouteFact& fact, const Caller& caller,
                                          const PathParameters& parameters) const;
  std::optional<ServerAnswer> check_query(const Call& call) const;
  // A node that forwards a request names the caller's token by its id.
  Result<Caller> caller_of(const HttpRequest& request, bool from_node,
                           const std::string& token_id) const;
  // Of the caller's token, for the owner to which the request is forwarded; empty: it has none.
  std::string token_id_of(const Call& call) const;
  // By --allow-origin.
  bool is_allowed(const std::string& origin) const;
  HttpFields cors_headers(const HttpRequest& request) const;
  // What the log is to say of a request; null where there is no log.
  std::shared_ptr<AnsweredRequest> note_of(const HttpRequest& request, const std::string& route,
                                           bool from_node) const;
  // Counts and logs an answer that no route has given.
  void note_answer(const HttpRequest& request, const std::string& route, bool from_node,
                   const HttpResponse& response);
  // The key with which subjects and requests of this experiment are hashed.
  std::string salt_of(const std::string& experiment_id);
  // Sends the engine's answer to the caller: an error as a problem, an answer through `reply`.
  template <class Reply>
  static auto told(const Send& send, Reply reply) {
    return [send, reply = std::move(reply)](const auto& answer, const Delivery& delivery) {
      send(answer.ok() ? with_lease(reply(*answer), delivery)
                       : refusal_of(answer.error(), delivery));
    };
  }
  // Runs `work(turn)`, which gives a Result, on the experiment of the call, and sends the answer.
  template <class Work, class Reply>
  void ask(const Call& call, AnswerWhen when, Work work, Reply reply) {
    engine_.ask<std::decay_t<decltype(*work(std::declval<const Turn&>()))>>(
        call.eid(), when, std::move(work), told(call.send, std::move(reply)));
  }
  // The same where the answer is a described body.
  template <class Work>
  void ask(const Call& call, AnswerWhen when, Work work) {
    ask(call, when, std::move(work), [](const auto& answer) { return answer_of(200, answer); });
  }
  // Runs the work on a background thread, or on one of those that read. If too much waits there,
  // the caller is told so.
  void run_later(const Call& call, TaskQueue::Task work) {
    run_on(*background_, call, std::move(work));
  }
  void run_on(TaskQueue& queue, const Call& call, TaskQueue::Task work);
  void read_later(const Call& call, TaskQueue::Task work);
  static void tell_that_too_much_waits(const Call& call);
  TaskQueue::Task safely(TaskQueue::Task work);
  // Calls the handler, on another thread if the body is so large that reading it takes long: the
  // thread of a connection serves many others.
  void handle_here(Call call);

  // experiment_routes.cc
  void create_experiment(Call& call);
  void create_of(const Send& send, const std::shared_ptr<const ExperimentRecord>& record,
                 std::vector<std::string> older_requests);
  void list_experiments(Call& call);
  void show_experiment(Call& call);
  void patch_experiment(Call& call);
  void change_state(Call& call);
  void close_panel(Call& call);
  void miss_members(Call& call);
  void put_arm(Call& call);
  void delete_arm(Call& call);
  void take_comparisons(Call& call);
  void import_log(Call& call);
  // duel_routes.cc
  void serve_duels(Call& call);
  void show_duel(Call& call);
  void interleave_duel(Call& call);
  void interleave_in_one(Call& call);
  void report_outcome(Call& call);
  void report_outcomes(Call& call);
  // The last verdict known of an experiment with many arms. With them a verdict takes as long as
  // many serves, so that readers work it out; a new one is asked for about once a second.
  ProgressAnswer last_progress(const std::string& eid, bool certified);
  struct Voter {
    std::string subject;
    bool over_cap = false;  // too many have come from its address today
  };
  std::optional<Voter> voter_of(const Call& call, const DuelBody& body);
  // Whether the subject may vote by the link of the call, which may be for one browser. It reads
  // and writes the store. If it may not, the caller has been told.
  bool claims_link(const Call& call, const Voter& from);
  void serve_wish(const Call& call, DuelBody body, bool voter, const std::optional<Voter>& from);
  // From where the call came, to this node or to the one that forwarded it.
  std::string address_of(const Call& call) const;
  void count_served(const std::string& eid, const Offer& offer);
  ServerAnswer batch_answer(const std::string& eid, const std::string& batch_id,
                            const std::vector<Offer>& offers);
  // Counts why an outcome was not taken, and says so.
  void refuse_outcome(const std::string& eid, const Send& send, ServerAnswer answer);
  // event_routes.cc
  void take_events(Call& call);
  void take_events_here(const Send& send, const Caller& caller, std::vector<Result<UbiEvent>> all);
  void take_events_over_nodes(Call& call, std::vector<Result<Json>> items,
                              std::vector<Result<UbiEvent>> events);
  // result_routes.cc
  // Answers with what `make` makes of the view. Calls with the same `what` may share an answer.
  void show_text(const Call& call, std::string what, Views::Make make);
  void show(const Call& call, std::string what, std::function<Result<Json>(const View&)> make);
  void show_result(Call& call);
  void show_certificate(Call& call);
  void show_health(Call& call);
  void show_timeline(Call& call);
  void show_slices(Call& call);
  void open_stream(Call& call);
  void plan(Call& call);
  void show_progress(Call& call);
  void list_duels(Call& call);
  void list_policies(Call& call);
  // export_routes.cc
  void export_log(Call& call);
  // operation_routes.cc
  void list_tokens(Call& call);
  void create_token(Call& call);
  void make_token(const TokenBody& body, const Send& send);
  void delete_token(Call& call);
  void healthz(Call& call);
  void readyz(Call& call);
  void metrics(Call& call);
  void show_openapi(Call& call);
  void version(Call& call);

  Engine& engine_;
  const ReportTokens report_tokens_;
  ApiTokens& tokens_;
  ApiOptions options_;
  std::set<std::string> hosts_;    // that `Host` may name, in lower case
  std::set<std::string> origins_;  // of our own pages
  std::deque<RouteFact> facts_;    // a deque, because handlers keep references into it
  std::vector<Route> routes_;
  std::unique_ptr<Router> router_;
  std::shared_ptr<HttpMetrics> metrics_ = std::make_shared<HttpMetrics>();
  std::shared_ptr<EventStreams> streams_;
  RateLimits rate_limits_;
  Voters voters_;
  std::mutex salts_mutex_;  // guards salts_
  TextMap<std::string> salts_;
  std::mutex unknown_mutex_;              // guards unknown_tokens_
  std::set<std::string> unknown_tokens_;  // hashes of those that no node had made
  TrafficHealths traffic_;
  std::unique_ptr<TaskQueue> background_;  // plans, imports
  std::unique_ptr<TaskQueue> exports_;     // each waits for its reader
  std::unique_ptr<TaskQueue> lookups_;     // short searches in the store
  std::unique_ptr<TaskQueue> large_;       // large bodies are read and large answers written
  Views views_;
  struct LastVerdict {
    ProgressAnswer progress;
    bool known = false;
    bool asked = false;  // a newer one is on its way
    std::chrono::steady_clock::time_point at{};
  };
  std::mutex verdicts_mutex_;
  TextMap<LastVerdict> verdicts_;  // of experiments with many arms
  // Null if this process is the only one on the store.
  std::unique_ptr<Hops> hops_;
  std::unique_ptr<Forwarding> forwarding_;
  std::shared_ptr<Upstreams> upstreams_;
  std::unique_ptr<Upkeep> upkeep_;
};

}  // namespace duel
