#include "duel/inference/posterior_best.h"

#include <algorithm>

#include "duel/core/beta.h"
#include "duel/core/check.h"
#include "duel/core/rng.h"

namespace duel {

PosteriorBest posterior_best(const PairCounts& counts, std::uint64_t draws, std::uint64_t seed) {
  DUEL_CHECK(draws > 0);
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  PosteriorBest best{.probability = std::vector<double>(num_arms, 0.0), .draws = draws};
  const Stream stream(seed, 0, Purpose::generate, "posterior_best");
  std::vector<bool> beaten(num_arms);
  const double weight = 1.0 / static_cast<double>(draws);
  for (std::uint64_t draw = 1; draw <= draws; ++draw) {
    RoundRng rng = stream.at(draw);
    std::fill(beaten.begin(), beaten.end(), false);
    for (Arm i = 0; i < num_arms; ++i) {
      for (Arm j = i + 1; j < num_arms; ++j) {
        // Two arms that are beaten already decide nothing any more.
        if (beaten[i] && beaten[j]) continue;
        const double p = draw_beta(counts.wins(i, j) + 1, counts.wins(j, i) + 1, rng);
        beaten[p > 0.5 ? j : i] = true;
      }
    }
    const auto winner = std::find(beaten.begin(), beaten.end(), false);
    if (winner == beaten.end()) {
      best.no_winner += weight;
    } else {
      best.probability[static_cast<std::size_t>(winner - beaten.begin())] += weight;
    }
  }
  return best;
}

}  // namespace duel
