// A person at the terminal answers the questions of an interview: `duel vote` and
// `duel tune --vote`.
#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/core/result.h"
#include "duel/judging/interview.h"

namespace duel::cli {

struct VotedHere {
  RunEnding ending = RunEnding::undecided;
  bool stopped = false;  // by the voter, or by the end of the input
};

// Until there is a certificate, nothing is left to ask, or the voter has enough. The terminal is as
// it was when this returns.
Result<VotedHere> vote_here(Interview& interview, const std::string& voter,
                            const InterruptGuard& guard);

}  // namespace duel::cli
