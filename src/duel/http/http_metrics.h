// Counts of requests for Prometheus: by route, method and status, and how long they took. Any
// thread may call it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "duel/core/duration_histogram.h"
#include "duel/http/http.h"

namespace duel {

class HttpMetrics {
 public:
  // REQUIRES: `route` is one of a few words and not taken from the request.
  void count(const std::string& route, HttpMethod method, int status, double seconds);
  // In the text format of Prometheus.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;
  std::map<std::string, DurationHistogram> durations_;  // by route
};

}  // namespace duel
