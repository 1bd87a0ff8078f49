// The posterior probability that an arm beats every other, each pair's win probability having the
// belief Beta(wins + 1, losses + 1), pairs independent. A secondary view: it is no certificate, and
// what stops an experiment as soon as it looks good overstates it.
#pragma once

#include <vector>

#include "duel/core/pair_counts.h"

namespace duel {

struct PosteriorBest {
  std::vector<double> probability;  // per arm; they sum to 1 with the next
  double no_winner = 0;             // no arm beats every other
  // ln of `probability`, which tells arms apart where all probabilities are next to nothing: of a
  // hundred arms, most pairs of which have not met.
  std::vector<double> log_probability;
  std::vector<double> expected_beaten;  // how many arms each beats, on average over the belief
};

// Exact: an arm beats every other with the product of its pairs' probabilities, since they are
// independent, and no two arms can both do so. O(K^2), with the same bits on every machine.
PosteriorBest posterior_best(const PairCounts& counts);

}  // namespace duel
