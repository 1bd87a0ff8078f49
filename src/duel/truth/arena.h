// The arena of a trial whose outcomes follow a preference matrix.
#pragma once

#include <cstdint>
#include <span>

#include "duel/core/trial_arena.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

class MatrixArena : public TrialArena {
 public:
  // `matrix`, `merit_rank` and `source` must outlive the arena; `source` may be null.
  MatrixArena(const PreferenceMatrix& matrix, std::span<const std::uint32_t> merit_rank,
              OutcomeStream outcomes, OutcomeSource* source = nullptr)
      : TrialArena(matrix.row_major(), merit_rank, outcomes, source) {}
};

}  // namespace duel
