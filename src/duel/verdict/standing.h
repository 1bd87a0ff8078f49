// Where an experiment stands: who leads, how far each rival is from being beaten, how many duels
// that may take. Only for display; the certificate decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/interval.h"
#include "duel/verdict/panel_standing.h"
#include "duel/verdict/places.h"
#include "duel/verdict/space_standing.h"
#include "duel/verdict/waiting_answers.h"

namespace duel {

struct ArmStanding {
  Arm arm = 0;
  ShownCounts counts;  // against all others; `first_wins` are its own
  // Evidence that the leader beats it, as a share of what is needed: ln E over ln of the threshold,
  // 0 .. 1. None for the leader, and for goals that go by scores or name several arms.
  std::optional<double> beaten;
  std::optional<Interval> score;  // for the goals copeland and borda
  std::optional<std::uint64_t> duels_left;

  // The share of its decisive duels that it won; one half before the first.
  double rate() const { return counts.rate(); }
};

// A pair that must be decided before the arms in front can be certified as a set or an order.
struct NeededPair {
  Arm first = 0;  // to be shown to beat
  Arm second = 0;
  bool shown = false;  // its evidence has reached the threshold
  std::optional<std::uint64_t> duels_left;
};

// For the goals set, order and ranking.
struct OrderStanding {
  std::vector<Arm> arms;    // all of them as they stand, the best first
  std::size_t named = 0;    // how many of them are to be certified
  std::size_t certain = 0;  // how many at the beginning are certain already; not for sets
  std::vector<NeededPair> needed;
  std::size_t shown() const;  // of the needed pairs
};

struct Standing {
  std::optional<Arm> leader;      // as in `places`
  std::vector<ArmStanding> arms;  // as in the ledger
  // Duels that the open pairs of the leader, or of the arms in front, need if the rates so far are
  // the truth, beside the answers that wait. Duels of other pairs that the policy asks come on top.
  // None without a leader, and if a rival isn't behind.
  std::optional<std::uint64_t> duels_left;
  std::optional<OrderStanding> order;
  // The leader, an arm that is tied with it, or one of the arms in front, if it has fewer than
  // kFewestDecisive decisive duels: nothing is said of who leads. That other arms have few is no
  // lack: a policy does not waste duels on those that lose.
  std::optional<Arm> too_little;
  Places places;
  WaitingAnswers waiting;
  std::optional<PanelStanding> panel;  // where it is about these people
  std::optional<SpaceStanding> space;  // where points are compared; there is no leader then

  static constexpr std::uint64_t kFewestDecisive = 10;
};

Standing standing_of(const Ledger& ledger);
// The leader alone, which takes less time.
std::optional<Arm> leader_of(const Ledger& ledger);

std::vector<std::string> ids_of(const Ledger& ledger, const std::vector<Arm>& arms);

}  // namespace duel
