#pragma once

#include <filesystem>
#include <utility>

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
};

}  // namespace duel
