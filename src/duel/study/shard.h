// A part of a study that runs by itself: a task of a Slurm array, a job of a cluster, a line of GNU
// parallel. Shards need no word of each other; `merge_study` puts their trials together.
#pragma once

#include <cstdint>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// The trials of all policies on all matrices are dealt out like cards, so that a slow policy or a
// large matrix is spread over all shards.
struct Shard {
  std::uint32_t number = 1;  // 1 .. count
  std::uint32_t count = 1;

  // `trial` counts through the whole study.
  bool has(std::uint64_t trial) const { return trial % count == number - 1; }
  // How many of `trials` are its own.
  std::uint64_t share_of(std::uint64_t trials) const {
    return trials / count + (trials % count >= number ? 1 : 0);
  }

  friend bool operator==(const Shard&, const Shard&) = default;
};

// "3/64": the third of 64.
Result<Shard> parse_shard(std::string_view text);

}  // namespace duel
