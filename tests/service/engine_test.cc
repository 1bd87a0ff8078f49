#include "duel/service/engine.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/world.h"
#include "duel/store/memory_store.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"
#include "tests/store/faulty_vfs.h"

namespace duel {
namespace {

// The machine's world, which counts how often somebody pauses.
class CountingWorld final : public World {
 public:
  std::int64_t wall_time_ms() override { return machine_.wall_time_ms(); }
  Moment now() override { return machine_.now(); }
  std::chrono::nanoseconds cpu_time() override { return machine_.cpu_time(); }
  std::string random_bytes(std::size_t count) override { return machine_.random_bytes(count); }
  std::unique_ptr<TaskQueue> queue(QueueOptions options) override {
    return machine_.queue(options);
  }
  void pause(std::chrono::microseconds time) override {
    ++pauses;
    machine_.pause(time);
  }

  std::atomic<int> pauses = 0;

 private:
  World& machine_ = system_world();
};

// Keeps the owner of an experiment at work until it is let go.
class BusyOwner {
 public:
  BusyOwner(Engine& engine, const std::string& experiment_id) {
    engine.post(experiment_id, [this] {
      busy_.set_value();
      go_.get_future().wait();
      gone_.set_value();
    });
    busy_.get_future().wait();
  }
  ~BusyOwner() {
    go_.set_value();
    gone_.get_future().wait();
  }
  BusyOwner(const BusyOwner&) = delete;
  BusyOwner& operator=(const BusyOwner&) = delete;

 private:
  std::promise<void> busy_, go_, gone_;
};

// Asks for an experiment that is not there, `count` times in one turn, and returns when all is
// answered.
void ask_in_one_turn(Engine& engine, int count) {
  std::promise<void> answered;
  std::atomic<int> left = count;
  {
    const BusyOwner busy(engine, "none");
    for (int k = 0; k < count; ++k) {
      engine.ask<bool>(
          "none", AnswerWhen::appended, [](const Turn&) -> Result<bool> { return true; },
          [&](const Result<bool>&, const Delivery&) {
            if (--left == 0) answered.set_value();
          });
    }
  }
  answered.get_future().wait();
}

TEST(Engine, waits_for_more_requests_only_after_a_turn_of_many) {
  CountingWorld world;
  const auto engine = Engine::start(std::make_shared<MemoryStore>(), {.world = &world}).value();
  const int before = world.pauses;
  for (int k = 0; k < 3; ++k) ask_in_one_turn(*engine, 15);
  EXPECT_EQ(world.pauses, before) << "a single caller must not wait";
  ask_in_one_turn(*engine, 16);
  ask_in_one_turn(*engine, 1);
  EXPECT_EQ(world.pauses, before + 1);
  ask_in_one_turn(*engine, 1);
  EXPECT_EQ(world.pauses, before + 1);
}

TEST(Engine, tells_the_operator_once_that_the_disk_is_full_and_once_that_there_is_room) {
  FaultyVfs disk;
  ServedApi api;
  std::mutex mutex;
  std::vector<std::string> said;
  const auto messages = [&] {
    const std::lock_guard lock(mutex);
    return said;
  };
  api.stop();
  api.vfs = disk.name();
  api.say = [&](const std::string& message) {
    const std::lock_guard lock(mutex);
    said.push_back(message);
  };
  api.start();
  start_three_arms(api);
  EXPECT_TRUE(messages().empty());
  disk.arm(FaultyVfs::Call::write, 0, SQLITE_FULL);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "fallback");
  }
  ASSERT_EQ(messages().size(), 1U);
  EXPECT_TRUE(messages()[0].starts_with("the store takes no records")) << messages()[0];
  EXPECT_NE(messages()[0].find("full"), std::string::npos) << messages()[0];
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (messages().size() < 2 && std::chrono::steady_clock::now() < end) {
    api.pass(1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(messages().size(), 2U);
  EXPECT_EQ(messages()[1], "the store takes records again");
  api.stop();
}

// A refusal tells of the state as an answer does. Told before the sync, it would speak of a record
// that a loss of power can still undo.
TEST(Engine, refuses_nothing_for_the_sake_of_a_record_that_was_never_synced) {
  const std::string complete = "/v1/experiments/e/complete", start = "/v1/experiments/e/start";
  for (const bool syncs : {true, false}) {
    ServedApi api;
    FaultyStore* store = nullptr;
    api.stop();
    api.around_store = [&](std::unique_ptr<Store> disk) {
      auto faulty = std::make_unique<FaultyStore>(std::move(disk));
      store = faulty.get();
      return faulty;
    };
    api.start();
    start_three_arms(api);
    if (!syncs) store->arm(FaultyStore::Call::sync, 0);
    EXPECT_EQ(api.post(complete).status, syncs ? 200 : 503);
    EXPECT_EQ(api.post(start).status, syncs ? 409 : 503) << "a completed one cannot start";
  }
}

}  // namespace
}  // namespace duel
