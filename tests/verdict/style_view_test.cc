#include "duel/verdict/style_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "duel/core/logistic.h"
#include "duel/core/rng.h"
#include "duel/verdict/judge_view.h"

namespace duel {
namespace {

// Comparisons of "short" and "long", in which the longer answer is preferred and the arm does not
// matter. `long` is 100 characters longer on average, give or take as much.
ComparisonTable by_length(std::size_t rows, const std::string& first_column,
                          const std::string& second_column) {
  std::string csv =
      fmt::format("model_a,model_b,winner,judge,{},{}\n", first_column, second_column);
  for (std::size_t k = 0; k < rows; ++k) {
    RoundRng rng = Stream(11, 0, Purpose::test, "style").at(k + 1);
    const double longer = 100 + 200 * (rng.uniform() - 0.5);
    const bool long_wins = rng.uniform() < logistic(longer / 50);
    csv += fmt::format("short,long,{},j{},300,{:.3f}\n", long_wins ? "model_b" : "model_a", k % 40,
                       300 + longer);
  }
  return parse_comparisons_csv(csv, "votes.csv").value();
}

TEST(StyleView, says_what_would_be_said_otherwise_at_equal_length) {
  for (const auto& [first, second] : {std::pair{"first_length", "second_length"},
                                      {"length_first", "length_second"},
                                      {"length_a", "length_b"}}) {
    const auto view = style_view_of(by_length(2000, first, second), {"length"});
    ASSERT_TRUE(view.ok()) << view.error().to_string();
    EXPECT_EQ(view->answers, 2000U);
    EXPECT_EQ(view->clustered_by, "source");
    EXPECT_EQ(view->clusters, 40U);
    ASSERT_EQ(view->effects.size(), 1U);
    EXPECT_GT(view->effects[0].interval.lower, 0);
    // sqrt(100^2 + 200^2 / 12) = 115.5, and the standard error of the root mean square is below 1.
    EXPECT_NEAR(view->effects[0].typical, 115.5, 5);
    ASSERT_EQ(view->changes.size(), 1U);
    EXPECT_EQ(view->changes[0].arm_id, "long");
    EXPECT_FALSE(view->changes[0].reversed);
    EXPECT_TRUE(view->changes[0].styled.contains(0));
  }
}

TEST(StyleView, leaves_out_answers_without_numbers_and_says_where_there_are_none) {
  ComparisonTable table = by_length(200, "first_length", "second_length");
  for (std::size_t k = 0; k < 50; ++k) table.rows[k].extra.clear();
  const auto view = style_view_of(table, {"length"});
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->left_out, 50U);
  EXPECT_EQ(view->answers, 150U);
  const auto none = style_view_of(table, {"lists"});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("no answer has numbers for 'lists'"), std::string::npos);
  EXPECT_NE(none.error().hint.find("first_lists and second_lists"), std::string::npos);
}

// Two judges who mostly prefer a to b and b to c, and one who prefers the reverse.
TEST(JudgeView, names_the_judge_who_answers_against_the_others) {
  std::vector<JudgedPair> pairs;
  const std::vector<std::string> arms{"a", "b", "c"};
  for (const std::string judge : {"ann", "bob", "contrary"}) {
    RoundRng rng = Stream(5, 0, Purpose::test, judge).at(1);
    for (int k = 0; k < 300; ++k) {
      const std::size_t one = static_cast<std::size_t>(k) % 3, other = (one + 1) % 3;
      const bool agrees = rng.uniform() < 0.8;
      const bool first = (one < other) == (agrees == (judge != "contrary"));
      pairs.push_back({judge, arms[one], arms[other], first ? 1.0 : 0.0});
    }
  }
  const auto view = judge_view_of(pairs);
  ASSERT_TRUE(view.ok()) << view.error().to_string();
  ASSERT_EQ(view->judges.size(), 3U);
  EXPECT_EQ(view->judges[2].judge, "contrary");
  EXPECT_EQ(view->judges[2].leaning, JudgeLeaning::against_others);
  EXPECT_EQ(view->judges[0].leaning, JudgeLeaning::with_others);
  EXPECT_EQ(view->judges[1].leaning, JudgeLeaning::with_others);
  EXPECT_EQ(view->judges[0].answers, 300U);
  EXPECT_EQ(view->strengths.front().arm_id, "a");
  EXPECT_EQ(view->strengths.back().arm_id, "c");
  // Who answers the reverse is of use when weighed, and only in the way when not.
  EXPECT_GT(view->strengths.front().weighed - view->strengths.back().weighed,
            view->strengths.front().plain - view->strengths.back().plain);
  pairs.erase(pairs.begin() + 300, pairs.end());
  EXPECT_FALSE(judge_view_of(pairs).ok()) << "one judge alone";
}

}  // namespace
}  // namespace duel
