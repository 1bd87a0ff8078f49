// Recent queries on which users clicked far down: where candidates are told apart that one list
// could not (Wang, Langley, Kim, McCord-Snook and Wang, SIGIR 2018). The gain of a list is the sum
// of 1/rank over its clicked documents; the lower it is, the more difficult is the query. Documents
// are copied, so that a query may be forgotten by its owner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/duel.h"
#include "duel/ranking/document.h"
#include "duel/ranking/learners/scoring.h"

namespace duel {

class DifficultQueries {
 public:
  // Keeps at most `most` queries, none older than `window` impressions.
  DifficultQueries(std::size_t most, std::uint64_t window) : most_(most), window_(window) {}

  // Forgets what is too old, then takes the query in: where there is room, or in the place of the
  // easiest if it is more difficult. REQUIRES: at least one click, positions of `list`.
  void offer(Round round, const QueryDocuments& documents, std::span<const Document> list,
             std::span<const Position> clicks);

  std::size_t size() const { return queries_.size(); }

  // The gain of the rankings by `weights`, summed over the queries: documents of equal score share
  // the mean of their ranks.
  double gain(std::span<const double> weights);

  // Whether the queries, perhaps read from a file, are ones that could have been offered.
  bool fits(std::size_t num_features) const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(queries_);
  }

 private:
  struct Query {
    Round round = 0;
    double gain = 0;              // of the list that was shown
    std::vector<float> features;  // row by row
    std::vector<Document> clicked;

    template <class Archive>
    void fields(Archive& archive) {
      archive(round, gain, features, clicked);
    }
  };

  std::size_t most_;
  std::uint64_t window_;
  std::vector<Query> queries_;
  std::vector<Query> spare_;  // forgotten ones, for their memory
  std::vector<double> scores_;
};

}  // namespace duel
