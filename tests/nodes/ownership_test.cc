// Which node takes which experiment.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "duel/nodes/rendezvous.h"
#include "tests/nodes/several_nodes.h"

namespace duel {
namespace {

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

}  // namespace
}  // namespace duel
