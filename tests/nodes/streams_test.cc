// Live pages at nodes that do not own their experiment, and the figures of nodes.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "duel/http/http_client.h"
#include "duel/nodes/hop.h"
#include "tests/nodes/several_nodes.h"
#include "tests/server/metrics_page.h"

namespace duel {
namespace {

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
