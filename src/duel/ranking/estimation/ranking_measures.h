// Rankers measured against judgements: NDCG, MAP, MRR, ERR and precision of every ranker over the
// queries of a data set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/count_range.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/jobs/jobs.h"

namespace duel {

struct RankingMeasuresSpec {
  static constexpr CountRange kDepth{1, 100'000};
  static constexpr CountRange kRelevant{1, 255};

  std::string data;  // a LETOR file, letor(..) or synthetic(..)
  std::string rankers = "features";
  std::string normalise = "none";
  std::string gain = "exponential";  // or linear
  std::string discount = "log2";     // or ln, letor
  std::string no_relevant = "zero";  // or skip: queries without a relevant document
  std::uint64_t k = 10;
  std::uint64_t relevant = 1;  // grade from which a document is relevant
  std::uint64_t grades = 0;    // of the scale; 0: as many as the data has
  std::uint64_t threads = 0;
};

struct MeasureEstimate {
  double mean = 0;
  std::optional<double> standard_error;  // over queries; unknown for fewer than two
};

struct RankingMeasures {
  RankingMeasuresSpec spec;
  std::uint64_t queries = 0;               // that count
  std::uint64_t skipped = 0;               // without a relevant document, where these are left out
  std::vector<std::string> measures;       // "NDCG@10", ..
  std::vector<std::string> rankers;        // names
  std::vector<MeasureEstimate> estimates;  // [ranker x measure]

  const MeasureEstimate& at(std::size_t ranker, std::size_t measure) const {
    return estimates[ranker * measures.size() + measure];
  }
  Json to_json() const;
};

// Documents of equal score stand in an order that depends on the query alone (RankedQueries).
// Errors name the field.
Result<RankingMeasures> measure_rankings(const RankingMeasuresSpec& spec,
                                         const JobHooks& hooks = {});

}  // namespace duel
