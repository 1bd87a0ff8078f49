// The exact law of the first time that evidence reaches a level, by dynamic programming over the
// counts (s, f) that have not reached it yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace duel {

// The smallest n with P(log_evidence reached `log_level` within n duels) >= 1/2, when each duel is
// won with probability p; 0 if it exceeds `cap`. `log_evidence(s, f)` must grow with s and fall
// with f. States lighter than 1e-13 are dropped at the lower end: they could only delay the median,
// by less than the mass dropped.
template <class LogEvidence>
std::uint64_t median_duels_to(const LogEvidence& log_evidence, double log_level, double p,
                              std::uint64_t cap) {
  std::vector<double> mass = {1.0};  // of s = base, base + 1, ..
  std::vector<double> next;
  std::uint64_t base = 0, stopping_wins = 1;
  double stopped = 0;
  for (std::uint64_t n = 1; n <= cap; ++n) {
    next.assign(mass.size() + 1, 0.0);
    for (std::size_t k = 0; k < mass.size(); ++k) {
      next[k] += mass[k] * (1 - p);
      next[k + 1] += mass[k] * p;
    }
    // The least number of wins that stops does not fall with n.
    while (stopping_wins <= n && log_evidence(stopping_wins, n - stopping_wins) < log_level) {
      ++stopping_wins;
    }
    while (!next.empty() && base + next.size() - 1 >= stopping_wins) {
      stopped += next.back();
      next.pop_back();
    }
    std::size_t light = 0;
    while (light + 1 < next.size() && next[light] < 1e-13) ++light;
    next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(light));
    base += light;
    mass.swap(next);
    if (stopped >= 0.5) return n;
  }
  return 0;
}

}  // namespace duel
