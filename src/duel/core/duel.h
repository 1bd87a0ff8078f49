// The three smallest nouns: an arm, a duel between two of them, and its outcome.
#pragma once

#include <cstdint>

namespace duel {

using Arm = std::uint32_t;    // 0-based index
using Round = std::uint64_t;  // 1-based; round t is played when t - 1 duels went out before it

// Two arms shown together. `first == second` is a self-duel: it exploits and teaches nothing.
struct Duel {
  Arm first = 0;
  Arm second = 0;
  Round round = 0;  // the round it was chosen for: its ticket
  // Not chosen by the policy that is told of it (imported, exploration floor).
  bool foreign = false;
  // Its answer is no evidence for a certificate: made elsewhere, or about a task seen before.
  bool hearsay = false;

  bool is_self() const { return first == second; }
  friend bool operator==(const Duel&, const Duel&) = default;
};

// Five answers that are five different things, and `none`: issued, but never answered.
enum class Outcome : std::uint8_t { first_wins, second_wins, tie, both_bad, skip, none };

// The same answer seen from the other side.
constexpr Outcome mirrored(Outcome outcome) {
  if (outcome == Outcome::first_wins) return Outcome::second_wins;
  if (outcome == Outcome::second_wins) return Outcome::first_wins;
  return outcome;
}

}  // namespace duel
