#include "duel/server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "duel/core/digest.h"
#include "duel/core/numbers.h"
#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"
#include "duel/http/http_text.h"
#include "duel/server/web_pages.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

// Whether the owner of the experiment has to answer.
bool asks_owner(const RouteFact& fact) {
  return fact.pattern.find("{eid}") != std::string::npos && !fact.for_any_node;
}

// Names of hosts have no case, and the scheme's own port may be left out: browsers do so.
std::string canonical_origin(std::string_view url) {
  std::string origin = lower_case(url);
  for (const auto& [scheme, port] : {std::pair("http://", ":80"), {"https://", ":443"}}) {
    if (origin.starts_with(scheme) && origin.ends_with(port)) {
      origin.resize(origin.size() - std::string_view(port).size());
    }
  }
  return origin;
}

// Answers the caller, counts that, and logs it.
class CountedOutlet final : public HttpExchange {
 public:
  // What the answer gets a header for; none where it is empty.
  using Sign = std::function<std::string(const HttpResponse&)>;

  CountedOutlet(HttpReply reply, std::shared_ptr<HttpMetrics> metrics, HttpMetrics::Series& series,
                HttpMethod method, HttpFields cors, Sign sign,
                std::shared_ptr<AnsweredRequest> noted, OnAnswered on_answered)
      : reply_(std::move(reply)),
        metrics_(std::move(metrics)),
        series_(series),
        method_(method),
        cors_(std::move(cors)),
        sign_(std::move(sign)),
        noted_(std::move(noted)),
        on_answered_(std::move(on_answered)) {}

  void send(HttpResponse response) override {
    count(response.status, response.text().size(), false);
    if (sign_) response.headers.emplace_back(Hops::kAnswerHeader, sign_(response));
    response.headers.insert(response.headers.end(), cors_.begin(), cors_.end());
    reply_.send(std::move(response));
  }
  // Counted when it begins, since a stream may stay open for days.
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override {
    count(status, 0, true);
    return reply_.stream(status, std::move(headers));
  }

 private:
  void count(int status, std::size_t bytes, bool streams) {
    const std::chrono::duration<double> took = Clock::now() - begun_;
    metrics_->count(series_, method_, status, took.count());
    if (!noted_) return;
    noted_->status = status;
    noted_->bytes = bytes;
    noted_->streams = streams;
    noted_->seconds = took.count();
    on_answered_(*noted_);
  }

  HttpReply reply_;
  const std::shared_ptr<HttpMetrics> metrics_;  // holds series_; an answer may outlive the API
  HttpMetrics::Series& series_;
  const Clock::time_point begun_ = Clock::now();
  const HttpMethod method_;
  const HttpFields cors_;
  const Sign sign_;  // for the node that forwarded the request
  const std::shared_ptr<AnsweredRequest> noted_;
  const OnAnswered on_answered_;
};

// The token in the header; nothing if it is of another scheme.
std::optional<std::string_view> bearer_in(std::string_view header) {
  // The scheme's name is case-insensitive (RFC 9110, 11.1).
  constexpr std::string_view kScheme = "Bearer ";
  if (!equal_ignoring_case(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return header.substr(kScheme.size());
}

}  // namespace

Result<std::uint64_t> Api::Call::query_count(std::string_view name, std::uint64_t otherwise,
                                             std::uint64_t low, std::uint64_t high) const {
  const std::string* text = request.query_value(name);
  if (text == nullptr) return otherwise;
  const auto number = parse_count(*text);
  if (number.ok() && low <= *number && *number <= high) return *number;
  return Error::invalid_argument(
      fmt::format("{} is not a whole number between {} and {}", name, low, high));
}

JsonLimits Api::Call::limits() const {
  JsonLimits limits = fact.limits;
  // A forwarded body was checked by the node that sent it, which may have added fields.
  if (caller.is_anonymous() && !from_node) limits.values = fact.values_by_report_token;
  return limits;
}

bool Api::Caller::may(TokenScope scope, std::string_view experiment_id) const {
  if (open) return true;
  if (!token) return false;
  if (!token->experiment_id.empty() && token->experiment_id != experiment_id) return false;
  if (token->scope == TokenScope::admin) return true;
  return token->scope == scope;
}

ServerAnswer with_lease(ServerAnswer answer, const Delivery& delivery) {
  if (delivery.without_lease) answer.headers.emplace_back(kLeaseHeader, "lost");
  return answer;
}

ReportTokens report_tokens_of(const Engine& engine) {
  const std::string key = engine.key_for("report tokens");
  return {"k" + hmac_sha256_hex(key, "id").substr(0, 6), key};
}

Send relayed(Forwarding::Respond respond, std::shared_ptr<HttpExchange> streams) {
  class RelayedOutlet final : public HttpExchange {
   public:
    RelayedOutlet(Forwarding::Respond its_respond, std::shared_ptr<HttpExchange> its_streams)
        : respond_(std::move(its_respond)), streams_(std::move(its_streams)) {}
    void send(HttpResponse response) override { respond_(std::move(response)); }
    std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override {
      return streams_->stream(status, std::move(headers));
    }

   private:
    const Forwarding::Respond respond_;
    const std::shared_ptr<HttpExchange> streams_;
  };
  return Send(std::make_shared<RelayedOutlet>(std::move(respond), std::move(streams)));
}

Api::Api(Engine& engine, ApiTokens& tokens, ApiOptions options)
    : engine_(engine),
      report_tokens_(report_tokens_of(engine)),
      tokens_(tokens),
      options_(std::move(options)),
      streams_(std::make_shared<EventStreams>([this](const std::string& token_id) {
        if (options_.caller_owns_store) return true;
        return token_id.empty() ? !tokens_.any() : tokens_.is_good(token_id, current_time_ms());
      })),
      rate_limits_(options_.rate_limit),
      voters_(engine.key_for("voters of share links")),
      background_(engine.world().queue({.threads = 3, .most_waiting = 64, .low_priority = true})),
      exports_(engine.world().queue({.threads = 3, .most_waiting = 64, .low_priority = true})),
      lookups_(engine.world().queue({.most_waiting = 1'000})),
      large_(engine.world().queue({.threads = 2, .most_waiting = 256, .low_priority = true})),
      views_(engine_) {
  options_.client_address_header = lower_case(options_.client_address_header);
  name_hosts();
  add_routes();
  router_ = std::make_unique<Router>(std::move(routes_));
  engine_.listen([streams = streams_](const EngineEvent& event) { streams->tell(event); });
  Nodes* const nodes = engine_.store().nodes();
  if (nodes == nullptr) return;
  hops_ = std::make_unique<Hops>(*nodes, engine_.key_for("hops between nodes"));
  forwarding_ = std::make_unique<Forwarding>(engine_.world(), *nodes, *hops_);
  upstreams_ = std::make_shared<Upstreams>(
      engine_.world(), *nodes, *hops_,
      Upstreams::Pages{
          .listen = [streams =
                         streams_](const std::string& id) { return streams->has_clients(id); },
          .hear = [streams = streams_](const std::string& id,
                                       const std::string& text) { streams->relay(id, text); }});
  upkeep_ = std::make_unique<Upkeep>(
      engine_, *nodes,
      [this] {
        const Status read = tokens_.refresh();
        streams_->end_unwelcome();
        return read;
      },
      !options_.caller_owns_store);
  engine_.listen([upstreams = upstreams_, streams = streams_](const EngineEvent& event) {
    if (event.kind == "moved" && streams->has_clients(event.experiment_id)) {
      upstreams->follow(event.experiment_id, true);
    }
  });
}

Api::~Api() {
  // Background tasks use the views and forwarding, so they end first.
  background_->stop();
  exports_->stop();
  lookups_->stop();
  large_->stop();
  views_.stop();
  if (upkeep_) {
    upkeep_->stop();
    forwarding_->stop();
    upstreams_->stop();
  }
  engine_.wait_for_all();  // requests that wait there hold references to this
  streams_->close();       // the engine still has them, and they ask about tokens
}

void Api::close() { streams_->close(); }

RouteFact& Api::add(HttpMethod method, std::string pattern, std::string name, std::string summary,
                    std::vector<TokenScope> scopes, Handler handler) {
  RouteFact& added = facts_.emplace_back();
  added.method = method;
  added.pattern = pattern;
  added.name = name;
  added.summary = std::move(summary);
  added.scopes = std::move(scopes);
  // A setting that is given twice may have been meant either way, so admin routes refuse it.
  added.limits.names_differ = added.is_for_admins();
  const auto run = [this, &fact = added, handler, &series = metrics_->of(added.name)](
                       HttpRequest&& request, PathParameters&& parameters, HttpReply reply) {
    // A forwarded request must not be forwarded again: two nodes that each take the other for the
    // owner would send it back and forth.
    const std::optional<Hop> hop = hops_ ? hops_->verify(request) : std::nullopt;
    CountedOutlet::Sign sign;
    if (hop) {
      sign = [this, header = *request.header(Hops::kHeader), method = request.method](
                 const HttpResponse& answer) { return hops_->sign_answer(header, method, answer); };
    }
    // From here on the request bears our span: so does what another node is asked for its sake.
    const bool is_logged = static_cast<bool>(options_.on_answered);
    std::optional<TraceContext> trace = continue_trace(request, is_logged);
    const std::shared_ptr<AnsweredRequest> noted = note_of(request, fact.name, hop.has_value());
    if (noted) {
      noted->trace = std::move(trace);
      for (const auto& [parameter, value] : parameters.all()) {
        if (parameter == "eid") noted->experiment_id = value;
      }
    }
    Send send(std::make_shared<CountedOutlet>(std::move(reply), metrics_, series, request.method,
                                              fact.for_pages ? cors_headers(request) : HttpFields{},
                                              std::move(sign), noted, options_.on_answered));
    if (hop && !hops_->is_here(*hop)) {
      return send(refusal(421, "this node is not the owner in that epoch", true));
    }
    try {
      admit({handler,
             fact,
             std::move(request),
             std::move(parameters),
             {},
             std::move(send),
             hop.has_value(),
             hop ? hop->token_id : "",
             noted},
            false);
    } catch (const std::exception& exception) {
      (void)engine_.mistake(exception);  // the reply went with the call, and has answered 500
    }
  };
  routes_.push_back({method, std::move(pattern), std::move(name), run});
  return added;
}

void Api::admit(Call call, bool tokens_are_fresh) {
  if (call.from_node && call.fact.for_nodes) {
    call.caller.open = true;
    return (this->*call.handler)(call);
  }
  // A route that is open to all looks at no token: a probe whose token has expired must not take a
  // server out of service.
  if (call.fact.scopes.empty()) return (this->*call.handler)(call);
  auto caller = caller_of(call.request, call.from_node, call.token_id);
  if (!caller.ok()) {
    const Send send = call.send;
    // Another node may have made the token since this node last read them.
    const bool waits =
        upkeep_ && !tokens_are_fresh &&
        upkeep_->want_tokens([this, again = std::make_shared<Call>(std::move(call))] {
          admit(std::move(*again), true);
        });
    if (!waits) send(refusal(401, caller.error().message));
    return;
  }
  call.caller = std::move(*caller);
  if (call.noted && call.caller.token) call.noted->token_id = call.caller.token->token_id;
  // A forwarded request was counted on the node where it came in.
  if (!call.from_node) {
    if (auto refused = check_rate(call.caller)) return call.send(*refused);
  }
  if (auto refused = check_scope(call.fact, call.caller, call.parameters)) {
    return call.send(*refused);
  }
  if (auto refused = check_query(call)) return call.send(*refused);
  // A caller with no token at all must not make the server parse megabytes.
  if (call.caller.is_anonymous() && call.fact.by_report_token && !call.from_node &&
      call.request.content().size() > call.fact.bytes_by_report_token) {
    return call.send(refusal(413, fmt::format("a body without an API token has at most {} bytes",
                                              call.fact.bytes_by_report_token)));
  }
  if (forwarding_ && !call.from_node && asks_owner(call.fact)) {
    return send_to_owner(std::move(call));
  }
  handle_here(std::move(call));
}

void Api::handle_here(Call call) {
  constexpr std::size_t kLargeBody = std::size_t{256} << 10;  // takes a few milliseconds
  if (call.request.body.size() <= kLargeBody) return (this->*call.handler)(call);
  const auto kept = std::make_shared<Call>(std::move(call));
  run_on(*large_, *kept, [this, kept] { (this->*kept->handler)(*kept); });
}

void Api::send_to_owner(Call call) {
  const std::string eid = call.eid();
  std::string token_id = token_id_of(call);
  HttpRequest request = std::move(call.request);
  // The owner sees a connection from this node.
  std::erase_if(request.headers, [](const auto& field) { return field.first == kClientHeader; });
  request.headers.emplace_back(kClientHeader,
                               address_of_client(request, options_.client_address_header));
  const std::shared_ptr<HttpExchange> outlet = call.send.outlet();
  const auto kept = std::make_shared<const Call>(std::move(call));
  const auto here = [this, kept](HttpRequest asked, Forwarding::Respond respond) {
    Call local{kept->handler,    kept->fact,   std::move(asked),
               kept->parameters, kept->caller, relayed(std::move(respond), kept->send.outlet())};
    handle_here(std::move(local));
  };
  forwarding_->send(eid, std::move(request), std::move(token_id), here,
                    [outlet](HttpResponse response) { outlet->send(std::move(response)); });
}

std::string Api::address_of(const Call& call) const {
  if (!call.from_node) return address_of_client(call.request, options_.client_address_header);
  const std::string* told = call.request.header(kClientHeader);
  return told != nullptr ? *told : "";
}

void Api::run_on(TaskQueue& queue, const Call& call, TaskQueue::Task work) {
  if (!queue.post(safely(std::move(work)))) tell_that_too_much_waits(call);
}

void Api::read_later(const Call& call, TaskQueue::Task work) {
  if (!views_.submit(safely(std::move(work)))) tell_that_too_much_waits(call);
}

void Api::tell_that_too_much_waits(const Call& call) {
  call.send(refusal(429, "too much work waits; try again", true));
}

// An exception that left a task would end the process. The task goes with it, and the reply that it
// held answers 500.
TaskQueue::Task Api::safely(TaskQueue::Task work) {
  return [this, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& exception) {
      (void)engine_.mistake(exception);
    }
  };
}

std::optional<ServerAnswer> Api::check_rate(const Caller& caller) {
  if (!caller.token) return std::nullopt;
  const double wait = rate_limits_.take(caller.token->token_id, Clock::now());
  if (wait == 0) return std::nullopt;
  ServerAnswer answer = refusal(429,
                                fmt::format("the token made more than {} requests a second",
                                            format_number(options_.rate_limit)),
                                true);
  answer.headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(wait)));
  return answer;
}

std::optional<ServerAnswer> Api::check_scope(const RouteFact& fact, const Caller& caller,
                                             const PathParameters& parameters) const {
  if (fact.scopes.empty()) return std::nullopt;
  std::string eid;
  for (const auto& [parameter, value] : parameters.all()) {
    if (parameter == "eid") eid = value;
  }
  const auto opens = [&](TokenScope scope) { return caller.may(scope, eid); };
  if (std::ranges::any_of(fact.scopes, opens)) return std::nullopt;
  if (!caller.token) {
    // The body may hold a report token, which the handler looks for.
    if (fact.by_report_token) return std::nullopt;
    return refusal(401, "a token is needed");
  }
  const ApiToken& token = *caller.token;
  if (std::ranges::find(fact.scopes, token.scope) != fact.scopes.end() ||
      token.scope == TokenScope::admin) {
    // The scope is right, but the token is for another experiment. Routes that take report tokens
    // check that themselves, since a body with events can name several experiments.
    if (fact.by_report_token) return std::nullopt;
    return refusal(403,
                   fmt::format("the token is for the experiment '{}' only", token.experiment_id));
  }
  std::string wanted;
  for (const TokenScope scope : fact.scopes) {
    wanted += fmt::format("{}'{}'", wanted.empty() ? "" : " or ", to_word(scope));
  }
  return refusal(
      403, fmt::format("the token's scope is '{}'; this needs {}", to_word(token.scope), wanted));
}

// As with unknown fields, what an admin asks for is done as it was meant or not at all.
std::optional<ServerAnswer> Api::check_query(const Call& call) const {
  if (!call.fact.is_for_admins()) return std::nullopt;
  for (const auto& [name, value] : call.request.query) {
    const auto is_it = [&](const RouteFact::Parameter& known) {
      return known.in == "query" && known.name == name;
    };
    if (std::ranges::any_of(call.fact.parameters, is_it)) continue;
    return refusal(400, fmt::format("the query parameter '{}' is not known here", name));
  }
  return std::nullopt;
}

Result<Api::Caller> Api::caller_of(const HttpRequest& request, bool from_node,
                                   const std::string& token_id) const {
  if (options_.caller_owns_store) return Caller{.token = std::nullopt, .open = true};
  const std::string* header = request.header("authorization");
  const bool shows_none = from_node ? token_id.empty() : header == nullptr;
  if (shows_none) return Caller{.token = std::nullopt, .open = !tokens_.any()};
  std::optional<ApiToken> token;
  if (from_node) {
    token = tokens_.with_id(token_id, current_time_ms());
  } else {
    const auto bearer = bearer_in(*header);
    if (!bearer) {
      return Error::invalid_argument("the header Authorization has to be `Bearer TOKEN`");
    }
    token = tokens_.find(*bearer, current_time_ms());
  }
  if (!token) return Error::invalid_argument("the token is unknown, revoked or expired");
  return Caller{.token = std::move(token), .open = false};
}

std::string Api::token_id_of(const Call& call) const {
  if (call.caller.token) return call.caller.token->token_id;
  // A command that owns its store needs no token here, but may need one for the owner.
  const std::string* header = call.request.header("authorization");
  const auto bearer = header != nullptr ? bearer_in(*header) : std::nullopt;
  const auto token = bearer ? tokens_.find(*bearer, current_time_ms()) : std::nullopt;
  return token ? token->token_id : "";
}

std::string Api::salt_of(const std::string& experiment_id) {
  constexpr std::size_t kMostSalts = 10'000;  // names come from callers, who could make them up
  const std::lock_guard lock(salts_mutex_);
  if (const auto known = salts_.find(experiment_id); known != salts_.end()) return known->second;
  if (salts_.size() == kMostSalts) salts_.clear();
  return salts_[experiment_id] = engine_.key_for("subject/" + experiment_id);
}

void Api::name_hosts() {
  const std::string port = std::to_string(options_.listen.port);
  std::vector<std::string> urls{"http://" + options_.listen.to_string()};
  if (options_.listen.is_loopback() || options_.listen.is_every_interface()) {
    for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) {
      urls.push_back(fmt::format("http://{}:{}", name, port));
    }
  }
  if (const std::size_t begin = options_.public_url.find("://"); begin != std::string::npos) {
    urls.push_back(options_.public_url.substr(0, options_.public_url.find('/', begin + 3)));
  }
  for (const std::string& url : urls) {
    const std::string origin = canonical_origin(url);
    const std::string host = origin.substr(origin.find("://") + 3);
    origins_.insert(origin);
    hosts_.insert(host);
    const bool has_port = host.find(':', host.find(']') + 1) != std::string::npos;
    if (!has_port) hosts_.insert(host + (origin.starts_with("https:") ? ":443" : ":80"));
  }
  for (std::string& origin : options_.allow_origins) origin = canonical_origin(origin);
}

// A page on the web must not reach a server on loopback: neither from its own origin (the check of
// `Origin`) nor through a name of its own that it made resolve to 127.0.0.1 (the check of `Host`).
// A server on every interface asks everybody for a token. Without a public URL nobody can tell by
// what names it is reached, so any will do, and its own pages are those of the name that was used.
std::optional<ServerAnswer> Api::check_origin(const HttpRequest& request) const {
  const std::string* host = request.header("host");
  const bool any_name = options_.listen.is_every_interface() && options_.public_url.empty();
  if (!any_name && (host == nullptr || !hosts_.contains(lower_case(*host)))) {
    return refusal(403, "the Host header names another server");
  }
  const std::string* origin = request.header("origin");
  if (origin == nullptr || origins_.contains(canonical_origin(*origin))) return std::nullopt;
  if (any_name && host != nullptr &&
      canonical_origin(*origin) == canonical_origin("http://" + *host)) {
    return std::nullopt;
  }
  if (is_allowed(*origin)) return std::nullopt;
  return refusal(403, "pages of this origin are not allowed to call");
}

bool Api::is_allowed(const std::string& origin) const {
  const auto& allowed = options_.allow_origins;
  return std::ranges::find(allowed, canonical_origin(origin)) != allowed.end();
}

HttpFields Api::cors_headers(const HttpRequest& request) const {
  const std::string* origin = request.header("origin");
  if (origin == nullptr || !is_allowed(*origin)) return {};
  return {{"Access-Control-Allow-Origin", *origin}, {"Vary", "Origin"}};
}

std::shared_ptr<AnsweredRequest> Api::note_of(const HttpRequest& request, const std::string& route,
                                              bool from_node) const {
  if (!options_.on_answered) return nullptr;
  auto noted = std::make_shared<AnsweredRequest>();
  noted->route = route;
  noted->method = request.method;
  noted->path = request.path;
  noted->from_node = from_node;
  const std::string* told = from_node ? request.header(kClientHeader) : nullptr;
  noted->client =
      told != nullptr ? *told : address_of_client(request, options_.client_address_header);
  // One of this machine says nothing for limits, but belongs into a log.
  if (noted->client.empty() && !from_node) noted->client = request.peer;
  return noted;
}

void Api::note_answer(const HttpRequest& request, const std::string& route, bool from_node,
                      const HttpResponse& response) {
  metrics_->count(metrics_->of(route), request.method, response.status, 0);
  const std::shared_ptr<AnsweredRequest> noted = note_of(request, route, from_node);
  if (!noted) return;
  noted->trace = next_span(request, true);
  noted->status = response.status;
  noted->bytes = response.text().size();
  options_.on_answered(*noted);
}

bool Api::may_be_new(const std::string& authorization) {
  constexpr std::size_t kMost = 1'000;  // callers make them up
  const std::string key = sha256_hex(authorization);
  {
    const std::lock_guard lock(unknown_mutex_);
    if (unknown_tokens_.contains(key)) return false;
  }
  return upkeep_->want_tokens([this, key] {
    const std::lock_guard lock(unknown_mutex_);
    if (unknown_tokens_.size() == kMost) unknown_tokens_.clear();
    unknown_tokens_.insert(key);
  });
}

// What is told here is what `handle` would tell later, when the body has come. A request without a
// route or a body of its own, a page say, gets a few bytes and its answer from `handle`.
HttpAdmission Api::admit_body(const HttpRequest& head) {
  constexpr std::size_t kFew = 4'096;
  const std::optional<Hop> hop = hops_ ? hops_->verify_head(head) : std::nullopt;
  const bool from_node = hop.has_value();
  const Router::Match found = router_->match(head.method, head.path);
  const auto has_name = [&](const RouteFact& one) { return one.name == found.route->name; };
  const auto fact = found.route == nullptr ? facts_.end() : std::ranges::find_if(facts_, has_name);
  const auto refuse = [&](const ServerAnswer& answer) {
    const bool known = fact != facts_.end();
    HttpResponse response = to_http(answer);
    note_answer(head, known ? fact->name : "refused", from_node, response);
    if (known && fact->for_pages) {
      const HttpFields cors = cors_headers(head);
      response.headers.insert(response.headers.end(), cors.begin(), cors.end());
    }
    if (from_node) {
      response.headers.emplace_back(
          Hops::kAnswerHeader,
          hops_->sign_answer(*head.header(Hops::kHeader), head.method, response));
    }
    return HttpAdmission{.refusal = std::move(response)};
  };
  if (!from_node) {
    if (const auto refused = check_origin(head)) return refuse(*refused);
  }
  if (fact == facts_.end() || fact->takes_contents.empty()) return {.body_bytes = kFew};
  const auto caller = caller_of(head, from_node, hop ? hop->token_id : "");
  if (!caller.ok()) {
    // Another node may have made the token since this node last read them. The caller waits for the
    // reading, and not the body.
    if (upkeep_ && may_be_new(hop ? hop->token_id : *head.header("authorization"))) {
      return refuse(refusal(503, "this node is reading the tokens; try again", true));
    }
    return refuse(refusal(401, caller.error().message));
  }
  if (const auto refused = check_scope(*fact, *caller, found.parameters)) return refuse(*refused);
  if (caller->is_anonymous() && !from_node) return {.body_bytes = fact->bytes_by_report_token};
  if (fact->bytes_in_file > 0) return {.body_bytes = fact->bytes_in_file, .to_file = true};
  return {};
}

void Api::handle(HttpRequest&& request, HttpReply reply) {
  // Nodes call each other by the addresses that they advertise, which `Host` then names.
  const bool from_node = hops_ && hops_->verify(request).has_value();
  const auto answer = [&](const std::string& route, HttpResponse response) {
    note_answer(request, route, from_node, response);
    reply.send(std::move(response));
  };
  if (auto refused = from_node ? std::nullopt : check_origin(request)) {
    return answer("refused", to_http(*refused));
  }
  if (auto page = web_page(request)) return answer("pages", std::move(*page));
  const std::string* asked = request.header("access-control-request-method");
  if (request.method == HttpMethod::options && asked != nullptr) {
    const Route* route = router_->match(http_method_of(*asked), request.path).route;
    HttpResponse response;
    response.status = 204;
    const auto is_asked = [&](const RouteFact& fact) {
      return route != nullptr && fact.name == route->name && fact.for_pages;
    };
    if (std::ranges::any_of(facts_, is_asked)) {
      response.headers = cors_headers(request);
      response.headers.emplace_back("Access-Control-Allow-Methods", "POST, PUT");
      response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
      response.headers.emplace_back("Access-Control-Max-Age", "600");
    }
    return answer("preflight", std::move(response));
  }
  Router::Match found = router_->match(request.method, request.path);
  if (found.route == nullptr) {
    if (auto page = found.refusal.status == 404 ? web_page_of_nothing(request) : std::nullopt) {
      return answer("none", std::move(*page));
    }
    return answer("none", std::move(found.refusal));
  }
  found.route->handler(std::move(request), std::move(found.parameters), std::move(reply));
}

Json Api::openapi() const { return openapi_of(facts_); }

}  // namespace duel
