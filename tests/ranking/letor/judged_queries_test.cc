// Normalisation, folds, synthetic data, and data by name.
#include "duel/ranking/letor/judged_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "duel/core/rng.h"
#include "duel/ranking/letor/feature_matrix.h"
#include "duel/ranking/letor/folds.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {
namespace {

JudgedQueries read(std::string_view text) { return read_letor_text("data.txt", text).value(); }

std::string error_of(const std::string& text) {
  const auto queries = resolve_judged_queries(text);
  return queries.ok() ? "no error" : queries.error().to_string();
}

std::vector<float> row_of(const JudgedQueries& queries, std::size_t query, Document document) {
  const auto row = queries.features(query, document);
  return {row.begin(), row.end()};
}

// --- the matrix ---------------------------------------------------------------------------------

TEST(FeatureMatrixBuilder, any_widening_gives_the_matrix_that_knew_its_width) {
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    RoundRng rng = Stream(1, 0, Purpose::test, "builder").at(trial);
    FeatureMatrixBuilder builder;
    std::vector<std::vector<float>> rows;
    std::size_t widest = 0;
    for (std::uint64_t i = rng.below(80); i > 0; --i) {
      builder.begin_row();
      rows.emplace_back();
      std::size_t index = 0;
      for (std::uint64_t n = rng.below(6); n > 0; --n) {
        index += rng.below(1 + trial);
        const auto value = static_cast<float>(rng.below(1000));
        builder.set(index, value);
        rows.back().resize(std::max(rows.back().size(), index + 1));
        rows.back()[index++] = value;
      }
      widest = std::max(widest, rows.back().size());
    }
    const std::size_t least = rng.below(2) * (widest + 3);
    const FeatureMatrix matrix = std::move(builder).finish(least);
    ASSERT_EQ(matrix.num_rows(), rows.size());
    ASSERT_EQ(matrix.num_features(), std::max(widest, least));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].resize(matrix.num_features());
      ASSERT_TRUE(std::equal(rows[i].begin(), rows[i].end(), matrix.row(i).begin()));
    }
  }
}

TEST(JudgedQueries, subset_and_widening_keep_what_belongs_together) {
  const auto queries = read("2 qid:1 1:5 2:6\n0 qid:1 1:7\n1 qid:4 1:8\n3 qid:9 2:9\n");
  const auto subset = queries.subset(std::vector<std::size_t>{2, 0});
  EXPECT_EQ(subset, read("3 qid:9 2:9\n2 qid:1 1:5 2:6\n0 qid:1 1:7\n"));
  auto wider = queries.clone();
  EXPECT_EQ(wider, queries);
  wider.widen(4);
  EXPECT_EQ(wider.num_features(), 4u);
  EXPECT_EQ(row_of(wider, 0, 0), (std::vector<float>{5, 6, 0, 0}));
}

// --- normalisation ------------------------------------------------------------------------------

TEST(Normalisation, min_max_by_hand) {
  auto queries = read(
      "0 qid:1 1:2 2:-1 3:7\n0 qid:1 1:6 2:3 3:7\n0 qid:1 1:3 2:1 3:7\n"
      "0 qid:2 1:100 2:5 3:1\n0 qid:2 1:300 2:5 3:2\n");
  ASSERT_TRUE(normalise(queries, "min-max").ok());
  EXPECT_EQ(row_of(queries, 0, 0), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(row_of(queries, 0, 1), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(row_of(queries, 0, 2), (std::vector<float>{0.25, 0.5, 0}));
  EXPECT_EQ(row_of(queries, 1, 0), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(row_of(queries, 1, 1), (std::vector<float>{1, 0, 1}));
}

TEST(Normalisation, z_score_by_hand) {
  // 1, 3: mean 2, population sd 1. 0.1 three times: constant, though a float sum of them is not
  // 0.3.
  auto queries = read(
      "0 qid:1 1:1 2:0.1\n0 qid:1 1:3 2:0.1\n"
      "0 qid:2 1:4 2:0.1\n0 qid:2 1:4 2:0.1\n0 qid:2 1:4 2:0.1\n");
  ASSERT_TRUE(normalise(queries, "z-score").ok());
  EXPECT_EQ(row_of(queries, 0, 0), (std::vector<float>{-1, 0}));
  EXPECT_EQ(row_of(queries, 0, 1), (std::vector<float>{1, 0}));
  for (Document d = 0; d < 3; ++d) EXPECT_EQ(row_of(queries, 1, d), (std::vector<float>{0, 0}));
}

TEST(Normalisation, of_extreme_floats_stays_finite) {
  auto queries = read("0 qid:1 1:-3e38\n0 qid:1 1:3e38\n0 qid:1 1:0\n");
  auto other = queries.clone();
  ASSERT_TRUE(normalise(queries, "min-max").ok());
  EXPECT_EQ(row_of(queries, 0, 2), (std::vector<float>{0.5}));
  ASSERT_TRUE(normalise(other, "z-score").ok());
  EXPECT_TRUE(std::isfinite(row_of(other, 0, 0)[0]));
}

TEST(Normalisation, none_changes_nothing) {
  const auto queries = make_synthetic(SyntheticOptions{});
  auto same = queries.clone();
  ASSERT_TRUE(normalise(same, "none").ok());
  EXPECT_EQ(same, queries);
}

// --- folds --------------------------------------------------------------------------------------

TEST(Folds, parts_are_disjoint_complete_and_even) {
  for (const std::size_t n : {0, 1, 4, 5, 23, 100}) {
    const auto parts = split_queries(n, 5, 7);
    std::set<std::size_t> all;
    for (const auto& part : parts) {
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      EXPECT_LE(part.size(), n / 5 + 1);
      EXPECT_GE(part.size(), n / 5);
      all.insert(part.begin(), part.end());
    }
    EXPECT_EQ(all.size(), n);
  }
  EXPECT_EQ(split_queries(50, 5, 7), split_queries(50, 5, 7));
  EXPECT_NE(split_queries(50, 5, 7), split_queries(50, 5, 8));
}

TEST(Folds, five_folds_test_every_query_once_and_rotate_as_letor_does) {
  const auto queries = make_synthetic({.queries = 23, .documents = 3, .features = 2});
  std::multiset<std::uint64_t> tested;
  std::vector<std::set<std::uint64_t>> vali;
  std::vector<std::set<std::uint64_t>> test;
  for (std::size_t f = 0; f < 5; ++f) {
    const auto fold = letor_fold(queries, f, 3);
    ASSERT_TRUE(fold.ok());
    std::set<std::uint64_t> seen;
    vali.emplace_back();
    test.emplace_back();
    for (std::size_t q = 0; q < fold->train.num_queries(); ++q) seen.insert(fold->train.qid(q));
    for (std::size_t q = 0; q < fold->vali.num_queries(); ++q) vali[f].insert(fold->vali.qid(q));
    for (std::size_t q = 0; q < fold->test.num_queries(); ++q) test[f].insert(fold->test.qid(q));
    seen.insert(vali[f].begin(), vali[f].end());
    seen.insert(test[f].begin(), test[f].end());
    tested.insert(test[f].begin(), test[f].end());
    EXPECT_EQ(seen.size(), 23u);
    EXPECT_EQ(fold->train.num_queries() + vali[f].size() + test[f].size(), 23u);
  }
  EXPECT_EQ(tested.size(), 23u);
  EXPECT_EQ(std::set<std::uint64_t>(tested.begin(), tested.end()).size(), 23u);
  for (std::size_t f = 0; f < 5; ++f) EXPECT_EQ(test[f], vali[(f + 1) % 5]);
  EXPECT_FALSE(letor_fold(make_synthetic({.queries = 4}), 0, 1).ok());
}

TEST(Folds, folder_of_letor_is_read_with_equal_widths) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("duel_fold_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "train.txt") << "1 qid:1 1:1 3:2\n";
  std::ofstream(folder / "vali.txt") << "1 qid:2 1:1\n";
  const auto missing = read_fold(folder.string());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().to_string(),
            folder.string() +
                ": there is no test.txt and no test.txt.gz (a fold is a folder with "
                "train.txt, vali.txt and test.txt)");
  std::ofstream(folder / "test.txt.gz") << "1 qid:3 2:1\n";  // plain text under a packed name
  const auto fold = read_fold(folder.string());
  ASSERT_TRUE(fold.ok()) << fold.error().to_string();
  EXPECT_EQ(fold->train.num_features(), 3u);
  EXPECT_EQ(fold->vali.num_features(), 3u);
  EXPECT_EQ(row_of(fold->test, 0, 0), (std::vector<float>{0, 1, 0}));
  std::filesystem::remove_all(folder);
}

// --- synthetic data -----------------------------------------------------------------------------

TEST(Synthetic, has_the_asked_shape_and_shares_of_grades) {
  const auto queries = make_synthetic({.queries = 62, .documents = 50, .features = 7, .grades = 5});
  EXPECT_EQ(queries.num_queries(), 62u);
  EXPECT_EQ(queries.num_documents(), 3100u);
  EXPECT_EQ(queries.num_features(), 7u);
  std::vector<std::size_t> counts(5);
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    EXPECT_EQ(queries.num_documents(q), 50u);
    for (const Grade g : queries.grades(q)) ++counts.at(g);
  }
  // 3100 = 31 * 100, and shares are 16, 8, 4, 2, 1 of 31.
  EXPECT_EQ(counts, (std::vector<std::size_t>{1600, 800, 400, 200, 100}));
}

TEST(Synthetic, is_a_function_of_its_options) {
  const SyntheticOptions options{.queries = 5, .documents = 6, .features = 3};
  EXPECT_EQ(make_synthetic(options), make_synthetic(options));
  auto other = options;
  other.seed = 2;
  EXPECT_FALSE(make_synthetic(other) == make_synthetic(options));
}

TEST(Synthetic, without_noise_grades_follow_the_hidden_ranker_exactly) {
  const SyntheticOptions options{.queries = 20, .documents = 30, .features = 6, .noise = 0};
  const auto queries = make_synthetic(options);
  const auto weights = synthetic_weights(options);
  std::vector<std::pair<double, Grade>> judged;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      const auto row = queries.features(q, d);
      double score = 0;
      for (std::size_t f = 0; f < row.size(); ++f) score += weights[f] * row[f];
      judged.emplace_back(score, queries.grades(q)[d]);
    }
  }
  std::sort(judged.begin(), judged.end());
  for (std::size_t i = 1; i < judged.size(); ++i) {
    EXPECT_LE(judged[i - 1].second, judged[i].second);
  }
}

TEST(Synthetic, noise_has_the_stated_size) {
  // With noise equal to the signal, score and merit correlate at sqrt(1/2). A grade of 2 by
  // quantile is merit above a cut c with share 1/3; for normal merits the mean score of the upper
  // third is phi(c)/(1/3) sqrt(1/2) = 0.7713 in standard deviations (c = 0.4307), of 20 000
  // documents with a standard error of 1/sqrt(6667) < 0.0123. Uniform features are near enough to
  // normal: 0.02 more.
  for (const std::uint64_t factors : {0, 20}) {
    const SyntheticOptions options{.queries = 400,
                                   .documents = 50,
                                   .features = 20,
                                   .grades = 2,
                                   .noise = 1,
                                   .factors = factors};
    const auto queries = make_synthetic(options);
    const auto weights = synthetic_weights(options);
    double squares = 0;
    double centre = 0;
    for (const double w : weights) {
      squares += w * w;
      centre += w / 2;
    }
    if (factors > 0) {
      const auto loadings = synthetic_loadings(options);
      squares *= options.own;
      for (std::size_t j = 0; j < factors; ++j) {
        double common = 0;
        for (std::size_t f = 0; f < 20; ++f) common += weights[f] * loadings[f * factors + j];
        squares += (1 - options.own) * common * common;
      }
    }
    double sum = 0;
    double count = 0;
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      for (Document d = 0; d < queries.num_documents(q); ++d) {
        if (queries.grades(q)[d] == 0) continue;
        double score = -centre;
        const auto row = queries.features(q, d);
        for (std::size_t f = 0; f < row.size(); ++f) score += weights[f] * row[f];
        sum += score * std::sqrt(12 / squares);
        ++count;
      }
    }
    EXPECT_NEAR(count, 20000.0 / 3, 1);
    EXPECT_NEAR(sum / count, 0.7713, 5 * 0.0123 + 0.02) << factors;
  }
}

// A hash of every bit of the features and grades.
std::uint64_t signature(const JudgedQueries& queries) {
  std::uint64_t hash = 0;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      for (const float x : queries.features(q, d))
        hash = mix64(hash ^ std::bit_cast<std::uint32_t>(x));
      hash = mix64(hash ^ queries.grades(q)[d]);
    }
  }
  return hash;
}

// Kept on purpose: independent features keep the bits that they had before there were factors.
TEST(Synthetic, independent_features_keep_their_bits) {
  EXPECT_EQ(signature(make_synthetic(SyntheticOptions{})), 0x17ef20bddc4efef8ULL);
  EXPECT_EQ(signature(make_synthetic(
                {.queries = 7, .documents = 9, .features = 5, .noise = 2, .seed = 3})),
            0x0133a9d670e6cb82ULL);
}

TEST(Synthetic, features_of_factors_correlate_as_their_loadings_say) {
  const SyntheticOptions options{
      .queries = 400, .documents = 50, .features = 10, .seed = 4, .factors = 3, .own = 0.2};
  const auto queries = make_synthetic(options);
  const auto loadings = synthetic_loadings(options);
  ASSERT_EQ(loadings.size(), 30u);
  double strongest = 0;
  for (std::size_t f = 0; f < 10; ++f) {
    for (std::size_t g = 0; g <= f; ++g) {
      double cosine = 0;
      for (std::size_t j = 0; j < 3; ++j) cosine += loadings[3 * f + j] * loadings[3 * g + j];
      const double expected = f == g ? 1 : 0.8 * cosine;
      if (f != g) strongest = std::max(strongest, std::fabs(expected));
      // Mean 1/2 and variance 1/12 are known, so that the mean product is an unbiased correlation.
      double sum = 0, squares = 0, centre = 0;
      for (std::size_t q = 0; q < queries.num_queries(); ++q) {
        for (Document d = 0; d < queries.num_documents(q); ++d) {
          const auto row = queries.features(q, d);
          const double product = 12 * (row[f] - 0.5) * (row[g] - 0.5);
          sum += product;
          squares += product * product;
          centre += row[f] - 0.5;
        }
      }
      const double n = 20000;
      const double se = std::sqrt((squares / n - sum / n * sum / n) / n);
      EXPECT_NEAR(sum / n, expected, 5 * se) << f << ", " << g;
      EXPECT_NEAR(centre / n, 0, 5 * std::sqrt(1 / 12.0 / n)) << f;
    }
  }
  // Independent features would be seen: se is below 0.01.
  EXPECT_GT(strongest, 0.5);
}

TEST(Synthetic, factors_fall_in_strength_and_features_have_one_length) {
  const SyntheticOptions options{.features = 2000, .factors = 16};
  const auto loadings = synthetic_loadings(options);
  std::vector<double> strength(16);
  for (std::size_t f = 0; f < 2000; ++f) {
    double length = 0;
    for (std::size_t j = 0; j < 16; ++j) {
      length += loadings[16 * f + j] * loadings[16 * f + j];
      strength[j] += loadings[16 * f + j] * loadings[16 * f + j] / 2000;
    }
    EXPECT_NEAR(length, 1, 1e-12);
  }
  // Without the scaling to length 1, which favours no factor much but the first, factor j has the
  // variance 1/(3 j). A uniform squared has relative spread sqrt(4/5): 5 sqrt(2 * 0.8/2000) = 0.14.
  for (std::size_t j = 4; j < 8; ++j) {
    EXPECT_NEAR(strength[j] / strength[2 * j + 1], 2, 2 * 0.14) << j;
  }
  EXPECT_GT(strength[0], strength[1]);
}

TEST(Synthetic, without_noise_the_hidden_ranker_is_exact_with_factors_too) {
  const SyntheticOptions options{
      .queries = 20, .documents = 30, .features = 6, .noise = 0, .factors = 2};
  const auto queries = make_synthetic(options);
  const auto weights = synthetic_weights(options);
  std::vector<std::pair<double, Grade>> judged;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      const auto row = queries.features(q, d);
      double score = 0;
      for (std::size_t f = 0; f < row.size(); ++f) score += weights[f] * row[f];
      judged.emplace_back(score, queries.grades(q)[d]);
    }
  }
  std::sort(judged.begin(), judged.end());
  for (std::size_t i = 1; i < judged.size(); ++i) {
    EXPECT_LE(judged[i - 1].second, judged[i].second);
  }
}

TEST(JudgedCatalogue, takes_files_and_synthetic_data) {
  const auto queries = resolve_judged_queries("synthetic(queries=3, documents=4, features=2)");
  ASSERT_TRUE(queries.ok());
  EXPECT_EQ(*queries, make_synthetic({.queries = 3, .documents = 4, .features = 2}));
  EXPECT_EQ(error_of("nowhere/data.txt"), "nowhere/data.txt: there is no such file");
  EXPECT_NE(error_of("syntetic(queries=3)").find("did you mean 'synthetic'?"), std::string::npos);
  EXPECT_NE(error_of("synthetic(query=3)").find("data set 'synthetic' has no option 'query'"),
            std::string::npos);
  EXPECT_NE(error_of("synthetic(grades=1)").find("1 is out of range"), std::string::npos);
  EXPECT_NE(error_of("synthetic(queries=1e6,documents=1e5,features=1e4)").find("more than 2^34"),
            std::string::npos);
}

}  // namespace
}  // namespace duel
