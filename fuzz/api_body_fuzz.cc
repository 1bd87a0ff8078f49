// JSON bodies through the routes, in process: whatever a caller with every right sends, each
// request is answered once, with a status of its own and JSON, and never with 500.
//
// Every line of the input is a request: a letter for the route, then the body. `\f` in a body
// stands for a line break, `\v` for the report token of the duel that is open.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/json.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/server/web_pages.h"
#include "duel/service/engine.h"
#include "duel/store/memory_store.h"
#include "tests/http/http_call.h"

namespace duel {

// The pages are not built for this.
std::optional<HttpResponse> web_page(const HttpRequest& /*request*/) { return std::nullopt; }
std::optional<HttpResponse> web_page_of_nothing(const HttpRequest& /*request*/) {
  return std::nullopt;
}

}  // namespace duel

namespace {

using duel::HttpMethod;

struct Target {
  HttpMethod method;
  const char* path;
  const char* type = "application/json";
};

// `d` duels, `p` shows pages, `n` is not there yet.
constexpr auto kTargets = std::to_array<Target>({
    {HttpMethod::put, "/v1/experiments/n"},
    {HttpMethod::patch, "/v1/experiments/d"},
    {HttpMethod::put, "/v1/experiments/d/arms/z"},
    {HttpMethod::post, "/v1/experiments/d/comparisons"},
    {HttpMethod::post, "/v1/experiments/d/duels"},
    {HttpMethod::put, "/v1/experiments/d/duels/q/outcome"},
    {HttpMethod::put, "/v1/experiments/d/duels/q/outcome?next=1"},
    {HttpMethod::post, "/v1/experiments/d/outcomes"},
    {HttpMethod::post, "/v1/experiments/d/outcomes", "application/x-ndjson"},
    {HttpMethod::put, "/v1/experiments/p/duels/q/interleaving"},
    {HttpMethod::post, "/v1/experiments/p/interleavings"},
    {HttpMethod::put, "/v1/experiments/p/duels/q/outcome"},
    {HttpMethod::post, "/v1/events"},
    {HttpMethod::post, "/v1/events", "application/x-ndjson"},
    {HttpMethod::post, "/v1/experiments/m/import", "application/x-ndjson"},
    {HttpMethod::post, "/v1/tokens"},
});

class Served {
 public:
  Served() {
    duel::EngineOptions options;
    options.clock = [this] { return now_ms_; };
    engine_ = duel::Engine::start(store_, options).value();
    tokens_ = duel::ApiTokens::open(store_).value();
    duel::ApiOptions all;
    all.listen = {"127.0.0.1", 7557};
    all.caller_owns_store = true;  // also after a token was made
    api_ = std::make_unique<duel::Api>(*engine_, *tokens_, all);

    constexpr const char* kArms = R"("seed":7,"arms":[{"arm_id":"a"},{"arm_id":"b"}]})";
    set_up({HttpMethod::put, "/v1/experiments/d"}, std::string(R"({"policy":"uniform",)") + kArms);
    set_up({HttpMethod::put, "/v1/experiments/p"},
           std::string(R"({"policy":"uniform","mode":"interleave",)") + kArms);
    for (const char* start : {"/v1/experiments/d/start", "/v1/experiments/p/start"}) {
      set_up({HttpMethod::post, start}, "");
    }
    set_up({HttpMethod::post, "/v1/experiments/p/duels"}, R"({"duel_id":"q"})");
    const auto duel = duel::Json::parse(
        set_up({HttpMethod::post, "/v1/experiments/d/duels"}, R"({"duel_id":"q"})"));
    report_token_ = duel->at("report_token").get<std::string>();
  }

  duel::HttpResponse ask(const Target& target, std::string body) {
    duel::HttpFields headers{{"host", "127.0.0.1:7557"}};
    if (!body.empty()) headers.emplace_back("content-type", target.type);
    if (target.method == HttpMethod::patch) headers.emplace_back("if-match", "*");
    const auto exchange = std::make_shared<duel::RecordedExchange>();
    api_->handle(duel::http_request(target.method, target.path, std::move(body), headers),
                 duel::HttpReply(exchange));
    duel::HttpResponse response = exchange->response();
    DUEL_CHECK(exchange->answers() == 1);
    return response;
  }
  const std::string& report_token() const { return report_token_; }

 private:
  std::string set_up(const Target& target, std::string body) {
    const duel::HttpResponse response = ask(target, std::move(body));
    DUEL_CHECK(response.status < 300);
    return response.body;
  }

  std::int64_t now_ms_ = 1'794'700'800'000;
  std::shared_ptr<duel::Store> store_ = std::make_shared<duel::MemoryStore>();
  std::unique_ptr<duel::Engine> engine_;
  std::unique_ptr<duel::ApiTokens> tokens_;
  std::unique_ptr<duel::Api> api_;
  std::string report_token_;
};

std::string body_of(std::string_view line, const std::string& report_token) {
  std::string body;
  for (const char letter : line) {
    if (letter == '\f') {
      body += '\n';
    } else if (letter == '\v') {
      body += report_token;
    } else {
      body += letter;
    }
  }
  return body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  // A new server for every input, so that a failure can be repeated.
  Served served;
  for (int requests = 0; requests < 8 && !text.empty(); ++requests) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    const Target& target = kTargets[static_cast<unsigned char>(line[0]) % kTargets.size()];
    const duel::HttpResponse response =
        served.ask(target, body_of(line.substr(1), served.report_token()));
    const auto json = duel::Json::parse(response.body);
    DUEL_CHECK(json.has_value());
    DUEL_CHECK(response.status >= 200 && response.status != 500);
    if (response.status >= 400) {
      DUEL_CHECK(!json->at("detail").get<std::string>().empty());
      DUEL_CHECK(json->at("status").get<int>() == response.status);
    }
  }
  // Whatever was taken can be read back and shown.
  for (const char* shown : {"/v1/experiments/d/result", "/v1/experiments/p/result",
                            "/v1/experiments/d/health", "/v1/experiments"}) {
    DUEL_CHECK(served.ask({HttpMethod::get, shown}, "").status == 200);
  }
  return 0;
}
