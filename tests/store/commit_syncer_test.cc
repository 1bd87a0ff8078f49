// One sync for all who wait, errors only for those who wait, and the pauses between attempts to
// reach a database.
#include "duel/store/commit_syncer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "duel/store/reconnect_pause.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Syncs that wait until they are let go.
class Gate {
 public:
  Status pass(std::uint64_t target, bool by_clock) {
    std::unique_lock lock(mutex_);
    targets_.push_back(target);
    by_clock_ = by_clock;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || passes_ > 0; });
    if (passes_ > 0) --passes_;
    return fails_ ? Status(Error::io("the disk is gone")) : Status(Done{});
  }
  void wait_for_syncs(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return targets_.size() >= count; });
  }
  void let_one_pass(bool fails = false) {
    const std::lock_guard lock(mutex_);
    ++passes_;
    fails_ = fails;
    changed_.notify_all();
  }
  void open(bool fails = false) {
    const std::lock_guard lock(mutex_);
    open_ = true;
    fails_ = fails;
    changed_.notify_all();
  }
  std::vector<std::uint64_t> targets() const {
    const std::lock_guard lock(mutex_);
    return targets_;
  }
  bool by_clock() const {
    const std::lock_guard lock(mutex_);
    return by_clock_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> targets_;
  bool open_ = false, fails_ = false, by_clock_ = false;
  int passes_ = 0;
};

CommitSyncer syncer_of(Gate& gate, milliseconds interval = hours(1)) {
  return CommitSyncer(system_world(), interval, [&gate](std::uint64_t target, bool by_clock) {
    return gate.pass(target, by_clock);
  });
}

TEST(CommitSyncer, waits_for_nothing_where_nothing_was_committed) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  EXPECT_TRUE(syncer.wait().ok());
  EXPECT_TRUE(gate.targets().empty());
}

TEST(CommitSyncer, serves_all_who_come_during_a_sync_by_the_next_one) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  constexpr int kCallers = 20;
  std::atomic<int> entered = 0, served = 0;
  std::vector<std::thread> callers;
  callers.emplace_back([&] {
    syncer.committed();
    EXPECT_TRUE(syncer.wait().ok());
  });
  gate.wait_for_syncs(1);
  for (int k = 0; k < kCallers; ++k) {
    callers.emplace_back([&] {
      syncer.committed();
      ++entered;
      EXPECT_TRUE(syncer.wait().ok());
      ++served;
    });
  }
  while (entered < kCallers) std::this_thread::yield();
  // The sync at work began before their commits: it is none of theirs.
  EXPECT_EQ(served, 0);
  gate.open();
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(gate.targets().front(), 1U);
  EXPECT_EQ(gate.targets().back(), 1U + kCallers);
  // Not one each: those who had come share one.
  EXPECT_LT(gate.targets().size(), 2U + kCallers);
}

TEST(CommitSyncer, a_failure_is_for_those_who_wait_and_the_next_sync_may_succeed) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  syncer.committed();
  std::thread first([&] { EXPECT_EQ(syncer.wait().error().message, "the disk is gone"); });
  gate.wait_for_syncs(1);
  gate.let_one_pass(true);
  first.join();
  gate.open();
  EXPECT_TRUE(syncer.wait().ok());
}

TEST(CommitSyncer, who_comes_while_a_sync_fails_gets_one_that_began_later) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  syncer.committed();
  std::thread first([&] { EXPECT_FALSE(syncer.wait().ok()); });
  gate.wait_for_syncs(1);
  std::atomic<bool> there = false;
  std::thread second([&] {
    there = true;
    EXPECT_TRUE(syncer.wait().ok());
  });
  while (!there) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(50));  // into `wait`; too early is right as well
  gate.let_one_pass(true);
  gate.wait_for_syncs(2);
  first.join();  // before the second sync ends, which would do for it as well
  gate.open();
  second.join();
}

TEST(CommitSyncer, syncs_by_the_clock_what_nobody_waits_for) {
  Gate gate;
  gate.open();
  CommitSyncer syncer = syncer_of(gate, milliseconds(5));
  syncer.committed();
  gate.wait_for_syncs(1);
  EXPECT_TRUE(gate.by_clock());
  EXPECT_TRUE(syncer.wait().ok());
}

TEST(CommitSyncer, tells_of_a_loss_those_who_wait_and_the_next_who_comes) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  syncer.committed();
  std::thread first([&] { EXPECT_EQ(syncer.wait().error().message, "lost"); });
  gate.wait_for_syncs(1);
  // As when the sync itself finds out: it succeeds, but not for what was lost.
  syncer.lost(Error::io("lost"));
  gate.open();
  first.join();
  EXPECT_EQ(syncer.wait().error().message, "lost");
  EXPECT_TRUE(syncer.wait().ok());
}

TEST(CommitSyncer, ends_while_somebody_waits) {
  Gate gate;
  CommitSyncer syncer = syncer_of(gate);
  syncer.committed();
  std::thread first([&] { (void)syncer.wait(); });
  gate.wait_for_syncs(1);
  gate.open();
  syncer.stop();
  first.join();
  SUCCEED();
}

TEST(ReconnectPause, doubles_up_to_its_end_and_begins_anew_after_a_success) {
  ReconnectPause pause(milliseconds(100), milliseconds(400), 1);
  auto now = ReconnectPause::Clock::now();
  EXPECT_EQ(pause.left(now), std::nullopt);
  for (const int most : {100, 200, 400, 400, 400}) {
    pause.failed(now);
    const auto left = pause.left(now);
    ASSERT_TRUE(left);
    EXPECT_LE(left->count(), most);
    EXPECT_GE(left->count(), most / 2);
    // Another caller who failed at the same time makes it no longer.
    pause.failed(now);
    EXPECT_EQ(pause.left(now), left);
    now += *left;
    EXPECT_EQ(pause.left(now), std::nullopt);
  }
  pause.failed(now);
  pause.succeeded();
  EXPECT_EQ(pause.left(now), std::nullopt);
  pause.failed(now);
  EXPECT_LE(pause.left(now)->count(), 100);
}

TEST(ReconnectPause, is_no_longer_for_a_caller_who_looked_at_the_clock_before_another_failed) {
  ReconnectPause pause(milliseconds(100), milliseconds(100), 1);
  const auto now = ReconnectPause::Clock::now();
  pause.failed(now + milliseconds(80));
  EXPECT_EQ(pause.left(now), milliseconds(100));
}

TEST(ReconnectPause, differs_between_nodes) {
  const auto now = ReconnectPause::Clock::now();
  ReconnectPause one(milliseconds(1'000'000), milliseconds(1'000'000), 1);
  ReconnectPause other(milliseconds(1'000'000), milliseconds(1'000'000), 2);
  one.failed(now);
  other.failed(now);
  EXPECT_NE(one.left(now), other.left(now));
}

}  // namespace
}  // namespace duel
