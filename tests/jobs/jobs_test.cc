#include "duel/jobs/jobs.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

std::string numbered(std::uint64_t number) { return "job " + std::to_string(number); }

TEST(Jobs, every_job_runs_once_on_any_number_of_threads) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 300U}) {
    std::vector<std::atomic<int>> runs(200);
    std::uint64_t reported = 0;
    const auto jobs = run_jobs(
        runs.size(), threads, {nullptr, [&](std::uint64_t finished) { reported = finished; }, {}},
        [&](std::uint64_t number, const std::atomic<bool>&) {
          ++runs[number];
          return true;
        },
        numbered);
    ASSERT_TRUE(jobs.ok());
    EXPECT_EQ(jobs->finished, runs.size());
    EXPECT_EQ(reported, runs.size());
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(Jobs, no_job_is_no_work) {
  const auto jobs =
      run_jobs(0, 2, {}, [](std::uint64_t, const std::atomic<bool>&) { return true; }, numbered);
  ASSERT_TRUE(jobs.ok());
  EXPECT_EQ(jobs->finished, 0U);
}

TEST(Jobs, an_exception_becomes_an_error_that_names_the_job) {
  const auto jobs = run_jobs(
      10, 1, {},
      [](std::uint64_t number, const std::atomic<bool>&) {
        if (number == 4) throw std::overflow_error("too many");
        return true;
      },
      numbered);
  ASSERT_FALSE(jobs.ok());
  EXPECT_EQ(jobs.error().to_string(), "job 4: too many");
}

TEST(Jobs, a_failed_check_is_thrown_on) {
  const auto run = [] {
    return run_jobs(
        3, 2, {},
        [](std::uint64_t number, const std::atomic<bool>&) {
          DUEL_CHECK(number != 1);
          return true;
        },
        numbered);
  };
  EXPECT_THROW((void)run(), CheckFailure);
}

TEST(Jobs, the_stop_flag_ends_the_run_early) {
  std::atomic<bool> stop{false};
  const auto jobs = run_jobs(
      1000, 2, {&stop, {}, {}},
      [&](std::uint64_t number, const std::atomic<bool>&) {
        if (number == 5) stop = true;
        return true;
      },
      numbered);
  ASSERT_TRUE(jobs.ok());
  EXPECT_LT(jobs->finished, 1000U);
}

TEST(Jobs, an_error_of_the_tick_is_the_error_of_the_run) {
  const auto jobs = run_jobs(
      3, 1, {nullptr, {}, []() -> Status { return Error::io("disk full"); }},
      [](std::uint64_t, const std::atomic<bool>&) { return true; }, numbered);
  ASSERT_FALSE(jobs.ok());
  EXPECT_EQ(jobs.error().message, "disk full");
}

}  // namespace
}  // namespace duel
