// How often random subsets of a matrix's arms have a total order, by simulation. (That a subset has
// a Condorcet winner is counted exactly: truth/lower_bound.h, `subset_condorcet_shares`.)
#pragma once

#include <cstdint>
#include <vector>

#include "duel/truth/preference_matrix.h"

namespace duel {

// Entry k - 1: among `samples` random subsets of k arms, how many can be sorted so that each arm
// beats all that follow it.
//
// One random order of all arms serves every k: its first k arms are a uniform subset, and they have
// a total order up to the first arm that a chain of those before it has no place for. The counts of
// different k are therefore not independent; each of them is binomial. REQUIRES: samples >= 1.
std::vector<std::uint32_t> subset_total_orders(const PreferenceMatrix& matrix,
                                               std::uint32_t samples, std::uint64_t seed);

}  // namespace duel
