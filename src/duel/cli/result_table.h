// The results of a study as tables for people: one per matrix, a row per policy, regret with its
// standard error, and the lower bound as the last row.
#pragma once

#include <cstddef>
#include <string>

#include "duel/cli/command.h"
#include "duel/core/table.h"
#include "duel/study/results.h"

namespace duel::cli {

// In lines of `width` columns: earlier checkpoints are shown as far as there is room, a long policy
// string stands whole on a line of its own.
std::string results_text(const StudyResults& results, std::size_t width, const Paint& paint);

// The standard error to two digits and the mean to the same place: 1234.5 and 12.3.
struct MeanText {
  Cell mean;
  std::string se;  // "± 12.3"; empty where it is unknown (a single trial)
  int decimals = 0;
};
MeanText mean_text(double mean, double se);

// "12.5 %".
std::string share_text(std::uint64_t count, std::uint64_t of);
// A number of duels. At least the cap: the rest of the experiment was not waited for.
std::string capped_duels(double duels, std::uint64_t most);

// 1000000 -> 1e6, 250000 -> 2.5e5, 12345 -> 12345.
std::string round_text(Round round);

}  // namespace duel::cli
