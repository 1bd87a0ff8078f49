// Rankers, their files, and the order of documents.
#include "duel/ranking/letor/ranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "duel/core/rng.h"
#include "duel/ranking/letor/document_order.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

JudgedQueries read(std::string_view text) { return read_letor_text("data.txt", text).value(); }

const JudgedQueries& sample() {
  static const JudgedQueries queries =
      read("0 qid:1 1:1 2:10 3:4\n1 qid:1 1:3 2:20 3:2\n2 qid:1 1:0 2:30 3:1\n0 qid:2 1:2 2:20\n");
  return queries;
}

std::vector<double> scores_of(const Ranker& ranker, std::size_t query) {
  std::vector<double> scores(sample().num_documents(query));
  ranker.score(sample(), query, scores);
  return scores;
}

std::string error_of(std::string_view text) {
  const auto rankers = resolve_rankers(text, sample());
  return rankers.ok() ? "no error" : rankers.error().to_string();
}

std::string file_error_of(std::string_view text) {
  const auto rankers = read_rankers_text("rankers.txt", text, 3);
  return rankers.ok() ? "no error" : rankers.error().to_string();
}

std::vector<Document> list_of(std::span<const Document> documents) {
  return {documents.begin(), documents.end()};
}

TEST(Rankers, one_per_feature) {
  const auto rankers = resolve_rankers("features", sample());
  ASSERT_TRUE(rankers.ok());
  ASSERT_EQ(rankers->size(), 3u);
  EXPECT_EQ((*rankers)[2]->name(), "f3");
  EXPECT_EQ(scores_of(*(*rankers)[1], 0), (std::vector<double>{10, 20, 30}));
}

TEST(Rankers, linear_weights_dense_and_sparse) {
  const auto rankers =
      read_rankers_text("rankers.txt", "# name weights\nall 1 0.5 -1\n\nlast 3:-2 # worst\n", 3);
  ASSERT_TRUE(rankers.ok()) << rankers.error().to_string();
  ASSERT_EQ(rankers->size(), 2u);
  EXPECT_EQ((*rankers)[0]->name(), "all");
  EXPECT_EQ(scores_of(*(*rankers)[0], 0), (std::vector<double>{2, 11, 14}));
  EXPECT_EQ(scores_of(*(*rankers)[1], 0), (std::vector<double>{-8, -4, -2}));
}

TEST(Rankers, bm25_by_hand) {
  // tf 1, 3, 0 | 2; lengths 10, 20, 30 | 20, mean 20; k1 = 1.2, b = 0.75:
  //   1 * 2.2/(1 + 1.2 (0.25 + 0.75 * 0.5)) = 2.2/1.75; 3 * 2.2/(3 + 1.2) ; 0; 2 * 2.2/(2 + 1.2).
  const auto rankers = resolve_rankers("bm25(tf=1,length=2)", sample());
  ASSERT_TRUE(rankers.ok()) << rankers.error().to_string();
  const auto first = scores_of(*rankers->front(), 0);
  EXPECT_NEAR(first[0], 2.2 / 1.75, 1e-15);
  EXPECT_NEAR(first[1], 6.6 / 4.2, 1e-15);
  EXPECT_EQ(first[2], 0);
  EXPECT_NEAR(scores_of(*rankers->front(), 1)[0], 4.4 / 3.2, 1e-15);
  const auto weighted = resolve_rankers("bm25(tf=1,length=2,idf=3,k1=0,b=0)", sample());
  ASSERT_TRUE(weighted.ok());
  EXPECT_EQ(scores_of(*weighted->front(), 0), (std::vector<double>{4, 2, 0}));
}

TEST(Rankers, several_by_name) {
  const auto rankers = resolve_rankers("feature(index=2), bm25(tf=1,length=2)", sample());
  ASSERT_TRUE(rankers.ok()) << rankers.error().to_string();
  EXPECT_EQ((*rankers)[0]->name(), "f2");
  EXPECT_EQ((*rankers)[1]->name(), "bm25(tf=1,length=2)");
}

TEST(Rankers, from_a_file_by_its_path) {
  const auto path = std::filesystem::temp_directory_path() / "duel_rankers_test.txt";
  std::ofstream(path) << "only 1:1\n";
  const auto rankers = resolve_rankers(path.string(), sample());
  ASSERT_TRUE(rankers.ok()) << rankers.error().to_string();
  EXPECT_EQ(rankers->front()->name(), "only");
  std::filesystem::remove(path);
}

TEST(Rankers, errors_name_what_is_wrong) {
  EXPECT_EQ(error_of("feature(index=4)"), "ranker 'feature': the data have no feature 4 (1 to 3)");
  EXPECT_EQ(error_of("feature"), "ranker 'feature': no feature is given (write feature(index=3))");
  EXPECT_EQ(error_of("bm25(tf=1)"),
            "ranker 'bm25': the features 'tf' and 'length' must be named (write "
            "bm25(tf=25,length=15,idf=20))");
  EXPECT_EQ(error_of("bm25(tf=1,length=9)"), "ranker 'bm25': the data have no feature 9 (1 to 3)");
  EXPECT_EQ(error_of("feature(index=1),feature(index=1)"), "ranker 'f1' is named twice");
  EXPECT_NE(error_of("bm52(tf=1)").find("there is no ranker 'bm52' (did you mean 'bm25'?"),
            std::string::npos);
  EXPECT_EQ(error_of("no/such.txt"), "no/such.txt: there is no such file");
  const auto negative = read("0 qid:7 1:-1 2:3\n");
  EXPECT_EQ(resolve_rankers("bm25(tf=1,length=2)", negative).error().to_string(),
            "ranker 'bm25': feature 1 is -1 in query 7 (term frequencies and lengths are 0 or "
            "more)");
}

TEST(Rankers, errors_in_files_name_the_line) {
  EXPECT_EQ(file_error_of("a 1 2\n"),
            "rankers.txt:1: 2 weights for 3 features (one weight per feature, or index:weight)");
  EXPECT_EQ(file_error_of("a 1 2 3\na 1 2 3\n"), "rankers.txt:2: a second ranker named 'a'");
  EXPECT_EQ(file_error_of("a\n"),
            "rankers.txt:1: ranker 'a' has no weights (name 0.5 0 -1 or name 1:0.5 3:-1)");
  EXPECT_EQ(file_error_of("a 1 x 3\n"),
            "rankers.txt:1: 'x' is not a weight (name 0.5 0 -1 or name 1:0.5 3:-1)");
  EXPECT_EQ(file_error_of("a 1 nan 3\n").substr(0, 36), "rankers.txt:1: 'nan' is not a weight");
  EXPECT_EQ(file_error_of("a 1:1e101\n"),
            "rankers.txt:1: weight 1e101 is too large (at most 1e100 in size)");
  EXPECT_EQ(file_error_of("a 0:1\n"),
            "rankers.txt:1: '0' is not a feature (the data have features 1 to 3)");
  EXPECT_EQ(file_error_of("a 4:1\n"),
            "rankers.txt:1: '4' is not a feature (the data have features 1 to 3)");
  EXPECT_EQ(file_error_of("a 2:1 1:1\n"),
            "rankers.txt:1: feature 1 after feature 2 (the indices of a line must ascend)");
  EXPECT_EQ(file_error_of("a 2:1 1\n"),
            "rankers.txt:1: '1' is not index:weight (name 0.5 0 -1 or name 1:0.5 3:-1)");
  EXPECT_EQ(file_error_of("# none\n"), "rankers.txt: there are no rankers");
}

// --- order --------------------------------------------------------------------------------------

TEST(DocumentOrder, best_first_and_equal_scores_by_index) {
  DocumentOrder order;
  const std::vector<double> scores{1, 3, 2, 3, 1, 3};
  EXPECT_EQ(list_of(order.top(scores, 10)), (std::vector<Document>{1, 3, 5, 2, 0, 4}));
  EXPECT_EQ(list_of(order.top(scores, 2)), (std::vector<Document>{1, 3}));
  EXPECT_EQ(list_of(order.top(scores, 0)), (std::vector<Document>{}));
  EXPECT_EQ(list_of(order.top({}, 3)), (std::vector<Document>{}));
}

TEST(DocumentOrder, any_top_is_the_beginning_of_the_whole_order) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    RoundRng rng = Stream(1, 0, Purpose::test, "order").at(i);
    std::vector<double> scores(rng.below(50));
    for (double& score : scores) score = static_cast<double>(rng.below(8));
    DocumentOrder order;
    const auto all = list_of(order.top(scores, scores.size(), i));
    const std::size_t k = rng.below(60);
    const auto some = list_of(order.top(scores, k, i));
    ASSERT_EQ(some.size(), std::min(k, scores.size()));
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
    for (std::size_t j = 1; j < all.size(); ++j) EXPECT_GE(scores[all[j - 1]], scores[all[j]]);
  }
}

TEST(DocumentOrder, random_ties_are_fair_and_repeatable) {
  // Each of 4 documents with equal scores is first in a quarter of keys: se = sqrt(3/16/n).
  DocumentOrder order;
  const std::vector<double> scores(4, 0.5);
  std::vector<int> first(4);
  constexpr int kKeys = 20000;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const Document top = order.top(scores, 1, key)[0];
    EXPECT_EQ(order.top(scores, 4, key)[0], top);
    ++first[top];
  }
  for (const int count : first) {
    EXPECT_NEAR(count / double{kKeys}, 0.25, 5 * std::sqrt(3.0 / 16 / kKeys));
  }
}

}  // namespace
}  // namespace duel
