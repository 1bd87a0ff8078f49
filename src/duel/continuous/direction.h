// Uniform directions: normalised Gaussian vectors, drawn by the ziggurat of Marsaglia and Tsang
// (2000) in the form of Doornik (2005), whose layer and abscissa come from different bits of one
// word. The words are those of a xoshiro seeded by the round's own stream, so a direction is a pure
// function of (seed, trial, purpose, round). Tables and tails use core/logarithm.h and
// core/exponential.h: the same bits everywhere.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "duel/core/rng.h"
#include "duel/core/xoshiro.h"

namespace duel {

// The area under exp(-x^2/2), x >= 0, cut into layers of equal area. Layer 0 is the base with the
// tail.
struct ZigguratTable {
  static constexpr std::size_t kLayers = 256;
  static constexpr double kTail = 3.6541528853610088;  // where the tail begins

  ZigguratTable();

  std::array<double, kLayers + 1> edge;  // right ends, falling to 0; edge[0] is the base's width
  std::array<double, kLayers> inside;    // edge[i + 1] / edge[i]: surely under the curve
};

const ZigguratTable& ziggurat();

// A draw whose word fell outside the sure part of layer `layer`; `place` is its signed share of it.
// False: not under the curve, draw again.
bool finish_normal(const ZigguratTable& table, std::size_t layer, double place, Xoshiro& words,
                   double& value);

// One standard normal draw.
inline double draw_normal(const ZigguratTable& table, Xoshiro& words) {
  for (;;) {
    const std::uint64_t word = words.bits();
    const std::size_t layer = word % ZigguratTable::kLayers;
    // The upper 53 bits as a signed share in [-1, 1).
    const double place = static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;
    if (std::fabs(place) < table.inside[layer]) [[likely]] {
      return place * table.edge[layer];
    }
    double value = 0;
    if (finish_normal(table, layer, place, words, value)) return value;
  }
}

// Standard normal draws into `values`.
void draw_normals(Xoshiro& words, std::span<double> values);

// Uniform on the unit sphere of R^d; {-1, 1} for d = 1. REQUIRES: `direction` is not empty.
void draw_direction(RoundRng& rng, std::span<double> direction);

}  // namespace duel
