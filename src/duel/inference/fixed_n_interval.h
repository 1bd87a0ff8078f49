// Intervals for a success probability that hold at ONE number of trials, fixed before the first
// look. To look more often, or to stop when the result pleases, use confidence_sequence.h: with a
// look after every duel these intervals exclude the truth sooner or later (shown in the tests).
#pragma once

#include <cstdint>

#include "duel/inference/interval.h"

namespace duel {

// Misses the truth with probability at most delta, whatever it is: at most delta/2 on each side.
// REQUIRES, here and below: successes <= trials, 0 < delta < 1. Without trials the interval is [0,
// 1].
Interval fixed_n_clopper_pearson(std::uint64_t successes, std::uint64_t trials, double delta);

// Misses the truth with probability about delta: narrower, and close to it for large numbers.
Interval fixed_n_wilson(std::uint64_t successes, std::uint64_t trials, double delta);

// Mean +- sqrt(ln(2/delta)/(2n)); for any answers in [0, 1].
Interval fixed_n_hoeffding(double mean, std::uint64_t trials, double delta);

}  // namespace duel
