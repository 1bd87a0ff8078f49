// Where an experiment stands: who leads, how far each rival is from being beaten, how many duels
// that may take. For those who watch; what decides is the certificate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/interval.h"

namespace duel {

struct ArmStanding {
  Arm arm = 0;
  ShownCounts counts;  // against all others; `first_wins` are its own
  // Evidence that the leader beats it, as a share of what is needed: ln E over ln of the threshold,
  // 0 .. 1. None for the leader, and for goals that go by scores.
  std::optional<double> beaten;
  std::optional<Interval> score;  // of the goals copeland and borda
  std::optional<std::uint64_t> duels_left;

  // Of its decisive duels; one half before the first.
  double rate() const;
};

struct Standing {
  std::optional<Arm> leader;      // none before the first decisive duel
  std::vector<ArmStanding> arms;  // as in the ledger
  // Duels that the leader's open pairs need if the rates so far are the truth. What the policy asks
  // of other pairs comes on top. None where a rival is not behind.
  std::optional<std::uint64_t> duels_left;
  // An arm that is neither beaten nor has kFewestDecisive decisive duels: no order is shown.
  std::optional<Arm> too_little;

  static constexpr std::uint64_t kFewestDecisive = 10;
};

Standing standing_of(const Ledger& ledger);

}  // namespace duel
