// Arms in small batches that are played apart, shrink by elimination and are merged as they do: the
// frame of MergeRUCB and MergeDTS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"

namespace duel {

struct Batches {
  std::vector<std::vector<Arm>> groups;
  std::uint32_t stage = 1;
  Round stage_start = 0;  // the last round before this stage

  // All arms, shuffled, in groups of `size`; the last may be smaller.
  static Batches shuffled(std::size_t num_arms, std::size_t size, RoundRng& rng);

  std::size_t num_survivors() const;
  // Survivors <= K/2^stage + 1, and there is something to merge.
  bool is_merge_due(std::size_t num_arms) const;
  // Joins small batches with large ones, none beyond 3/2 `size`, and begins the next stage. Equal
  // sizes are put in random order. Once more if a batch of at most `size`/2 is left.
  void merge(std::size_t size, Round round, RoundRng& rng);
  // The groups are disjoint, not empty and hold arms.
  bool consistent(std::size_t num_arms) const;

  void fields(auto& archive) { archive(groups, stage, stage_start); }
};

}  // namespace duel
