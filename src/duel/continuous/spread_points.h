// Points that fill the unit cube evenly however many are taken: x_k = frac(u_k + j g^-k), j = 1, 2,
// .., with g the root of g^(d+1) = g + 1 and a random shift u (Roberts' sequence, a Kronecker
// sequence).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/rng.h"

namespace duel {

class SpreadPoints {
 public:
  SpreadPoints(std::size_t dimension, RoundRng rng);

  // The j-th point.
  std::vector<double> at(std::uint64_t j) const;

 private:
  std::vector<double> shift_;
  std::vector<double> ratio_;  // g^-k
};

}  // namespace duel
