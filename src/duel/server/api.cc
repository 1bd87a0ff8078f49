#include "duel/server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <thread>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/numbers.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/standing.h"
#include "duel/experiment/timestamp.h"
#include "duel/server/bodies.h"
#include "duel/server/timeline.h"
#include "duel/server/ubi_event.h"
#include "duel/study/plan.h"
#include "duel/version_info.h"

namespace duel {
namespace {

constexpr std::size_t kMostOutcomes = 10'000;

using Clock = std::chrono::steady_clock;

std::string media_type_of(const HttpRequest& request) {
  const std::string* header = request.header("content-type");
  if (header == nullptr) return {};
  std::string type = header->substr(0, header->find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

struct Parsed {
  std::optional<Json> json;
  ServerAnswer refused;
};

Parsed json_of(const HttpRequest& request) {
  if (media_type_of(request) != "application/json") {
    return {std::nullopt, refusal(415, "the body must be application/json")};
  }
  auto json = Json::parse(request.body);
  if (!json) return {std::nullopt, refusal(400, "the body is not JSON")};
  return {std::move(json), {}};
}

template <class Body>
std::optional<Body> read_body(const Json& json, UnknownFields unknown, ServerAnswer& refused) {
  BodyReader reader(unknown);
  Body body;
  reader.read(json, "", body);
  if (reader.errors().empty()) return body;
  const BodyError& first = reader.errors().front();
  refused = refusal(400, (first.pointer.empty() ? "the body" : first.pointer) + " " + first.message,
                    false, reader.errors());
  return std::nullopt;
}

// An empty body is an empty object where nothing is required.
template <class Body>
std::optional<Body> body_of(const HttpRequest& request, UnknownFields unknown,
                            ServerAnswer& refused) {
  if (request.body.empty()) return read_body<Body>(Json::object(), unknown, refused);
  Parsed parsed = json_of(request);
  if (!parsed.json) {
    refused = std::move(parsed.refused);
    return std::nullopt;
  }
  return read_body<Body>(*parsed.json, unknown, refused);
}

// One JSON value, an array of them, or one on each line; a line that is not JSON is nothing.
std::vector<std::optional<Json>> items_of(const HttpRequest& request, bool lines) {
  std::vector<std::optional<Json>> items;
  if (!lines) {
    if (auto json = Json::parse(request.body)) {
      if (!json->is_array()) return {std::move(json)};
      for (const Json& item : json->items()) items.emplace_back(item);
      return items;
    }
  }
  std::string_view rest = request.body;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find_first_not_of(" \r\t") != std::string_view::npos)
      items.push_back(Json::parse(line));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return items;
}

// Waits for a client that reads slowly; false where it is gone.
bool write_in_pieces(HttpStream& stream, std::string_view text) {
  constexpr std::size_t kPiece = 65'536;
  while (!text.empty()) {
    while (stream.buffered() > stream.capacity() / 2 && !stream.closed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!stream.write(std::string(text.substr(0, kPiece)))) return false;
    text.remove_prefix(std::min(kPiece, text.size()));
  }
  return true;
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
      background_(3, 64) {
  using Method = HttpMethod;
  constexpr auto kAdmin = TokenScope::admin;
  constexpr auto kRead = TokenScope::read;
  constexpr auto kDuel = TokenScope::duel;
  const std::string one = "/v1/experiments/{eid}";
  add(Method::put, one, "create_experiment",
      "Create an experiment; an identical repeat changes nothing.", kAdmin, &Api::create_experiment,
      schema_of<ExperimentBody>, {200, 201});
  add(Method::get, "/v1/experiments", "list_experiments", "List all experiments.", kRead,
      &Api::list_experiments);
  add(Method::get, one, "show_experiment", "Configuration and state.", kRead,
      &Api::show_experiment);
  add(Method::patch, one, "patch_experiment", "Change what may change; needs If-Match.", kAdmin,
      &Api::patch_experiment, schema_of<PatchBody>);
  for (const char* verb : {"start", "pause", "resume", "complete", "archive"}) {
    add(Method::post, one + "/" + verb, std::string(verb) + "_experiment",
        fmt::format("Change the state: {}.", verb), kAdmin, &Api::change_state);
  }
  add(Method::put, one + "/arms/{aid}", "put_arm", "Add an arm.", kAdmin, &Api::put_arm,
      schema_of<NewArmBody>, {200, 201});
  add(Method::del, one + "/arms/{aid}", "delete_arm", "Retire an arm; nothing is erased.", kAdmin,
      &Api::delete_arm);
  add(Method::post, one + "/duels", "serve_duels", "Serve one duel, or several.", kDuel,
      &Api::serve_duels, schema_of<DuelBody>, {200, 201});
  add(Method::get, one + "/duels/{did}", "show_duel", "One duel with its outcome.", kRead,
      &Api::show_duel);
  add(Method::put, one + "/duels/{did}/interleaving", "interleave_duel",
      "Send the two lists, get the merged page.", kDuel, &Api::interleave_duel,
      schema_of<InterleavingBody>);
  add(Method::put, one + "/duels/{did}/outcome", "report_outcome", "Report the outcome of a duel.",
      kDuel, &Api::report_outcome, schema_of<OutcomeBody>);
  add(Method::post, one + "/interleavings", "interleave_in_one",
      "All lists in, a pair chosen, the merged page out.", kDuel, &Api::interleave_in_one,
      schema_of<InterleavingBody>, {200, 201});
  add(Method::post, one + "/outcomes", "report_outcomes",
      "Report many outcomes, a status for each.", kDuel, &Api::report_outcomes,
      schema_of<std::vector<OutcomeBody>>);
  add(Method::post, one + "/comparisons", "take_comparisons", "Comparisons made elsewhere.", kAdmin,
      &Api::take_comparisons, schema_of<std::vector<ComparisonBody>>);
  add(Method::post, one + "/import", "import_log", "A log becomes an experiment.", kAdmin,
      &Api::import_log, {}, {201});
  add(Method::post, "/v1/events", "take_events", "UBI events: clicks and other actions.", kDuel,
      &Api::take_events, schema_of<Json>, {202});
  add(Method::get, one + "/result", "show_result", "Leader, matrix, intervals, certificate.", kRead,
      &Api::show_result);
  add(Method::get, one + "/certificate", "show_certificate", "The certificate, self-contained.",
      kRead, &Api::show_certificate);
  add(Method::get, one + "/health", "show_health", "Whether the answers can be trusted.", kRead,
      &Api::show_health);
  add(Method::get, one + "/timeline", "show_timeline", "Series for plots.", kRead,
      &Api::show_timeline);
  add(Method::get, one + "/stream", "open_stream", "Server-sent events.", kRead, &Api::open_stream);
  add(Method::get, one + "/export", "export_log", "The log, or its comparisons.", kRead,
      &Api::export_log);
  add(Method::post, "/v1/plan", "plan", "How many duels will it take?", kRead, &Api::plan,
      schema_of<Json>);
  add(Method::get, "/v1/tokens", "list_tokens", "All tokens, without their secrets.", kAdmin,
      &Api::list_tokens);
  add(Method::post, "/v1/tokens", "create_token", "A new token; it is shown once.", kAdmin,
      &Api::create_token, schema_of<Json>, {201});
  add(Method::del, "/v1/tokens/{tid}", "delete_token", "Revoke a token.", kAdmin,
      &Api::delete_token);
  add(Method::get, "/healthz", "healthz", "Whether the process answers.", std::nullopt,
      &Api::healthz);
  add(Method::get, "/readyz", "readyz", "Whether outcomes can be taken.", std::nullopt,
      &Api::readyz);
  add(Method::get, "/metrics", "metrics", "Figures for Prometheus.", kRead, &Api::metrics);
  add(Method::get, "/openapi.json", "openapi", "This API in OpenAPI 3.1.", std::nullopt,
      &Api::show_openapi);
  add(Method::get, "/v1/version", "version", "The version of the server.", std::nullopt,
      &Api::version);
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
      const bool by_voter = *scope == TokenScope::duel && call.caller.may(TokenScope::vote, eid) &&
                            (name == "serve_duels" || name == "report_outcome");
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

// --- Experiments --------------------------------------------------------------------------------

void Api::create_experiment(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<ExperimentBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const std::string request = sha256_hex(Json::parse(call.request.body).value().dump());
  const std::string chance = random_bytes(6);
  std::uint64_t seed = 0;
  for (const char byte : chance) seed = seed << 8 | static_cast<unsigned char>(byte);
  const auto record = experiment_of(call.eid(), *body, request, seed);
  if (!record.ok()) return call.send(refusal(record.error()));
  engine_.create(*record, call.send);
}

void Api::list_experiments(Call& call) { engine_.list(call.send); }

void Api::show_experiment(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [](OwnedExperiment& experiment, std::int64_t) { return experiment.show(); }, call.send);
}

void Api::patch_experiment(Call& call) {
  const std::string* if_match = call.request.header("if-match");
  if (if_match == nullptr) return call.send(refusal(428, "the header If-Match is missing"));
  ServerAnswer refused;
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  // What exists but cannot change is another matter than what does not exist.
  for (const char* name : {"mode", "arms", "policy", "goal", "stopping", "presentation",
                           "interleave", "tasks", "seed"}) {
    if (parsed.json->contains(name)) {
      return call.send(refusal(409, fmt::format("/{} cannot change", name), false,
                               {{fmt::format("/{}", name), "cannot change"}}));
    }
  }
  const auto body = read_body<PatchBody>(*parsed.json, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, match = *if_match](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.patch(body, match, now);
      },
      call.send);
}

void Api::change_state(Call& call) {
  const std::string verb = call.request.path.substr(call.request.path.rfind('/') + 1);
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [verb](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.change_state(verb, now);
      },
      call.send);
}

void Api::put_arm(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<NewArmBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, arm = call.parameters.at("aid")](OwnedExperiment& experiment,
                                                      std::int64_t now) {
        return experiment.add_arm(arm, body, now);
      },
      call.send);
}

void Api::delete_arm(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [arm = call.parameters.at("aid")](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.retire_arm(arm, now);
      },
      call.send);
}

// --- Duels --------------------------------------------------------------------------------------

void Api::serve_duels(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<DuelBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.serve(body, now);
      },
      call.send);
}

void Api::show_duel(Call& call) {
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [duel = call.parameters.at("did")](OwnedExperiment& experiment, std::int64_t) {
        return experiment.show_duel(duel);
      },
      call.send);
}

void Api::interleave_duel(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<InterleavingBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *body, sees, duel = call.parameters.at("did")](OwnedExperiment& experiment,
                                                             std::int64_t now) {
        return experiment.interleave(duel, body, sees, now);
      },
      call.send);
}

void Api::interleave_in_one(Call& call) {
  ServerAnswer refused;
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  const auto asked = read_body<DuelBody>(*parsed.json, UnknownFields::ignored, refused);
  if (!asked) return call.send(std::move(refused));
  const auto lists = read_body<InterleavingBody>(*parsed.json, UnknownFields::ignored, refused);
  if (!lists) return call.send(std::move(refused));
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  engine_.ask(
      call.eid(), AnswerWhen::appended,
      [body = *asked, lists = *lists, sees](OwnedExperiment& experiment,
                                            std::int64_t now) -> Result<ServerAnswer> {
        DuelBody wanted = body;
        wanted.count = 1;
        // Whoever sent no list cannot be shown.
        for (const LedgerArm& arm : experiment.ledger().arms()) {
          const bool has = std::any_of(lists.lists.begin(), lists.lists.end(),
                                       [&](const auto& one) { return one.first == arm.entry.id; });
          if (!has && arm.active) wanted.exclude.push_back(arm.entry.id);
        }
        DUEL_ASSIGN(ServerAnswer served, experiment.serve(wanted, now));
        if (served.status >= 400) return served;
        const Json& serving = served.body.at("serving");
        if (serving.get<std::string>() == "fallback") {
          Json items = Json::array();
          const std::string arm = served.body.at("arms").items()[0].at("arm_id").get<std::string>();
          std::uint64_t ordinal = 0;
          for (const auto& [name, list] : lists.lists) {
            if (name != arm) continue;
            for (const Json& object : list.items()) {
              items.push_back(
                  {{"object_id", object}, {"ordinal", ++ordinal}, {"competitive", false}});
            }
          }
          served.body["items"] = std::move(items);
          return served;
        }
        DUEL_ASSIGN(
            ServerAnswer page,
            experiment.interleave(served.body.at("duel_id").get<std::string>(), lists, sees, now));
        if (page.status >= 400) return page;
        served.body.update(page.body);
        return served;
      },
      call.send);
}

void Api::report_outcome(Call& call) {
  ServerAnswer refused;
  const auto body = body_of<OutcomeBody>(call.request, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  const bool trusted = call.caller.may(TokenScope::duel, call.eid());
  const bool voter = call.caller.may(TokenScope::vote, call.eid());
  if (!trusted && body->report_token.empty()) {
    return call.send(refusal(401, "a token or a report token is needed"));
  }
  OwnedExperiment::ReportOptions options{.trusted = trusted};
  const std::string* next = call.request.query_value("next");
  options.next = next != nullptr && *next == "1" && (trusted || voter);
  if (const std::string* id = call.request.query_value("next_duel_id")) options.next_duel_id = *id;
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body, options, duel = call.parameters.at("did")](OwnedExperiment& experiment,
                                                                std::int64_t now) {
        return experiment.report(duel, body, options, now);
      },
      call.send);
}

void Api::report_outcomes(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = type == "application/x-ndjson" || type == "application/jsonl";
  if (!lines && type != "application/json") {
    return call.send(refusal(415, "the body must be application/json or application/x-ndjson"));
  }
  std::vector<std::optional<Json>> items = items_of(call.request, lines);
  if (!lines && items.size() == 1 && !items[0]) {
    return call.send(refusal(400, "the body is not JSON"));
  }
  if (items.size() > kMostOutcomes) {
    return call.send(refusal(413, fmt::format("more than {} outcomes", kMostOutcomes)));
  }
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [items = std::move(items)](OwnedExperiment& experiment, std::int64_t now) {
        Json answers = Json::array();
        for (std::size_t k = 0; k < items.size(); ++k) {
          Json answer;
          answer["index"] = std::uint64_t{k};
          const auto finish = [&](std::string_view status, const std::string& detail) {
            answer["status"] = std::string(status);
            if (!detail.empty()) answer["detail"] = detail;
            answers.push_back(std::move(answer));
          };
          if (!items[k]) {
            finish("invalid", "the line is not JSON");
            continue;
          }
          ServerAnswer refused;
          const auto body = read_body<OutcomeBody>(*items[k], UnknownFields::refused, refused);
          if (!body) {
            finish("invalid", refused.body.at("detail").get<std::string>());
            continue;
          }
          answer["duel_id"] = body->duel_id;
          const auto reported = experiment.report(body->duel_id, *body, {}, now);
          if (reported.ok() && reported->status == 200) {
            finish(reported->body.at("status").get<std::string>(), "");
          } else if (reported.ok()) {
            finish(reported->status == 409 ? "conflict" : "invalid",
                   reported->body.at("detail").get<std::string>());
          } else {
            const bool unknown = reported.error().code == ErrorCode::not_found;
            finish(unknown ? "unknown" : "invalid", reported.error().message);
          }
        }
        ServerAnswer all;
        all.body["items"] = std::move(answers);
        return Result<ServerAnswer>(std::move(all));
      },
      call.send);
}

void Api::take_comparisons(Call& call) {
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  ServerAnswer refused;
  const auto body =
      read_body<std::vector<ComparisonBody>>(*parsed.json, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  engine_.ask(
      call.eid(), AnswerWhen::durable,
      [body = *body](OwnedExperiment& experiment, std::int64_t now) {
        return experiment.compare(body, now);
      },
      call.send);
}

void Api::import_log(Call& call) {
  const std::string eid = call.eid();
  std::string named;
  const auto extent =
      read_log_text(call.request.body, "body", [&](const LogEntry& entry) -> Status {
        if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
          named = experiment->experiment_id;
        }
        return Done{};
      });
  if (!extent.ok()) return call.send(refusal(422, extent.error().to_string()));
  if (extent->cut_bytes > 0 || extent->records == 0) {
    return call.send(refusal(422, "the log is empty or its last line is cut"));
  }
  if (named != eid) {
    return call.send(refusal(422, fmt::format("the log is of the experiment '{}'", named)));
  }
  engine_.import_log(eid, std::move(call.request.body), call.send);
}

// --- Events -------------------------------------------------------------------------------------

void Api::take_events(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool plain = type == "text/plain";
  const bool lines = type == "application/x-ndjson" || type == "application/jsonl";
  if (!plain && !lines && type != "application/json") {
    return call.send(refusal(415,
                             "the body must be application/json, application/x-ndjson or "
                             "text/plain"));
  }
  std::vector<std::optional<Json>> items = items_of(call.request, lines);
  if (items.size() > kMostOutcomes) {
    return call.send(refusal(413, fmt::format("more than {} events", kMostOutcomes)));
  }
  const Caller caller = call.caller;
  engine_.ask_all(
      AnswerWhen::durable,
      [this, caller, items = std::move(items)](const auto& find,
                                               std::int64_t now) -> Result<ServerAnswer> {
        Json rejected = Json::array();
        std::uint64_t accepted = 0;
        const auto reject = [&](std::size_t index, const std::string& reason) {
          rejected.push_back({{"index", std::uint64_t{index}}, {"reason", reason}});
        };
        for (std::size_t k = 0; k < items.size(); ++k) {
          const auto event =
              items[k] ? ubi_event_of(*items[k]) : Error::invalid_argument("the line is not JSON");
          if (!event.ok()) {
            reject(k, event.error().message);
            continue;
          }
          std::vector<std::string> experiments;
          if (event->experiment_id.empty()) {
            DUEL_ASSIGN(experiments, engine_.store().experiments_of(event->page.duel_id));
          } else {
            experiments.push_back(event->experiment_id);
          }
          if (experiments.empty()) {
            reject(k, "no duel was served under this query_id");
            continue;
          }
          std::optional<std::string> reason;
          for (const std::string& eid : experiments) {
            if (!caller.may(TokenScope::duel, eid)) {
              const auto proven = engine_.tokens().verify(event->report_token);
              if (!proven || proven->experiment_id != eid ||
                  proven->duel_id != event->page.duel_id) {
                reason = "a token or a report token is needed";
                continue;
              }
            }
            DUEL_ASSIGN(OwnedExperiment * experiment, find(eid));
            if (experiment->ledger().experiment().service.mode != Mode::interleave) {
              reason = "the experiment shows no pages";
              continue;
            }
            DUEL_ASSIGN(reason, experiment->take_event(event->page, now));
          }
          if (reason) {
            reject(k, *reason);
          } else {
            ++accepted;
          }
        }
        ServerAnswer answer;
        answer.status = 202;
        answer.body["accepted"] = accepted;
        answer.body["rejected"] = std::move(rejected);
        return answer;
      },
      call.send);
}

// --- Results ------------------------------------------------------------------------------------

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

void Api::export_log(Call& call) {
  const std::string* what = call.request.query_value("what");
  const std::string* format = call.request.query_value("format");
  const std::string wanted = what != nullptr ? *what : "duels";
  const std::string form = format != nullptr ? *format : "jsonl";
  const auto is_known = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* one) { return word == one; });
  };
  if (!is_known(wanted, {"duels", "nonvotes", "events", "audit"})) {
    return call.send(refusal(400, "what is one of duels, nonvotes, events, audit"));
  }
  if (!is_known(form, {"jsonl", "csv", "arena"})) {
    return call.send(refusal(400, "format is one of jsonl, csv, arena"));
  }
  if (wanted != "duels" && form != "jsonl") {
    return call.send(refusal(400, fmt::format("{} are exported as jsonl", wanted)));
  }
  const bool taken = background_.submit(
      [this, wanted, form, eid = call.eid(), send = call.send, open = call.stream] {
        Store& store = engine_.store();
        if (const auto head = store.head(eid); !head.ok() || head->sequence == 0) {
          return send(refusal(404, "there is no experiment '" + eid + "'"));
        }
        if (wanted == "duels") {
          const auto table = comparisons_of_log(store, eid);
          if (!table.ok()) return send(refusal(table.error()));
          const auto parsed = parse_comparison_format(form);
          const auto stream =
              open(200, {{"Content-Type", form == "jsonl" ? "application/x-ndjson" : "text/csv"},
                         {"Cache-Control", "no-store"}});
          if (write_in_pieces(*stream, to_text(*table, *parsed))) stream->finish();
          return;
        }
        const auto stream =
            open(200, {{"Content-Type", "application/x-ndjson"}, {"Cache-Control", "no-store"}});
        const auto read = store.read(eid, 0, [&](std::string_view line) -> Status {
          const auto is = [&](std::string_view kind) {
            return line.find(kind) != std::string_view::npos;
          };
          const bool nonvote = is("\"record\":\"expired\"") || is("\"result\":\"skip\"") ||
                               is("\"result\":\"invalid\"") || is("\"result\":\"both_bad\"");
          if (wanted == "events" && !is("\"record\":\"event\"")) return Done{};
          if (wanted == "nonvotes" && !nonvote) return Done{};
          if (write_in_pieces(*stream, std::string(line) + "\n")) return Done{};
          return Error::unsupported("the client is gone");
        });
        if (read.ok()) stream->finish();
      });
  if (!taken) call.send(refusal(429, "too much work waits; try again", true));
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

// --- Tokens and operations ----------------------------------------------------------------------

void Api::list_tokens(Call& call) {
  ServerAnswer answer;
  Json items = Json::array();
  for (const ApiToken& token : tokens_.list()) items.push_back(to_json(token));
  answer.body["items"] = std::move(items);
  answer.body["next_cursor"] = Json();
  call.send(std::move(answer));
}

void Api::create_token(Call& call) {
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  const auto text = [&](const char* name) {
    const Json* value = parsed.json->find(name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  const auto scope = parse_token_scope(text("scope"));
  if (!scope.ok()) return call.send(refusal(scope.error()));
  std::int64_t expires = 0;
  if (parsed.json->contains("expires_at")) {
    const auto time = parse_time(text("expires_at"));
    if (!time) {
      return call.send(refusal(400, "/expires_at is not a time such as 2026-11-15T09:00:00Z"));
    }
    expires = *time;
  }
  const auto made = tokens_.create(*scope, text("name"), text("experiment_id"), expires);
  if (!made.ok()) return call.send(refusal(made.error()));
  ServerAnswer answer{201, to_json(made->second), {}};
  answer.body["token"] = made->first;
  call.send(std::move(answer));
}

void Api::delete_token(Call& call) {
  const auto erased = tokens_.erase(call.parameters.at("tid"));
  if (!erased.ok()) return call.send(refusal(erased.error()));
  if (!*erased) return call.send(refusal(404, "there is no such token"));
  ServerAnswer answer;
  answer.body["revoked"] = true;
  call.send(std::move(answer));
}

void Api::healthz(Call& call) {
  ServerAnswer answer;
  answer.body["status"] = "ok";
  call.send(std::move(answer));
}

void Api::readyz(Call& call) {
  if (!engine_.ready()) return call.send(refusal(503, "the store takes no more records", true));
  ServerAnswer answer;
  answer.body["status"] = "ready";
  call.send(std::move(answer));
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
  text += metrics_->text();
  engine_.ask_all(
      AnswerWhen::appended,
      [this](const auto&, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["text"] = engine_.experiment_metrics();
        return answer;
      },
      [text, call_stream = call.stream](const ServerAnswer& answer) {
        const auto stream = call_stream(
            200, {{"Content-Type", "text/plain; version=0.0.4"}, {"Cache-Control", "no-store"}});
        stream->write(text + (answer.status == 200 ? answer.body.at("text").get<std::string>()
                                                   : std::string()));
        stream->finish();
      });
}

void Api::show_openapi(Call& call) { call.send({200, openapi(), {}}); }

void Api::version(Call& call) {
  ServerAnswer answer;
  answer.body["version"] = std::string(kVersion);
  answer.body["log_format"] = kLogFormat;
  call.send(std::move(answer));
}

Json Api::openapi() const {
  Json problem_content;
  problem_content["application/problem+json"]["schema"]["$ref"] = "#/components/schemas/Problem";
  Json paths = Json::object();
  for (const RouteFact& fact : facts_) {
    Json operation;
    operation["operationId"] = fact.name;
    operation["summary"] = fact.summary;
    Json parameters = Json::array();
    for (std::size_t at = fact.pattern.find('{'); at != std::string::npos;
         at = fact.pattern.find('{', at + 1)) {
      const std::string name = fact.pattern.substr(at + 1, fact.pattern.find('}', at) - at - 1);
      parameters.push_back({{"name", name},
                            {"in", "path"},
                            {"required", true},
                            {"schema", Json{{"type", "string"}}}});
    }
    if (!parameters.empty()) operation["parameters"] = std::move(parameters);
    if (fact.body_schema) {
      operation["requestBody"]["content"]["application/json"]["schema"] = fact.body_schema();
    }
    for (const int status : fact.statuses) {
      operation["responses"][std::to_string(status)]["description"] =
          std::string(reason_phrase(status));
    }
    operation["responses"]["default"]["description"] = "an error";
    operation["responses"]["default"]["content"] = problem_content;
    if (!fact.scope.empty()) {
      Json scopes = Json::array();
      scopes.push_back(fact.scope);
      Json security;
      security["token"] = std::move(scopes);
      operation["security"] = Json(Json::Array{std::move(security)});
    }
    std::string method(to_word(fact.method));
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    paths[fact.pattern][method] = std::move(operation);
  }
  Json document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "Duel"}, {"version", std::string(kVersion)}};
  document["paths"] = std::move(paths);
  Json problem_schema;
  problem_schema["type"] = "object";
  for (const char* name : {"type", "title", "detail"}) {
    problem_schema["properties"][name]["type"] = "string";
  }
  problem_schema["properties"]["status"]["type"] = "integer";
  problem_schema["properties"]["retryable"]["type"] = "boolean";
  problem_schema["properties"]["errors"]["type"] = "array";
  document["components"]["schemas"]["Problem"] = std::move(problem_schema);
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  return document;
}

}  // namespace duel
