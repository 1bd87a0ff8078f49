// `bm25(tf=25,length=15,idf=20)`.
#pragma once

#include <cstdint>
#include <string>

#include "duel/ranking/letor/ranker.h"

namespace duel {

// Okapi BM25 of one text field (Robertson et al., TREC-3, 1994), from features that hold its parts:
//   idf * tf (k1 + 1) / (tf + k1 (1 - b + b length/mean_length)),
// with the query terms' summed frequency tf, the field's length, and idf (1 where it is not given;
// it is the same for all documents of a query in most data and then changes no ranking). The mean
// length is taken over all documents of the data. A document with tf = 0 scores 0. The features
// must be raw: after a normalisation within queries this is no longer BM25.
struct Bm25Options {
  std::uint64_t tf = 0;  // 1-based features; 0: not given
  std::uint64_t length = 0;
  std::uint64_t idf = 0;
  double k1 = 1.2;
  double b = 0.75;
};

class Bm25Ranker final : public Ranker {
 public:
  // REQUIRES: tf and length given, none beyond the data's features, tf and length nowhere negative.
  Bm25Ranker(std::string name, const Bm25Options& options, const JudgedQueries& queries);

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;

 private:
  Bm25Options options_;
  double mean_length_ = 0;
};

}  // namespace duel
