#include "duel/verdict/by_slice.h"

#include <gtest/gtest.h>

#include <string>

namespace duel {
namespace {

// In German 'a' wins, in English 'b'; six French rows say nothing.
ComparisonTable votes() {
  std::string csv = "first,second,winner,language\n";
  for (int k = 0; k < 40; ++k) csv += k % 8 == 0 ? "a,b,b,de\n" : "a,b,a,de\n";
  for (int k = 0; k < 40; ++k) csv += k % 8 == 0 ? "a,b,a,en\n" : "a,b,b,en\n";
  for (int k = 0; k < 6; ++k) csv += k % 2 == 0 ? "a,b,a,fr\n" : "a,b,b,fr\n";
  return parse_comparisons_csv(csv, "votes.csv").value();
}

TEST(BySlice, certifies_each_value_of_a_column_at_its_share_of_alpha) {
  const BySlice slices = by_slice_of_table(votes(), {"language"}, 0.06, true, {}).value();
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].first, "language");
  ASSERT_EQ(slices[0].second.size(), 3U);
  const auto& [de, german] = slices[0].second[0];
  EXPECT_EQ(de, "de");
  EXPECT_DOUBLE_EQ(german.alpha, 0.02);
  ASSERT_TRUE(german.certificate);
  EXPECT_EQ(german.certificate->winner, "a");
  EXPECT_EQ(slices[0].second[1].second.certificate->winner, "b");
  EXPECT_FALSE(slices[0].second[2].second.certificate);
  EXPECT_EQ(slices_that_differ(slices),
            std::vector<std::string>{"The winner differs by language: 'a' (de), 'b' (en)."});
}

TEST(BySlice, says_that_winners_differ_only_where_both_are_certified) {
  ComparisonTable few = votes();
  few.rows.erase(few.rows.begin() + 50, few.rows.end());  // ten English rows are left
  const BySlice slices = by_slice_of_table(few, {"language"}, 0.06, true, {}).value();
  EXPECT_EQ(slices[0].second[1].second.leader, "b");
  EXPECT_TRUE(slices_that_differ(slices).empty());
}

TEST(BySlice, names_the_columns_that_there_are) {
  const auto slices = by_slice_of_table(votes(), {"langage"}, 0.05, true, {});
  ASSERT_FALSE(slices.ok());
  EXPECT_EQ(slices.error().message, "no comparison has a column 'langage'");
  EXPECT_EQ(slices.error().hint, "known: language");
}

}  // namespace
}  // namespace duel
