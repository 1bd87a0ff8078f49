// The exploration of Interleaved Filter by itself, without the rounds that exploit its answer.
#pragma once

#include "duel/policies/interleaved_filter.h"
#include "duel/reproduction/reproduction.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

struct FilterExploration {
  Arm answer = 0;
  bool finished = false;  // before `most_duels`
  std::uint64_t duels = 0;
  std::uint64_t matches = 0;  // pairs that met: no pair has two matches, since who lost one is gone
  std::uint64_t candidates = 0;
};

struct FilterPlan {
  const PreferenceMatrix* matrix = nullptr;
  bool prunes = false;  // IF2
  FilterInterval interval = FilterInterval::colt;
  Round horizon = 0;     // of delta
  Round most_duels = 0;  // then it is left as it is
  std::uint32_t trials = 1;
};

// One entry per trial. An error where it was stopped.
Result<std::vector<FilterExploration>> explore_with_filter(const ReproductionContext& context,
                                                           const FilterPlan& plan);

// p_ij = 1/2 + gap for i < j: strong transitivity and the triangle inequality hold with equal gaps.
Result<PreferenceMatrix> equal_gaps(std::size_t arms, double gap);

}  // namespace duel
