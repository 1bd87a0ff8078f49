// Limits the requests of each API token: a bucket fills at a steady rate, and every request takes
// one from it. Any thread may call it.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "duel/core/text_map.h"

namespace duel {

class RateLimits {
 public:
  using Clock = std::chrono::steady_clock;

  // A bucket holds the requests of two seconds, and at least one. 0: no limit.
  explicit RateLimits(double per_second);

  // Takes one request from the bucket and returns 0, or returns the seconds until there is one.
  double take(const std::string& token_id, Clock::time_point now);

  // Buckets in memory: those of tokens that were used lately.
  std::size_t size() const;

 private:
  struct Bucket {
    double requests = 0;
    Clock::time_point filled;
  };

  double per_second_;
  double most_;
  mutable std::mutex mutex_;
  TextMap<Bucket> buckets_;
};

}  // namespace duel
