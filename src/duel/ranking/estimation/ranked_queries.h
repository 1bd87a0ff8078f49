// What every ranker shows for every query: the rankings that comparisons by clicks are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/document.h"
#include "duel/ranking/letor/judged_queries.h"
#include "duel/ranking/letor/ranker.h"

namespace duel {

// The top documents of each query by each ranker, and the grades of all documents. Documents of
// equal score stand in a random order that depends on the query alone: it is the same for every
// ranker, so that chance does not set two rankers apart, and the order of the file does not matter.
class RankedQueries {
 public:
  // Ranks all queries, `length` documents each. An Error only where the run was stopped
  // (`interrupted`) or memory ends.
  static Result<RankedQueries> create(const JudgedQueries& queries, const Rankers& rankers,
                                      std::size_t length, unsigned threads,
                                      const JobHooks& hooks = {});

  std::size_t num_rankers() const { return names_.size(); }
  std::size_t num_queries() const { return grade_offsets_.size() - 1; }
  std::size_t length() const { return length_; }
  const std::vector<std::string>& names() const { return names_; }
  // One more than the highest grade.
  std::size_t num_grades() const { return num_grades_; }

  // Best first; `length` documents, or all of a query that has fewer.
  std::span<const Document> top(std::size_t ranker, std::size_t query) const {
    const std::size_t begin = top_offsets_[query] * num_rankers();
    const std::size_t size = top_offsets_[query + 1] - top_offsets_[query];
    return std::span(top_).subspan(begin + ranker * size, size);
  }
  // The grade of document d is at index d.
  std::span<const Grade> grades(std::size_t query) const {
    return std::span(grades_).subspan(grade_offsets_[query],
                                      grade_offsets_[query + 1] - grade_offsets_[query]);
  }

  // The mean NDCG@length of a ranker over the queries; a query without relevant documents counts 0.
  double mean_ndcg(std::size_t ranker) const;

 private:
  RankedQueries() = default;

  std::vector<std::string> names_;
  std::size_t length_ = 0;
  std::size_t num_grades_ = 0;
  std::vector<Document> top_;             // by query, then ranker
  std::vector<std::size_t> top_offsets_;  // per query: documents shown for the queries before it
  std::vector<Grade> grades_;
  std::vector<std::size_t> grade_offsets_;
};

}  // namespace duel
