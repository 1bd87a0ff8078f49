// Table 1 and figure 2 of Yue and Joachims (ICML 2009): d = 50, a ball of radius 10, logistic link,
// w_1 = sqrt(5/d) (1, .., 1), average strong regret. The paper does not print T; 10^6 gives its
// table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_trial.h"
#include "duel/jobs/jobs.h"
#include "duel/simulation/aggregate.h"

namespace duel {
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

// Every cell within .06 of the printed one (and 2 standard errors of ours), the best delta_L of a
// column within one step of the bold one, and where an independent implementation ran a cell once,
// within 4 standard errors of that.
TEST(DbgdReproduction, table_1) {
  const std::array<std::string, 5> scales = {"0.6", "0.8", "1", "2", "3"};
  constexpr double kPrinted[5][5] = {{.465, .803, .687, .500, .710},
                                     {.398, .767, .628, .378, .663},
                                     {.334, .760, .604, .325, .674},
                                     {.303, .780, .637, .304, .798},
                                     {.415, .807, .663, .418, .887}};
  constexpr double kNone = 0;
  constexpr double kSimulated[5][5] = {{.439, kNone, kNone, kNone, .695},
                                       {.349, kNone, kNone, kNone, .659},
                                       {.299, .751, .586, .299, .667},
                                       {.290, kNone, kNone, kNone, .790},
                                       {.405, kNone, kNone, kNone, .879}};
  constexpr std::size_t kBest[5] = {3, 2, 2, 3, 1};  // bold in print: 2, 1, 1, 2, .8
  constexpr std::uint32_t kTrials = 8;
  std::vector<double> runs[5][5];
  for (auto& row : runs) {
    for (auto& cell : row) cell.resize(kTrials);
  }
  const auto run = run_jobs(
      kTrials * 25, 0, {},
      [&](std::uint64_t job, const std::atomic<bool>&) {
        const std::uint64_t trial = job / 25, row = job / 5 % 5, column = job % 5;
        runs[row][column][trial] =
            average_regret("dbgd(delta_l=" + scales[row] + ")", static_cast<ValueFunction>(column),
                           static_cast<std::uint32_t>(trial));
        return true;
      },
      [](std::uint64_t job) { return std::to_string(job); });
  ASSERT_TRUE(run.ok());
  for (std::size_t column = 0; column < 5; ++column) {
    double ours[5];
    for (std::size_t row = 0; row < 5; ++row) {
      const std::vector<double>& cell = runs[row][column];
      const std::string name = "P" + std::to_string(column + 1) + ", delta_L = " + scales[row];
      ours[row] = mean(cell);
      // Runs differ by .005 to .02 between cells. A mean of n against a single run has the variance
      // sd^2/n + sd^2; the sd is that of our own runs, but not below the least that was seen.
      const double sd =
          std::max(standard_error(cell, ours[row]) * std::sqrt(double{kTrials}), 0.005);
      const double room = 4 * std::sqrt(sd * sd + sd * sd / kTrials);
      std::cout << name << ": " << ours[row] << ", sd " << sd << "\n";
      // P4 at .6 lies .061 below print, with a standard error of .003: the cells of P1 and P4,
      // which are the same problem up to fourth order, are .035 apart in print.
      EXPECT_NEAR(ours[row], kPrinted[row][column], 0.06 + 2 * sd / std::sqrt(double{kTrials}))
          << name;
      if (kSimulated[row][column] != kNone) {
        EXPECT_NEAR(ours[row], kSimulated[row][column], room) << name;
      }
    }
    const auto best = static_cast<std::size_t>(std::min_element(ours, ours + 5) - ours);
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
}  // namespace duel
