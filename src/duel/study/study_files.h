#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "duel/study/shard.h"

namespace duel {

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
