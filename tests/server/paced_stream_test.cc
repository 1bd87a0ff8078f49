#include "duel/server/paced_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace duel {
namespace {

using std::chrono::milliseconds;

// A client that takes so many bytes whenever somebody looks what waits for it.
class SlowClient final : public HttpStream {
 public:
  explicit SlowClient(std::size_t takes) : takes_(takes) {}

  bool write(std::string piece) override {
    text += piece;
    waiting_ += piece.size();
    return !gone;
  }
  void finish() override { finished = true; }
  std::size_t buffered() const override {
    waiting_ -= std::min(waiting_, takes_);
    return waiting_;
  }
  bool closed() const override { return gone; }
  void on_room(std::function<void()> /*callback*/) override {}
  std::size_t capacity() const override { return std::size_t{256} << 10; }
  void on_close(std::function<void()> /*callback*/) override {}

  std::string text;
  bool finished = false, gone = false;

 private:
  std::size_t takes_;
  mutable std::size_t waiting_ = 0;
};

TEST(ReadingPace, is_an_average_after_a_while_of_patience) {
  const ReadingPace pace{milliseconds(1'000), 100};
  EXPECT_FALSE(is_too_slow(pace, 0, milliseconds(1'000)));
  EXPECT_TRUE(is_too_slow(pace, 0, milliseconds(1'001)));
  // Two seconds more at 100 bytes a second.
  EXPECT_FALSE(is_too_slow(pace, 200, milliseconds(3'000)));
  EXPECT_TRUE(is_too_slow(pace, 199, milliseconds(3'000)));
}

TEST(PacedStream, gives_all_to_a_client_that_takes_it) {
  const auto client = std::make_shared<SlowClient>(50'000);
  PacedStream stream(client, system_world());
  std::string whole;
  for (int k = 0; k < 20'000; ++k) {
    const std::string line = "line " + std::to_string(k) + " of a long export\n";
    whole += line;
    ASSERT_TRUE(stream.write(line));
  }
  stream.finish();
  EXPECT_TRUE(client->finished);
  EXPECT_EQ(client->text, whole);
}

// Such a client holds a thread of three.
TEST(PacedStream, leaves_a_client_that_takes_a_byte_now_and_then) {
  const auto client = std::make_shared<SlowClient>(1);
  PacedStream stream(client, system_world(), {milliseconds(20), 1'000'000});
  const std::string line(10'000, 'x');
  bool taken = true;
  for (int k = 0; k < 100 && taken; ++k) taken = stream.write(line);
  EXPECT_FALSE(taken);
  EXPECT_FALSE(client->finished);
  EXPECT_LE(client->text.size(), std::size_t{256} << 10);
}

TEST(PacedStream, says_that_a_client_is_gone) {
  const auto client = std::make_shared<SlowClient>(0);
  PacedStream stream(client, system_world());
  EXPECT_TRUE(stream.write("a line\n"));
  client->gone = true;
  EXPECT_FALSE(stream.write("another\n"));
}

}  // namespace
}  // namespace duel
