#include "duel/truth/feature_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "duel/truth/regret.h"

namespace duel {
namespace {

FeatureProblem problem(const std::string& text) {
  return feature_problem(parse_call(text).value()).value();
}

// On the sphere every row is 1 long, and utilities are linear: they follow from those of as many
// arms as there are features.
TEST(FeatureProblem, has_utilities_linear_in_its_features) {
  const FeatureProblem made = problem("linear(k=40,d=3,seed=2,scale=2)");
  EXPECT_EQ(made.strengths->name(), "linear(k=40,d=3,seed=2,scale=2,features=sphere)");
  ASSERT_EQ(made.features->size(), 40U);
  ASSERT_EQ(made.features->width(), 3U);
  const auto& rows = *made.features;
  // theta by least squares over the logits against arm 0: here exactly, from three of them.
  const auto logit = [&](Arm i) {
    const double p = made.strengths->chance(i, 0);
    return std::log(p / (1 - p));
  };
  double a[3][4];
  for (Arm i = 1; i <= 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) a[i - 1][k] = rows[i][k] - rows[0][k];
    a[i - 1][3] = logit(i);
  }
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (int j = 0; j < 4; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  double theta[3], square = 0;
  for (int k = 0; k < 3; ++k) {
    theta[k] = a[k][3] / a[k][k];
    square += theta[k] * theta[k];
  }
  EXPECT_NEAR(square, 4, 1e-6);
  for (Arm i = 1; i < 40; ++i) {
    double u = 0, length = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      u += theta[k] * (rows[i][k] - rows[0][k]);
      length += rows[i][k] * rows[i][k];
    }
    EXPECT_NEAR(logit(i), u, 1e-6);
    EXPECT_NEAR(length, 1, 1e-12);
  }
}

TEST(FeatureProblem, of_the_corners_of_a_cube) {
  const FeatureProblem made = problem("linear(k=32,d=5,seed=1,features=cube)");
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      const double corner = (i >> k & 1) != 0 ? 1 : -1;
      EXPECT_LE((*made.features)[i][k], corner);
      EXPECT_GT((*made.features)[i][k], corner - 0.1);
    }
  }
  EXPECT_FALSE(feature_problem(parse_call("linear(k=31,d=5,features=cube)").value()).ok());
}

TEST(FeatureProblem, of_two_files) {
  const auto directory = std::filesystem::temp_directory_path() / "duel_feature_problem_test";
  std::filesystem::create_directories(directory);
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(directory / name) << text;
    return (directory / name).string();
  };
  const std::string x = write("x.csv", "1,2\n3,4\n5,6\n");
  const std::string u = write("u.csv", "0\n1\n-1\n");
  const FeatureProblem made = problem("table(features=" + x + ",utilities=" + u + ")");
  EXPECT_EQ(made.strengths->winner(), 1U);
  EXPECT_NEAR(made.strengths->chance(1, 2), 1 / (1 + std::exp(-2.0)), 1e-12);
  EXPECT_EQ((*made.features)[2][1], 6);
  const std::string two = write("two.csv", "0\n1\n");
  EXPECT_FALSE(
      feature_problem(parse_call("table(features=" + x + ",utilities=" + two + ")").value()).ok());
  EXPECT_FALSE(feature_problem(parse_call("table(features=" + x + ")").value()).ok());
  std::filesystem::remove_all(directory);
}

// Utilities 0, 1, -1: arm 1 is the best; a duel of arms 0 and 2 falls short by 1 and by 2.
TEST(UtilityRegret, is_worked_out_by_hand) {
  const auto strengths = Strengths::of("three", {0, 1, -1}).value();
  const auto meter = [&](RegretNotion notion) {
    return RegretMeter::create(notion, strengths->gaps_to_winner(), strengths->utility_gaps())
        .value();
  };
  const PlayTally tally{{3, 1, 2}, {2, 1, 0}};  // (0,2) twice, (0,1) once: better 0, 0, 1
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility).of_duel(0, 2), 1.5);
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility).total(tally), 3.5);
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility_weak).of_duel(0, 2), 1);
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility_weak).total(tally), 2);
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility_strong).of_duel(0, 2), 2);
  EXPECT_DOUBLE_EQ(meter(RegretNotion::utility_strong).total(tally), 5);
}

}  // namespace
}  // namespace duel
