// The posterior probability that an arm beats every other, each pair's win probability having the
// belief Beta(wins + 1, losses + 1), pairs independent. A secondary view: it is no certificate, and
// what stops an experiment as soon as it looks good overstates it.
#pragma once

#include <cstdint>
#include <vector>

#include "duel/core/pair_counts.h"

namespace duel {

struct PosteriorBest {
  std::vector<double> probability;  // per arm; they sum to 1 with the next
  double no_winner = 0;             // no arm beats every other
  std::uint64_t draws = 0;          // standard error of each: at most 0.5/sqrt(draws)
};

// By drawing matrices; the same counts, draws and seed give the same answer. REQUIRES: draws > 0.
PosteriorBest posterior_best(const PairCounts& counts, std::uint64_t draws, std::uint64_t seed);

}  // namespace duel
