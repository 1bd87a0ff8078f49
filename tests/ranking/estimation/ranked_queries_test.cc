#include "duel/ranking/estimation/ranked_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

JudgedQueries queries_of(const std::string& text) { return read_letor_text("data", text).value(); }

RankedQueries ranked(const JudgedQueries& queries, std::size_t length, unsigned threads = 1) {
  const Rankers rankers = resolve_rankers("features", queries).value();
  return RankedQueries::create(queries, rankers, length, threads).value();
}

TEST(RankedQueries, hold_each_rankers_best_documents_of_each_query) {
  const RankedQueries queries = ranked(queries_of("2 qid:1 1:0.1 2:0.9\n"
                                                  "0 qid:1 1:0.5 2:0.5\n"
                                                  "1 qid:1 1:0.9 2:0.1\n"
                                                  "1 qid:7 1:1 2:2\n"),
                                       2);
  ASSERT_EQ(queries.num_rankers(), 2U);
  ASSERT_EQ(queries.num_queries(), 2U);
  EXPECT_EQ(queries.names(), (std::vector<std::string>{"f1", "f2"}));
  const auto top = [&](std::size_t ranker, std::size_t query) {
    const auto documents = queries.top(ranker, query);
    return std::vector<Document>(documents.begin(), documents.end());
  };
  EXPECT_EQ(top(0, 0), (std::vector<Document>{2, 1}));
  EXPECT_EQ(top(1, 0), (std::vector<Document>{0, 1}));
  EXPECT_EQ(top(0, 1), (std::vector<Document>{0})) << "fewer documents than asked for";
  EXPECT_EQ(queries.grades(0)[0], 2);
  EXPECT_EQ(queries.num_grades(), 3U);
}

TEST(RankedQueries, ndcg_of_a_ranker_is_the_mean_over_queries) {
  const RankedQueries queries = ranked(queries_of("1 qid:1 1:2 2:1\n"
                                                  "0 qid:1 1:1 2:2\n"
                                                  "0 qid:2 1:1 2:1\n"),
                                       10);
  // Query 1: ranker f1 has the relevant document first, f2 second: 1 and 1/log2(3). Query 2 has no
  // relevant document and counts 0.
  EXPECT_DOUBLE_EQ(queries.mean_ndcg(0), 0.5);
  EXPECT_DOUBLE_EQ(queries.mean_ndcg(1), 0.5 / std::log2(3.0));
}

TEST(RankedQueries, equal_scores_are_ordered_alike_for_every_ranker) {
  std::string text;
  for (int document = 0; document < 12; ++document) text += "0 qid:3 1:1 2:5\n";
  const RankedQueries queries = ranked(queries_of(text), 12);
  const auto first = queries.top(0, 0);
  const auto second = queries.top(1, 0);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end()));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end())) << "the file's order must not matter";
}

TEST(RankedQueries, threads_do_not_matter) {
  std::string text;
  for (int query = 0; query < 40; ++query) {
    for (int document = 0; document < 9; ++document) {
      text += "1 qid:" + std::to_string(query) +
              " 1:" + std::to_string((document * 7 + query) % 5) +
              " 2:" + std::to_string((document * 3 + query) % 4) + "\n";
    }
  }
  const JudgedQueries queries = queries_of(text);
  const RankedQueries one = ranked(queries, 5, 1);
  const RankedQueries four = ranked(queries, 5, 4);
  for (std::size_t query = 0; query < one.num_queries(); ++query) {
    for (std::size_t ranker = 0; ranker < 2; ++ranker) {
      const auto a = one.top(ranker, query);
      const auto b = four.top(ranker, query);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
  }
}

}  // namespace
}  // namespace duel
