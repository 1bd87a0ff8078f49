// A long body for a client that reads as it can. What waits for it is little, and a client that
// takes nearly nothing is left: each holds the thread that writes to it, and there are few.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/world.h"
#include "duel/http/http.h"

namespace duel {

// The least that a client has to take, on average over the time that it was waited for.
struct ReadingPace {
  std::chrono::milliseconds patience{30'000};  // whatever it has taken
  std::size_t bytes_per_second = std::size_t{16} << 10;
};
// Whether a client that was waited for so long has taken too little.
bool is_too_slow(const ReadingPace& pace, std::size_t taken, std::chrono::nanoseconds waited);

// Blocks while the client reads. For one thread.
class PacedStream {
 public:
  PacedStream(std::shared_ptr<HttpStream> stream, World& world, ReadingPace pace = {})
      : stream_(std::move(stream)), world_(world), pace_(pace) {}

  // False if the client is gone or too slow; the body is cut off then.
  bool write(std::string_view text);
  // Says that the body is complete.
  void finish();

 private:
  bool flush();

  std::shared_ptr<HttpStream> stream_;
  World& world_;
  ReadingPace pace_;
  std::string held_;  // until it is worth a piece
  std::size_t sent_ = 0;
  std::chrono::nanoseconds waited_{};
};

}  // namespace duel
