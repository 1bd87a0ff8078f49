// xoshiro256** (Blackman and Vigna 2018): a small fast generator for a round that needs many draws.
// Seeded from the round's own counter-based stream, so that its draws are still a pure function of
// (seed, trial, purpose, round). Integer arithmetic and exact conversions: the same bits
// everywhere.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "duel/core/rng.h"

namespace duel {

class Xoshiro {
 public:
  // Takes four words of `rng`.
  explicit Xoshiro(RoundRng& rng) {
    for (std::uint64_t& word : state_) word = rng.bits();
    state_[0] |= 1;  // the one state it must never have is all zeros
  }

  // One of many generators of a round, told apart by `seed`.
  explicit Xoshiro(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = seed = mix64(seed);
    state_[0] |= 1;
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // As RoundRng's.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform_open() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  bool bernoulli(double p) { return uniform() < p; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace duel
