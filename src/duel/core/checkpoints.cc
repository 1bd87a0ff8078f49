#include "duel/core/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/check.h"

namespace duel {

std::vector<Round> log_checkpoints(Round rounds) {
  DUEL_CHECK(rounds >= 1 && rounds <= kMaxRounds);
  std::vector<Round> checkpoints;
  for (Round decade = 1; decade < rounds; decade *= 10) {
    for (const Round step : {decade, 2 * decade, 5 * decade}) {
      if (step < rounds) checkpoints.push_back(step);
    }
  }
  checkpoints.push_back(rounds);
  return checkpoints;
}

Result<std::vector<Round>> complete_checkpoints(std::span<const Round> given, Round rounds) {
  if (given.empty()) return log_checkpoints(rounds);
  std::vector<Round> checkpoints(given.begin(), given.end());
  for (const Round checkpoint : checkpoints) {
    if (checkpoint < 1 || checkpoint > rounds) {
      return Error::invalid_argument(
                 fmt::format("checkpoint {} lies outside the run of {} rounds", checkpoint, rounds))
          .with_hint(fmt::format("1 .. {}", rounds));
    }
  }
  checkpoints.push_back(rounds);
  std::sort(checkpoints.begin(), checkpoints.end());
  checkpoints.erase(std::unique(checkpoints.begin(), checkpoints.end()), checkpoints.end());
  return checkpoints;
}

}  // namespace duel
