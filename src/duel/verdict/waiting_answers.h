// Answers that are in and not counted as evidence yet, because a duel of the same pair that was
// served before is still open (inference/serving_order.h). Of a space: a duel of the candidate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "duel/core/duel.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/ledger.h"

namespace duel {

struct WaitingAnswers {
  std::uint64_t answers = 0;
  std::uint64_t open_duels = 0;  // that they wait for
  std::optional<Timestamp>
      until{};  // when the last of these expires; none if one of them never does
  std::map<std::pair<Arm, Arm>, std::uint64_t> by_pair{};  // answers, of the low and the high arm

  std::uint64_t of_pair(Arm i, Arm j) const;
};

WaitingAnswers waiting_answers(const Ledger& ledger);

}  // namespace duel
