// What came of an interview as JSON: what `duel run --json` prints and Python's `duel.run` gives.
#pragma once

#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/judging/interview.h"
#include "duel/verdict/health.h"
#include "duel/verdict/standing.h"

namespace duel {

// `standing` and `health` are the interview's; `certificate` is the file it went to, "" where there
// is none.
Json interview_json(const Interview& interview, const Standing& standing, RunEnding ending,
                    const std::vector<HealthCheck>& health, const std::string& certificate);

}  // namespace duel
