// Where an experiment stands: who leads, how far each rival is from being beaten, how many duels
// that may take. For those who watch; what decides is the certificate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/interval.h"

namespace duel {

struct ArmStanding {
  Arm arm = 0;
  ShownCounts counts;  // against all others; `first_wins` are its own
  // Evidence that the leader beats it, as a share of what is needed: ln E over ln of the threshold,
  // 0 .. 1. None for the leader, and for goals that go by scores or name several arms.
  std::optional<double> beaten;
  std::optional<Interval> score;  // of the goals copeland and borda
  std::optional<std::uint64_t> duels_left;

  // Of its decisive duels; one half before the first.
  double rate() const;
};

// A pair that the arms in front need for their certificate as a set or an order.
struct NeededPair {
  Arm first = 0;  // to be shown to beat
  Arm second = 0;
  bool shown = false;  // its evidence has reached the threshold
  std::optional<std::uint64_t> duels_left;
};

// Of the goals set, order and ranking.
struct OrderStanding {
  std::vector<Arm> arms;    // all of them as they stand, the best first
  std::size_t named = 0;    // so many of them are to be certified
  std::size_t certain = 0;  // so many at the beginning are certain already; only of sequences
  std::vector<NeededPair> needed;
  std::size_t shown() const;  // of the needed pairs
};

struct Standing {
  std::optional<Arm> leader;      // none before the first decisive duel
  std::vector<ArmStanding> arms;  // as in the ledger
  // Duels that the open pairs of the leader, or of the arms in front, need if the rates so far are
  // the truth. What the policy asks of other pairs comes on top. None where a rival is not behind.
  std::optional<std::uint64_t> duels_left;
  std::optional<OrderStanding> order;
  // An arm that is neither beaten nor has kFewestDecisive decisive duels: no order is shown.
  std::optional<Arm> too_little;

  static constexpr std::uint64_t kFewestDecisive = 10;
};

Standing standing_of(const Ledger& ledger);
// Its leader alone, which takes far less where there are many arms.
std::optional<Arm> leader_of(const Ledger& ledger);

std::vector<std::string> ids_of(const Ledger& ledger, const std::vector<Arm>& arms);

}  // namespace duel
