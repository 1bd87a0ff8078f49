#include "duel/server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/experiment/timestamp.h"
#include "duel/server/pages.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

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

void Api::add(HttpMethod method, std::string pattern, std::string name, std::string summary,
              std::optional<TokenScope> scope, Handler handler, std::function<Json()> body,
              std::vector<int> statuses) {
  facts_.push_back({method, pattern, name, std::move(summary),
                    scope ? std::string(to_word(*scope)) : std::string(), std::move(body),
                    std::move(statuses)});
  const auto run = [this, scope, handler, name](HttpRequest&& request,
                                                const PathParameters& parameters, HttpReply reply) {
    const auto begun = Clock::now();
    const HttpFields cors = cors_headers(request);
    // The reply is shared by the two ways to answer, of which one is taken.
    auto shared = std::make_shared<HttpReply>(std::move(reply));
    const std::string method_word(to_word(request.method));
    const auto send = [metrics = metrics_, shared, cors, begun, name,
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
    if (scope) {
      std::string eid;
      for (const auto& [parameter, value] : parameters.all()) {
        if (parameter == "eid") eid = value;
      }
      // Whoever reports may do so by the report token alone, and voters may ask and report.
      const bool by_voter =
          *scope == TokenScope::duel && call.caller.may(TokenScope::vote, eid) &&
          (name == "serve_duels" || name == "report_outcome" || name == "show_progress");
      const bool by_report_token = name == "report_outcome" || name == "take_events";
      if (!call.caller.may(*scope, eid) && !by_voter && !by_report_token) {
        if (!call.caller.token) return send(refusal(401, "a token is needed"));
        return send(refusal(403, fmt::format("the token's scope is '{}', this needs '{}'",
                                             to_word(call.caller.token->scope), to_word(*scope))));
      }
    }
    (this->*handler)(call);
  };
  routes_.push_back({method, std::move(pattern), std::move(name), run});
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
  const bool preflight = request.method == HttpMethod::options &&
                         request.header("access-control-request-method") != nullptr;
  if (preflight) {
    HttpResponse response;
    response.status = 204;
    response.headers = cors_headers(request);
    response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, PUT");
    response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
    response.headers.emplace_back("Access-Control-Max-Age", "600");
    return reply.send(std::move(response));
  }
  router_->handle(std::move(request), std::move(reply));
}

Json Api::openapi() const { return openapi_of(facts_); }

}  // namespace duel
