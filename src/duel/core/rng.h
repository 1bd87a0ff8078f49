// Randomness without state: every draw is a pure function of (seed, trial, purpose, round, index),
// computed by Philox4x32-10 (Salmon et al., SC 2011). Jumping over rounds shifts no stream, threads
// and ranks give the same bits, and two policies can meet the same outcomes.
//
// All draws here are integer arithmetic, so they are bit-identical on every machine, except
// `uniform`, `uniform_open` (exact conversions, also identical) and `normal` (own logarithm and
// sqrt identical; libm's sin and cos enter, so the last bit may differ between C libraries).
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "duel/core/duel.h"

namespace duel {

// What a stream is for. Streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  choice = 1,      // select and issued
  answer = 2,      // observe: ties decided by coin, ties in an elimination
  recommend = 3,   // ties among recommended arms
  outcome = 4,     // who wins; shared by all policies
  generate = 5,    // random matrices and queries
  test = 6,        // scripted delays, random problems in tests
  impression = 7,  // the query, the merged list and the user of a comparison by clicks
};

// SplitMix64's finaliser (Steele, Lea, Flood 2014): spreads a 64-bit word over all its bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// FNV-1a, for names and signatures.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

// The draws of one round. Cheap to copy; a copy repeats the same draws.
class RoundRng {
 public:
  RoundRng(std::uint64_t key, std::uint32_t trial, Round round)
      : key_(key), trial_(trial), round_(round) {}

  std::uint64_t bits() {
    if (left_ == 0) refill();
    return buffer_[--left_];
  }

  // Uniform on {0, .., n - 1}, without bias (Lemire 2019). REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(bits()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(bits()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform on [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // Uniform on (0, 1): never 0, for logarithms.
  double uniform_open() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  bool coin() { return (bits() >> 63) != 0; }
  bool bernoulli(double p) { return uniform() < p; }
  double normal();  // standard normal, Box-Muller, one of the pair used

 private:
  void refill() {
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(round_),
                                                 static_cast<std::uint32_t>(round_ >> 32), trial_,
                                                 index_++}};
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)}};
    const auto out = r123::Philox4x32()(counter, key);
    buffer_[1] = out[0] | (static_cast<std::uint64_t>(out[1]) << 32);
    buffer_[0] = out[2] | (static_cast<std::uint64_t>(out[3]) << 32);
    left_ = 2;
  }

  std::uint64_t key_;
  std::uint32_t trial_;
  std::uint32_t index_ = 0;
  Round round_;
  std::array<std::uint64_t, 2> buffer_;
  std::uint32_t left_ = 0;
};

// A stream: the draws of every round for one purpose in one trial. `owner` keeps the choices of
// different policies apart (their name); outcomes have no owner and are shared.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint32_t trial, Purpose purpose, std::string_view owner = {})
      : key_(mix64(mix64(mix64(seed) ^ static_cast<std::uint64_t>(purpose)) ^ hash_text(owner))),
        trial_(trial) {}

  RoundRng at(Round round) const { return {key_, trial_, round}; }

 private:
  std::uint64_t key_;
  std::uint32_t trial_;
};

// Who wins when a pair meets for the n-th time. Keyed by pair and meeting rather than by round, so
// that all policies of a trial see the same answers from the same pair, whenever they ask.
class OutcomeStream {
 public:
  OutcomeStream(std::uint64_t seed, std::uint32_t trial)
      : key_(mix64(mix64(mix64(seed) ^ static_cast<std::uint64_t>(Purpose::outcome)))),
        trial_(trial) {}

  // Uniform 53-bit integer for the `meeting`-th meeting (0-based) of arms low < high.
  std::uint64_t draw(Arm low, Arm high, std::uint32_t meeting) const {
    const r123::Philox4x32::ctr_type counter = {{meeting, low, high, trial_}};
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)}};
    const auto out = r123::Philox4x32()(counter, key);
    return (out[0] | (static_cast<std::uint64_t>(out[1]) << 32)) >> 11;
  }

 private:
  std::uint64_t key_;
  std::uint32_t trial_;
};

}  // namespace duel
