// Features scaled within each query, so that a weight means the same in every query.
#pragma once

#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

enum class Normalisation {
  none,
  min_max,  // (x - min)/(max - min), in [0, 1]: what LETOR 4.0 calls QueryLevelNorm
  z_score,  // (x - mean)/sd with the population's sd (divided by n)
};

// In place. A feature that is constant within a query becomes 0 there, for either kind: it tells
// that query's documents nothing.
void normalise(JudgedQueries& queries, Normalisation kind);
// By name: none, min-max, z-score.
Status normalise(JudgedQueries& queries, std::string_view kind);

}  // namespace duel
