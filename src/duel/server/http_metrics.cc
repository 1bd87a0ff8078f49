#include "duel/server/http_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace duel {

void HttpMetrics::count(const std::string& route, const std::string& method, int status,
                        double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, method, status}];
  Durations& durations = durations_[route];
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++durations.buckets[static_cast<std::size_t>(bucket)];
  durations.sum += seconds;
  ++durations.count;
}

std::string HttpMetrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out =
      "# HELP duel_http_requests_total Requests by route, method and status.\n"
      "# TYPE duel_http_requests_total counter\n";
  const auto to = std::back_inserter(out);
  for (const auto& [key, count] : requests_) {
    const auto& [route, method, status] = key;
    fmt::format_to(to, "duel_http_requests_total{{route=\"{}\",method=\"{}\",code=\"{}\"}} {}\n",
                   route, method, status, count);
  }
  out +=
      "# HELP duel_http_request_duration_seconds Time from request to answer.\n"
      "# TYPE duel_http_request_duration_seconds histogram\n";
  for (const auto& [route, durations] : durations_) {
    std::uint64_t below = 0;
    for (std::size_t k = 0; k < kBounds.size(); ++k) {
      below += durations.buckets[k];
      fmt::format_to(to, "duel_http_request_duration_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                     route, kBounds[k], below);
    }
    fmt::format_to(to,
                   "duel_http_request_duration_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
                   "duel_http_request_duration_seconds_sum{{route=\"{0}\"}} {2}\n"
                   "duel_http_request_duration_seconds_count{{route=\"{0}\"}} {1}\n",
                   route, durations.count, durations.sum);
  }
  return out;
}

}  // namespace duel
