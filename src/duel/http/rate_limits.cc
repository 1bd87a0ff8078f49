#include "duel/http/rate_limits.h"

#include <algorithm>

namespace duel {
namespace {

constexpr std::size_t kMostBuckets = 10'000;

}  // namespace

RateLimits::RateLimits(double per_second)
    : per_second_(per_second), most_(std::max(1.0, 2 * per_second)) {}

double RateLimits::take(const std::string& token_id, Clock::time_point now) {
  if (per_second_ <= 0) return 0;
  const std::lock_guard lock(mutex_);
  const auto level = [&](const Bucket& bucket) {
    const std::chrono::duration<double> passed = now - bucket.filled;
    return std::min(most_, bucket.requests + std::max(0.0, passed.count()) * per_second_);
  };
  // Forgetting a full bucket changes nothing: a new one is full, too.
  if (buckets_.size() > kMostBuckets) {
    std::erase_if(buckets_, [&](const auto& one) { return level(one.second) >= most_; });
  }
  Bucket& bucket = buckets_.try_emplace(token_id, Bucket{most_, now}).first->second;
  bucket.requests = level(bucket);
  bucket.filled = std::max(bucket.filled, now);
  if (bucket.requests < 1) return (1 - bucket.requests) / per_second_;
  bucket.requests -= 1;
  return 0;
}

std::size_t RateLimits::size() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace duel
