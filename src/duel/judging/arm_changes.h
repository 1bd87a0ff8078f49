// The arms of a log against those that a user names: which joined and left, and which are to.
#pragma once

#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/judging/arm_list.h"

namespace duel {

// What a user asks for beside the arms of the start. Asking again for what was done changes
// nothing, so that the same command goes on.
struct ArmChanges {
  std::vector<ListedArm> joining;
  std::vector<std::string> leaving;  // ids

  bool empty() const { return joining.empty() && leaving.empty(); }
};

struct MatchedArms {
  std::vector<ListedArm> arms;      // as the ledger numbers them, those that are to join at the end
  std::vector<ArmEntry> joining;    // in this order, before others leave
  std::vector<std::string> joined;  // ids of these
  std::vector<std::string> left;    // ids of those that are to leave
};

// An error names the first arm that the log does not have, has besides, or has with another
// content, and where arms are fixed or the experiment is over, why none can join or leave. A
// retired arm need not be named any more.
Result<MatchedArms> match_arms(const std::string& log, const Ledger& ledger,
                               const std::vector<ListedArm>& named, const ArmChanges& changes);

}  // namespace duel
