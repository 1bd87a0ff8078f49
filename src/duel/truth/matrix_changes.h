// Ways in which a matrix can change: its arms exchange their places now and then, or it turns into
// another one bit by bit.
#pragma once

#include <cstdint>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {

// `changes` times in `rounds` rounds, at equal distances, the arms are renamed at random so that
// another one is the Condorcet winner; where there is none, so that the matrix is another one.
// Draws from Stream(seed, 0, Purpose::generate, "switching"). An error where that cannot be: one
// arm, arms that are all alike, more changes than rounds.
Result<MatrixSchedule> switching_schedule(const PreferenceMatrix& base, std::uint64_t changes,
                                          Round rounds, std::uint64_t seed);

// From one matrix to another in `steps` equal steps, in equal distances over `rounds` rounds: P is
// a weighted mean of the two. An error where the numbers of arms differ, or there are more steps
// than rounds.
Result<MatrixSchedule> drifting_schedule(const PreferenceMatrix& from, const PreferenceMatrix& to,
                                         std::uint64_t steps, Round rounds);

// `switching(base=..,changes=..,rounds=..,seed=..)` and
// `drifting(from=..,to=..,rounds=..,steps=..)`
inline constexpr const char* kSwitching = "switching";
inline constexpr const char* kDrifting = "drifting";
Result<MatrixSchedule> changing_matrix(const CallSpec& call);

}  // namespace duel
