// How many requests each API token may make: a bucket that fills at a steady rate, and from which
// every request takes one.
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

  // A bucket holds what comes in in two seconds, and at least one request. 0: no limit.
  explicit RateLimits(double per_second);

  // 0, and one request is taken from the bucket; or the seconds until there is one.
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
