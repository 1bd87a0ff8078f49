#include "duel/ranking/letor/judged_queries.h"

#include <algorithm>
#include <utility>

#include "duel/core/check.h"

namespace duel {

JudgedQueries::JudgedQueries(FeatureMatrix features, std::vector<Grade> grades,
                             std::vector<std::uint64_t> offsets, std::vector<std::uint64_t> qids)
    : features_(std::move(features)),
      grades_(std::move(grades)),
      offsets_(std::move(offsets)),
      qids_(std::move(qids)) {
  DUEL_CHECK(features_.num_rows() == grades_.size());
  DUEL_CHECK(offsets_.size() == qids_.size() + 1);
  DUEL_CHECK(offsets_.front() == 0 && offsets_.back() == grades_.size());
  for (std::size_t q = 0; q < qids_.size(); ++q) DUEL_CHECK(offsets_[q] < offsets_[q + 1]);
  if (!grades_.empty()) {
    num_grades_ = std::size_t{*std::max_element(grades_.begin(), grades_.end())} + 1;
  }
}

void JudgedQueries::widen(std::size_t num_features) {
  DUEL_CHECK(num_features >= features_.num_features());
  if (num_features == features_.num_features()) return;
  FeatureMatrix wider(features_.num_rows(), num_features);
  for (std::size_t i = 0; i < features_.num_rows(); ++i) {
    const auto source = features_.row(i);
    std::copy(source.begin(), source.end(), wider.row(i).begin());
  }
  features_ = std::move(wider);
}

JudgedQueries JudgedQueries::subset(std::span<const std::size_t> queries) const {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint64_t> qids;
  std::vector<Grade> subset_grades;
  for (const std::size_t q : queries) {
    DUEL_CHECK(q < num_queries());
    const auto mine = grades(q);
    subset_grades.insert(subset_grades.end(), mine.begin(), mine.end());
    offsets.push_back(subset_grades.size());
    qids.push_back(qids_[q]);
  }
  FeatureMatrix matrix(subset_grades.size(), num_features());
  std::size_t row = 0;
  for (const std::size_t q : queries) {
    for (Document d = 0; d < num_documents(q); ++d) {
      const auto source = features(q, d);
      std::copy(source.begin(), source.end(), matrix.row(row++).begin());
    }
  }
  return {std::move(matrix), std::move(subset_grades), std::move(offsets), std::move(qids)};
}

JudgedQueries JudgedQueries::clone() const { return {features_.clone(), grades_, offsets_, qids_}; }

}  // namespace duel
