// Some of a matrix's arms as a problem of their own, and how often such a problem has a total
// order. (That it has a Condorcet winner is counted exactly: truth/lower_bound.h,
// `subset_condorcet_shares`.)
#pragma once

#include <cstddef>
#include <cstdint>
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

// Entry k - 1: among `samples` random subsets of k arms, how many can be sorted so that each arm
// beats all that follow it.
//
// One random order of all arms serves every k: its first k arms are a uniform subset, and they have
// a total order up to the first arm that a chain of those before it has no place for. The counts of
// different k are therefore not independent; each of them is binomial. REQUIRES: samples >= 1.
std::vector<std::uint32_t> subset_total_orders(const PreferenceMatrix& matrix,
                                               std::uint32_t samples, std::uint64_t seed);

}  // namespace duel
