// What `duel learn` leaves behind: measures over its trials, as text, JSON and CSV, the files of
// its directory, and the states to go on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/ranking/learners/learning_curve.h"

namespace duel::cli {

// The files of a directory of learned rankers.
struct LearnFiles {
  explicit LearnFiles(std::filesystem::path where) : directory(std::move(where)) {}

  std::filesystem::path directory;
  std::filesystem::path summary() const { return directory / "learn.json"; }
  std::filesystem::path curve() const { return directory / "curve.csv"; }
  std::filesystem::path model() const { return directory / "model.json"; }
  std::filesystem::path weights() const { return directory / "weights.txt"; }
  std::filesystem::path rankers() const { return directory / "rankers.txt"; }
  std::filesystem::path states() const { return directory / "states.bin"; }

  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of what is read again
};

// A mean over trials; the error is NaN for a single one.
struct Quantity {
  double mean, se;
};

// At a checkpoint.
struct CurveRow {
  std::uint64_t impressions;
  Quantity online;      // NDCG of the lists shown since the row before
  Quantity discounted;  // sum up to here
  Quantity offline;     // NDCG of the ranker
};

struct LearnResults {
  Json settings;
  std::uint64_t impressions = 0;
  std::uint64_t seed = 0;
  Quantity discounted, online, offline, start;
  std::vector<CurveRow> curve;    // as far as all trials came
  std::vector<CurveRow> decades;  // its 1, 10, 100, .. and its end
  struct Trial {
    double discounted, online, offline;
  };
  std::vector<Trial> trials;

  // `at_start` has the offline NDCG of every trial before the first impression.
  // REQUIRES: one trial or more.
  LearnResults(Json settings, std::span<const RecordedTrial> trials,
               std::span<const double> at_start);

  Json to_json() const;
  // learner, impressions, measure, mean, se, trials, seed.
  std::string curve_csv() const;
  // The table for people; `heldout`: whether offline is measured on queries of their own.
  std::string to_text(std::size_t length, double discount, bool heldout) const;
};

Status write_directory(const LearnFiles& files, const LearnResults& results,
                       std::span<const RecordedTrial> trials);
// All trials as they were saved, or an error that names the file.
Status restore_trials(const LearnFiles& files, std::span<RecordedTrial> trials);

}  // namespace duel::cli
