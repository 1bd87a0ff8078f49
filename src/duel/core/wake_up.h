// The round at which ln t reaches a level: while a policy only repeats a self-duel, nothing but
// ln t moves, so this is when its decision can change (docs/design.md).
#pragma once

#include <algorithm>
#include <cmath>

#include "duel/core/duel.h"
#include "duel/core/logarithm.h"

namespace duel {

// ln t as every policy computes it.
inline double log_round(Round t) { return natural_log(static_cast<double>(t)); }

// Smallest t in [from, limit] with `awake(t)`, or `limit` if there is none before it. `awake` must
// be monotone in t and become true near t = exp(level); it is the very predicate that the policy
// decides by, so that jumping and playing every round agree bit for bit.
template <class Predicate>
Round wake_up_round(double level, Round from, Round limit, Predicate awake) {
  if (from >= limit || awake(from)) return std::min(from, limit);
  // exp(43) > 2^62: never, as far as rounds are counted.
  if (level > 43) return limit;
  // `asleep` is asleep throughout; gallop out from the closed form on both sides, then bisect.
  const double guess = std::exp(level);
  Round asleep = from;
  Round woken = limit;
  Round step = 1;
  Round probe =
      guess >= static_cast<double>(limit) ? limit - 1 : std::max(from, static_cast<Round>(guess));
  if (awake(probe)) {
    woken = probe;
    while (woken - asleep > step) {
      const Round lower = woken - step;
      if (!awake(lower)) {
        asleep = lower;
        break;
      }
      woken = lower;
      step *= 2;
    }
  } else {
    asleep = std::max(asleep, probe);
    while (woken - asleep > step) {
      const Round upper = asleep + step;
      if (awake(upper)) {
        woken = upper;
        break;
      }
      asleep = upper;
      step *= 2;
    }
  }
  while (woken - asleep > 1) {
    const Round middle = asleep + (woken - asleep) / 2;
    if (awake(middle)) {
      woken = middle;
    } else {
      asleep = middle;
    }
  }
  return woken;
}

}  // namespace duel
