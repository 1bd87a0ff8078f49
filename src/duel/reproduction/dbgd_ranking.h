// DBGD on judged queries as Yue and Joachims (ICML 2009, section 5.2) ran it: rankers on the unit
// sphere, duels drawn with P(w beats w') = sigma(10 (NDCG@10 of w - NDCG@10 of w')) on a random
// query.
#pragma once

#include <span>

#include "duel/ranking/letor/judged_queries.h"
#include "duel/reproduction/reproduction.h"

namespace duel {

// The k of NDCG@k.
inline constexpr std::size_t kDbgdLength = 10;

struct DbgdRankingData {
  JudgedQueries train, validation, test;
  std::string description;
  std::string remark;  // how it differs from the paper's
};

// The first file of the user's, in three random parts, or synthetic data.
Result<DbgdRankingData> dbgd_ranking_data(const ReproductionContext& context);

struct DbgdRankingPlan {
  std::uint64_t comparisons = 0;
  std::uint64_t points = 0;  // divides `comparisons`
  std::uint32_t trials = 1;
};
// What all three reproductions play.
DbgdRankingPlan dbgd_ranking_plan(const ReproductionContext& context);

struct DbgdRankingRun {
  double delta = 1;
  double gamma = 0.01;
  std::uint64_t batch = 100;

  // delta = 1 and gamma = sqrt(10 n/T) for n comparisons an update, T in all: the paper's best of
  // 100 an update and 10^7 comparisons, delta = 1 and gamma = 0.01, carried over to other n and T
  // by the law of the analysis, gamma ~ 1/sqrt(number of updates).
  static DbgdRankingRun of_batch(std::uint64_t batch, const DbgdRankingPlan& plan);
};

struct DbgdRankingResult {
  // [trial][point]: NDCG of w on the training queries at checkpoints of equal distance.
  std::vector<std::vector<double>> curve;
  std::vector<std::vector<double>> weights;  // [trial], at the end
};

Result<std::vector<DbgdRankingResult>> play_dbgd_rankings(const ReproductionContext& context,
                                                          const DbgdRankingData& data,
                                                          std::span<const DbgdRankingRun> runs,
                                                          const DbgdRankingPlan& plan);

}  // namespace duel
