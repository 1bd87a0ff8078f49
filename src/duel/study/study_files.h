// The parts of a study and the files of its directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// A part of a study that runs by itself: a task of a Slurm array, a job of a cluster, a line of GNU
// parallel. Shards need no word of each other; `merge_study` puts their trials together.
//
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

// The files of a study's directory.
struct StudyFiles {
  explicit StudyFiles(std::filesystem::path where) : directory(std::move(where)) {}

  std::filesystem::path directory;
  std::filesystem::path spec() const { return directory / "spec.toml"; }
  std::filesystem::path results() const { return directory / "results.csv"; }
  std::filesystem::path matrices() const { return directory / "matrices.csv"; }
  std::filesystem::path trials() const { return directory / "trials.csv"; }
  std::filesystem::path timing() const { return directory / "timing.json"; }
  std::filesystem::path progress() const { return directory / "progress.csv"; }
  // The trials of one shard, in the form of progress.csv.
  std::filesystem::path shard(const Shard& shard) const;
  // The shard whose trials are in this file, going by its name.
  static std::optional<Shard> shard_of(const std::filesystem::path& file);
  // The files of the shards that are there.
  std::vector<std::filesystem::path> shards() const;
};

}  // namespace duel
