// A ranker gives every document of a query a score; DocumentOrder sorts by it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/check.h"
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
  LinearRanker(std::string name, std::vector<Term> terms)
      : Ranker(std::move(name)), terms_(std::move(terms)) {
    for (const Term& term : terms_) DUEL_CHECK(std::abs(term.weight) <= kMostWeight);
  }

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override {
    for (Document d = 0; d < scores.size(); ++d) {
      const auto row = queries.features(query, d);
      double sum = 0;
      for (const Term& term : terms_) sum += term.weight * static_cast<double>(row[term.feature]);
      scores[d] = sum;
    }
  }

 private:
  std::vector<Term> terms_;
};

// Scores by one feature, the higher the better. Named f1, f2, ..
class FeatureRanker final : public Ranker {
 public:
  explicit FeatureRanker(std::uint32_t feature)  // 0-based
      : Ranker("f" + std::to_string(feature + 1)), feature_(feature) {}

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override {
    for (Document d = 0; d < scores.size(); ++d) {
      scores[d] = static_cast<double>(queries.features(query, d)[feature_]);
    }
  }

 private:
  std::uint32_t feature_;
};

}  // namespace duel
