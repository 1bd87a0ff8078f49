// The matrices that the figures of RUCB's paper (Zoghi, Whiteson, Munos, de Rijke, ICML 2014,
// section 6) are made on here. The paper's own, 64 features of LETOR NP2004, is not public; in its
// place stand one that follows the same recipe on data that anyone can make again, and what the
// user gives.
#pragma once

#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/reproduction/reproduction.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// As many rankers as the paper has.
inline constexpr std::size_t kPublishedRankers = 64;

struct RankerMatrix {
  std::string name;
  PreferenceMatrix matrix;
};

struct RankerMatrices {
  std::vector<RankerMatrix> all;  // each with a Condorcet winner and 64 arms or more
  std::vector<std::string>
      remarks;  // how the simulated one was made; which given ones were not taken
};

// First the simulated one: 64 single features of synthetic judged queries, two of them compared
// 4000 times by probabilistic interleaving (tau = 3) and a dependent-click user; of a sequence of
// data sets the first whose matrix has a Condorcet winner, as the paper's has. Then the given ones.
Result<RankerMatrices> ranker_matrices(const ReproductionContext& context, ProgressPart part);

}  // namespace duel
