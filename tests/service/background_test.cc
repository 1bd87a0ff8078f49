#include "duel/service/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace duel {
namespace {

// Keeps the only thread of a `Background` at work until it is let go.
class Occupied {
 public:
  explicit Occupied(Background& background) {
    EXPECT_TRUE(background.submit([this] {
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

TEST(Background, stop_ends_what_is_under_way_and_begins_nothing_more) {
  Background background(1, 1'000'000);
  Occupied first(background);
  std::atomic<int> others = 0;
  ASSERT_TRUE(background.submit([&] { ++others; }));
  std::thread stopping([&] { background.stop(); });
  while (background.submit([&] { ++others; })) std::this_thread::yield();
  EXPECT_FALSE(first.ended);
  first.let_go();
  stopping.join();
  EXPECT_TRUE(first.ended);
  EXPECT_EQ(others, 0);
  background.stop();  // once more does no harm
}

TEST(Background, refuses_what_is_beyond_its_queue) {
  std::atomic<int> done = 0;
  {
    Background background(1, 2);
    Occupied first(background);
    const auto work = [&] { ++done; };
    EXPECT_TRUE(background.submit(work));
    EXPECT_TRUE(background.submit(work));
    EXPECT_FALSE(background.submit(work));
    first.let_go();
    while (done < 2) std::this_thread::yield();
    EXPECT_TRUE(background.submit(work)) << "there is room again";
    while (done < 3) std::this_thread::yield();
  }
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace duel
