// How long to wait before the next attempt to reach a database: a pause that doubles with every
// failure, with a random part so that nodes do not all come back at the same moment. Any thread may
// call.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>

namespace duel {

class ReconnectPause {
 public:
  using Clock = std::chrono::steady_clock;
  ReconnectPause(std::chrono::milliseconds first, std::chrono::milliseconds last,
                 std::uint64_t seed)
      : first_(first), last_(last), next_(first), random_(seed) {}

  // How much of the pause is left; nothing: try now.
  std::optional<std::chrono::milliseconds> left(Clock::time_point now = Clock::now()) const {
    const std::lock_guard lock(mutex_);
    if (now >= until_) return std::nullopt;
    // Another caller's attempt may have failed since `now` was read.
    return std::min(last_, std::chrono::ceil<std::chrono::milliseconds>(until_ - now));
  }
  // After an attempt.
  void tried(bool reached, Clock::time_point now) { reached ? succeeded() : failed(now); }
  void failed(Clock::time_point now = Clock::now()) {
    const std::lock_guard lock(mutex_);
    // Several callers that fail at the same time count as one attempt.
    if (now < until_) return;
    std::uniform_real_distribution<double> part(0.5, 1.0);
    until_ = now + std::chrono::duration_cast<Clock::duration>(next_ * part(random_));
    next_ = std::min(2 * next_, last_);
  }
  void succeeded() {
    const std::lock_guard lock(mutex_);
    until_ = {};
    next_ = first_;
  }

 private:
  const std::chrono::milliseconds first_, last_;
  mutable std::mutex mutex_;
  Clock::time_point until_{};
  std::chrono::milliseconds next_;
  std::minstd_rand random_;
};

}  // namespace duel
