#include "duel/ranking/learners/scoring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

TEST(Scoring, is_the_scalar_product_of_every_row) {
  RoundRng rng(1, 0, 0);
  for (const std::size_t features : {1, 2, 3, 4, 5, 7, 8, 46, 136, 137}) {
    constexpr std::size_t kDocuments = 7;
    std::vector<float> values(features * kDocuments);
    for (float& value : values) value = static_cast<float>(rng.uniform() - 0.5);
    std::vector<double> w(features), v(features);
    for (double& x : w) x = rng.uniform() - 0.5;
    for (double& x : v) x = rng.uniform() - 0.5;
    const QueryDocuments documents(values.data(), kDocuments, features);
    std::vector<double> one(kDocuments), first(kDocuments), second(kDocuments), other(kDocuments);
    score_documents(documents, w, one);
    score_documents(documents, v, other);
    const double* const both[] = {w.data(), v.data()};
    double* const scores_of_both[] = {first.data(), second.data()};
    score_documents(documents, both, scores_of_both);
    EXPECT_EQ(one, first);  // one pass or two: the same bits
    EXPECT_EQ(other, second);
    for (std::size_t count = 1; count <= 9; ++count) {  // blocks of four, two and one
      std::vector<std::vector<double>> weights(count, v), scores(count, other);
      weights[count / 2] = w;
      std::vector<const double*> from;
      std::vector<double*> to;
      for (std::size_t n = 0; n < count; ++n) {
        from.push_back(weights[n].data());
        to.push_back(scores[n].data());
        scores[n].assign(kDocuments, -1);
      }
      score_documents(documents, from, to);
      for (std::size_t n = 0; n < count; ++n) EXPECT_EQ(scores[n], n == count / 2 ? one : other);
    }
    for (Document d = 0; d < kDocuments; ++d) {
      double literal = 0;
      for (std::size_t k = 0; k < features; ++k) {
        literal += static_cast<double>(values[d * features + k]) * w[k];
      }
      EXPECT_NEAR(one[d], literal, 1e-15 * static_cast<double>(features)) << features;
    }
    std::vector<double> moved = w;
    add_document(documents, 3, -2, moved);
    for (std::size_t k = 0; k < features; ++k) {
      EXPECT_EQ(moved[k], w[k] - 2 * static_cast<double>(values[3 * features + k]));
    }
  }
}

}  // namespace
}  // namespace duel
