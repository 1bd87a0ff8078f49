#include "duel/core/world.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace duel {
namespace {

// Keeps the only thread of a queue at work until it is let go.
class Occupied {
 public:
  explicit Occupied(TaskQueue& queue) {
    EXPECT_TRUE(queue.post([this] {
      begun_.set_value();
      go_.get_future().wait();
      ended = true;
    }));
    begun_.get_future().wait();
  }
  void let_go() { go_.set_value(); }

  std::atomic<bool> ended = false;

 private:
  std::promise<void> begun_, go_;
};

TEST(TaskQueue, stop_ends_what_is_under_way_and_begins_nothing_more) {
  const auto queue = system_world().queue({.threads = 1, .most_waiting = 1'000'000});
  Occupied first(*queue);
  std::atomic<int> others = 0;
  ASSERT_TRUE(queue->post([&] { ++others; }));
  std::thread stopping([&] { queue->stop(); });
  while (queue->post([&] { ++others; })) std::this_thread::yield();
  EXPECT_FALSE(first.ended);
  first.let_go();
  stopping.join();
  EXPECT_TRUE(first.ended);
  EXPECT_EQ(others, 0);
  queue->stop();  // once more does no harm
}

TEST(TaskQueue, refuses_what_is_beyond_its_queue) {
  std::atomic<int> done = 0;
  {
    const auto queue = system_world().queue({.threads = 1, .most_waiting = 2});
    Occupied first(*queue);
    const auto work = [&] { ++done; };
    EXPECT_TRUE(queue->post(work));
    EXPECT_TRUE(queue->post(work));
    EXPECT_FALSE(queue->post(work));
    first.let_go();
    while (done < 2) std::this_thread::yield();
    EXPECT_TRUE(queue->post(work)) << "there is room again";
    while (done < 3) std::this_thread::yield();
  }
  EXPECT_EQ(done, 3);
}

// The order among posted tasks and among delayed ones: between the two it hangs on how long a busy
// machine lets this thread wait.
TEST(TaskQueue, runs_tasks_in_their_order_and_later_ones_when_they_are_due) {
  const auto queue = system_world().queue();
  std::vector<int> posted, delayed;
  std::promise<void> ended;
  const auto begun = system_world().now();
  World::Moment last;
  queue->after(std::chrono::milliseconds(60), [&] {
    delayed.push_back(2);
    last = system_world().now();
    queue->post([&] { ended.set_value(); });
  });
  queue->after(std::chrono::milliseconds(20), [&] { delayed.push_back(1); });
  queue->post([&] {
    posted.push_back(1);
    queue->post([&] {
      posted.push_back(2);
      queue->post([&] { posted.push_back(4); });
    });
    queue->post([&] { posted.push_back(3); });
  });
  ended.get_future().wait();
  EXPECT_EQ(posted, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(delayed, (std::vector<int>{1, 2}));
  EXPECT_GE(last - begun, std::chrono::milliseconds(60));
}

// Ten steps would leave a tenth of a share beside every busy process of the machine, and a reader
// there would wait for minutes; five leave a third. They count from what the process was given.
TEST(TaskQueue, of_low_priority_is_five_steps_behind_the_process_and_no_more) {
  const auto priority_of = [](TaskQueue& queue) {
    std::promise<int> told;
    queue.post([&] { told.set_value(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()))); });
    return told.get_future().get();
  };
  const auto low = system_world().queue({.threads = 1, .low_priority = true});
  const auto plain = system_world().queue();
  const int own = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  constexpr int kLast = 19;
  EXPECT_EQ(priority_of(*plain), own);
  EXPECT_EQ(priority_of(*low), std::min(kLast, own + 5));
}

TEST(TaskQueue, takes_nothing_after_it_was_stopped) {
  const auto queue = system_world().queue();
  std::atomic<int> ran = 0;
  queue->after(std::chrono::milliseconds(1), [&] { ++ran; });
  queue->after(std::chrono::hours(1), [&] { ++ran; });
  while (ran == 0) std::this_thread::yield();
  queue->stop();
  EXPECT_FALSE(queue->post([&] { ++ran; }));
  queue->after(std::chrono::milliseconds(0), [&] { ++ran; });
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace duel
