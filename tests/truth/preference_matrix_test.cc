#include "duel/truth/preference_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/truth/matrices.h"

namespace duel {
namespace {

Error error_of(const std::vector<std::string>& names, const std::vector<double>& values) {
  const auto result = PreferenceMatrix::create("m", names, values);
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error{} : result.error();
}

TEST(PreferenceMatrix, keeps_names_and_entries) {
  const auto matrix = PreferenceMatrix::create("pair", {"x", "y"}, {0.5, 0.7, 0.3, 0.5});
  ASSERT_TRUE(matrix.ok());
  EXPECT_EQ(matrix->num_arms(), 2u);
  EXPECT_EQ(matrix->name(), "pair");
  EXPECT_EQ(matrix->arm_name(1), "y");
  EXPECT_EQ((*matrix)(0, 1), 0.7);
  EXPECT_EQ((*matrix)(1, 0), 0.3);
  EXPECT_DOUBLE_EQ(matrix->gap(1, 0), -0.2);
  EXPECT_EQ(matrix->row(1)[0], 0.3);
}

TEST(PreferenceMatrix, accepts_a_single_arm) {
  EXPECT_TRUE(PreferenceMatrix::create("one", {"x"}, {0.5}).ok());
}

TEST(PreferenceMatrix, refuses_no_arms) {
  EXPECT_EQ(error_of({}, {}).message, "a preference matrix needs at least one arm");
}

TEST(PreferenceMatrix, refuses_a_wrong_number_of_entries) {
  EXPECT_EQ(error_of({"x", "y"}, {0.5, 0.5, 0.5}).to_string(),
            "matrix 'm': 3 numbers for 2 arms (2 arms need 2 x 2 = 4 numbers)");
}

TEST(PreferenceMatrix, refuses_entries_outside_the_unit_interval) {
  EXPECT_EQ(error_of({"x", "y"}, {0.5, 1.2, -0.2, 0.5}).to_string(),
            "matrix 'm', row 1, column 2: P('x' beats 'y') = 1.2 is outside [0, 1]");
  EXPECT_EQ(error_of({"x", "y"}, {0.5, 0.4, -0.1, 0.5}).to_string(),
            "matrix 'm', row 2, column 1: P('y' beats 'x') = -0.1 is outside [0, 1]");
  EXPECT_EQ(error_of({"x"}, {std::numeric_limits<double>::infinity()}).message,
            "P('x' beats 'x') = inf is outside [0, 1]");
}

TEST(PreferenceMatrix, refuses_nan) {
  EXPECT_EQ(error_of({"x", "y"}, {0.5, std::nan(""), 0.5, 0.5}).to_string(),
            "matrix 'm', row 1, column 2: P('x' beats 'y') is not a number");
}

TEST(PreferenceMatrix, refuses_a_diagonal_that_is_not_one_half) {
  EXPECT_EQ(error_of({"x", "y"}, {0.5, 0.6, 0.4, 0.6}).to_string(),
            "matrix 'm', row 2, column 2: P('y' beats 'y') = 0.6, but must be 0.5 "
            "(the diagonal is 0.5)");
}

TEST(PreferenceMatrix, refuses_entries_that_are_not_complementary) {
  EXPECT_EQ(error_of({"x", "y"}, {0.5, 0.6, 0.5, 0.5}).to_string(),
            "matrix 'm', row 2, column 1: P('y' beats 'x') = 0.5 and P('x' beats 'y') = 0.6 "
            "add up to 1.1, not 1 (one of the two arms wins a duel)");
  EXPECT_FALSE(PreferenceMatrix::create("m", {"x", "y"}, {0.5, 0.6, 0.4 + 2e-9, 0.5}).ok());
}

TEST(PreferenceMatrix, refuses_names_that_are_empty_repeated_or_unprintable) {
  const std::vector<double> fair(4, 0.5);
  EXPECT_EQ(error_of({"x", ""}, fair).to_string(),
            "matrix 'm', column 2: the name of arm 2 is empty (every arm needs a name of its own)");
  EXPECT_EQ(error_of({"x", "x"}, fair).message, "the name 'x' is given twice, to arms 1 and 2");
  EXPECT_EQ(error_of({"x", "y\n"}, fair).message, "the name of arm 2 has a control character");
  EXPECT_EQ(error_of({"x", "x"}, fair).code, ErrorCode::invalid_data);
}

TEST(PreferenceMatrix, leaves_decimals_that_add_up_to_one_as_written) {
  const auto matrix = matrix_of({{0.5, 0.55}, {0.45, 0.5}});
  EXPECT_EQ(matrix(0, 1), 0.55);
  EXPECT_EQ(matrix(1, 0), 0.45);
}

TEST(PreferenceMatrix, makes_rounded_entries_complementary) {
  const auto matrix = matrix_of({{0.5 + 5e-10, 0.666666666}, {0.3333333335, 0.5}});
  EXPECT_EQ(matrix(0, 0), 0.5);
  EXPECT_EQ(matrix(0, 1), 0.666666666);
  EXPECT_EQ(matrix(1, 0), 1 - 0.666666666);
}

// Doubles just below 1/2 are twice as dense as those above: 1 - p may round to 1/2 where p < 1/2.
TEST(PreferenceMatrix, has_a_tie_in_both_entries_or_in_none) {
  const double just_below = std::nextafter(0.5, 0.0);
  const auto matrix = matrix_of({{0.5, just_below}, {0.5, 0.5}});
  EXPECT_EQ(matrix(0, 1), 0.5);
  EXPECT_EQ(matrix(1, 0), 0.5);
}

RC_GTEST_PROP(PreferenceMatrix, signs_of_mirrored_entries_are_opposite, ()) {
  const auto word = *rc::gen::inRange<std::int64_t>(-8, 9);
  double p = 0.5;
  for (std::int64_t i = 0; i != word; i += word > 0 ? 1 : -1) {
    p = std::nextafter(p, word > 0 ? 1.0 : 0.0);
  }
  const auto matrix = matrix_of({{0.5, p}, {1 - p, 0.5}});
  RC_ASSERT((matrix(0, 1) > 0.5) == (matrix(1, 0) < 0.5));
  RC_ASSERT((matrix(0, 1) < 0.5) == (matrix(1, 0) > 0.5));
  RC_ASSERT(matrix(0, 1) + matrix(1, 0) == 1);
}

}  // namespace
}  // namespace duel
