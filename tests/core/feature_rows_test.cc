#include "duel/core/feature_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace duel {
namespace {

TEST(FeatureRows, are_read_from_lines_of_numbers) {
  const FeatureRows rows = FeatureRows::parse("size,age\n1,-2.5\n0.5,1e3\n", "a.csv").value();
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.width(), 2U);
  EXPECT_EQ(rows[0][1], -2.5);
  EXPECT_EQ(rows[1][1], 1000);
  EXPECT_EQ(FeatureRows::parse("1,-2.5\n0.5,1e3\n", "a.csv").value(), rows);
}

TEST(FeatureRows, say_what_is_wrong_and_where) {
  const auto message = [](const std::string& text) {
    return FeatureRows::parse(text, "a.csv").error().to_string();
  };
  EXPECT_NE(message("").find("a.csv: there are no features"), std::string::npos);
  EXPECT_NE(message("a,b\n1,2\n3\n").find("row 2: one arm has 2 features, and another 1"),
            std::string::npos);
  EXPECT_NE(message("1,2\n3,x\n").find("a.csv:2"), std::string::npos);
  EXPECT_NE(message("1,2\n3,1e7\n").find("row 2: 10000000"), std::string::npos)
      << message("1,2\n3,1e7\n");
}

TEST(FeatureRows, of_unit_vectors) {
  const FeatureRows rows = FeatureRows::identity(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(rows[i][k], i == k ? 1 : 0);
  }
}

}  // namespace
}  // namespace duel
