// Is the arm shown first preferred for its place? If places are drawn at random, the first place
// wins half of the decisive duels whatever the arms and whatever chose the pair, so that these
// answers can be pooled and looked at at any time.
#pragma once

#include <cstdint>

#include "duel/inference/interval.h"

namespace duel {

struct PositionBias {
  std::uint64_t first_wins = 0;
  std::uint64_t second_wins = 0;
  double share = 0.5;       // of the decisive duels that the first place won
  Interval interval;        // a confidence sequence at level delta
  double log_evidence = 0;  // ln of the e-value against "no bias"; evidence of bias if large

  bool found() const { return !interval.contains(0.5); }
};

// REQUIRES: 0 < delta < 1.
PositionBias estimate_position_bias(std::uint64_t first_wins, std::uint64_t second_wins,
                                    double delta);

}  // namespace duel
