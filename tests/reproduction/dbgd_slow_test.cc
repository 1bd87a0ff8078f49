// Table 1 and figure 2 of Yue and Joachims (ICML 2009): d = 50, a ball of radius 10, logistic link,
// w_1 = sqrt(5/d) (1, .., 1), average strong regret. The paper does not print T; 10^6 gives its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_trial.h"
#include "duel/core/jobs.h"

namespace duel::test {
namespace {

constexpr Round kComparisons = 1'000'000;

double average_regret(const std::string& learner, ValueFunction value, std::uint32_t trial) {
  const PointSetPtr ball = make_ball(50, 10).value();
  const auto configured = configure_point_learner(learner, ball, kComparisons).value();
  const auto instance = configured->make(std::vector<double>(50, std::sqrt(5.0 / 50)));
  const std::vector<Round> checkpoints = {kComparisons};
  return play_points(*instance, {value, Link::logistic}, checkpoints, 2009, trial, learner)[0] /
         static_cast<double>(kComparisons);
}

TEST(DbgdReproduction, table_1) {
  const std::array<std::string, 5> scales = {"0.6", "0.8", "1", "2", "3"};
  constexpr double kPrinted[5][5] = {{.465, .803, .687, .500, .710},
                                     {.398, .767, .628, .378, .663},
                                     {.334, .760, .604, .325, .674},
                                     {.303, .780, .637, .304, .798},
                                     {.415, .807, .663, .418, .887}};
  constexpr std::size_t kBest[5] = {3, 2, 2, 3, 1};  // bold in print: 2, 1, 1, 2, .8
  // Runs differ by .02 at most cells, so that the mean of four has a standard error of .01; the
  // published table lies up to .05 above every re-simulation.
  constexpr std::uint32_t kTrials = 4;
  double runs[kTrials][5][5];
  const auto run = run_jobs(
      kTrials * 25, 0, {},
      [&](std::uint64_t job, const std::atomic<bool>&) {
        const std::uint64_t trial = job / 25, row = job / 5 % 5, column = job % 5;
        runs[trial][row][column] =
            average_regret("dbgd(delta_l=" + scales[row] + ")", static_cast<ValueFunction>(column),
                           static_cast<std::uint32_t>(trial));
        return true;
      },
      [](std::uint64_t job) { return std::to_string(job); });
  ASSERT_TRUE(run.ok());
  double ours[5][5] = {};
  for (const auto& table : runs) {
    for (std::size_t row = 0; row < 5; ++row) {
      for (std::size_t column = 0; column < 5; ++column) {
        ours[row][column] += table[row][column] / kTrials;
      }
    }
  }
  for (std::size_t column = 0; column < 5; ++column) {
    std::size_t best = 0;
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_NEAR(ours[row][column], kPrinted[row][column], 0.06)
          << "P" << column + 1 << ", delta_L = " << scales[row];
      if (ours[row][column] < ours[best][column]) best = row;
    }
    EXPECT_LE(std::max(best, kBest[column]) - std::min(best, kBest[column]), 1U)
        << "best delta_L of P" << column + 1;
  }
}

TEST(DbgdReproduction, figure_2_orders_the_learners) {
  const auto at = [](const char* learner, ValueFunction value) {
    return average_regret(learner, value, 0);
  };
  const double dbgd1 = at("dbgd", ValueFunction::v1), dbgd5 = at("dbgd", ValueFunction::v5);
  const double bgd11 = at("bgd1", ValueFunction::v1), bgd15 = at("bgd1", ValueFunction::v5);
  const double bgd21 = at("bgd2", ValueFunction::v1), bgd25 = at("bgd2", ValueFunction::v5);
  EXPECT_LT(bgd21, bgd11);
  EXPECT_LT(bgd11, dbgd1);
  EXPECT_LT(bgd25, dbgd5);
  EXPECT_LT(dbgd5, bgd15);
  // Independent single runs gave these; the spread between runs is .02, so .06 between two.
  EXPECT_NEAR(dbgd1, .30, 0.06);
  EXPECT_NEAR(bgd11, .24, 0.06);
  EXPECT_NEAR(bgd21, .07, 0.06);
  EXPECT_NEAR(dbgd5, .67, 0.06);
  EXPECT_NEAR(bgd15, .78, 0.06);
  EXPECT_NEAR(bgd25, .56, 0.06);
}

}  // namespace
}  // namespace duel::test
