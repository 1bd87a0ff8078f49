// What would overturn "i beats j": how many of the pair's answers would have to be wrong.
//
// A wrong answer is `missing` (it should not have been given) or `flipped` (the other arm should
// have won). The answers are units u in [-1, 1] from i's side, in the order of serving: 1 a win, -1
// a loss, 0 neither, what lies between a graded answer (evidence.h). The worst that r wrong answers
// can do to E_t, the evidence after t answers, is to hit the r largest positive units among these
// t. For whole answers those are the first r wins for every t at once: E grows with each win, and a
// win that is gone lowers all E_t from its place on. So what is said here is exact for whole
// answers; of graded ones the sets may differ with t, and it is a lower bound ("at least").
//
// A test that stops when it can always stands on one answer: when E reaches the threshold, the
// answer before it had not. So `fewest_to_overturn` is 1 for the pair that was last to be settled,
// which is no sign of weakness. How much a result can bear is told by `fewest_to_reverse`, and by
// the level at which it would hold if a share of the answers were wrong.
#pragma once

#include <cstdint>
#include <span>

#include "duel/inference/evidence.h"

namespace duel {

enum class Mistake { missing, flipped };

// When the evidence was looked at: after every answer, its maximum counting, or once at the end.
enum class Looked { always, at_the_end };

// ln of the largest E, or of E at the end, with `wrong` answers wrong in the worst way. It falls
// with each further one. REQUIRES of units other than 1, 0 and -1: the evidence is against one
// half.
double log_evidence_if_wrong(const PairEvidence& evidence, std::span<const double> units,
                             std::uint64_t wrong, Mistake how, Looked looked = Looked::always);

// The fewest wrong answers that keep E below the threshold. REQUIRES: log_threshold > 0.
std::uint64_t fewest_to_overturn(const PairEvidence& evidence, std::span<const double> units,
                                 double log_threshold, Mistake how, Looked looked = Looked::always);

// The fewest wrong answers with which i does not lead any more, the sum of all units being at most
// 0; 0 where it does not lead anyway.
std::uint64_t fewest_to_reverse(std::span<const double> units, Mistake how);

// Whether i leads: by the same rule.
bool leads(std::span<const double> units);

// At most so many of `answers` are wrong if a share of `percent` in a hundred is: rounded up.
constexpr std::uint64_t percent_of(std::uint64_t answers, std::uint64_t percent) {
  return (answers * percent + 99) / 100;
}

// The error level at which the certificate would hold with the r answers flipped that hurt it most:
// its level where the threshold is what the evidence then is, and 1 where that says nothing.
double level_if_wrong(const PairEvidence& evidence, std::span<const double> units,
                      std::uint64_t wrong, double alpha, double log_threshold,
                      Looked looked = Looked::always);

// The same where only some answers can be wrong, and those that hurt most are missing: people's,
// where they audit a program (audited_units.h), whose units one cannot simply turn round.
// REQUIRES: by_person.size() == units.size().
double level_without_people(const PairEvidence& evidence, std::span<const double> units,
                            std::span<const std::uint8_t> by_person, std::uint64_t wrong,
                            double alpha, double log_threshold, Looked looked = Looked::always);

}  // namespace duel
