// Evidence n d is held in units of 2^-36 (1.5e-11), so that equal evidence is equal whatever the
// order of summation, and can be kept up by addition. A sum has room up to 1.3e8.
#pragma once

#include <cmath>
#include <cstdint>

namespace duel {

inline constexpr double kEvidenceGrid = 0x1p36;

// The nearest.
inline std::int64_t to_grid(double evidence) {
  return static_cast<std::int64_t>(evidence * kEvidenceGrid + (evidence < 0 ? -0.5 : 0.5));
}
// The largest that is at most `evidence`, and the smallest that is at least it. REQUIRES: >= 0.
inline std::int64_t to_grid_below(double evidence) {
  return static_cast<std::int64_t>(evidence * kEvidenceGrid);
}
inline std::int64_t to_grid_above(double evidence) {
  return static_cast<std::int64_t>(std::ceil(evidence * kEvidenceGrid));
}
inline double from_grid(std::int64_t evidence) {
  return static_cast<double>(evidence) / kEvidenceGrid;
}

}  // namespace duel
