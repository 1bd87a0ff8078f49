// Preferences that change at given rounds: which matrix is in force when.
//
//   changing(1=arxiv,10000=random-condorcet(k=6,seed=3))
//
// Each key is the first round of a matrix, which is named as anywhere else. A plain matrix is a
// schedule without changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

struct MatrixSchedule {
  struct Segment {
    Round from = 1;  // its first round; it lasts until the next segment begins
    PreferenceMatrix matrix;
  };
  std::string name;               // of the matrix, or the canonical `changing(..)`
  std::vector<Segment> segments;  // the first begins at round 1; ascending; equally many arms
};

// What a user means by `text`: `changing(..)`, or what `resolve_matrix` understands.
Result<MatrixSchedule> resolve_schedule(std::string_view text);

}  // namespace duel
