// What the plain way would have cost: every pair in turn, with the same rule for stopping.
#pragma once

#include <cstdint>
#include <optional>

#include "duel/core/json.h"
#include "duel/experiment/ledger.h"

namespace duel {

struct RoundRobinCost {
  std::uint64_t median = 0;  // duels until a certificate
  std::uint64_t p10 = 0;
  std::uint64_t p90 = 0;
  std::uint64_t trials = 0;
  // Trials that reached `most` duels without a certificate; they count as `most`.
  std::uint64_t undecided = 0;
  std::uint64_t most = 0;
};

// Plays round-robin on the estimated matrix, p_ij = (wins + 1)/(decisive + 2), where a duel is
// decisive as often as those of its pair were, until the rule of the experiment certifies
// something. Bounded work, the same bits for the same ledger. Nothing for the goals copeland and
// borda, whose rule looks at all pairs at once.
std::optional<RoundRobinCost> round_robin_cost(const Ledger& ledger);

Json to_json(const RoundRobinCost& cost);

}  // namespace duel
