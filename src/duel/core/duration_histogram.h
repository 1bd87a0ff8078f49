// How long something took, as Prometheus counts it. Not to be used by two threads at once.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace duel {

class DurationHistogram {
 public:
  void add(double seconds) {
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
    ++buckets_[static_cast<std::size_t>(bucket)];
    sum_ += seconds;
    ++count_;
  }

  // `label` is `name="value"`, or empty.
  void write(std::string& out, std::string_view name, std::string_view label = "") const {
    const auto to = std::back_inserter(out);
    const std::string before = label.empty() ? std::string() : fmt::format("{},", label);
    const std::string braced = label.empty() ? std::string() : fmt::format("{{{}}}", label);
    std::uint64_t below = 0;
    for (std::size_t k = 0; k < kBounds.size(); ++k) {
      below += buckets_[k];
      fmt::format_to(to, "{}_bucket{{{}le=\"{}\"}} {}\n", name, before, kBounds[k], below);
    }
    fmt::format_to(to, "{0}_bucket{{{1}le=\"+Inf\"}} {3}\n{0}_sum{2} {4}\n{0}_count{2} {3}\n", name,
                   before, braced, count_, sum_);
  }

 private:
  static constexpr std::array<double, 10> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                     0.025,  0.05,  0.1,    0.5,   2.5};
  std::array<std::uint64_t, kBounds.size() + 1> buckets_{};
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace duel
