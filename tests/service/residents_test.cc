// When the engine keeps an experiment in memory, and that it comes back as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "duel/core/world.h"
#include "duel/log/experiment_log.h"
#include "duel/store/sqlite.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

// An event that a thread brings about; the limit is for a test that would hang.
void wait_until(const std::function<bool()>& happened) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!happened()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

const std::string kE = "/v1/experiments/e";

TEST(Residents, leave_when_idle_and_come_back_as_they_were) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 10; ++k) {
    const Told duel = api.post(kE + "/duels");
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(first_arm(duel)));
  }
  const std::string before = api.get(kE + "/result").body.dump();
  api.pass(11 * 60 * 1000);
  wait_until([&] { return api.engine().counts().in_memory == 0; });
  EXPECT_EQ(api.engine().counts().snapshots, 1U);
  EXPECT_EQ(api.get(kE).status, 200);  // a result would not wake it
  wait_until([&] { return api.engine().counts().in_memory == 1; });
  EXPECT_EQ(api.get(kE + "/result").body.dump(), before);
  EXPECT_EQ(api.engine().counts().snapshots_refused, 0U);
}

TEST(Residents, stay_until_the_idle_time_is_over_and_leave_then) {
  ServedApi api;
  api.stop();
  api.owners = 1;  // every request makes it look round
  api.start();
  start_three_arms(api);
  // The owner looks round after every group of requests, and answers the second of these after it
  // has looked round for the first.
  const auto in_memory = [&] {
    for (int k = 0; k < 2; ++k) EXPECT_EQ(api.get("/v1/experiments/none").status, 404);
    return api.engine().counts().in_memory;
  };
  const std::int64_t idle_ms = EngineOptions{}.idle_time.count();
  ASSERT_EQ(idle_ms, 10 * 60 * 1000);
  api.pass(idle_ms - 1);
  EXPECT_EQ(in_memory(), 1U);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);  // used once more
  api.pass(idle_ms - 1);
  EXPECT_EQ(in_memory(), 1U);
  api.pass(1);
  EXPECT_EQ(in_memory(), 0U);
}

TEST(Residents, are_woken_when_an_answer_is_due) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  api.pass(11 * 60 * 1000);  // idle, and the answer may still come
  wait_until([&] { return api.engine().counts().in_memory == 0; });
  const std::uint64_t head = api.engine().store().head("e")->sequence;
  api.pass(31 * 60 * 1000);
  wait_until([&] { return api.engine().store().head("e")->sequence > head; });
  EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "expired");
}

TEST(Residents, that_a_process_left_waiting_are_woken_by_the_next) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  const std::uint64_t head = api.engine().store().head("e")->sequence;
  api.stop();
  api.pass(60 * 60 * 1000);
  api.start();
  wait_until([&] {
    api.pass(2);  // to the next tick, and not to the end of the grace
    return api.engine().counts().in_memory == 1;
  });
  EXPECT_EQ(api.engine().store().head("e")->sequence, head);  // the pause was the server's
  api.pass(61 * 1000);
  wait_until([&] { return api.engine().store().head("e")->sequence > head; });
}

// What an upgrade leaves, or a kill: nothing says when something is due.
void expect_woken_without_a_snapshot(ServedApi& api, const std::string& change) {
  const std::uint64_t head = api.engine().store().head("e")->sequence;
  api.stop();
  {
    auto raw = SqliteConnection::open(api.store_file(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(raw->execute(change.c_str()).ok());
  }
  api.pass(60 * 60 * 1000);
  api.start();
  wait_until([&] {
    api.pass(1000);  // beyond the grace
    return api.engine().store().head("e")->sequence > head;
  });
}

TEST(Residents, with_a_snapshot_of_another_version_are_woken_by_the_next_process) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  expect_woken_without_a_snapshot(api, "UPDATE snapshots SET version = 'another'");
  EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "expired");
}

TEST(Residents, without_a_snapshot_are_woken_by_the_next_process) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"space":{"w":{"low":0,"high":1,"default":0.2}}})").status, 201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  expect_woken_without_a_snapshot(api, "DELETE FROM snapshots");
  EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "expired");
}

// All but the glances, which nobody has worked out before the first snapshot.
std::string rows_of(const Told& list) {
  std::string rows;
  for (const Json& item : list.body.at("items").items()) {
    for (const auto& [name, value] : item.members()) {
      if (name != "glance") rows += fmt::format("{}: {}, ", name, value.dump());
    }
    rows += '\n';
  }
  return rows;
}

TEST(Residents, are_not_needed_for_a_list) {
  ServedApi api;
  api.stop();
  api.most_in_memory = 2;
  api.start();
  for (int k = 0; k < 6; ++k) {
    const std::string path = fmt::format("/v1/experiments/x{}", k);
    ASSERT_EQ(api.put(path, kThreeArms).status, 201);
    if (k % 2 != 0) continue;
    ASSERT_EQ(api.post(path + "/start").status, 200);
  }
  const std::string before = rows_of(api.get("/v1/experiments"));
  api.restart();
  const Told list = api.get("/v1/experiments");
  EXPECT_EQ(rows_of(list), before);
  EXPECT_TRUE(list.body.at("items").items()[0].contains("glance")) << "of the snapshot";
  EXPECT_EQ(list.body.at("items").items().size(), 6U);
  EXPECT_EQ(list.body.at("items").items()[1].at("state").get<std::string>(), "draft");
  EXPECT_EQ(api.engine().counts().in_memory, 0U);
  // One that has changed since its snapshot is read; only as many as may be stay.
  ASSERT_TRUE(api.engine().store().put_snapshot("x3", {1, "h", "v", "b"}).ok());
  EXPECT_EQ(rows_of(api.get("/v1/experiments")), before);
  EXPECT_LE(api.engine().counts().in_memory, 2U);
}

TEST(Residents, are_saved_every_so_many_records_and_at_a_clean_stop) {
  ServedApi api;
  api.stop();
  api.snapshot_every = 10;
  api.start();
  start_three_arms(api);
  for (int k = 0; k < 30; ++k) ASSERT_EQ(api.post(kE + "/duels").status, 201);
  EXPECT_GE(api.engine().counts().snapshots, 2U);
  api.restart();
  const auto snapshot = *api.engine().store().snapshot("e");
  ASSERT_TRUE(snapshot);
  EXPECT_EQ((Head{snapshot->sequence, snapshot->hash}), *api.engine().store().head("e"));
}

// (pair, subject) is remembered by the store, also by one of a version that did not.
// The machine's world with a steady clock that the test moves.
class HeldClock final : public World {
 public:
  std::int64_t wall_time_ms() override { return machine_.wall_time_ms(); }
  Moment now() override { return Moment(std::chrono::milliseconds(now_ms)); }
  std::chrono::nanoseconds cpu_time() override { return machine_.cpu_time(); }
  std::string random_bytes(std::size_t count) override { return machine_.random_bytes(count); }
  std::unique_ptr<TaskQueue> queue(QueueOptions options) override {
    return machine_.queue(options);
  }
  void pause(std::chrono::microseconds time) override { machine_.pause(time); }

  std::atomic<std::int64_t> now_ms = 1'000;

 private:
  World& machine_ = system_world();
};

TEST(Residents, whose_log_is_refused_do_not_have_it_read_for_every_request) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels").status, 201);
  api.stop();
  HeldClock clock;
  std::atomic<std::int64_t> now_ms = 0;  // long before the log
  std::atomic<int> loads = 0;            // each looks for the head first
  auto store = std::make_shared<FaultyStore>(SqliteStore::open(api.store_file()).value());
  store->before = [&](std::string_view what, const std::string& /*experiment*/) {
    if (what != "head") return;
    ++loads;
    clock.now_ms += 100;  // that long a load takes
  };
  const auto engine =
      Engine::start(store, {.world = &clock, .clock = [&] { return now_ms.load(); }}).value();
  wait_until([&] { return engine->audits().passed("e"); });  // it looks for the head as well
  loads = 0;
  const auto refusal = [&] {
    std::promise<std::string> told;
    engine->ask<bool>(
        "e", AnswerWhen::appended, [](const Turn&) -> Result<bool> { return true; },
        [&](const Result<bool>& done, const Delivery& /*delivery*/) {
          told.set_value(done.ok() ? "" : done.error().message);
        });
    return told.get_future().get();
  };
  EXPECT_NE(refusal().find("ahead of the clock"), std::string::npos);
  EXPECT_EQ(loads, 1);
  for (int k = 0; k < 5; ++k) EXPECT_NE(refusal(), "");
  clock.now_ms += 999;
  EXPECT_NE(refusal(), "");
  EXPECT_EQ(loads, 1);
  // Ten times as long as the load took have passed. It is tried again, for what was wrong may have
  // been put right.
  ++clock.now_ms;
  EXPECT_NE(refusal(), "");
  EXPECT_EQ(loads, 2);
  clock.now_ms += 1'000;
  now_ms = 1'794'700'800'000 + 1'000;
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(loads, 3);
}

TEST(Residents, know_from_the_store_who_has_seen_which_pair) {
  ServedApi api;
  const auto evidence = [&] {
    std::size_t count = 0;
    const std::string log = api.streamed(kE + "/export?what=audit");
    EXPECT_TRUE(read_log_text(log, "log", [&](const LogEntry& entry) -> Status {
                  const auto* serve = std::get_if<ServeRecord>(&entry.record);
                  if (serve != nullptr && serve->evidence) ++count;
                  return Done{};
                }).ok());
    return count;
  };
  const auto ask_often = [&] {
    for (int k = 0; k < 12; ++k) {
      ASSERT_EQ(api.post(kE + "/duels", R"({"subject_id":"one"})").status, 201);
    }
  };
  start_three_arms(api);
  ask_often();
  EXPECT_LE(evidence(), 3U);
  api.restart();  // from the snapshot
  ask_often();
  EXPECT_LE(evidence(), 3U);
  api.stop();
  {
    auto raw = SqliteConnection::open(api.file(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw->execute("DELETE FROM tags; DELETE FROM snapshots").ok());
  }
  api.start();  // from the log
  ask_often();
  EXPECT_LE(evidence(), 3U);
}

}  // namespace
}  // namespace duel
