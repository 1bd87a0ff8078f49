// The ranking support vector machine: a linear ranker from the grades themselves, the baseline that
// learners from clicks are held to. Herbrich, Graepel and Obermayer 1999; Joachims, KDD 2002.
// Minimises |w|^2/2 + c sum over pairs of max(0, 1 - w.(x_i - x_j))^2, documents i and j of one
// query, i of the higher grade, by the trust-region Newton method of LIBLINEAR, which uses no
// random numbers.
// Departs    the hinge is squared (LIBLINEAR's primal solver); where there are more pairs than
//            `pairs`, each enters with the same probability, chosen by the seed.
#pragma once

#include <cstdint>
#include <vector>

#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

struct RankingSvmOptions {
  double c = 1;
  double tolerance = 0.001;
  std::uint64_t pairs = 50'000;
};

OptionTable<RankingSvmOptions> ranking_svm_options();

struct TrainedSvm {
  std::vector<double> weights;
  std::uint64_t pairs = 0;  // that were learned from
};

// Errors: no features, no two documents of different grades in any query. Memory: 16 bytes times
// features for every pair.
Result<TrainedSvm> train_ranking_svm(const JudgedQueries& queries, const RankingSvmOptions& options,
                                     std::uint64_t seed);

}  // namespace duel
