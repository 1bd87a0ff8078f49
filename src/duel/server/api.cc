#include "duel/server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <set>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/experiment/timestamp.h"
#include "duel/server/pages.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

// What a page of another origin is for: to ask, to show, to report. The rest is for servers.
bool is_for_pages(std::string_view route) {
  constexpr std::array<std::string_view, 5> kForPages{
      "serve_duels", "interleave_duel", "interleave_in_one", "report_outcome", "take_events"};
  return std::ranges::find(kForPages, route) != kForPages.end();
}

}  // namespace

std::int64_t Api::Call::query_number(std::string_view name, std::int64_t otherwise) const {
  const std::string* text = request.query_value(name);
  if (text == nullptr) return otherwise;
  const auto number = parse_number(*text);
  return number ? static_cast<std::int64_t>(*number) : otherwise;
}

bool Api::Caller::may(TokenScope scope, std::string_view experiment_id) const {
  if (open) return true;
  if (!token) return false;
  if (!token->experiment_id.empty() && token->experiment_id != experiment_id) return false;
  if (token->scope == TokenScope::admin) return true;
  return token->scope == scope;
}

Api::Api(Engine& engine, ApiTokens& tokens, ApiOptions options)
    : engine_(engine),
      tokens_(tokens),
      options_(std::move(options)),
      streams_(std::make_shared<EventStreams>()),
      rate_limits_(options_.rate_limit),
      background_(3, 64) {
  add_routes();
  router_ = std::make_unique<Router>(std::move(routes_));
  engine_.listen([streams = streams_](const EngineEvent& event) { streams->tell(event); });
}

Api::~Api() {
  // What waits in the engine may refer to this.
  for (bool passed = false; !passed;) {
    std::promise<int> reached;
    engine_.ask_all(
        AnswerWhen::durable,
        [](const auto&, std::int64_t) -> Result<ServerAnswer> { return ServerAnswer{}; },
        [&](const ServerAnswer& answer) { reached.set_value(answer.status); });
    passed = reached.get_future().get() != 429;
  }
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
  const auto run = [this, &fact = added, handler](
                       HttpRequest&& request, const PathParameters& parameters, HttpReply reply) {
    const auto begun = Clock::now();
    const HttpFields cors = is_for_pages(fact.name) ? cors_headers(request) : HttpFields{};
    // The reply is shared by the two ways to answer, of which one is taken.
    auto shared = std::make_shared<HttpReply>(std::move(reply));
    const std::string method_word(to_word(request.method));
    const auto send = [metrics = metrics_, shared, cors, begun, name = fact.name,
                       method_word](const ServerAnswer& answer) {
      const std::chrono::duration<double> took = Clock::now() - begun;
      metrics->count(name, method_word, answer.status, took.count());
      HttpResponse response = to_http(answer);
      response.headers.insert(response.headers.end(), cors.begin(), cors.end());
      shared->send(std::move(response));
    };
    Call call{std::move(request), parameters, {}, send, [shared](int status, HttpFields headers) {
                return shared->stream(status, std::move(headers));
              }};
    const auto caller = caller_of(call.request);
    if (!caller.ok()) return send(refusal(401, caller.error().message));
    call.caller = *caller;
    if (auto refused = check_rate(call.caller)) return send(*refused);
    if (auto refused = check_scope(fact, call)) return send(*refused);
    (this->*handler)(call);
  };
  routes_.push_back({method, std::move(pattern), std::move(name), run});
  return added;
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

std::optional<ServerAnswer> Api::check_scope(const RouteFact& fact, const Call& call) const {
  if (fact.scopes.empty()) return std::nullopt;
  std::string eid;
  for (const auto& [parameter, value] : call.parameters.all()) {
    if (parameter == "eid") eid = value;
  }
  const auto opens = [&](TokenScope scope) { return call.caller.may(scope, eid); };
  if (std::ranges::any_of(fact.scopes, opens)) return std::nullopt;
  if (!call.caller.token) {
    // The body may hold a report token; the handler looks.
    if (fact.by_report_token) return std::nullopt;
    return refusal(401, "a token is needed");
  }
  const ApiToken& token = *call.caller.token;
  if (std::ranges::find(fact.scopes, token.scope) != fact.scopes.end() ||
      token.scope == TokenScope::admin) {
    // Right, but for another experiment. Events say themselves which one they are for.
    if (fact.by_report_token) return std::nullopt;
    return refusal(403,
                   fmt::format("the token is for the experiment '{}' only", token.experiment_id));
  }
  std::string wanted;
  for (const TokenScope scope : fact.scopes) {
    wanted += fmt::format("{}'{}'", wanted.empty() ? "" : " or ", to_word(scope));
  }
  return refusal(
      403, fmt::format("the token's scope is '{}', this needs {}", to_word(token.scope), wanted));
}

Result<Api::Caller> Api::caller_of(const HttpRequest& request) const {
  const std::string* header = request.header("authorization");
  if (options_.caller_owns_store) return Caller{.token = std::nullopt, .open = true};
  if (header == nullptr) return Caller{.token = std::nullopt, .open = !tokens_.any()};
  if (!header->starts_with("Bearer ")) {
    return Error::invalid_argument("the header Authorization has to be `Bearer TOKEN`");
  }
  auto token = tokens_.find(std::string_view(*header).substr(7), current_time_ms());
  if (!token) return Error::invalid_argument("the token is unknown, revoked or expired");
  return Caller{.token = std::move(token), .open = false};
}

// A page on the web must not reach a server on loopback: neither by its own origin nor by a name
// that it made point there.
std::optional<ServerAnswer> Api::check_origin(const HttpRequest& request) const {
  const std::string port = std::to_string(options_.listen.port);
  std::set<std::string> hosts = {options_.listen.to_string()};
  if (options_.listen.is_loopback() || options_.listen.host.empty()) {
    for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) {
      hosts.insert(std::string(name) + ":" + port);
    }
  }
  std::set<std::string> origins;
  for (const std::string& host : hosts) origins.insert("http://" + host);
  if (const std::size_t begin = options_.public_url.find("://"); begin != std::string::npos) {
    const std::string host =
        options_.public_url.substr(begin + 3, options_.public_url.find('/', begin + 3) - begin - 3);
    hosts.insert(host);
    origins.insert(options_.public_url.substr(0, begin + 3) + host);
  }
  const std::string* host = request.header("host");
  const bool any_interface = options_.listen.host.empty() && options_.public_url.empty();
  if (!any_interface && (host == nullptr || !hosts.contains(*host))) {
    return refusal(403, "the header Host names another server");
  }
  const std::string* origin = request.header("origin");
  if (origin == nullptr || origins.contains(*origin)) return std::nullopt;
  const auto& allowed = options_.allow_origins;
  if (std::find(allowed.begin(), allowed.end(), *origin) != allowed.end()) return std::nullopt;
  return refusal(403, "pages of this origin are not allowed to call");
}

HttpFields Api::cors_headers(const HttpRequest& request) const {
  const std::string* origin = request.header("origin");
  const auto& allowed = options_.allow_origins;
  if (origin == nullptr || std::find(allowed.begin(), allowed.end(), *origin) == allowed.end()) {
    return {};
  }
  return {{"Access-Control-Allow-Origin", *origin}, {"Vary", "Origin"}};
}

void Api::handle(HttpRequest&& request, HttpReply reply) {
  if (auto refused = check_origin(request)) {
    metrics_->count("refused", std::string(to_word(request.method)), refused->status, 0);
    return reply.send(to_http(*refused));
  }
  if (auto page = page_answer(request)) {
    metrics_->count("pages", std::string(to_word(request.method)), page->status, 0);
    return reply.send(std::move(*page));
  }
  const std::string* asked = request.header("access-control-request-method");
  if (request.method == HttpMethod::options && asked != nullptr) {
    const Route* route = router_->match(http_method_of(*asked), request.path).route;
    HttpResponse response;
    response.status = 204;
    if (route != nullptr && is_for_pages(route->name)) {
      response.headers = cors_headers(request);
      response.headers.emplace_back("Access-Control-Allow-Methods", "POST, PUT");
      response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
      response.headers.emplace_back("Access-Control-Max-Age", "600");
    }
    return reply.send(std::move(response));
  }
  router_->handle(std::move(request), std::move(reply));
}

Json Api::openapi() const { return openapi_of(facts_); }

}  // namespace duel
