// Several nodes on one store, each a whole server with sockets, in one process. scripts/fault-test
// --postgres does the same to real processes on PostgreSQL.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/json.h"
#include "duel/http/http_client.h"
#include "duel/nodes/forwarding.h"
#include "duel/nodes/hop.h"
#include "duel/nodes/rendezvous.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "tests/server/metrics_page.h"
#include "tests/server/shared_memory_store.h"

namespace duel {
namespace {

struct Told {
  int status = 0;
  Json body;
  std::string raw;
  std::string text(std::string_view name) const { return body.at(name).get<std::string>(); }
};

// Waits for the event, not for a time; the limit is for what never comes.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

constexpr std::chrono::hours kNoSweep{1};

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
    api_ = std::make_unique<Api>(*engine_, *tokens_, ApiOptions{.listen = server_->address()});
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
  Hops hops() { return {*store_, engine_->key_for("hops between nodes")}; }

  std::string token;

 private:
  std::atomic<Api*> ready_ = nullptr;
  std::atomic<int> requests_ = 0;
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

ServeWork serve_named(const std::string& duel) {
  return [duel](const Turn& turn) { return turn.experiment.serve({.duel_id = duel}, turn.moment); };
}

// What was served; that it was served before is no answer to a new question.
std::string serving(const Result<Offer>& offer) {
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

// --- Who takes what ------------------------------------------------------------------------------

TEST(Rendezvous, moves_only_the_experiments_of_a_node_that_comes_or_goes) {
  std::vector<NodeAddress> nodes{{"n1", ""}, {"n2", ""}, {"n3", ""}};
  const std::vector<NodeAddress> fewer{nodes[0], nodes[2]};
  constexpr int kExperiments = 3000;
  std::map<std::string, int> given;
  for (int k = 0; k < kExperiments; ++k) {
    const std::string id = "e" + std::to_string(k);
    const NodeAddress* const of_three = rendezvous(nodes, id);
    ++given[of_three->node_id];
    if (of_three->node_id != "n2") {
      EXPECT_EQ(rendezvous(fewer, id)->node_id, of_three->node_id);
    }
  }
  // Each share is binomial: n = 3000, p = 1/3, standard error 25.8.
  const double se = std::sqrt(kExperiments * (1.0 / 3) * (2.0 / 3));
  for (const auto& [id, count] : given) EXPECT_NEAR(count, kExperiments / 3.0, 5 * se) << id;
  EXPECT_EQ(rendezvous({}, "e"), nullptr);
}

TEST_F(SeveralNodes, sweep_takes_what_nobody_owns_and_rendezvous_gives_to_the_node) {
  Node& a = node("a");
  constexpr int kExperiments = 12;
  for (int k = 0; k < kExperiments; ++k) start(a, "e" + std::to_string(k));
  Node& b = node("b", std::chrono::milliseconds(100));
  Node& c = node("c", std::chrono::milliseconds(100));
  a.store().expire_lease();
  const std::vector<NodeAddress> live{b.store().self(), c.store().self()};
  for (int k = 0; k < kExperiments; ++k) {
    const std::string id = "e" + std::to_string(k);
    const std::string taker = rendezvous(live, id)->node_id;
    EXPECT_TRUE(comes_true([&] { return owner_of(id) == taker; })) << id << " goes to " << taker;
  }
  EXPECT_GT(b.store().counts().taken_over, 0U);
  EXPECT_GT(c.store().counts().taken_over, 0U);
}

TEST_F(SeveralNodes, start_takes_nothing_that_another_node_owns) {
  Node& a = node("a");
  start(a, "e");
  Node& b = node("b", std::chrono::milliseconds(20));
  ASSERT_TRUE(comes_true([&] { return b.store().sweeps() >= 4; }));
  EXPECT_EQ(owner_of("e"), "a");
}

TEST_F(SeveralNodes, live_node_sweeps_once_per_lease_and_one_without_a_lease_never) {
  constexpr std::chrono::milliseconds kLease(100);
  const auto begin = std::chrono::steady_clock::now();
  Node& a = node("a", kLease);
  ASSERT_TRUE(comes_true([&] { return a.store().sweeps() >= 4; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 4 * kLease);
  a.store().expire_lease();
  // Nobody but the sweeper asks for the lease here, and its next question comes after the end of a
  // sweep that is under way.
  const auto asks_again = [&](int times) {
    const int before = a.store().lease_checks();
    return comes_true([&, before] { return a.store().lease_checks() >= before + times; });
  };
  ASSERT_TRUE(asks_again(1));
  const int before = a.store().sweeps();
  ASSERT_TRUE(asks_again(3));
  EXPECT_EQ(a.store().sweeps(), before);
}

TEST_F(SeveralNodes, command_that_nobody_can_reach_sweeps_up_nothing) {
  Node& a = node("a");
  constexpr int kExperiments = 12;
  for (int k = 0; k < kExperiments; ++k) start(a, "e" + std::to_string(k));
  const auto store = std::make_shared<SharedMemoryStore>(database_, NodeAddress{"command", ""},
                                                         std::chrono::milliseconds(20));
  const auto tokens = ApiTokens::open(store).value();
  const auto engine = Engine::start(store).value();
  const Api command(*engine, *tokens, ApiOptions{.caller_owns_store = true});
  a.stop();
  a.store().expire_lease();  // the row of the node is still there
  Node& b = node("b", std::chrono::milliseconds(50));
  const std::vector<NodeAddress> both{b.store().self(), store->self()};
  int of_command = 0;
  for (int k = 0; k < kExperiments; ++k) {
    const std::string id = "e" + std::to_string(k);
    of_command += rendezvous(both, id)->node_id == "command";
    ASSERT_TRUE(comes_true([&] { return owner_of(id) == "b"; })) << id;
  }
  EXPECT_GT(of_command, 0) << "otherwise this proves less";
  EXPECT_EQ(store->sweeps(), 0);
  EXPECT_EQ(b.store().counts().taken_over, 0U) << "A gave them away, and nobody had them since";
}

TEST_F(SeveralNodes, tokens_are_read_in_the_middle_of_a_long_sweep) {
  Node& a = node("a");
  constexpr int kExperiments = 60;
  for (int k = 0; k < kExperiments; ++k) start(a, "e" + std::to_string(k));
  Node& b = node("b", std::chrono::milliseconds(50));
  b.store().slow_own(std::chrono::milliseconds(200));  // 12 s for all: the test waits for two
  const auto admin = a.tokens().create(TokenScope::admin, "", "", 0);
  ASSERT_TRUE(admin.ok());
  const auto taken = [&] {
    int count = 0;
    for (int k = 0; k < kExperiments; ++k) count += owner_of("e" + std::to_string(k)) == "b";
    return count;
  };
  a.store().expire_lease();
  ASSERT_TRUE(comes_true([&] { return taken() > 0; }));
  b.token = admin->first;  // which B has not read yet
  EXPECT_EQ(b.get("/v1/policies").status, 200);
  EXPECT_LT(taken(), kExperiments) << "the sweep goes on meanwhile";
}

TEST_F(SeveralNodes, stopping_node_saves_snapshots_and_gives_its_experiments_away) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  a.stop();
  EXPECT_EQ(owner_of("e"), "");
  {
    const std::lock_guard lock(database_->mutex);
    const SharedDatabase::Kept& kept = database_->experiments.at("e");
    ASSERT_TRUE(kept.snapshot.has_value());
    EXPECT_EQ(kept.snapshot->sequence, 3U) << "created, started, served";
  }
  EXPECT_EQ(report(b, "e", "q", served).text("status"), "applied") << "without waiting for a lease";
  EXPECT_EQ(owner_of("e"), "b");
}

TEST_F(SeveralNodes, create_raced_by_two_nodes_is_won_by_one) {
  Node& a = node("a");
  Node& b = node("b");
  const std::string body = R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":1})";
  const std::string other = R"({"arms":[{"arm_id":"a"},{"arm_id":"c"}],"seed":1})";
  // B has seen that there is no such experiment when A creates it.
  b.store().before_next_create([&] { EXPECT_EQ(a.put("/v1/experiments/e", body).status, 201); });
  EXPECT_EQ(b.put("/v1/experiments/e", body).status, 200) << "the same again";
  EXPECT_EQ(owner_of("e"), "a");
  b.store().before_next_create([&] { EXPECT_EQ(a.put("/v1/experiments/f", body).status, 201); });
  EXPECT_EQ(b.put("/v1/experiments/f", other).status, 409);
  EXPECT_EQ(lines_of("e"), 1U);
  EXPECT_EQ(lines_of("f"), 1U);
}

TEST(NodesStart, nodes_that_start_together_on_a_new_store_have_one_secret) {
  for (int round = 0; round < 50; ++round) {
    const auto database = std::make_shared<SharedDatabase>();
    std::array<std::string, 4> keys;
    std::vector<std::thread> starts;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      starts.emplace_back([&, k] {
        const auto store = std::make_shared<SharedMemoryStore>(
            database, NodeAddress{"n" + std::to_string(k), ""}, kNoSweep);
        keys[k] = Engine::start(store).value()->key_for("test");
      });
    }
    for (std::thread& start : starts) start.join();
    for (const std::string& key : keys) ASSERT_EQ(key, keys[0]);
  }
}

// --- Forwards ------------------------------------------------------------------------------------

TEST_F(SeveralNodes, request_goes_to_the_owner_and_the_answer_comes_back) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told served = serve(b, "e", "q");
  ASSERT_EQ(served.status, 201);
  EXPECT_EQ(served.text("serving"), "explore");
  const Told again = serve(a, "e", "q");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.raw, served.raw) << "the same bytes through both";
  EXPECT_EQ(report(b, "e", "q", served).text("status"), "applied");
  EXPECT_EQ(b.get("/v1/experiments/e/result").raw, a.get("/v1/experiments/e/result").raw)
      << "each reads the log";
  EXPECT_EQ(b.get("/v1/experiments/e/duels/nothing").status, 404);
  EXPECT_EQ(
      b.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"x"})", {{"If-Match", "*"}}).status,
      200)
      << "If-Match goes along";
  EXPECT_EQ(owner_of("e"), "a");
  const std::string metrics = b.get("/metrics").raw;
  EXPECT_NE(metrics.find("duel_node_forwards_total{outcome=\"answered\"} 4"), std::string::npos)
      << metrics;
}

TEST_F(SeveralNodes, known_owner_is_asked_without_asking_the_store_again) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  ASSERT_EQ(serve(b, "e", "q0").status, 201);
  const int before = database_->own_calls;
  for (int k = 1; k < 20; ++k) ASSERT_EQ(serve(b, "e", "q" + std::to_string(k)).status, 201);
  EXPECT_EQ(database_->own_calls, before);
}

TEST_F(SeveralNodes, forwarded_request_goes_one_hop_and_no_further) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const std::string target = "/v1/experiments/e";
  const auto hop_to_b = [&](const Hop& hop) {
    return b.call(HttpMethod::get, target, "",
                  {{std::string(Hops::kHeader), b.hops().sign(hop, "GET", target)}});
  };
  const int before = a.requests();
  EXPECT_EQ(hop_to_b({"e", "b", 1}).status, 421) << "B does not own it";
  EXPECT_EQ(hop_to_b({"e", "a", 1}).status, 421) << "B is not A";
  EXPECT_EQ(a.requests(), before) << "and A is not asked";
  const Told other_epoch =
      a.call(HttpMethod::get, target, "",
             {{std::string(Hops::kHeader), a.hops().sign({"e", "a", 2}, "GET", target)}});
  EXPECT_EQ(other_epoch.status, 421);
  const Told right =
      a.call(HttpMethod::get, target, "",
             {{std::string(Hops::kHeader), a.hops().sign({"e", "a", 1}, "GET", target)}});
  EXPECT_EQ(right.status, 200);
}

TEST_F(SeveralNodes, hop_that_no_node_has_signed_is_worth_nothing) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const std::string target = "/v1/experiments/e";
  const Hops forger(b.store(), "another key");
  const auto call = [&](const std::string& hop, HttpFields more = {}) {
    more.emplace_back(std::string(Hops::kHeader), hop);
    return b.call(HttpMethod::get, target, "", std::move(more));
  };
  // B forwards it as it does with every client's.
  EXPECT_EQ(call(forger.sign({"e", "b", 1}, "GET", target)).status, 200);
  EXPECT_EQ(call("e;b;1;0;x").status, 200);
  EXPECT_EQ(call("").status, 200);
  EXPECT_EQ(call(b.hops().sign({"e", "b", 1}, "GET", "/v1/experiments/f")).status, 200)
      << "signed for another target";
  const std::string old = b.hops().sign({"e", "b", 1}, "GET", target);
  database_->now_ms += 120'000;
  EXPECT_EQ(call(old).status, 200) << "two minutes old";
}

TEST_F(SeveralNodes, stream_of_another_node_needs_its_signature) {
  Node& a = node("a");
  start(a, "e");
  const auto made = a.tokens().create(TokenScope::admin, "", "", 0);
  ASSERT_TRUE(made.ok());
  const Hops forger(a.store(), "another key");
  const std::string target = "/v1/experiments/e/stream";
  EXPECT_EQ(a.call(HttpMethod::get, target, "",
                   {{std::string(Hops::kHeader), forger.sign({"e", "a", 1}, "GET", target)}})
                .status,
            401);
}

TEST_F(SeveralNodes, owner_that_is_not_the_owner_any_more_is_asked_once_and_the_tenure_read_again) {
  Node& a = node("a");
  Node& b = node("b");
  Node& c = node("c");
  start(a, "e");
  ASSERT_EQ(serve(b, "e", "q1").status, 201);  // B knows A as the owner
  ASSERT_TRUE(a.store().give_away("e").ok());
  ASSERT_EQ(serve(c, "e", "q2").status, 201);
  EXPECT_EQ(owner_of("e"), "c");
  EXPECT_EQ(serve(b, "e", "q3").status, 201);
  EXPECT_NE(b.get("/metrics").raw.find("duel_node_forwards_total{outcome=\"misdirected\"} 1"),
            std::string::npos);
}

TEST_F(SeveralNodes, owner_that_cannot_be_reached_is_503_until_its_lease_ends) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told served = serve(b, "e", "q");
  // Killed: nobody listens, nothing was given away.
  a.store().cut_off(true);
  a.stop();
  const Told told = report(b, "e", "q", served);
  EXPECT_EQ(told.status, 503);
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(owner_of("e"), "a");
  a.store().expire_lease();
  EXPECT_EQ(report(b, "e", "q", served).text("status"), "applied");
  EXPECT_EQ(owner_of("e"), "b");
  EXPECT_EQ(b.store().counts().taken_over, 1U);
}

TEST_F(SeveralNodes, callers_token_goes_along_and_is_checked_by_the_owner_too) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const auto admin = a.tokens().create(TokenScope::admin, "", "", 0);
  const auto reader = b.tokens().create(TokenScope::read, "", "", 0);
  ASSERT_TRUE(admin.ok() && reader.ok());
  // B has not read A's token yet, nor A B's: a token that is not known is looked for.
  b.token = admin->first;
  EXPECT_EQ(serve(b, "e", "q").status, 201);
  b.token = reader->first;
  EXPECT_EQ(b.get("/v1/experiments/e").status, 200);
  EXPECT_EQ(serve(b, "e", "q2").status, 403);
  b.token = "duel_admin_unknown";
  EXPECT_EQ(b.get("/v1/experiments/e").status, 401);
  b.token.clear();
  EXPECT_EQ(b.get("/v1/experiments/e").status, 401) << "the server is not open any more";
  // A revocation counts on every node.
  ASSERT_TRUE(a.tokens().erase(reader->second.token_id).ok());
  b.token = reader->first;
  EXPECT_TRUE(comes_true([&] { return b.get("/v1/policies").status == 401; }));
}

TEST_F(SeveralNodes, list_and_export_need_no_owner) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  start(b, "f");
  ASSERT_EQ(serve(a, "e", "q").status, 201);
  const Told list = b.get("/v1/experiments");
  ASSERT_EQ(list.status, 200);
  ASSERT_EQ(list.body.at("items").items().size(), 2U);
  EXPECT_EQ(list.body.at("items").items()[0].at("state").get<std::string>(), "running");
  EXPECT_EQ(owner_of("e"), "a") << "a list takes nothing";
  const std::string exported = b.get("/v1/experiments/e/export?what=audit").raw;
  EXPECT_EQ(exported, a.get("/v1/experiments/e/export?what=audit").raw);
  EXPECT_EQ(std::ranges::count(exported, '\n'), 3);
}

TEST_F(SeveralNodes, events_go_to_the_owners_of_their_experiments) {
  Node& a = node("a");
  Node& b = node("b");
  const auto make = [](Node& at, const std::string& id) {
    const std::string path = "/v1/experiments/" + id;
    ASSERT_EQ(
        at.put(path, R"({"mode":"interleave","arms":[{"arm_id":"x"},{"arm_id":"y"}],"seed":7})")
            .status,
        201);
    ASSERT_EQ(at.post(path + "/start").status, 200);
    const std::string one = R"({"duel_id":"q-)" + id + R"(","lists":{"x":["d1","d2"],"y":["d3"]}})";
    ASSERT_EQ(at.post(path + "/interleavings", one).status, 201);
  };
  make(a, "e");
  make(b, "f");
  const auto events_of = [](char second) {
    const auto click = [second](const std::string& query) {
      return std::string(R"({"action_name":"click","timestamp":"2026-11-15T00:00:0)") + second +
             R"(Z","query_id":")" + query +
             R"(","event_attributes":{"object":{"object_id":"d3"}}})";
    };
    return "[" + click("q-f") + "," + click("nobody") + "," + click("q-e") + ",{\"bad\":1}]";
  };
  const Told told = a.post("/v1/events", events_of('1'));
  ASSERT_EQ(told.status, 202) << told.raw;
  EXPECT_EQ(told.body.at("accepted").get<int>(), 2) << told.raw;
  ASSERT_EQ(told.body.at("rejected").items().size(), 2U);
  EXPECT_EQ(told.body.at("rejected").items()[0].at("index").get<int>(), 1);
  EXPECT_EQ(told.body.at("rejected").items()[1].at("index").get<int>(), 3);
  EXPECT_EQ(owner_of("e"), "a");
  EXPECT_EQ(owner_of("f"), "b");
  EXPECT_EQ(lines_of("e"), lines_of("f")) << "each has its click";
  EXPECT_EQ(lines_of("e"), 5U) << "created, started, served, page, click";
  // If one owner cannot take its events, the whole is to be repeated.
  b.store().cut_off(true);
  const Told failed = a.post("/v1/events", events_of('2'));
  EXPECT_EQ(failed.status, 503) << failed.raw;
  b.store().cut_off(false);
  ASSERT_TRUE(comes_true([&] { return b.get("/readyz").status == 200; }));
  EXPECT_EQ(a.post("/v1/events", events_of('2')).status, 202);
  EXPECT_EQ(lines_of("e"), 6U) << "a click that is known is not written again";
  EXPECT_EQ(lines_of("f"), 6U);
}

// The answer as a node gives it to another.
HttpResponse as_node(const Hops& hops, const HttpRequest& request, HttpResponse answer) {
  answer.headers.emplace_back(Hops::kAnswerHeader, hops.sign_answer(*request.header(Hops::kHeader),
                                                                    request.method, answer));
  return answer;
}

// An owner that takes requests and answers none, until it is let go.
class SilentOwner {
 public:
  explicit SilentOwner(const Hops& hops)
      : server_(HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 1,
                                   [this, &hops](HttpRequest&& request, HttpReply reply) {
                                     const std::lock_guard lock(mutex_);
                                     held_.push_back(std::move(reply));
                                     answers_.push_back(as_node(hops, request, {200, {}, "late"}));
                                   })
                    .value()) {}
  std::string url() const { return "http://" + server_->address().to_string(); }
  std::size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < held_.size(); ++k) held_[k].send(std::move(answers_[k]));
    held_.clear();
    answers_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<HttpReply> held_;
  std::vector<HttpResponse> answers_;
  std::unique_ptr<HttpServer> server_;
};

class Forwarded : public testing::Test {
 protected:
  // An experiment of a node at that address.
  void own(const std::string& experiment, const std::string& node, const std::string& url) {
    others_.push_back(
        std::make_unique<SharedMemoryStore>(database_, NodeAddress{node, url}, kNoSweep));
    ASSERT_TRUE(others_.back()->create(experiment).ok());
  }
  // The status of the answer, once it is there.
  std::shared_ptr<std::atomic<int>> send(Forwarding& forwarding, const std::string& experiment) {
    auto status = std::make_shared<std::atomic<int>>(0);
    HttpRequest request;
    request.target = request.path = "/";
    forwarding.send(
        experiment, std::move(request), "",
        [](const HttpRequest&, const Forwarding::Respond& respond) {
          respond(problem(421, "not here"));
        },
        [status](const HttpResponse& response) { *status = response.status; });
    return status;
  }

  std::shared_ptr<SharedDatabase> database_ = std::make_shared<SharedDatabase>();
  SharedMemoryStore self_{database_, NodeAddress{"self", ""}, kNoSweep};
  Hops hops_{self_, "key"};
  std::vector<std::unique_ptr<SharedMemoryStore>> others_;
};

TEST_F(Forwarded, beyond_the_queue_is_429) {
  SilentOwner silent(hops_);
  own("e", "silent", silent.url());
  Forwarding forwarding(system_world(), self_, hops_, {.threads = 1, .most_waiting = 2});
  const auto under_way = send(forwarding, "e");
  ASSERT_TRUE(comes_true([&] { return silent.held() == 1; }));
  const auto first = send(forwarding, "e"), second = send(forwarding, "e");
  EXPECT_EQ(*send(forwarding, "e"), 429);
  EXPECT_EQ(*under_way + *first + *second, 0) << "they wait";
  EXPECT_NE(forwarding.metrics().find("{outcome=\"overloaded\"} 1\n"), std::string::npos);
  ASSERT_TRUE(comes_true([&] {
    silent.let_go();
    return *under_way == 200 && *first == 200 && *second == 200;
  }));
}

TEST_F(Forwarded, owner_that_does_not_answer_leaves_threads_for_the_others) {
  SilentOwner silent(hops_);
  std::unique_ptr<HttpServer> good =
      HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 1,
                         [this](HttpRequest&& request, HttpReply reply) {
                           reply.send(as_node(hops_, request, {200, {}, "good"}));
                         })
          .value();
  own("e", "silent", silent.url());
  own("f", "good", "http://" + good->address().to_string());
  Forwarding forwarding(system_world(), self_, hops_, {.threads = 4, .most_waiting = 100});
  // One owner has three of the four threads at most.
  const auto known = send(forwarding, "e");
  ASSERT_TRUE(comes_true([&] { return silent.held() == 1; }));
  std::vector<std::shared_ptr<std::atomic<int>>> stuck;
  for (int k = 0; k < 20; ++k) stuck.push_back(send(forwarding, "e"));
  const auto other = send(forwarding, "f");
  EXPECT_TRUE(comes_true([&] { return *other == 200; }));
  EXPECT_LE(silent.held(), 3U);
  EXPECT_EQ(*stuck.back(), 0);
  forwarding.stop();
  EXPECT_EQ(*stuck.back(), 503) << "what waits when a server stops is answered";
}

TEST_F(Forwarded, post_that_may_have_been_done_is_not_repeated) {
  // It takes the request and dies.
  std::atomic<int> requests = 0;
  std::unique_ptr<HttpServer> dying;
  dying =
      HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 1, [&](HttpRequest&&, HttpReply reply) {
        ++requests;
        const auto stream = reply.stream(200, {});
        stream->write("half an answ");  // dropped unfinished, it is cut off
      }).value();
  own("e", "dying", "http://" + dying->address().to_string());
  Forwarding forwarding(system_world(), self_, hops_, {.threads = 1, .most_waiting = 10});
  std::atomic<int> status = 0;
  HttpRequest request;
  request.method = HttpMethod::post;
  request.target = request.path = "/";
  forwarding.send(
      "e", std::move(request), "",
      [](const HttpRequest&, const Forwarding::Respond& respond) {
        respond(problem(421, "not here"));
      },
      [&](const HttpResponse& response) { status = response.status; });
  ASSERT_TRUE(comes_true([&] { return status == 503; }));
  EXPECT_EQ(requests, 1);
}

TEST_F(Forwarded, owner_that_says_twice_that_it_is_not_the_owner_is_given_up) {
  std::atomic<int> requests = 0;
  const std::unique_ptr<HttpServer> stale =
      HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 1,
                         [&](HttpRequest&& request, HttpReply reply) {
                           ++requests;
                           reply.send(as_node(hops_, request, {421, {}, ""}));
                         })
          .value();
  own("e", "stale", "http://" + stale->address().to_string());
  Forwarding forwarding(system_world(), self_, hops_, {.threads = 1, .most_waiting = 10});
  const auto told = send(forwarding, "e"), of_nobody = send(forwarding, "nothing");
  ASSERT_TRUE(comes_true([&] { return *told == 503 && *of_nobody == 503; }));
  EXPECT_EQ(requests, 2) << "the tenure is read again once";
}

// What listens at the address of a node that has died, or that somebody wrote into the table.
class FakeOwner {
 public:
  explicit FakeOwner(HttpResponse answer)
      : server_(HttpServer::listen(
                    {"127.0.0.1", 0}, HttpLimits(), 1,
                    [this, answer = std::move(answer)](HttpRequest&& request, HttpReply reply) {
                      {
                        const std::lock_guard lock(mutex_);
                        for (const auto& [name, value] : request.headers) {
                          seen_ += name + ": " + value + "\n";
                        }
                      }
                      reply.send(answer);
                    })
                    .value()) {}
  std::string url() const { return "http://" + server_->address().to_string(); }
  // All headers that it was sent.
  std::string seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::string seen_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(SeveralNodes, address_that_does_not_share_the_store_gets_no_token_and_answers_nobody) {
  Node& a = node("a");
  const auto admin = a.tokens().create(TokenScope::admin, "", "", 0);
  ASSERT_TRUE(admin.ok());
  a.token = admin->first;
  FakeOwner fake(HttpResponse{200, {}, R"({"state":"stopped"})"});
  SharedMemoryStore dead(database_, NodeAddress{"dead", fake.url()}, kNoSweep);
  ASSERT_TRUE(dead.create("e").ok());
  const Told told = a.get("/v1/experiments/e");
  EXPECT_EQ(told.status, 503) << told.raw;
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_NE(fake.seen().find("duel-hop: e;dead;1;"), std::string::npos) << fake.seen();
  EXPECT_EQ(fake.seen().find(admin->first), std::string::npos) << fake.seen();
  EXPECT_EQ(fake.seen().find("authorization"), std::string::npos) << fake.seen();
}

TEST_F(Forwarded, answer_that_was_signed_for_another_request_is_no_answer) {
  // It has overheard what the owner told somebody else.
  HttpRequest other;
  other.method = HttpMethod::get;
  other.headers = {{std::string(Hops::kHeader), hops_.sign({"e", "replay", 1}, "GET", "/")}};
  FakeOwner replay(as_node(hops_, other, {200, {}, "old"}));
  own("e", "replay", replay.url());
  Forwarding forwarding(system_world(), self_, hops_, {.threads = 1, .most_waiting = 10});
  const auto told = send(forwarding, "e");
  ASSERT_TRUE(comes_true([&] { return *told != 0; }));
  EXPECT_EQ(*told, 503);
}

TEST_F(Forwarded, signature_is_of_status_body_and_lease) {
  HttpRequest request;
  request.headers = {{std::string(Hops::kHeader), hops_.sign({"e", "a", 1}, "GET", "/")}};
  const std::string& hop = *request.header(Hops::kHeader);
  const HttpResponse answer = as_node(hops_, request, {200, {}, "yes"});
  EXPECT_TRUE(hops_.is_signed(hop, HttpMethod::get, answer));
  HttpResponse other_status = answer, other_body = answer, sure = answer, unsigned_one = answer;
  other_status.status = 404;
  other_body.body = "no";
  sure.headers.emplace_back(kLeaseHeader, "lost");
  unsigned_one.headers.clear();
  for (const HttpResponse& forged : {other_status, other_body, sure, unsigned_one}) {
    EXPECT_FALSE(hops_.is_signed(hop, HttpMethod::get, forged));
  }
  const Hops forger(self_, "another key");
  EXPECT_FALSE(hops_.is_signed(hop, HttpMethod::get, as_node(forger, request, {200, {}, "yes"})));
}

TEST_F(Forwarded, signature_of_an_event_is_of_its_stream_its_place_and_its_text) {
  const std::string hop = hops_.sign({"e", "a", 1}, "GET", "/"), event = "id: 7\nevent: x\n\n";
  const std::string signed_one = hops_.signed_event(hop, 3, event);
  EXPECT_TRUE(signed_one.starts_with(':')) << "a comment to a page";
  EXPECT_TRUE(signed_one.ends_with("\n" + event));
  EXPECT_EQ(hops_.verified_event(hop, 3, signed_one), event);
  EXPECT_FALSE(hops_.verified_event(hop, 4, signed_one)) << "it comes again";
  EXPECT_FALSE(hops_.verified_event(hops_.sign({"e", "a", 1}, "GET", "/"), 3, signed_one));
  EXPECT_FALSE(Hops(self_, "another key").verified_event(hop, 3, signed_one));
  std::string other = signed_one;
  other[other.find('7')] = '8';
  EXPECT_FALSE(hops_.verified_event(hop, 3, other));
  for (const std::string_view text : {std::string_view(event), std::string_view(": \n\n"),
                                      std::string_view(":\n\n"), std::string_view("\n\n")}) {
    EXPECT_FALSE(hops_.verified_event(hop, 3, text)) << text;
  }
}

TEST_F(SeveralNodes, owner_checks_the_token_that_the_other_node_names) {
  Node& a = node("a");
  start(a, "e");
  const auto reader = a.tokens().create(TokenScope::read, "", "", 0);
  ASSERT_TRUE(reader.ok());
  const std::string path = "/v1/experiments/e", duels = path + "/duels";
  const auto asks = [&](HttpMethod method, const std::string& target, const std::string& body,
                        const std::string& token_id, const std::string& signed_body) {
    const Hop hop{"e", "a", 1, token_id};
    return a
        .call(method, target, body,
              {{std::string(Hops::kHeader),
                a.hops().sign(hop, to_word(method), target, signed_body)}})
        .status;
  };
  EXPECT_EQ(asks(HttpMethod::get, path, "", reader->second.token_id, ""), 200);
  EXPECT_EQ(asks(HttpMethod::get, path, "", "", ""), 401);
  EXPECT_EQ(asks(HttpMethod::get, path, "", "t0", ""), 401);
  EXPECT_EQ(asks(HttpMethod::post, duels, "{}", reader->second.token_id, "{}"), 403);
  EXPECT_EQ(asks(HttpMethod::post, duels, "{}", reader->second.token_id, R"({"n":1})"), 401)
      << "a hop for another body is no hop, and without one there is no token";
}

// --- Owners that are not -------------------------------------------------------------------------

TEST_F(SeveralNodes, fenced_owner_answers_nothing_from_old_memory) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q1 = serve(a, "e", "q1");
  take_over(a, b, "e");
  const Told q2 = serve(b, "e", "q2");
  ASSERT_EQ(q2.status, 201);
  // In A's memory there is no q2, q1 is open, and the experiment runs under its first name.
  for (const char* target :
       {"/v1/experiments/e/duels/q2", "/v1/experiments/e/duels/q1", "/v1/experiments/e"}) {
    const Told told = a.get(target);
    EXPECT_EQ(told.status, 503) << target << ": " << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  // A result is read from the log, which has what B has served.
  EXPECT_EQ(a.get("/v1/experiments/e/result").raw, b.get("/v1/experiments/e/result").raw);
  EXPECT_EQ(serve(a, "e", "q1").status, 503) << "a replay from memory";
  EXPECT_EQ(
      a.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"x"})", {{"If-Match", "\"7\""}})
          .status,
      503)
      << "412 would be from old memory";
  EXPECT_EQ(a.put("/v1/experiments/e", R"({"arms":[{"arm_id":"x"},{"arm_id":"y"}]})").status, 503)
      << "409 would be from old memory";
  EXPECT_EQ(a.get("/readyz").status, 503);
  // What is appended is fenced by the store, whatever the lease is thought to be: it goes to B.
  EXPECT_EQ(report(a, "e", "q1", q1).text("status"), "applied");
  EXPECT_EQ(a.store().counts().fenced, 1U);
  EXPECT_EQ(report(a, "e", "q2", q2).text("status"), "applied");
  a.store().renew_lease();
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q2").text("state"), "reported");
  EXPECT_EQ(a.get("/v1/experiments/e/result").raw, b.get("/v1/experiments/e/result").raw);
  EXPECT_EQ(owner_of("e"), "b");
}

TEST_F(SeveralNodes, fenced_owner_calls_nothing_late) {
  Node& a = node("a");
  Node& b = node("b");
  start_with_timeout(a, "e");
  const Told q = serve(a, "e", "q");
  take_over(a, b, "e");
  ASSERT_EQ(report(b, "e", "q", q).text("status"), "applied");
  database_->now_ms += 700'000;  // in A's memory q is open and overdue
  EXPECT_EQ(report(a, "e", "q", q).text("status"), "duplicate");
  EXPECT_EQ(a.store().counts().fenced, 1U);
}

TEST_F(SeveralNodes, lease_has_to_hold_from_the_work_to_the_answer) {
  Node& a = node("a");
  start(a, "e");
  const auto status_of_unknown_duel = [&](const std::function<void()>& meanwhile) {
    return status_of(ask<DuelRecords>(a.engine(), "e", AnswerWhen::appended, [&](const Turn& turn) {
                       meanwhile();
                       return turn.experiment.find("nothing");
                     }).get());
  };
  EXPECT_EQ(status_of_unknown_duel([] {}), 404);
  EXPECT_EQ(status_of_unknown_duel([&] { a.store().expire_lease(); }), 503)
      << "lost before it was told";
  EXPECT_EQ(status_of_unknown_duel([&] { a.store().renew_lease(); }), 503)
      << "worked out without one";
  EXPECT_EQ(status_of_unknown_duel([] {}), 404);
}

TEST_F(SeveralNodes, unknown_experiment_is_404_only_under_a_lease) {
  Node& a = node("a");
  EXPECT_EQ(a.get("/v1/experiments/nothing").status, 404);
  a.store().expire_lease();
  EXPECT_EQ(a.get("/v1/experiments/nothing").status, 503);
}

// Cut off from the store, it is still reached by the others: they must not stay with it.
TEST_F(SeveralNodes, owner_without_a_lease_is_left_when_the_store_knows_better) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  ASSERT_EQ(serve(b, "e", "q1").status, 201);  // B knows A as the owner
  a.store().cut_off(true);
  EXPECT_EQ(serve_any(b, "e").text("serving"), "fallback") << "A's lease still holds";
  a.store().expire_lease();
  EXPECT_EQ(serve(b, "e", "q2").text("serving"), "explore");
  EXPECT_EQ(owner_of("e"), "b");
}

// A lease that was lost and renewed: the answer must not rest on what was in memory before.
TEST_F(SeveralNodes, renewed_node_forgets_what_was_taken_from_it) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  take_over(a, b, "e");
  ASSERT_EQ(serve(b, "e", "q").status, 201);
  a.store().renew_lease();
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 200) << "404 would be from old memory";
}

// After an outage a node has its lease again before it finds out that it can write. Until then it
// has the state of before the outage, in which nothing is that others acknowledged since.
TEST_F(SeveralNodes, state_of_before_an_outage_denies_nothing_even_under_a_lease) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q1 = serve(a, "e", "q1");
  a.store().refuse_writes(true);
  ASSERT_EQ(report(a, "e", "q1", q1).status, 503);  // A has lost its state by that
  take_over(a, b, "e");
  const Told q2 = serve(b, "e", "q2");
  ASSERT_EQ(q2.status, 201);
  ASSERT_EQ(report(b, "e", "q1", q1).text("status"), "applied");
  ASSERT_EQ(
      b.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"x"})", {{"If-Match", "*"}}).status,
      200);
  a.store().renew_lease();
  for (const Told& told : {a.get("/v1/experiments/e/duels/q2"), report(a, "e", "q2", q2),
                           a.put("/v1/experiments/e/duels/q1/outcome", R"({"result":"skip"})"),
                           a.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"y"})",
                                  {{"If-Match", "\"3\""}})}) {
    EXPECT_EQ(told.status, 503) << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  a.store().refuse_writes(false);
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(report(a, "e", "q2", q2).text("status"), "applied");
}

// A fallback under an id that the caller chose says that no duel was served under it. What A holds
// is of before B took the experiment.
TEST_F(SeveralNodes, fallback_under_a_name_is_given_only_under_a_lease) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  start(a, "f");
  const Told q = serve(a, "f", "q");
  a.store().refuse_writes(true);
  ASSERT_EQ(report(a, "f", "q", q).status, 503);  // from now on A knows that nothing is taken
  EXPECT_EQ(serve(a, "e", "q1").text("serving"), "fallback");
  take_over(a, b, "e");
  ASSERT_EQ(serve(b, "e", "q2").text("serving"), "explore");
  const Told told = serve(a, "e", "q2");
  EXPECT_EQ(told.status, 503) << told.raw;
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(a.post("/v1/experiments/e/duels", "{}").text("serving"), "fallback");
}

TEST_F(SeveralNodes, experiment_that_is_lost_in_a_group_does_not_fail_the_others) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  start(a, "f");
  BusyEngine busy(a.engine());
  auto of_e = ask<Offer>(a.engine(), "e", AnswerWhen::appended, serve_named("q"));
  auto of_f = ask<Offer>(a.engine(), "f", AnswerWhen::appended, serve_named("q"));
  a.store().before_next_append([&] { take_over(a, b, "e"); });
  busy.let_go();
  EXPECT_EQ(serving(of_f.get()), "explore") << "it is in the store, whatever became of e";
  EXPECT_EQ(status_of(of_e.get()), 421) << "asked again, and B's now";
  EXPECT_EQ(lines_of("f"), 3U);
  EXPECT_EQ(lines_of("e"), 2U) << "nothing of the fenced append is there";
  // Through the API it is answered by B.
  a.store().renew_lease();
  EXPECT_EQ(serve(a, "e", "q").status, 201);
}

TEST_F(SeveralNodes, append_refused_though_the_experiment_is_ours_again_is_folded_again) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  a.store().before_next_append([&] {
    ASSERT_TRUE(a.store().give_away("e").ok());
    ASSERT_EQ(serve(b, "e", "q1").status, 201);
    ASSERT_TRUE(b.store().give_away("e").ok());
    ASSERT_TRUE(a.store().own("e").ok());
  });
  EXPECT_EQ(serve(a, "e", "q2").text("serving"), "explore");
  EXPECT_EQ(lines_of("e"), 4U);
  EXPECT_EQ(serve(a, "e", "q1").status, 200) << "a replay of what B served";
  EXPECT_EQ(a.store().counts().fenced, 0U);
}

// A crash of the database took the record of the outcome, and another node the experiment: a sync
// that succeeds after that does not speak for them.
TEST_F(SeveralNodes, outcome_whose_experiment_was_lost_before_its_sync_is_not_acknowledged) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q = serve(a, "e", "q");
  settle(a, "e");
  a.store().before_next_sync([&] {
    lose_last_line("e");
    take_over(a, b, "e");
    a.store().renew_lease();  // A learns that it is not its own any more
  });
  EXPECT_EQ(report(a, "e", "q", q).status, 503);
  EXPECT_EQ(owner_of("e"), "b");
  EXPECT_EQ(report(a, "e", "q", q).text("status"), "applied") << "by B";
  EXPECT_EQ(lines_of("e"), 4U);
}

// B would do it a second time: comparisons have no ids.
TEST_F(SeveralNodes, post_whose_append_is_in_doubt_is_not_done_again_by_the_next_owner) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  a.store().before_next_append([&] { a.store().expire_lease(); });
  a.store().lose_next_answer();
  const Told told =
      b.post("/v1/experiments/e/comparisons", R"([{"first":"a","second":"b","result":"tie"}])");
  EXPECT_EQ(told.status, 503) << told.raw;
  EXPECT_EQ(lines_of("e"), 3U);
  EXPECT_EQ(owner_of("e"), "a");
}

TEST_F(SeveralNodes, append_whose_answer_is_lost_is_neither_lost_nor_counted_twice) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  a.store().lose_next_answer();
  const Told first = report(a, "e", "q", served);
  EXPECT_EQ(first.status, 503);
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "duplicate");
  EXPECT_EQ(lines_of("e"), 4U);
}

TEST_F(SeveralNodes, node_without_work_is_not_ready_while_its_store_is_out_of_reach) {
  Node& a = node("a");
  start(a, "e");
  ASSERT_EQ(a.get("/readyz").status, 200);
  a.store().cut_off(true);
  ASSERT_TRUE(a.store().holds_lease());
  const Told told = a.get("/readyz");
  EXPECT_EQ(told.status, 503);
  EXPECT_EQ(told.text("detail"), "the store cannot be reached");
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(a.get("/healthz").status, 200);
  a.store().cut_off(false);
  EXPECT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
}

TEST_F(SeveralNodes, lost_store_gives_fallbacks_and_reports_to_be_retried_and_recovers_by_itself) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  a.store().cut_off(true);
  for (const char* id : {"q", "q2", "q3"}) {
    const Told fallback = serve_any(a, "e");
    ASSERT_EQ(fallback.status, 201) << fallback.raw;
    EXPECT_EQ(fallback.text("serving"), "fallback");
    EXPECT_EQ(fallback.text("reason"), "store");
    EXPECT_FALSE(fallback.body.at("learn").get<bool>());
    // A duel of this id may be in the log: with a fallback under it, the outcome of what was shown
    // would count for that duel's pair as soon as the store is back.
    const Told named = serve(a, "e", id);
    EXPECT_EQ(named.status, 503) << named.raw;
    EXPECT_TRUE(named.body.at("retryable").get<bool>());
    const Told told = report(a, "e", "q", served);
    EXPECT_EQ(told.status, 503) << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  // The lease runs out meanwhile: a fallback rests on nothing that another node could change.
  a.store().expire_lease();
  EXPECT_EQ(serve_any(a, "e").text("serving"), "fallback");
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 503);
  EXPECT_EQ(a.get("/readyz").status, 503);
  EXPECT_EQ(a.get("/healthz").status, 200);
  a.store().cut_off(false);
  a.store().renew_lease();
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(serve(a, "e", "q").raw, served.raw);
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "applied");
  EXPECT_EQ(serve(a, "e", "q2").text("serving"), "explore");
}

// What the node holds after a failed append may be nowhere else.
TEST_F(SeveralNodes, nothing_is_acknowledged_from_what_never_reached_the_store) {
  Node& a = node("a");
  const auto cut_off_at_append = [&] {
    a.store().before_next_append([&] { a.store().cut_off(true); });
  };
  const auto connect = [&] {
    a.store().cut_off(false);
    ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  };
  const std::string body =
      R"({"mode":"interleave","arms":[{"arm_id":"x"},{"arm_id":"y"}],"seed":7})";
  cut_off_at_append();
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 503);
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 503);
  connect();
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 201);
  ASSERT_EQ(a.post("/v1/experiments/e/start").status, 200);
  ASSERT_EQ(a.post("/v1/experiments/e/interleavings",
                   R"({"duel_id":"q","lists":{"x":["d1","d2"],"y":["d3"]}})")
                .status,
            201);
  const std::string click =
      R"([{"action_name":"click","timestamp":"2026-11-15T00:00:01Z","query_id":"q",)"
      R"("event_attributes":{"object":{"object_id":"d3"},"duel":{"experiment_id":"e"}}}])";
  settle(a, "e");
  const std::uint64_t before = lines_of("e");
  cut_off_at_append();
  for (int time = 0; time < 2; ++time) {
    const Told told = a.post("/v1/events", click);
    EXPECT_EQ(told.status, 503) << told.raw;
  }
  EXPECT_EQ(lines_of("e"), before);
  connect();
  const Told told = a.post("/v1/events", click);
  EXPECT_EQ(told.status, 202) << told.raw;
  EXPECT_EQ(told.body.at("accepted").get<int>(), 1) << told.raw;
  EXPECT_EQ(lines_of("e"), before + 1);
}

// The policy has chosen, and the record of its choice is never written: the state in memory is not
// the fold of the log any more.
class Spoiled : public SeveralNodes {
 protected:
  // Serves somebody, and the store cannot be read after the choice. `chosen`: the serve that would
  // have been.
  ServeWork fail_after_choosing(std::optional<ServeRecord>* chosen = nullptr) {
    return [this, chosen](const Turn& turn) {
      Experiment& experiment = turn.experiment;
      if (chosen != nullptr && !experiment.spoiled()) {
        LiveExperiment twin = LiveExperiment::make(experiment.ledger().experiment()).value();
        EXPECT_TRUE(twin.restore(experiment.live().save().value()).ok());
        *chosen = twin.choose("", {});
      }
      node_.store().cut_off(true);
      // Without an id the first that is read is whether the subject has met the pair.
      auto offer = experiment.serve({.subject = "s"}, turn.moment);
      node_.store().cut_off(false);
      EXPECT_TRUE(experiment.spoiled());
      return offer;
    };
  }

  Node& node_ = node("a");
};

TEST_F(Spoiled, choice_that_a_failed_read_kept_from_being_served_harms_no_other_request) {
  start(node_, "e");
  const Told q0 = serve(node_, "e", "q0");
  const auto report_q0 = [&](const Turn& turn) {
    const Report report{.duel_id = "q0", .answer = Answer{Answered::tie, ""}};
    return turn.experiment.report(report, turn.moment);
  };
  BusyEngine busy(node_.engine());
  auto staged = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, serve_named("q1"));
  auto spoiled = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, fail_after_choosing());
  auto reported = ask<Reported>(node_.engine(), "e", AnswerWhen::durable, report_q0);
  auto next = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, serve_named("q2"));
  busy.let_go();
  EXPECT_EQ(serving(staged.get()), "explore");
  EXPECT_EQ(serving(spoiled.get()), "fallback");
  EXPECT_EQ(status_of(reported.get()), 503) << "nothing is wrong with the report";
  EXPECT_EQ(status_of(next.get()), 503) << "its id may be in the log";
  EXPECT_EQ(lines_of("e"), 4U) << "created, started, q0, q1";
  EXPECT_EQ(report(node_, "e", "q0", q0).text("status"), "applied") << "folded again";
}

// The proof of a duel whose record was lost brings the serve with it. That is not the serve that
// was chosen, even where the pair is the same.
TEST_F(Spoiled, state_takes_no_proof_of_another_duel_for_the_choice) {
  for (const bool same_pair : {true, false}) {
    const std::string id = same_pair ? "e" : "f";
    start(node_, id);
    std::optional<ServeRecord> chosen;
    const auto report_lost = [&](const Turn& turn) {
      const std::int64_t now = turn.moment.now_ms;
      Report report{.duel_id = "lost", .answer = Answer{Answered::tie, ""}};
      report.proof = Proof{.experiment_id = id,
                           .duel_id = "lost",
                           .round = 1,
                           .first = same_pair ? chosen->first : chosen->second,
                           .second = same_pair ? chosen->second : chosen->first,
                           .served_at_ms = now,
                           .expires_at_ms = now + 1000};
      return turn.experiment.report(report, turn.moment);
    };
    BusyEngine busy(node_.engine());
    auto spoiled =
        ask<Offer>(node_.engine(), id, AnswerWhen::appended, fail_after_choosing(&chosen));
    auto reported = ask<Reported>(node_.engine(), id, AnswerWhen::durable, report_lost);
    busy.let_go();
    EXPECT_EQ(serving(spoiled.get()), "fallback");
    EXPECT_EQ(status_of(reported.get()), 503);
    EXPECT_EQ(lines_of(id), 2U);
    const auto again = ask<Reported>(node_.engine(), id, AnswerWhen::durable, report_lost).get();
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->what, Reported::What::applied) << "folded again";
    EXPECT_EQ(lines_of(id), 4U) << "the serve, recovered, and its outcome";
  }
}

// A database that crashes loses what was not yet on its disk; the owner still has it in memory.
TEST_F(SeveralNodes, duel_whose_record_the_database_has_lost_is_neither_unknown_nor_served_twice) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  SharedDatabase::Kept before;
  {
    const std::lock_guard lock(database_->mutex);
    before = database_->experiments.at("e");
  }
  lose_last_line("e");
  EXPECT_EQ(serve(a, "e", "q").status, 503);
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 503);
  const std::string token = served.text("report_token");
  EXPECT_EQ(a.put("/v1/experiments/e/duels/q/outcome",
                  R"({"result":"tie","report_token":")" + token + R"("})")
                .status,
            503)
      << "it is not recovered beside what is in memory";
  {
    const std::lock_guard lock(database_->mutex);
    database_->experiments.at("e") = before;  // appended again
  }
  EXPECT_EQ(serve(a, "e", "q").raw, served.raw);
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "applied");
}

TEST_F(SeveralNodes, time_is_the_stores) {
  Node& a = node("a");
  start(a, "e");
  database_->now_ms += 3'600'000;
  EXPECT_EQ(serve(a, "e", "q").text("served_at"), "2026-11-15T01:00:00.000Z");
}

// What one node serves expires under the next, and only after a pause.
TEST_F(SeveralNodes, duel_expires_under_the_new_owner_after_a_grace) {
  Node& a = node("a");
  Node& b = node("b", std::chrono::milliseconds(50));
  start_with_timeout(a, "e");
  ASSERT_EQ(serve(a, "e", "q").status, 201);
  a.store().expire_lease();
  database_->now_ms += 700'000;
  ASSERT_TRUE(comes_true([&] { return owner_of("e") == "b"; }));
  EXPECT_EQ(b.get("/v1/experiments/e/duels/q").text("state"), "served") << "the pause was ours";
  database_->now_ms += 61'000;
  EXPECT_TRUE(comes_true([&] { return lines_of("e") == 4; })) << "nobody asks, and it expires";
  EXPECT_EQ(b.get("/v1/experiments/e/duels/q").text("state"), "expired");
}

// --- Streams -------------------------------------------------------------------------------------

// A page that listens, in a thread of its own.
class Listener {
 public:
  Listener(Node& at, const std::string& experiment)
      : thread_([this, url = at.store().self().url, experiment] {
          HttpClientOptions options;
          options.stop = &stopping_;
          HttpClient client = HttpClient::make(url, options).value();
          (void)client.stream("/v1/experiments/" + experiment + "/stream",
                              [this](std::string_view piece) {
                                const std::lock_guard lock(mutex_);
                                heard_ += piece;
                                return !stopping_;
                              });
        }) {}
  ~Listener() {
    stopping_ = true;
    thread_.join();
  }
  bool hears(const std::string& what) {
    return comes_true([&] { return heard().find(what) != std::string::npos; });
  }
  std::string heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  std::mutex mutex_;
  std::string heard_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

TEST_F(SeveralNodes, streams_have_one_upstream_per_node_and_a_new_owner_resets_them) {
  Node& a = node("a");
  Node& b = node("b");
  Node& c = node("c");
  start(a, "e");
  Listener first(b, "e"), second(b, "e"), at_owner(a, "e");
  for (Listener* one : {&first, &second, &at_owner}) {
    EXPECT_TRUE(one->hears("id: 2\nevent: result\n"));
  }
  EXPECT_NE(a.get("/metrics").raw.find("duel_event_streams 2\n"), std::string::npos)
      << "one page and one node listen at A";
  const Told served = serve(c, "e", "q");
  ASSERT_EQ(report(c, "e", "q", served).status, 200);
  for (Listener* one : {&first, &second, &at_owner}) {
    EXPECT_TRUE(one->hears("id: 4\nevent: result\n"));
  }
  // C takes it, and A finds out when it next appends.
  take_over(a, c, "e");
  ASSERT_EQ(serve(a, "e", "q2").status, 201);
  for (Listener* one : {&first, &second, &at_owner}) EXPECT_TRUE(one->hears("event: reset\n"));
  const Told q3 = serve(c, "e", "q3");
  ASSERT_EQ(report(c, "e", "q3", q3).status, 200);
  for (Listener* one : {&first, &second, &at_owner}) {
    EXPECT_TRUE(one->hears("id: 7\nevent: result\n")) << "what the new owner says";
  }
}

TEST_F(SeveralNodes, node_that_takes_an_experiment_resets_the_streams_of_its_own_pages) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  Listener page(b, "e");
  ASSERT_TRUE(page.hears("event: result\n"));
  a.store().cut_off(true);
  a.stop();
  a.store().expire_lease();
  ASSERT_EQ(b.get("/v1/experiments/e").status, 200);
  ASSERT_EQ(owner_of("e"), "b");
  EXPECT_TRUE(page.hears("event: reset\n"));
}

// What listens at the address of a node that has died, and tells pages what it likes.
class FakeStream {
 public:
  // The text of the n-th stream, for the hop that asks.
  using Text = std::function<std::string(const std::string& hop, int number)>;
  explicit FakeStream(Text text)
      : server_(HttpServer::listen(
                    {"127.0.0.1", 0}, HttpLimits(), 1,
                    [this, text = std::move(text)](HttpRequest&& request, HttpReply reply) {
                      const std::string* hop = request.header(Hops::kHeader);
                      if (request.header("authorization") != nullptr) saw_token_ = true;
                      streams_.push_back(reply.stream(200, {}));  // left open
                      streams_.back()->write(text(hop == nullptr ? "" : *hop, asked_));
                      ++asked_;
                    })
                    .value()) {}
  std::string url() const { return "http://" + server_->address().to_string(); }
  int asked() const { return asked_; }
  bool saw_token() const { return saw_token_; }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> saw_token_ = false;
  std::vector<std::shared_ptr<HttpStream>> streams_;  // by the server's thread
  std::unique_ptr<HttpServer> server_;
};

// The node leaves such a stream at once and asks the store again whom to listen to: that it comes
// back shows that the stream before has told it nothing.
TEST_F(SeveralNodes, events_that_the_owner_has_not_signed_reach_no_page) {
  Node& a = node("a");
  const Hops forger(a.store(), "another key");
  const std::string lie = "id: 9\nevent: certified\ndata: {\"sequence\":9}\n\n";
  FakeStream fake([&](const std::string& hop, int number) -> std::string {
    switch (number % 5) {
      case 0:
        return lie;
      case 1:
        return ": \n\n" + lie;  // not even a sign of life
      case 2:
        return forger.signed_event(hop, 0, lie);
      case 3:
        return ":" + std::string(64, '0') + "\n" + lie;
      default:
        return std::string(10'000, 'x');  // no event at all
    }
  });
  SharedMemoryStore dead(database_, NodeAddress{"dead", fake.url()}, kNoSweep);
  ASSERT_TRUE(dead.create("e").ok());
  Listener page(a, "e");
  ASSERT_TRUE(comes_true([&] { return fake.asked() >= 6; }));
  EXPECT_EQ(page.heard().find("certified"), std::string::npos) << page.heard();
  EXPECT_FALSE(fake.saw_token());
}

// --- Figures -------------------------------------------------------------------------------------

TEST_F(SeveralNodes, metrics_tell_of_leases_owners_and_epochs) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  take_over(a, b, "e");
  const std::string of_b = b.get("/metrics").raw;
  for (const char* line :
       {"duel_node_info{node_id=\"b\"", "duel_node_lease_held 1\n", "duel_node_takeovers_total 1\n",
        "duel_node_owned_experiments 1\n", "duel_node_epoch{experiment=\"e\"} 2\n",
        "duel_node_lease_left_seconds 3600.000\n", "duel_node_live_nodes 1\n"}) {
    EXPECT_NE(of_b.find(line), std::string::npos) << line;
  }
  const std::string of_a = a.get("/metrics").raw;
  EXPECT_NE(of_a.find("duel_node_lease_held 0\n"), std::string::npos);
  EXPECT_NE(of_a.find("duel_node_owned_experiments 0\n"), std::string::npos);
  for (const std::string& page : {of_a, of_b}) {
    for (const std::string& error : metrics_page_errors(page)) ADD_FAILURE() << error;
  }
}

}  // namespace
}  // namespace duel
