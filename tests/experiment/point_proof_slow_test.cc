#include <gtest/gtest.h>

#include <string>

#include "tests/experiment/false_proofs.h"

namespace duel {
namespace {

constexpr std::uint64_t kRuns = 4000;

void expect_few(const std::string& tuner, const TuningTrialOptions& options,
                std::uint64_t runs = kRuns, Landscape landscape = Landscape::flat) {
  const std::uint64_t proofs = false_proofs(tuner, 2, runs, options, landscape);
  EXPECT_LE(static_cast<double>(proofs), most_false_proofs(options.alpha, runs)) << tuner;
}

TEST(PointProofSlow, keeps_its_level_where_all_points_are_equal) {
  for (const char* tuner : {"dbgd", "halving"}) expect_few(tuner, {.duels = 2000});
}

TEST(PointProofSlow, keeps_its_level_under_adversaries_that_give_up) {
  for (const char* tuner : {"dbgd", "halving"}) {
    expect_few(tuner, {.duels = 2000, .give_up = {.below = 0.5}});
    expect_few(tuner, {.duels = 2000, .give_up = {.below = 0.9}});
    expect_few(tuner, {.duels = 2000, .give_up = {.every = 40}});
  }
}

TEST(PointProofSlow, keeps_its_level_with_the_fits_of_kernels) {
  expect_few("kernel-ts(features=32)", {.duels = 300});
  expect_few("random(features=32)", {.duels = 300});
  expect_few("kernel-ts(features=32)", {.duels = 300, .give_up = {.below = 0.5}});
  expect_few("kernel-ts", {.duels = 300}, 500);
}

TEST(PointProofSlow, proves_next_to_nothing_where_the_point_in_use_is_the_best) {
  expect_few("dbgd", {.duels = 2000}, kRuns, Landscape::at_best);
  expect_few("kernel-ts(features=32)", {.duels = 300}, 1000, Landscape::at_best);
}

}  // namespace
}  // namespace duel
