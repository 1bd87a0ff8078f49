// Several nodes on one store, each a whole server with sockets, in one process. scripts/fault-test
// --postgres does the same to real processes on PostgreSQL.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/json.h"
#include "duel/http/http_client.h"
#include "duel/nodes/hop.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "tests/server/shared_memory_store.h"

namespace duel {

struct Told {
  int status = 0;
  Json body;
  std::string raw;
  std::string text(std::string_view name) const { return body.at(name).get<std::string>(); }
};

// Waits for the event, not for a time; the limit is for what never comes.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline constexpr std::chrono::hours kNoSweep{1};

class Node {
 public:
  Node(const std::shared_ptr<SharedDatabase>& database, std::string id,
       std::chrono::milliseconds lease = kNoSweep) {
    server_ = HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 2,
                                 [this](HttpRequest&& request, HttpReply reply) {
                                   Api* const api = ready_.load();
                                   if (api == nullptr) return;
                                   ++requests_;
                                   api->handle(std::move(request), std::move(reply));
                                 })
                  .value();
    const std::string url = "http://" + server_->address().to_string();
    store_ = std::make_shared<SharedMemoryStore>(database, NodeAddress{std::move(id), url}, lease);
    tokens_ = ApiTokens::open(store_).value();
    EngineOptions options;
    options.owners = 1;  // BusyEngine keeps one thread at work
    engine_ = Engine::start(store_, options).value();
    ApiOptions of_api{.listen = server_->address()};
    of_api.on_answered = [this](const AnsweredRequest& request) {
      const std::lock_guard lock(answered_mutex_);
      answered_.push_back(request);
    };
    api_ = std::make_unique<Api>(*engine_, *tokens_, std::move(of_api));
    ready_ = api_.get();
  }
  ~Node() { stop(); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void stop() {
    if (!api_) return;
    api_->close();
    server_->drain(std::chrono::seconds(10));
    server_.reset();
    api_.reset();
    engine_.reset();
  }

  Told call(HttpMethod method, const std::string& target, const std::string& body = "",
            HttpFields headers = {}) {
    HttpClientOptions options;
    options.token = token;
    HttpClient client = HttpClient::make(store().self().url, options).value();
    if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
    const auto response = client.send(method, target, body, std::move(headers));
    if (!response.ok()) {
      ADD_FAILURE() << response.error().to_string();
      return {};
    }
    auto json = Json::parse(response->body);
    return {response->status, json ? *json : Json(), response->body};
  }
  Told get(const std::string& target) { return call(HttpMethod::get, target); }
  Told put(const std::string& target, const std::string& body = "") {
    return call(HttpMethod::put, target, body);
  }
  Told post(const std::string& target, const std::string& body = "") {
    return call(HttpMethod::post, target, body);
  }

  SharedMemoryStore& store() { return *store_; }
  Engine& engine() { return *engine_; }
  ApiTokens& tokens() { return *tokens_; }
  int requests() const { return requests_; }  // that reached it, from clients and from nodes
  // What its log would have of the requests to this path, and forgets it.
  std::vector<AnsweredRequest> answered(const std::string& path) {
    const std::lock_guard lock(answered_mutex_);
    std::vector<AnsweredRequest> found;
    for (const AnsweredRequest& request : std::exchange(answered_, {})) {
      if (request.path == path) found.push_back(request);
    }
    return found;
  }
  Hops hops() { return {*store_, engine_->key_for("hops between nodes")}; }

  std::string token;

 private:
  std::atomic<Api*> ready_ = nullptr;
  std::atomic<int> requests_ = 0;
  std::mutex answered_mutex_;  // guards answered_
  std::vector<AnsweredRequest> answered_;
  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<SharedMemoryStore> store_;
  std::unique_ptr<ApiTokens> tokens_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
};

class SeveralNodes : public testing::Test {
 protected:
  Node& node(const std::string& id, std::chrono::milliseconds lease = kNoSweep) {
    nodes_.push_back(std::make_unique<Node>(database_, id, lease));
    return *nodes_.back();
  }
  void TearDown() override { nodes_.clear(); }

  static void start(Node& at, const std::string& id) {
    const std::string path = "/v1/experiments/" + id;
    ASSERT_EQ(
        at.put(path, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7})").status,
        201);
    ASSERT_EQ(at.post(path + "/start").status, 200);
  }
  static void start_with_timeout(Node& at, const std::string& id) {
    const std::string path = "/v1/experiments/" + id;
    ASSERT_EQ(at.put(path, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                           R"("feedback":{"timeout_s":600}})")
                  .status,
              201);
    ASSERT_EQ(at.post(path + "/start").status, 200);
  }
  static Told serve(Node& at, const std::string& experiment, const std::string& duel) {
    return at.post("/v1/experiments/" + experiment + "/duels", R"({"duel_id":")" + duel + R"("})");
  }
  static Told serve_any(Node& at, const std::string& experiment) {
    return at.post("/v1/experiments/" + experiment + "/duels", "{}");
  }
  static Told report(Node& at, const std::string& experiment, const std::string& duel,
                     const Told& served) {
    const std::string arm = served.body.at("arms").items()[0].at("arm_id").get<std::string>();
    return at.put("/v1/experiments/" + experiment + "/duels/" + duel + "/outcome",
                  R"({"result":"win","winner":")" + arm + R"("})");
  }
  std::string owner_of(const std::string& experiment) {
    const std::lock_guard lock(database_->mutex);
    return database_->experiments.at(experiment).owner;
  }
  std::size_t lines_of(const std::string& experiment) {
    const std::lock_guard lock(database_->mutex);
    return database_->experiments.at(experiment).lines.size();
  }
  // As a database does that crashes before it is on the disk.
  void lose_last_line(const std::string& experiment) {
    const std::lock_guard lock(database_->mutex);
    SharedDatabase::Kept& kept = database_->experiments.at(experiment);
    kept.lines.pop_back();
    kept.keys.pop_back();
    kept.head = {kept.lines.size(), std::string(split_line(kept.lines.back())->hash)};
  }
  // The lease of `from` runs out unseen by it, and `to` takes the experiment.
  static void take_over(Node& from, Node& to, const std::string& experiment) {
    from.store().expire_lease();
    ASSERT_EQ(to.get("/v1/experiments/" + experiment).status, 200);
  }
  // Returns when all that was asked before is durable, so that no sync is left to come.
  static void settle(Node& at, const std::string& experiment) {
    ASSERT_EQ(at.get("/v1/experiments/" + experiment + "/result").status, 200);
  }

  std::shared_ptr<SharedDatabase> database_ = std::make_shared<SharedDatabase>();
  std::vector<std::unique_ptr<Node>> nodes_;
};

// Keeps an engine at work: what it is asked meanwhile goes into one commit.
class BusyEngine {
 public:
  explicit BusyEngine(Engine& engine) {
    engine.post("e", [at = at_] {
      at->busy.set_value();
      at->go.get_future().wait();
    });
    at_->busy.get_future().wait();
  }
  void let_go() { at_->go.set_value(); }

 private:
  struct Gate {
    std::promise<void> busy, go;
  };
  std::shared_ptr<Gate> at_ = std::make_shared<Gate>();
};

// The answer comes with `get`.
template <class Answer>
std::future<Result<Answer>> ask(Engine& engine, const std::string& experiment, AnswerWhen when,
                                std::function<Result<Answer>(const Turn&)> work) {
  const auto told = std::make_shared<std::promise<Result<Answer>>>();
  std::future<Result<Answer>> answer = told->get_future();
  engine.ask<Answer>(
      experiment, when, std::move(work),
      [told](Result<Answer> given, const Delivery&) { told->set_value(std::move(given)); });
  return answer;
}

using ServeWork = std::function<Result<Offer>(const Turn&)>;

inline ServeWork serve_named(const std::string& duel) {
  return [duel](const Turn& turn) { return turn.experiment.serve({.duel_id = duel}, turn.moment); };
}

// What was served; that it was served before is no answer to a new question.
inline std::string serving(const Result<Offer>& offer) {
  if (!offer.ok()) return "nothing: " + offer.error().to_string();
  const auto* served = std::get_if<Served>(&*offer);
  if (served == nullptr) return "fallback";
  return std::string(to_word(served->serve.serving)) + (served->again ? " again" : "");
}

// As a caller would hear of it over HTTP.
template <class Answer>
int status_of(const Result<Answer>& answer) {
  return answer.ok() ? 200 : refusal(answer.error()).status;
}

}  // namespace duel
