// A range of probabilities, both ends included.
#pragma once

namespace duel {

struct Interval {
  double lower = 0;
  double upper = 1;

  bool contains(double p) const { return lower <= p && p <= upper; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace duel
