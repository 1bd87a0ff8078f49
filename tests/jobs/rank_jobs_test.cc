#include "duel/jobs/rank_jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "duel/core/check.h"
#include "tests/support/thread_ranks.h"

namespace duel {
namespace {

std::string name(std::uint64_t number) { return "job " + std::to_string(number); }

TEST(PieceOf, is_a_quarter_of_a_fair_share_and_one_job_per_thread_at_least) {
  EXPECT_EQ(piece_of(1600, 1, 4), 100u);  // 1600 / (4 * 4)
  EXPECT_EQ(piece_of(1600, 2, 4), 200u);
  EXPECT_EQ(piece_of(5, 1, 4), 1u);
  EXPECT_EQ(piece_of(5, 2, 4), 2u);
  EXPECT_EQ(piece_of(1, 2, 4), 1u);
  EXPECT_EQ(piece_of(0, 1, 4), 0u);
}

// What each rank has in the end of `count` jobs whose result is the square of their number.
std::vector<std::vector<std::uint64_t>> squares_on(unsigned size, std::uint64_t count,
                                                   bool shared) {
  std::vector<std::vector<std::uint64_t>> all(size, std::vector<std::uint64_t>(count));
  std::mutex mutex;
  std::multiset<std::uint64_t> done;
  on_ranks(size, [&](Ranks& ranks) {
    std::vector<std::uint64_t>& results = all[ranks.rank()];
    JobTransfer transfer = transfer_of(results);
    transfer.shared = shared;
    const auto run = run_jobs(
        count, 1, {},
        [&](std::uint64_t number, const std::atomic<bool>&) {
          results[number] = number * number;
          const std::scoped_lock lock(mutex);
          done.insert(number);
          return true;
        },
        name, &transfer);
    EXPECT_TRUE(run.ok());
    EXPECT_EQ(run->finished, count);
    return 0;
  });
  // Every job was done once, by one rank.
  EXPECT_EQ(done.size(), count);
  EXPECT_EQ(std::set<std::uint64_t>(done.begin(), done.end()).size(), count);
  return all;
}

TEST(RankJobs, every_job_is_done_once_and_all_ranks_have_all_results) {
  for (const unsigned size : {2u, 3u, 5u}) {
    for (const std::uint64_t count : {0u, 1u, 2u, 1000u}) {
      for (const auto& results : squares_on(size, count, true)) {
        for (std::uint64_t number = 0; number < count; ++number) {
          ASSERT_EQ(results[number], number * number) << size << " ranks, job " << number;
        }
      }
    }
  }
}

TEST(RankJobs, results_that_are_not_shared_reach_rank_zero_alone) {
  const auto all = squares_on(3, 100, false);
  for (std::uint64_t number = 0; number < 100; ++number) {
    EXPECT_EQ(all[0][number], number * number);
    // One rank did it, and rank 0 has it; no third has.
    EXPECT_TRUE(all[1][number] == 0 || all[2][number] == 0);
  }
}

TEST(RankJobs, without_a_transfer_every_rank_does_all_jobs) {
  std::vector<std::vector<int>> done(3, std::vector<int>(20));
  on_ranks(3, [&](Ranks& ranks) {
    const auto run = run_jobs(
        20, 1, {},
        [&](std::uint64_t number, const std::atomic<bool>&) {
          ++done[ranks.rank()][number];
          return true;
        },
        name);
    EXPECT_TRUE(run.ok());
    return 0;
  });
  for (const auto& rank : done) EXPECT_EQ(rank, std::vector<int>(20, 1));
}

TEST(RankJobs, slow_ranks_do_fewer_jobs) {
  std::atomic<int> by_slow{0};
  std::atomic<int> by_all{0};
  on_ranks(2, [&](Ranks& ranks) {
    std::vector<char> results(200);
    const JobTransfer transfer = transfer_of(results);
    const bool slow = ranks.rank() == 1;
    const auto run = run_jobs(
        results.size(), 1, {},
        [&](std::uint64_t, const std::atomic<bool>&) {
          // The slow rank's first job lasts until the other has done what it ever will.
          while (slow && by_all < 150) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++by_all;
          by_slow += slow ? 1 : 0;
          return true;
        },
        name, &transfer);
    EXPECT_TRUE(run.ok());
    return 0;
  });
  EXPECT_EQ(by_all, 200);
  // A fixed half would be 100.
  EXPECT_LE(by_slow, 60);
}

TEST(RankJobs, an_exception_on_any_rank_is_the_error_of_all) {
  for (const unsigned culprit : {0u, 2u}) {
    std::vector<std::string> errors(3);
    std::atomic<bool> thrown{false};
    const auto farewells = on_ranks(3, [&](Ranks& ranks) {
      std::vector<char> results(300);
      const JobTransfer transfer = transfer_of(results);
      const auto run = run_jobs(
          results.size(), 1, {},
          [&](std::uint64_t number, const std::atomic<bool>& stop) {
            if (ranks.rank() == culprit) {
              thrown = true;
              throw std::overflow_error("too many wins in " + name(number));
            }
            // The others are at work until they are told.
            while (!stop && !thrown) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return !stop;
          },
          name, &transfer);
      EXPECT_FALSE(run.ok());
      if (!run.ok()) errors[ranks.rank()] = run.error().to_string();
      return run.ok() ? 0 : 1;
    });
    EXPECT_NE(errors[0].find("too many wins in job"), std::string::npos) << errors[0];
    EXPECT_EQ(errors[1], errors[0]);
    EXPECT_EQ(errors[2], errors[0]);
    // One of them tells the user.
    EXPECT_TRUE(farewells[0].speaks);
    EXPECT_FALSE(farewells[1].speaks || farewells[2].speaks);
  }
}

TEST(RankJobs, a_stop_on_one_rank_stops_all) {
  for (const unsigned told : {0u, 1u}) {
    std::atomic<bool> flag{false};
    std::vector<std::uint64_t> finished(2);
    on_ranks(2, [&](Ranks& ranks) {
      std::vector<char> results(100'000);
      const JobTransfer transfer = transfer_of(results);
      JobHooks hooks;
      if (ranks.rank() == told) hooks.stop = &flag;
      const auto run = run_jobs(
          results.size(), 1, hooks,
          [&](std::uint64_t number, const std::atomic<bool>& stop) {
            results[number] = 1;
            if (number >= 10) flag = true;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            return !stop;
          },
          name, &transfer);
      EXPECT_TRUE(run.ok());
      finished[ranks.rank()] = run->finished;
      // What counts as finished is in place, on both ranks.
      EXPECT_EQ(static_cast<std::uint64_t>(std::count(results.begin(), results.end(), 1)) >=
                    run->finished,
                true);
      return 0;
    });
    EXPECT_EQ(finished[0], finished[1]);
    EXPECT_LT(finished[0], 100'000u);
  }
}

TEST(RankJobs, an_error_of_the_tick_ends_all_ranks) {
  std::vector<std::string> errors(2);
  on_ranks(2, [&](Ranks& ranks) {
    std::vector<char> results(1'000'000);
    const JobTransfer transfer = transfer_of(results);
    JobHooks hooks;
    hooks.on_tick = [&]() -> Status { return Error::io("the disk is full", "progress.csv"); };
    const auto run = run_jobs(
        results.size(), 1, hooks,
        [&](std::uint64_t, const std::atomic<bool>& stop) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          return !stop;
        },
        name, &transfer);
    if (!run.ok()) errors[ranks.rank()] = run.error().to_string();
    return 1;
  });
  EXPECT_EQ(errors[0], "progress.csv: the disk is full");
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(RankJobs, runs_one_after_another_do_not_mix_their_messages) {
  on_ranks(3, [&](Ranks&) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      std::vector<std::uint64_t> results(17);
      const JobTransfer transfer = transfer_of(results);
      const auto run = run_jobs(
          results.size(), 2, {},
          [&](std::uint64_t number, const std::atomic<bool>&) {
            results[number] = 100 * round + number;
            return true;
          },
          name, &transfer);
      EXPECT_TRUE(run.ok());
      for (std::uint64_t number = 0; number < results.size(); ++number) {
        EXPECT_EQ(results[number], 100 * round + number);
      }
    }
    return 0;
  });
}

TEST(Ranks, one_that_leaves_early_is_noticed_and_speaks) {
  const auto farewells = on_ranks(3, [&](Ranks& ranks) {
    if (ranks.rank() == 2) return 2;  // an error of its own, before the common work
    const auto met = ranks.meet("work");
    EXPECT_FALSE(met.ok());
    return 1;
  });
  for (const auto& farewell : farewells) EXPECT_EQ(farewell.code, 2);
  EXPECT_FALSE(farewells[0].speaks);
  EXPECT_FALSE(farewells[1].speaks);
  EXPECT_TRUE(farewells[2].speaks);
}

TEST(Ranks, one_that_has_nothing_more_to_do_while_others_work_is_an_error) {
  const auto farewells = on_ranks(3, [&](Ranks& ranks) {
    if (ranks.rank() == 0) return 0;
    EXPECT_FALSE(ranks.meet("work").ok());
    return 1;
  });
  EXPECT_EQ(farewells[1].code, 1);
  EXPECT_EQ(farewells[2].code, 1);
  EXPECT_TRUE(farewells[1].speaks);  // the first that noticed
  EXPECT_FALSE(farewells[0].speaks || farewells[2].speaks);
}

TEST(Ranks, other_work_on_one_rank_is_an_error_of_all) {
  on_ranks(2, [&](Ranks& ranks) {
    const auto met = ranks.meet(ranks.is_first() ? "100 jobs" : "99 jobs");
    EXPECT_FALSE(met.ok());
    return 1;
  });
}

TEST(Ranks, what_rank_zero_knows_reaches_all) {
  EXPECT_EQ(from_first_rank("alone").value(), "alone");
  on_ranks(3, [&](Ranks& ranks) {
    const auto text = from_first_rank(ranks.is_first() ? "known" : "guessed");
    EXPECT_EQ(text.value(), "known");
    return 0;
  });
}

}  // namespace
}  // namespace duel
