#include "duel/http/http_metrics.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "duel/core/metric_family.h"

namespace duel {

HttpMetrics::Series& HttpMetrics::of(const std::string& route) {
  const std::lock_guard lock(mutex_);
  return routes_[route];
}

void HttpMetrics::count(Series& series, HttpMethod method, int status, double seconds) {
  // All unknown methods share one word: a caller must not be able to make series at will.
  const std::string_view word = to_word(method);
  const std::lock_guard lock(mutex_);
  ++series.requests[{word.empty() ? "other" : word, status}];
  series.durations.add(seconds);
}

std::string HttpMetrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  announce_family(out, "duel_http_requests_total", "counter",
                  "Requests by route, method and status.");
  const auto to = std::back_inserter(out);
  for (const auto& [route, series] : routes_) {
    for (const auto& [key, count] : series.requests) {
      fmt::format_to(to, "duel_http_requests_total{{route=\"{}\",method=\"{}\",code=\"{}\"}} {}\n",
                     route, key.first, key.second, count);
    }
  }
  announce_family(out, "duel_http_request_duration_seconds", "histogram",
                  "Time from request to answer.");
  for (const auto& [route, series] : routes_) {
    if (series.requests.empty()) continue;
    series.durations.write(out, "duel_http_request_duration_seconds",
                           fmt::format("route=\"{}\"", route));
  }
  return out;
}

}  // namespace duel
