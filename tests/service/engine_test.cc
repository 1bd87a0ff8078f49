#include "duel/service/engine.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/served_api.h"
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

}  // namespace
}  // namespace duel
