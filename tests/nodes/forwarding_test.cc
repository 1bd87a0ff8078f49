// Requests that reach a node which does not own their experiment.
#include "duel/nodes/forwarding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/nodes/hop.h"
#include "tests/nodes/several_nodes.h"

namespace duel {
namespace {

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

TEST_F(SeveralNodes, trace_goes_along_to_the_owner) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", span = "00f067aa0ba902b7";
  const auto ask = [&](const std::string& target, const std::string& body) {
    return b.call(HttpMethod::post, target, body,
                  {{"traceparent", "00-" + trace + "-" + span + "-01"}, {"tracestate", "x=1"}});
  };
  // The one that was asked has the caller for a parent, and the owner has that one.
  const auto hold = [&](const std::string& path) {
    const std::vector<AnsweredRequest> asked = b.answered(path);
    const std::vector<AnsweredRequest> owner = a.answered(path);
    ASSERT_EQ(asked.size(), 1U);
    ASSERT_EQ(owner.size(), 1U);
    EXPECT_EQ(asked[0].trace->trace_id, trace);
    EXPECT_EQ(asked[0].trace->parent_id, span);
    EXPECT_EQ(asked[0].trace->flags, "01");
    EXPECT_FALSE(asked[0].from_node);
    EXPECT_EQ(asked[0].client, "127.0.0.1");
    EXPECT_EQ(owner[0].trace->trace_id, trace);
    EXPECT_EQ(owner[0].trace->parent_id, asked[0].trace->span_id);
    EXPECT_NE(owner[0].trace->span_id, asked[0].trace->span_id);
    EXPECT_TRUE(owner[0].from_node);
    EXPECT_EQ(owner[0].client, "") << "of the machine of the other node";
  };
  const std::string duels = "/v1/experiments/e/duels";
  ASSERT_EQ(ask(duels, R"({"duel_id":"q"})").status, 201);
  hold(duels);
  // Events are sent in requests of their own.
  EXPECT_EQ(ask("/v1/events", R"({"action_name":"click","timestamp":"2026-01-01T00:00:00Z",)"
                              R"("query_id":"q","event_attributes":)"
                              R"({"duel":{"experiment_id":"e"},"object":{"object_id":"d"}}})")
                .status,
            202);
  hold("/v1/events");
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

}  // namespace
}  // namespace duel
