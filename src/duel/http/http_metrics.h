// Counts of requests for Prometheus: by route, method and status, and how long they took. Any
// thread may call it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/duration_histogram.h"
#include "duel/http/http.h"

namespace duel {

class HttpMetrics {
 public:
  struct Series;
  // What is counted of a route; it stays where it is.
  // REQUIRES: `route` is one of a few words and not taken from the request.
  Series& of(const std::string& route);
  void count(Series& series, HttpMethod method, int status, double seconds);
  // In the text format of Prometheus.
  std::string text() const;

  struct Series {
    std::map<std::pair<std::string_view, int>, std::uint64_t> requests;  // by method and status
    DurationHistogram durations;
  };

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Series> routes_;
};

}  // namespace duel
