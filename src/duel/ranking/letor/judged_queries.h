// Queries whose documents have features and grades: what a data set of learning to rank is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/ranking/document.h"
#include "duel/ranking/letor/feature_matrix.h"

namespace duel {

// The documents of a query are consecutive rows; `Document` d of a query is its row d. Movable;
// `clone` copies.
class JudgedQueries {
 public:
  JudgedQueries() = default;
  // `offsets[q]` is the first row of query q, and `offsets.back()` the number of rows. REQUIRES: as
  // many grades as rows, offsets ascending from 0 without empty queries, one qid per query.
  JudgedQueries(FeatureMatrix features, std::vector<Grade> grades,
                std::vector<std::uint64_t> offsets, std::vector<std::uint64_t> qids);

  std::size_t num_queries() const { return qids_.size(); }
  std::size_t num_documents() const { return grades_.size(); }  // of all queries
  std::size_t num_features() const { return features_.num_features(); }
  // One more than the highest grade that occurs; 0 without documents.
  std::size_t num_grades() const { return num_grades_; }

  std::size_t num_documents(std::size_t query) const {
    return static_cast<std::size_t>(offsets_[query + 1] - offsets_[query]);
  }
  std::uint64_t qid(std::size_t query) const { return qids_[query]; }
  std::span<const Grade> grades(std::size_t query) const {
    return std::span(grades_).subspan(static_cast<std::size_t>(offsets_[query]),
                                      num_documents(query));
  }
  std::span<const float> features(std::size_t query, Document document) const {
    return features_.row(static_cast<std::size_t>(offsets_[query]) + document);
  }
  std::span<float> features(std::size_t query, Document document) {
    return features_.row(static_cast<std::size_t>(offsets_[query]) + document);
  }
  std::size_t feature_bytes() const { return features_.bytes(); }

  // Adds features that are 0 everywhere. REQUIRES: num_features >= num_features().
  void widen(std::size_t num_features);

  // The named queries, in that order. REQUIRES: each < num_queries(), none twice.
  JudgedQueries subset(std::span<const std::size_t> queries) const;
  JudgedQueries clone() const;

  friend bool operator==(const JudgedQueries& a, const JudgedQueries& b) = default;

 private:
  FeatureMatrix features_;
  std::vector<Grade> grades_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::uint64_t> qids_;
  std::size_t num_grades_ = 0;
};

}  // namespace duel
