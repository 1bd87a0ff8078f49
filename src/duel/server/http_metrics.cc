#include "duel/server/http_metrics.h"

#include <fmt/format.h>

#include <iterator>

namespace duel {

void HttpMetrics::count(const std::string& route, const std::string& method, int status,
                        double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, method, status}];
  durations_[route].add(seconds);
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
    durations.write(out, "duel_http_request_duration_seconds", fmt::format("route=\"{}\"", route));
  }
  return out;
}

}  // namespace duel
