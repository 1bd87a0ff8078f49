// What the evidence of a pair must reach for certificates of sets and orders.
//
// A candidate (a set of k arms, or a sequence of k arms) needs certain pairs: i over j for every
// pair in which it puts i before j. If l of them are false, it is certified with probability at
// most q^l, q = 1/c, so that the chance of any false certificate is at most the sum of q^l over the
// false candidates. The bounds of this sum, over all ways in which K arms can beat each other, and
// the thresholds that follow are proved in docs/certificates.md. "Known to exist": the arms are
// taken to have the set or sequence that is asked for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "duel/core/goal.h"
#include "duel/core/result.h"

namespace duel {

// prod_{m >= 1} 1/(1 - q^m), the generating function of partitions: the sum of q^l over all sets of
// one size in a total order of arms without end. REQUIRES: 0 <= q < 1.
double partition_product(double q);

// The chance of a false set, at most; whatever K and k. REQUIRES: 0 <= q <= 1/2.
double false_set_bound(double q, bool exists);
// The chance of a false sequence of k arms, at most; whatever K. REQUIRES: 0 <= q <= 1/2, k >= 1.
double false_sequence_bound(double q, std::uint64_t k, bool exists);

// Thresholds at which these bounds are at most alpha, by formulas that need no search but one.
// REQUIRES: 0 < alpha < 1, k >= 1.
double set_threshold(double alpha, std::uint64_t k, bool exists);
double sequence_threshold(double alpha, std::uint64_t k, bool exists);

// K pairs, of which every false candidate needs one, whatever the arms are like; K - 1 where the
// set or sequence exists. So K/alpha serves for each of these goals, and needs nothing across
// pairs.
double union_threshold(double alpha, std::size_t num_arms, bool exists);

// What every needed pair must reach. `shared_causes`: the answers of different pairs may hang
// together. REQUIRES: goal.is_order(), and check_goal found nothing.
double order_threshold(const Goal& goal, std::size_t num_arms, double alpha, bool shared_causes);

// Whether the goal makes sense for so many arms. An error names the field: top, epsilon, assume.
Status check_goal(const Goal& goal, std::size_t num_arms);

}  // namespace duel
