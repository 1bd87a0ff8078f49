// A preference matrix of rankers as a user asks for it: names and numbers in, the matrix, its pairs
// and their JSON out. The command line, the server and Python differ only in how they take the
// fields and show the result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "duel/core/count_range.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/table.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

struct EstimateSpec {
  static constexpr CountRange kComparisons{1, 1'000'000'000};
  static constexpr CountRange kLength{1, 1000};

  std::string data;  // a LETOR file or synthetic(..)
  std::string rankers = "features";
  std::string interleave = "probabilistic";
  std::string clicks = "navigational";
  std::string normalise = "none";
  std::string ties = "half";
  std::uint64_t comparisons = 4000;
  std::uint64_t length = 10;
  std::uint64_t grades = 0;  // 0: as many as the data has
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;  // 0: one per core
  bool exact = false;
  std::string name = "estimate";  // of the matrix
};

// What a spec asks for, found and made.
struct EstimateSetup {
  EstimateSpec spec;
  TieShare ties;
  RankedQueries queries;
  ClickSetting setting;                            // without a method where all are multileaved
  std::shared_ptr<const Multileaver> multileaver;  // merges all rankers at once, or null

  // The method as it names itself.
  std::string method() const {
    return multileaver ? multileaver->canonical() : setting.method->canonical();
  }
  // What progress counts: pairs, or where all are multileaved blocks of impressions or queries.
  std::uint64_t num_jobs() const;
  std::string jobs_word() const;
};

struct Estimate {
  std::shared_ptr<const EstimateSetup> setup;
  PreferenceMatrix matrix;
  std::vector<PairEstimate> pairs;

  Json to_json() const;
  // Outcomes, probability and standard error of each pair.
  Table pairs_table() const;
};

// Errors name the field.
Result<std::shared_ptr<const EstimateSetup>> prepare_estimate(EstimateSpec spec,
                                                              const JobHooks& hooks = {});
// Progress counts what `num_jobs` says.
Result<Estimate> run_estimate(std::shared_ptr<const EstimateSetup> setup,
                              const JobHooks& hooks = {});

}  // namespace duel
