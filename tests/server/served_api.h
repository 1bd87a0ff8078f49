// The API on a store of its own, without sockets, with a clock that the test moves.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "duel/core/json.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "duel/store/sqlite.h"
#include "duel/store/sqlite_store.h"
#include "tests/http/http_call.h"
#include "tests/support/contract.h"
#include "tests/support/temporary_directory.h"

namespace duel {

struct Told {
  int status = 0;
  Json body;
  HttpFields headers;

  std::string text(std::string_view name) const { return body.at(name).get<std::string>(); }
};

class ServedApi {
 public:
  ServedApi() { start(); }
  ~ServedApi() { stop(); }
  ServedApi(const ServedApi&) = delete;
  ServedApi& operator=(const ServedApi&) = delete;

  void start() {
    SqliteOptions store_options;
    store_options.vfs = vfs;
    // A fault that waits for the next write must not meet the clock's.
    if (!vfs.empty()) store_options.sync_interval = std::chrono::hours(1);
    std::unique_ptr<Store> store =
        std::move(SqliteStore::open(store_file(), std::move(store_options))).value();
    if (around_store) store = around_store(std::move(store));
    store_ = std::shared_ptr<Store>(std::move(store));
    tokens_ = std::move(ApiTokens::open(store_)).value();
    EngineOptions of_engine;
    of_engine.clock = [this] { return now_ms_.load(); };
    of_engine.owners = owners;
    of_engine.most_in_memory = most_in_memory;
    of_engine.most_waiting = most_waiting;
    of_engine.most_arms = most_arms;
    of_engine.most_ahead = most_ahead;
    of_engine.say = say;
    of_engine.snapshot_every = snapshot_every;
    of_engine.snapshot_interval = {};
    engine_ = std::move(Engine::start(store_, of_engine)).value();
    api_ = std::make_unique<Api>(*engine_, *tokens_, options);
  }
  void stop() {
    api_.reset();
    engine_.reset();
    tokens_.reset();
    store_.reset();
  }
  void restart() {
    stop();
    start();
  }

  Told call(HttpMethod method, const std::string& target, const std::string& body = "",
            HttpFields headers = {}) {
    headers.emplace_back("host", "127.0.0.1:7557");
    if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
    bool typed = false;
    for (const auto& [name, value] : headers) typed = typed || name == "content-type";
    if (!body.empty() && !typed) headers.emplace_back("content-type", "application/json");
    const HttpResponse response = exchange_with(http_request(method, target, body, headers));
    auto json = Json::parse(response.body);
    return {response.status, json ? *json : Json(), response.headers};
  }
  Told get(const std::string& target) { return call(HttpMethod::get, target); }
  Told put(const std::string& target, const std::string& body = "") {
    return call(HttpMethod::put, target, body);
  }
  Told post(const std::string& target, const std::string& body = "") {
    return call(HttpMethod::post, target, body);
  }
  // The whole answer, held against the document that the server gives of itself.
  HttpResponse exchange_with(const HttpRequest& request) {
    const auto exchange = std::make_shared<RecordedExchange>();
    api_->handle(HttpRequest(request), HttpReply(exchange));
    HttpResponse response = exchange->response();
    hold_to_contract(request, response);
    return response;
  }
  void hold_to_contract(const HttpRequest& request, const HttpResponse& response) {
    static const Json document = api_->openapi();
    for (const std::string& error : contract_errors(document, request, response)) {
      ADD_FAILURE() << error;
    }
  }
  // What a stream of `target` says until it ends.
  std::string streamed(const std::string& target) {
    HttpFields headers{{"host", "127.0.0.1:7557"}};
    if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
    const auto exchange = std::make_shared<RecordedExchange>();
    const HttpRequest request = http_request(HttpMethod::get, target, "", std::move(headers));
    api_->handle(HttpRequest(request), HttpReply(exchange));
    hold_to_contract(request, exchange->response());
    if (exchange->stream() == nullptr) return "";
    while (!exchange->stream()->finished()) std::this_thread::yield();
    return exchange->stream()->text();
  }

  void pass(std::int64_t ms) { now_ms_ += ms; }
  std::filesystem::path store_file() const { return directory_ / "duel.db"; }
  ApiTokens& tokens() { return *tokens_; }
  Engine& engine() { return *engine_; }
  Api& api() { return *api_; }
  std::filesystem::path file() const { return directory_ / "duel.db"; }

  const std::filesystem::path& directory() const { return directory_.path(); }

  std::string token;
  std::string vfs;  // below SQLite, from the next start on; the system's if empty
  // Puts a store around the one on disk, from the next start on.
  std::function<std::unique_ptr<Store>(std::unique_ptr<Store>)> around_store;
  std::size_t owners = 2;
  std::size_t most_in_memory = 200;
  std::size_t most_waiting = 20'000;
  std::size_t most_arms = 1'000;
  std::chrono::milliseconds most_ahead = std::chrono::hours(1);
  std::function<void(const std::string&)> say;  // hears what an operator should know
  std::uint64_t snapshot_every = 20'000;
  ApiOptions options{{"127.0.0.1", 7557}, "https://duel.example.org", {"https://shop.example"}};

 private:
  TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_ms_ = 1'794'700'800'000;  // 2026-11-15T00:00:00Z
  std::shared_ptr<Store> store_;
  std::unique_ptr<ApiTokens> tokens_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
};

inline constexpr const char* kThreeArms =
    R"({"name":"Logos","arms":[{"arm_id":"a","payload":{"x":1}},{"arm_id":"b","default":true},)"
    R"({"arm_id":"c"}],"seed":7})";

// An experiment `e` of three arms that runs.
inline void start_three_arms(ServedApi& api) {
  ASSERT_EQ(api.put("/v1/experiments/e", kThreeArms).status, 201);
  ASSERT_EQ(api.post("/v1/experiments/e/start").status, 200);
}

// As after `kill -9`: nothing but the log is there.
inline void restart_from_log(ServedApi& api) {
  api.stop();
  {
    auto raw = SqliteConnection::open(api.store_file(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(raw->execute("DELETE FROM snapshots").ok());
  }
  api.start();
}

// A path of the route, with ids that exist where there can be one.
inline std::string path_of(const RouteFact& fact) {
  std::string path = fact.pattern;
  for (const auto& [parameter, value] :
       {std::pair("{eid}", "e"), {"{aid}", "a"}, {"{did}", "q1"}, {"{tid}", "t"}}) {
    if (const std::size_t at = path.find(parameter); at != std::string::npos) {
      path.replace(at, std::string(parameter).size(), value);
    }
  }
  return path;
}

inline std::string first_arm(const Told& duel) {
  return duel.body.at("arms").items()[0].at("arm_id").get<std::string>();
}

inline std::string win_of(const std::string& arm) {
  return R"({"result":"win","winner":")" + arm + R"("})";
}

}  // namespace duel
