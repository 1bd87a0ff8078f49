// A ranker gives every document of a query a score; DocumentOrder sorts by it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/ranking/letor/judged_queries.h"

namespace duel {

// Immutable; may be used from several threads at once. Scores are finite.
class Ranker {
 public:
  explicit Ranker(std::string name) : name_(std::move(name)) {}
  virtual ~Ranker() = default;
  Ranker(const Ranker&) = delete;
  Ranker& operator=(const Ranker&) = delete;

  const std::string& name() const { return name_; }

  // scores[d] for every document d of the query. REQUIRES: as many scores as documents; data with
  // the features that the ranker was made for.
  virtual void score(const JudgedQueries& queries, std::size_t query,
                     std::span<double> scores) const = 0;

 private:
  std::string name_;
};

using Rankers = std::vector<std::unique_ptr<const Ranker>>;

// A weighted sum of features. Names that are 0-based here are 1-based for users, as in the files.
class LinearRanker final : public Ranker {
 public:
  struct Term {
    std::uint32_t feature;  // 0-based
    double weight;
  };
  // Weights of at most this size cannot overflow a sum of floats.
  static constexpr double kMostWeight = 1e100;

  // REQUIRES: features ascending, |weight| <= kMostWeight.
  LinearRanker(std::string name, std::vector<Term> terms);

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

// Scores by one feature, the higher the better. Named f1, f2, ..
class FeatureRanker final : public Ranker {
 public:
  explicit FeatureRanker(std::uint32_t feature);  // 0-based

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;

 private:
  std::uint32_t feature_;
};

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
