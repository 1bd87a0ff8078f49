#include "duel/ranking/letor/degraded_ranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "duel/core/rng.h"
#include "duel/ranking/letor/document_order.h"
#include "duel/ranking/letor/ranker.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {
namespace {

SyntheticOptions data(std::uint64_t queries, std::uint64_t documents) {
  SyntheticOptions options;
  options.queries = queries;
  options.documents = documents;
  options.features = 2;
  return options;
}

std::vector<Document> ranking(const Ranker& ranker, const JudgedQueries& queries,
                              std::size_t query) {
  std::vector<double> scores(queries.num_documents(query));
  ranker.score(queries, query, scores);
  DocumentOrder order;
  const auto top = order.top(scores, scores.size(), mix64(queries.qid(query)));
  return {top.begin(), top.end()};
}

// Where each document of `before` stands in `after`.
std::vector<std::size_t> places(const std::vector<Document>& before,
                                const std::vector<Document>& after) {
  std::vector<std::size_t> result;
  for (const Document d : before) {
    result.push_back(
        static_cast<std::size_t>(std::find(after.begin(), after.end(), d) - after.begin()));
  }
  return result;
}

TEST(DegradedRanker, shuffles_the_first_eleven_and_leaves_the_rest) {
  constexpr std::size_t kQueries = 4000;
  const JudgedQueries queries = make_synthetic(data(kQueries, 15));
  const auto base = std::make_shared<FeatureRanker>(0);
  const ShuffledRanker shuffled("RAND", base, 5);
  std::array<std::array<int, 11>, 11> counts{};  // [from][to]
  for (std::size_t q = 0; q < kQueries; ++q) {
    const auto to = places(ranking(*base, queries, q), ranking(shuffled, queries, q));
    for (std::size_t k = 0; k < 11; ++k) ++counts[k][to[k]];
    for (std::size_t k = 11; k < 15; ++k) EXPECT_EQ(to[k], k);
  }
  // Every place with probability 1/11; 121 comparisons at 4.5 standard errors.
  const double sigma = std::sqrt(kQueries * (1.0 / 11) * (10.0 / 11));
  for (const auto& row : counts) {
    for (const int count : row) EXPECT_NEAR(count, kQueries / 11.0, 4.5 * sigma);
  }
}

TEST(DegradedRanker, swaps_between_ranks_one_to_five_and_seven_to_eleven) {
  const JudgedQueries queries = make_synthetic(data(500, 15));
  const auto base = std::make_shared<FeatureRanker>(0);
  for (const std::size_t swaps : {2, 4}) {
    const SwappedRanker swapped("SWAP", base, 5, swaps);
    std::set<std::size_t> moved_up;
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      const auto to = places(ranking(*base, queries, q), ranking(swapped, queries, q));
      std::size_t moved = 0;
      for (std::size_t k = 0; k < 15; ++k) {
        if (to[k] == k) continue;
        ++moved;
        EXPECT_EQ(to[to[k]], k) << "an exchange of two";
        const std::size_t low = std::min(k, to[k]), high = std::max(k, to[k]);
        EXPECT_LT(low, 5U);
        EXPECT_GE(high, 6U);
        EXPECT_LT(high, 11U);
        moved_up.insert(high);
      }
      EXPECT_EQ(moved, 2 * swaps);
    }
    EXPECT_EQ(moved_up.size(), 5U) << "every rank from 7 to 11 at some query";
  }
}

TEST(DegradedRanker, of_short_lists_swaps_as_many_as_there_are) {
  for (const std::uint64_t documents : {1, 5, 6, 7, 8}) {
    const JudgedQueries queries = make_synthetic(data(20, documents));
    const auto base = std::make_shared<FeatureRanker>(0);
    const SwappedRanker swapped("SWAP4", base, 5, 4);
    const ShuffledRanker shuffled("RAND", base, 5);
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      const auto to = places(ranking(*base, queries, q), ranking(swapped, queries, q));
      std::size_t moved = 0;
      for (std::size_t k = 0; k < to.size(); ++k) moved += to[k] != k ? 1 : 0;
      EXPECT_EQ(moved, documents <= 6 ? 0 : 2 * (documents - 6));
      EXPECT_EQ(ranking(shuffled, queries, q).size(), documents);
    }
  }
}

TEST(DegradedRanker, does_the_same_damage_each_time_and_another_with_another_seed) {
  const JudgedQueries queries = make_synthetic(data(50, 15));
  const auto base = std::make_shared<FeatureRanker>(0);
  const ShuffledRanker one("RAND", base, 5), same("RAND", base, 5), other("RAND", base, 6);
  bool differs = false;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    EXPECT_EQ(ranking(one, queries, q), ranking(same, queries, q));
    differs = differs || ranking(one, queries, q) != ranking(other, queries, q);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace duel
