// What the server does when its store fails: a full disk, a sync that fails, a loss of power, a
// clock that was set back. scripts/fault-test does the same to a real process.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"
#include "tests/store/faulty_vfs.h"

namespace duel {
namespace {

void change_store(const std::filesystem::path& file, const std::string& statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

// Waits for the event, not for a time; the limit is for a server that never gets there.
bool becomes_ready(ServedApi& api) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (api.get("/readyz").status != 200) {
    if (std::chrono::steady_clock::now() > end) return false;
    api.pass(1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(StoreFault, full_disk_gives_fallbacks_and_reports_to_be_retried) {
  FaultyVfs disk;
  ServedApi api;
  api.stop();
  api.vfs = disk.name();
  api.start();
  start_three_arms(api);
  const Told held = api.post("/v1/experiments/e/duels", R"({"duel_id":"held"})");
  ASSERT_EQ(held.status, 201);

  disk.arm(FaultyVfs::Call::write, 0, SQLITE_FULL);
  const Told first = api.post("/v1/experiments/e/duels", R"({"duel_id":"first"})");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.text("serving"), "fallback");
  EXPECT_FALSE(first.body.at("learn").get<bool>());
  EXPECT_EQ(api.get("/readyz").status, 503);
  EXPECT_EQ(api.get("/healthz").status, 200);
  // From here on nothing is tried until the server has seen that it can write.
  EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "fallback");
  const std::string outcome = win_of(first_arm(held));
  const Told report = api.put("/v1/experiments/e/duels/held/outcome", outcome);
  EXPECT_EQ(report.status, 503);
  EXPECT_TRUE(report.body.at("retryable").get<bool>());
  const Told batch =
      api.post("/v1/experiments/e/outcomes",
               R"([{"duel_id":"held","result":"win","winner":")" + first_arm(held) + R"("}])");
  EXPECT_EQ(batch.status, 503) << "an item must not look invalid because the disk is full";
  EXPECT_EQ(api.get("/v1/experiments/e/result").status, 200);
  EXPECT_FALSE(api.engine().failed()) << "a full disk is no reason to exit";

  ASSERT_TRUE(becomes_ready(api));
  EXPECT_EQ(api.put("/v1/experiments/e/duels/held/outcome", outcome).text("status"), "applied");
  const Told again = api.post("/v1/experiments/e/duels", R"({"duel_id":"first"})");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.text("serving"), "explore");
}

// Answered duels are looked up in the store. Each search that a batch makes fails in its turn.
TEST(StoreFault, batch_that_the_store_cannot_read_for_is_to_be_retried_as_a_whole) {
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
  const auto serve = [&](const std::string& id) {
    const Told duel = api.post("/v1/experiments/e/duels", R"({"duel_id":")" + id + R"("})");
    EXPECT_EQ(duel.status, 201);
    return R"({"duel_id":")" + id + R"(","result":"win","winner":")" + first_arm(duel) + R"("})";
  };
  const std::string answered = serve("answered") + "," + serve("too");
  ASSERT_EQ(api.post("/v1/experiments/e/outcomes", "[" + answered + "]").status, 200);

  constexpr std::size_t kMostSearches = 20;
  std::size_t failed = 0;
  for (;; ++failed) {
    ASSERT_LT(failed, kMostSearches);
    const std::string open = "open" + std::to_string(failed);
    const std::string batch = "[" + serve(open) + "," + answered + "]";
    store->arm(FaultyStore::Call::find, failed);
    const Told told = api.post("/v1/experiments/e/outcomes", batch);
    if (store->armed()) {  // it made fewer searches than that
      EXPECT_EQ(told.status, 200);
      break;
    }
    EXPECT_EQ(told.status, 503) << "search " << failed << ": " << told.body.dump();
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
    const Told again = api.post("/v1/experiments/e/outcomes", batch);
    ASSERT_EQ(again.status, 200);
    EXPECT_EQ(again.body.at("items").items()[0].at("status").get<std::string>(), "duplicate")
        << "what was taken before the error is kept";
    for (const std::size_t k : {1, 2}) {
      EXPECT_EQ(again.body.at("items").items()[k].at("status").get<std::string>(), "duplicate");
    }
  }
  EXPECT_EQ(failed, 2U) << "each that was answered before is looked up once";
}

TEST(StoreFault, damaged_record_of_a_duel_does_not_make_its_outcome_invalid) {
  ServedApi api;
  start_three_arms(api);
  const Told duel = api.post("/v1/experiments/e/duels", R"({"duel_id":"q"})");
  const std::string item =
      R"([{"duel_id":"q","result":"win","winner":")" + first_arm(duel) + R"("}])";
  ASSERT_EQ(api.post("/v1/experiments/e/outcomes", item).status, 200);
  // The experiment is in memory; the duel, which is answered, is not.
  change_store(api.store_file(), "UPDATE lines SET text = substr(text, 2) WHERE key = 'q'");
  const Told batch = api.post("/v1/experiments/e/outcomes", item);
  EXPECT_EQ(batch.status, 503) << batch.body.dump();
  EXPECT_TRUE(batch.body.at("retryable").get<bool>());
  EXPECT_NE(batch.text("detail").find("'q' cannot be read"), std::string::npos)
      << batch.text("detail");
}

TEST(StoreFault, failed_sync_acknowledges_nothing_and_ends_the_service) {
  FaultyVfs disk;
  ServedApi api;
  api.stop();
  api.vfs = disk.name();
  api.start();
  start_three_arms(api);
  const Told duel = api.post("/v1/experiments/e/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(duel.status, 201);
  const std::string outcome = win_of(first_arm(duel));

  disk.arm(FaultyVfs::Call::sync, 0, SQLITE_IOERR_FSYNC);
  EXPECT_EQ(api.put("/v1/experiments/e/duels/q/outcome", outcome).status, 503);
  EXPECT_TRUE(api.engine().failed());
  EXPECT_EQ(api.put("/v1/experiments/e/duels/q/outcome", outcome).status, 503)
      << "a repeated outcome is no duplicate of one that was never synced";
  EXPECT_EQ(api.get("/readyz").status, 503);

  api.vfs.clear();
  api.restart();
  const Told retried = api.put("/v1/experiments/e/duels/q/outcome", outcome);
  EXPECT_EQ(retried.status, 200);
}

TEST(StoreFault, no_fallback_has_the_name_of_a_duel_whose_write_is_of_unknown_fate) {
  for (const std::size_t calls : {0, 1, 2, 3, 4}) {
    FaultyVfs disk;
    ServedApi api;
    api.stop();
    api.vfs = disk.name();
    api.start();
    start_three_arms(api);
    disk.arm(FaultyVfs::Call::write, calls, SQLITE_IOERR_WRITE, Fault::loses_answer);
    const std::string wish = R"({"duel_id":"q"})";
    const Told first = api.post("/v1/experiments/e/duels", wish);
    if (!api.engine().failed()) continue;  // it wrote less than that
    EXPECT_EQ(first.status, 503) << calls;
    EXPECT_EQ(api.post("/v1/experiments/e/duels", wish).status, 503) << calls;
    EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "fallback") << calls;
  }
}

TEST(StoreFault, state_after_a_loss_of_power_is_that_of_a_fold_of_the_log) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 60; ++k) {
    const std::string id = "q" + std::to_string(k);
    const Told duel = api.post("/v1/experiments/e/duels", R"({"duel_id":")" + id + R"("})");
    ASSERT_EQ(duel.status, 201);
    const std::string arm =
        duel.body.at("arms").items()[k % 3 == 0].at("arm_id").get<std::string>();
    ASSERT_EQ(api.put("/v1/experiments/e/duels/" + id + "/outcome", win_of(arm)).status, 200);
  }
  const Told before = api.get("/v1/experiments/e/result");
  api.stop();
  change_store(api.store_file(),
               "UPDATE state SET value = 'another boot' WHERE name = 'stop';"
               "UPDATE experiments SET mark = 20");
  api.start();
  const Told lived = api.get("/v1/experiments/e/result");
  api.restart();
  const Told folded = api.get("/v1/experiments/e/result");
  EXPECT_EQ(lived.body.dump(), folded.body.dump());
  EXPECT_NE(lived.body.at("pairs").dump(), before.body.at("pairs").dump())
      << "nothing was taken out of the evidence, so that this proves nothing";
}

TEST(StoreFault, clock_that_was_set_back_expires_nothing_that_people_hold) {
  constexpr std::int64_t kWhile = 20 * 60'000;  // longer than an answer is waited for
  ServedApi api;
  ASSERT_EQ(api.put("/v1/experiments/e",
                    R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"feedback":{"timeout_s":600}})")
                .status,
            201);
  ASSERT_EQ(api.post("/v1/experiments/e/start").status, 200);
  const Told held = api.post("/v1/experiments/e/duels", R"({"duel_id":"held"})");
  api.stop();
  api.pass(kWhile);
  api.start();
  ASSERT_EQ(api.post("/v1/experiments/e/duels", R"({"duel_id":"other"})").status, 201);
  api.stop();
  api.pass(-2 * kWhile);
  api.start();
  const Told told = api.put("/v1/experiments/e/duels/held/outcome", win_of(first_arm(held)));
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.text("status"), "applied");
}

// Recorded time never goes back: it would stand still for 40 days.
TEST(StoreFault, log_of_a_clock_that_was_far_ahead_is_not_served_until_somebody_says_so) {
  constexpr std::int64_t kDay = 86'400'000;
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.put("/v1/experiments/sound", kThreeArms).status, 201);
  ASSERT_EQ(api.post("/v1/experiments/sound/start").status, 200);
  api.stop();
  api.pass(40 * kDay);
  api.start();
  const Told held = api.post("/v1/experiments/e/duels", R"({"duel_id":"held"})");
  api.stop();
  api.pass(-40 * kDay);
  std::mutex mutex;
  std::string said;
  api.say = [&](const std::string& message) {
    const std::lock_guard lock(mutex);
    said += message + "\n";
  };
  api.start();
  for (int k = 0; k < 2; ++k) {
    const Told refused = api.post("/v1/experiments/e/duels");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.text("detail").find("3456000 s ahead of the clock"), std::string::npos)
        << refused.text("detail");
    EXPECT_NE(refused.text("detail").find("set the clock right"), std::string::npos);
  }
  EXPECT_EQ(api.put("/v1/experiments/e/duels/held/outcome", win_of(first_arm(held))).status, 503);
  EXPECT_EQ(api.post("/v1/experiments/sound/duels").status, 201);
  EXPECT_EQ(api.get("/v1/experiments/e/result").status, 200) << "what is there can be looked at";
  const Told ready = api.get("/readyz");
  EXPECT_EQ(ready.body.at("out_of_service").items()[0].at("experiment_id").get<std::string>(), "e");
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(said.find("'e' is out of service"), said.rfind("'e' is out of service"))
        << "said once: " << said;
    EXPECT_NE(said.find("'e' is out of service"), std::string::npos);
  }
  // Within the hour it is served without a word, once the refusal is forgotten: it is remembered
  // for ten times as long as the reading took.
  api.pass(40 * kDay - 3'600'000);
  const auto report = [&] {
    return api.put("/v1/experiments/e/duels/held/outcome", win_of(first_arm(held))).status;
  };
  int status = report();
  for (int k = 0; k < 1000 && status == 503; ++k, status = report()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(api.get("/readyz").body.find("out_of_service"), nullptr);
  api.stop();
  api.pass(-40 * kDay);
  api.most_ahead = std::chrono::milliseconds(41 * kDay);
  api.start();
  EXPECT_EQ(api.post("/v1/experiments/e/duels").status, 201);
}

// A laptop: the machine slept for a week, or the server was off. That is no clock ahead.
TEST(StoreFault, log_that_rested_for_long_is_served_on) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post("/v1/experiments/e/duels").status, 201);
  api.stop();
  api.pass(7 * 86'400'000LL);
  api.start();
  EXPECT_EQ(api.post("/v1/experiments/e/duels").status, 201);
}

TEST(StoreFault, file_that_is_gone_is_noticed_though_nobody_asks_and_nothing_is_acknowledged) {
  ServedApi api;
  start_three_arms(api);
  const Told held = api.post("/v1/experiments/e/duels", R"({"duel_id":"held"})");
  const std::filesystem::path away = api.directory() / "away.db";
  std::filesystem::rename(api.store_file(), away);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (api.get("/readyz").status == 200) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    api.pass(1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::string outcome = win_of(first_arm(held));
  const Told refused = api.put("/v1/experiments/e/duels/held/outcome", outcome);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.body.at("retryable").get<bool>());
  EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "fallback");
  EXPECT_FALSE(api.engine().failed()) << "it may be moved back";
  std::filesystem::rename(away, api.store_file());
  ASSERT_TRUE(becomes_ready(api));
  EXPECT_EQ(api.put("/v1/experiments/e/duels/held/outcome", outcome).text("status"), "applied");
}

TEST(StoreFault, server_starts_on_a_full_disk_and_gives_fallbacks) {
  FaultyVfs disk;
  ServedApi api;
  api.stop();
  api.vfs = disk.name();
  api.start();
  start_three_arms(api);
  api.stop();
  disk.fill(false);
  api.start();
  EXPECT_EQ(api.get("/readyz").status, 503) << "from the start on";
  EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "fallback");
  disk.make_room();
  ASSERT_TRUE(becomes_ready(api));
  EXPECT_EQ(api.post("/v1/experiments/e/duels").text("serving"), "explore");
}

TEST(StoreFault, damaged_records_are_the_servers_fault_and_named) {
  ServedApi api;
  start_three_arms(api);
  const Told held = api.post("/v1/experiments/e/duels", R"({"duel_id":"held"})");
  ASSERT_EQ(held.status, 201);
  api.stop();
  change_store(api.store_file(),
               "UPDATE lines SET text = replace(text, 'running', 'archived') WHERE sequence = 2");
  change_store(api.store_file(), "DELETE FROM snapshots");  // with one the log is not read
  api.start();
  const Told told = api.put("/v1/experiments/e/duels/held/outcome", win_of(first_arm(held)));
  EXPECT_EQ(told.status, 503);
  EXPECT_NE(told.text("detail").find("the records of 'e' are damaged"), std::string::npos)
      << told.text("detail");
}

}  // namespace
}  // namespace duel
