// How a tie enters the counts (the option `ties` of every policy).
#pragma once

#include <optional>

#include "duel/core/duel.h"
#include "duel/core/rng.h"

namespace duel {

enum class Ties {
  coin,  // a fair coin decides: counts stay whole, the theory applies to p_win + p_tie / 2
  half,  // half a win each: the same expectation, less variance, heuristic for KL and Beta
  drop,  // no count: estimates p_win / (p_win + p_loss)
};

// What an answered duel adds, in half wins, so that a shared win stays an integer.
struct Points {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

// nullopt: the outcome adds nothing (skip, none, or a tie that is dropped). Draws from `rng` only
// for a tie decided by coin. Both-bad counts as a tie.
inline std::optional<Points> points_of(Outcome outcome, Ties ties, RoundRng& rng) {
  switch (outcome) {
    case Outcome::first_wins:
    case Outcome::second_wins: {
      // Who won cannot be foreseen, so it is not branched on.
      const std::uint32_t first = outcome == Outcome::first_wins ? 2U : 0U;
      return Points{first, 2U - first};
    }
    case Outcome::tie:
    case Outcome::both_bad:
      if (ties == Ties::drop) return std::nullopt;
      if (ties == Ties::half) return Points{1, 1};
      return rng.coin() ? Points{2, 0} : Points{0, 2};
    case Outcome::skip:
    case Outcome::none:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace duel
