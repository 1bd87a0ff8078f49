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

FeatureRanker::FeatureRanker(std::uint32_t feature)
    : Ranker("f" + std::to_string(feature + 1)), feature_(feature) {}

void FeatureRanker::score(const JudgedQueries& queries, std::size_t query,
                          std::span<double> scores) const {
  for (Document d = 0; d < scores.size(); ++d) {
    scores[d] = static_cast<double>(queries.features(query, d)[feature_]);
  }
}

Bm25Ranker::Bm25Ranker(std::string name, const Bm25Options& options, const JudgedQueries& queries)
    : Ranker(std::move(name)), options_(options) {
  DUEL_CHECK(options.tf >= 1 && options.length >= 1);
  for (const std::uint64_t feature : {options.tf, options.length, options.idf}) {
    DUEL_CHECK(feature <= queries.num_features());
  }
  double sum = 0;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      sum += static_cast<double>(queries.features(q, d)[options.length - 1]);
    }
  }
  mean_length_ = sum / static_cast<double>(queries.num_documents());
}

void Bm25Ranker::score(const JudgedQueries& queries, std::size_t query,
                       std::span<double> scores) const {
  const auto [tf_index, length_index, idf_index, k1, b] = options_;
  for (Document d = 0; d < scores.size(); ++d) {
    const auto row = queries.features(query, d);
    const auto tf = static_cast<double>(row[tf_index - 1]);
    if (tf == 0) {
      scores[d] = 0;
      continue;
    }
    const auto length = static_cast<double>(row[length_index - 1]);
    const double relative = mean_length_ > 0 ? length / mean_length_ : 1;
    const double idf = idf_index == 0 ? 1 : static_cast<double>(row[idf_index - 1]);
    scores[d] = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * relative));
  }
}

}  // namespace duel
