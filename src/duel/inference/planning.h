// What a decision will cost, by formula. Sequential designs and more than two arms are simulated.
#pragma once

#include <cstdint>

#include "duel/core/result.h"

namespace duel {

// Duels of one pair for a one-sided test of level alpha with one look at the end, made to find a
// winner with win probability p with the given power:
//     n = (z_{1-alpha}/2 + z_{power} sqrt(p (1 - p)))^2 / (p - 1/2)^2, rounded up.
// An error names what is out of range.
Result<std::uint64_t> fixed_n_duels(double p, double alpha, double power);

// ln(1/alpha)/d(p, 1/2): no test of level alpha that may stop at any time needs fewer duels on
// average.
// REQUIRES: 0 < alpha < 1, p != 1/2.
double least_mean_duels(double p, double alpha);

}  // namespace duel
