#include "duel/ranking/letor/ranker.h"

#include <cmath>

#include "duel/core/check.h"

namespace duel {

LinearRanker::LinearRanker(std::string name, std::vector<Term> terms)
    : Ranker(std::move(name)), terms_(std::move(terms)) {
  for (const Term& term : terms_) DUEL_CHECK(std::abs(term.weight) <= kMostWeight);
}

void LinearRanker::score(const JudgedQueries& queries, std::size_t query,
                         std::span<double> scores) const {
  for (Document d = 0; d < scores.size(); ++d) {
    const auto row = queries.features(query, d);
    double sum = 0;
    for (const Term& term : terms_) sum += term.weight * static_cast<double>(row[term.feature]);
    scores[d] = sum;
  }
}

}  // namespace duel
