// How quickly an experiment is asked for duels: the times of its last serves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "duel/core/archive_containers.h"

namespace duel {

class Pace {
 public:
  // Few enough that a change of traffic shows within a hundred serves.
  static constexpr std::size_t kMost = 100;
  static constexpr std::size_t kFewest = 20;

  void served(std::int64_t time_ms) { times_[count_++ % kMost] = time_ms; }

  // Serves per day over the last ones; nothing while there are few, or if they have one time.
  std::optional<double> per_day() const {
    if (count_ < kFewest) return std::nullopt;
    const std::uint64_t spans = (count_ < kMost ? count_ : kMost) - 1;
    const std::int64_t first = count_ < kMost ? times_[0] : times_[count_ % kMost];
    const std::int64_t took = times_[(count_ - 1) % kMost] - first;
    if (took <= 0) return std::nullopt;
    constexpr double kMsPerDay = 86'400'000;
    return static_cast<double>(spans) * kMsPerDay / static_cast<double>(took);
  }
  // Of the last serve; 0 before the first.
  std::int64_t last_ms() const { return count_ == 0 ? 0 : times_[(count_ - 1) % kMost]; }

  void fields(auto& archive) {
    archive(count_);
    for (std::int64_t& time : times_) archive(time);
  }

 private:
  std::array<std::int64_t, kMost> times_{};
  std::uint64_t count_ = 0;
};

}  // namespace duel
