// Features scaled within each query, so that a weight means the same in every query.
#pragma once

#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

// In place, by the name of a kind:
//   none
//   min-max   (x - min)/(max - min), in [0, 1]: what LETOR 4.0 calls QueryLevelNorm
//   z-score   (x - mean)/sd with the population's sd (divided by n)
// A feature that is constant within a query becomes 0 there, for either kind: it tells that query's
// documents nothing.
Status normalise(JudgedQueries& queries, std::string_view kind);

}  // namespace duel
