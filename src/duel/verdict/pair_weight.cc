#include "duel/verdict/pair_weight.h"

#include <cmath>
#include <limits>

namespace duel {

PairWeight pair_weight(const Interval& interval) {
  const double half = (interval.upper - interval.lower) / 2;
  const double middle = (interval.lower + interval.upper) / 2;
  const double distance =
      half > 0 ? std::abs(middle - 0.5) / half : std::numeric_limits<double>::infinity();
  if (distance < 0.5) return PairWeight::too_little;
  if (distance < 1) return PairWeight::leaning;
  return distance < 1.6 ? PairWeight::told_apart : PairWeight::beyond;
}

}  // namespace duel
