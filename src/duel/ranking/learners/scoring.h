// The documents of a query as a learner sees them, and their scores under one or more weight
// vectors in one pass over the features.
#pragma once

#include <cstddef>
#include <span>

#include "duel/ranking/document.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

// Features alone, row by row; no grades.
class QueryDocuments {
 public:
  QueryDocuments(const float* features, std::size_t num_documents, std::size_t num_features)
      : features_(features), num_documents_(num_documents), num_features_(num_features) {}
  // REQUIRES: query < queries.num_queries().
  QueryDocuments(const JudgedQueries& queries, std::size_t query)
      : QueryDocuments(queries.features(query, 0).data(), queries.num_documents(query),
                       queries.num_features()) {}

  std::size_t num_documents() const { return num_documents_; }
  std::size_t num_features() const { return num_features_; }
  std::span<const float> row(Document document) const {
    return {features_ + document * num_features_, num_features_};
  }

 private:
  const float* features_;
  std::size_t num_documents_;
  std::size_t num_features_;
};

// scores[d] = weights . x_d. REQUIRES: as many weights as features, as many scores as documents.
void score_documents(const QueryDocuments& documents, std::span<const double> weights,
                     std::span<double> scores);

// The same under any number of weight vectors, as many as there are arrays of scores: features are
// read and converted once, which is what scoring costs. The scores are those of separate calls, bit
// for bit.
void score_documents(const QueryDocuments& documents, std::span<const double* const> weights,
                     std::span<double* const> scores);

// weights += factor x_d.
void add_document(const QueryDocuments& documents, Document document, double factor,
                  std::span<double> weights);

}  // namespace duel
