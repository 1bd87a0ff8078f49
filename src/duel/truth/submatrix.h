// Some of a matrix's arms as a problem of their own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// The rows and columns of `arms`, in that order. REQUIRES: at least one arm, all of the matrix,
// each once.
PreferenceMatrix submatrix(const PreferenceMatrix& matrix, std::span<const Arm> arms,
                           std::string name);

// `winner` and `size - 1` of the other arms, drawn uniformly without replacement; ascending. Where
// `winner` is the Condorcet winner it is the subset's as well. REQUIRES: 1 <= size <= K.
std::vector<Arm> winner_and_others(const PreferenceMatrix& matrix, Arm winner, std::size_t size,
                                   RoundRng rng);

}  // namespace duel
