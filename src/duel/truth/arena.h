// The arena of a trial whose outcomes follow a preference matrix, or a function.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

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

// Outcomes that a function of (low, high, meeting) says.
template <class Answer>
class AnsweredBy final : public OutcomeSource {
 public:
  explicit AnsweredBy(Answer answer) : answer_(std::move(answer)) {}
  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    return answer_(low, high, meeting);
  }

 private:
  Answer answer_;
};

}  // namespace duel
