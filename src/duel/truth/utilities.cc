#include "duel/truth/utilities.h"

#include "duel/core/rng.h"

namespace duel {

std::vector<double> normal_utilities(std::uint64_t count, std::uint64_t seed, double spread,
                                     std::string_view owner) {
  const Stream stream(seed, 0, Purpose::generate, owner);
  std::vector<double> utilities;
  utilities.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    RoundRng rng = stream.at(i);
    utilities.push_back(spread * rng.normal());
  }
  return utilities;
}

}  // namespace duel
