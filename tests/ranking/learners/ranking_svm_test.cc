#include "duel/ranking/learners/ranking_svm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/ranking/learners/learning_run.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {
namespace {

TEST(RankingSvm, minimises_its_objective) {
  // Two pairs of documents, differences (1, 0) and (0, 2). The objective parts by coordinate:
  // w^2/2 + c (1 - a w)^2 is least at w = 2 c a/(1 + 2 c a^2).
  const JudgedQueries data =
      read_letor_text("two", "1 qid:1 1:1 2:5\n0 qid:1 2:5\n0 qid:2 1:3\n2 qid:2 1:3 2:2\n")
          .value();
  RankingSvmOptions options;
  options.c = 0.7;
  options.tolerance = 1e-10;
  const TrainedSvm trained = train_ranking_svm(data, options, 0).value();
  EXPECT_EQ(trained.pairs, 2U);
  EXPECT_NEAR(trained.weights[0], 1.4 / 2.4, 1e-8);
  EXPECT_NEAR(trained.weights[1], 2.8 / (1 + 5.6), 1e-8);
}

TEST(RankingSvm, finds_the_hidden_ranker) {
  const SyntheticOptions made{.queries = 100, .documents = 20, .features = 10, .noise = 0};
  const JudgedQueries data = make_synthetic(made);
  const double best = mean_ndcg(data, synthetic_weights(made), 10);
  EXPECT_NEAR(best, 1, 1e-12);  // without noise the hidden ranker is perfect
  const TrainedSvm trained = train_ranking_svm(data, {}, 0).value();
  EXPECT_GT(mean_ndcg(data, trained.weights, 10), 0.97);
  // Fewer pairs, chosen by the seed alone.
  RankingSvmOptions few;
  few.pairs = 500;
  const TrainedSvm once = train_ranking_svm(data, few, 4).value();
  EXPECT_EQ(once.weights, train_ranking_svm(data, few, 4).value().weights);
  EXPECT_NE(once.weights, train_ranking_svm(data, few, 5).value().weights);
  EXPECT_NEAR(static_cast<double>(once.pairs), 500, 5 * std::sqrt(500.0));  // Poisson at most
}

TEST(RankingSvm, refuses_data_without_a_preference) {
  const auto result =
      train_ranking_svm(read_letor_text("equal", "1 qid:1 1:1\n1 qid:1 1:2\n").value(), {}, 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no query has documents of different grades to learn from");
}

}  // namespace
}  // namespace duel
