// A table of wins: the header names the arms, and row i, column j says how often arm i beat arm j.
// The rows may begin with the name of their arm, in any order of the arms.
//
//   red,blue,green            arm,red,blue,green
//   0,7,3                     red,0,7,3
//   2,0,4                     blue,2,0,4
//   5,1,0                     green,5,1,0
#pragma once

#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"

namespace duel {

// Whether the text has that form, with fields that `separator` parts.
bool looks_like_win_counts(std::string_view text, char separator);

// A comparison for every win, in no order. REQUIRES: looks_like_win_counts.
Result<ComparisonTable> parse_win_counts(std::string_view text, char separator,
                                         const std::string& name);

}  // namespace duel
