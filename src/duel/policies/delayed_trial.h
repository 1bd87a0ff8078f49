// A simulated trial in which answers come later than at once: in batches, or with a delay.
#pragma once

#include "duel/core/duel.h"
#include "duel/core/trial_arena.h"
#include "duel/policies/registry.h"
#include "duel/policies/trial_loop.h"

namespace duel {

// When answers are heard. Round t is the t-th duel that goes out, so that a batch is asked as a
// whole before anything of it is heard.
struct Feedback {
  Round batch = 1;  // those to rounds 1 .. batch come together, then those to the next as many
  Round delay = 0;  // and all of them this many rounds later

  bool at_once() const { return batch == 1 && delay == 0; }
  // The answer to a duel of `round` is heard after this round, before the next one is chosen.
  Round heard_after(Round round) const { return (round + batch - 1) / batch * batch + delay; }
  friend bool operator==(const Feedback&, const Feedback&) = default;
};

// As `ConfiguredPolicy::play`, and the same numbers where answers are heard at once. A self-duel
// asks nobody and is told at once. Jumps are made while no answer is out. An answer that would be
// heard after the last round is not heard.
// REQUIRES: the policy allows for outstanding duels, unless answers are heard at once.
bool play_delayed(const ConfiguredPolicy& configured, TrialArena& arena,
                  const TrialStreams& streams, const TrialPlan& plan, const Feedback& feedback,
                  TrialObserver& observer);

}  // namespace duel
