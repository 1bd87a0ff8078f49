// Counts of requests for Prometheus: by route, method and status, and how long they took.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace duel {

class HttpMetrics {
 public:
  void count(const std::string& route, const std::string& method, int status, double seconds);
  // In the text format of Prometheus.
  std::string text() const;

 private:
  static constexpr std::array<double, 10> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                     0.025,  0.05,  0.1,    0.5,   2.5};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double sum = 0;
    std::uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Durations> durations_;  // by route
};

}  // namespace duel
