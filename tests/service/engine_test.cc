#include "duel/service/engine.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"
#include "tests/store/faulty_vfs.h"

namespace duel {
namespace {

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
