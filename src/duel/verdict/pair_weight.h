// How far the evidence of a pair has got, in steps that the eye tells apart: what pictures colour
// by, so that one duel that was won is no colour yet. web/src/charts/evidence_words.ts has the same
// steps for the pages; the tests of both hold the same table.
#pragma once

#include "duel/inference/interval.h"

namespace duel {

enum class PairWeight {
  too_little,  // to say anything
  leaning,
  told_apart,  // the interval leaves one half out
  beyond,
};

// `interval`: of the pair's win probability, at all times. It holds whenever you look, so one duel
// leaves it nearly as wide as before. Measured in its half widths, the distance of its middle from
// one half is how far the pair is from being told apart: at 1 one half is just outside. Evidence
// grows with the square of it: 1 is 20 to one.
PairWeight pair_weight(const Interval& interval);

}  // namespace duel
