#include "duel/core/rng.h"

#include <cmath>
#include <numbers>

#include "duel/core/logarithm.h"

namespace duel {

// Box and Muller (1958): sqrt(-2 ln u) cos(2 pi v) is standard normal. The sine twin is thrown
// away, so that a draw keeps no state and always takes two words.
double RoundRng::normal() {
  const double radius = std::sqrt(-2.0 * natural_log(uniform_open()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace duel
