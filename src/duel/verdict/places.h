// Which arm leads, which may be first, and the places that the answers leave open: one definition
// for every table, sentence and picture (docs/logs-and-certificates.md, "Places").
//
// The place of an arm is one more than the number of active arms that beat it, and an arm beats
// another if it wins more than half of their decisive duels. First is the arm that beats all
// others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"

namespace duel {

// The places that the evidence leaves open, whenever one looks.
struct RankRange {
  std::size_t best = 1;
  std::size_t worst = 1;

  friend bool operator==(const RankRange&, const RankRange&) = default;
};

// "3", "1 to 4".
std::string to_text(const RankRange& range);

struct ArmPlace {
  // `best` is above 1 once the arm is ruled out of first place: an arm has the evidence against it
  // that the certificate of a winner asks for, c. The best arm is ruled out with probability (K -
  // 1)/c at most, which is below alpha where c = K/alpha. Beyond first place the range counts pairs
  // at the threshold that makes all pairs right at once with probability 1 - alpha, so that all
  // ranges hold together. For the goals copeland and borda it follows from the scores' intervals,
  // which hold together, too.
  RankRange range;
  double probability_best = 0;  // that it beats every other, by the answers of each pair alone
  double log_probability = 0;   // its logarithm
  double expected_beaten = 0;   // how many arms it beats, by the same beliefs
  bool may_be_first() const { return range.best == 1; }
};

struct Places {
  std::vector<ArmPlace> arms;        // as in the ledger; of retired ones they mean nothing
  double probability_no_winner = 0;  // that no arm beats every other
  // Of the arms that may be first the one with the highest probability_best, once there is a
  // decisive answer. None where every arm is ruled out of first place. The goals that are about
  // scores or an order have their own: the best score, the first in the order.
  std::optional<Arm> leader;
  // Arms that may be first and are level with the leader in their own duels, or ahead.
  std::vector<Arm> tied;
};

// `order`: the arms as they stand, the best first, for a goal that is about an order, and how many
// at the beginning are certain.
Places places_of(const Ledger& ledger, const std::vector<Arm>& order = {}, std::size_t certain = 0);

}  // namespace duel
