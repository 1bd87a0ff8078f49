// The rate of false certificates on 100 000 null and near-null problems of each kind, per way of
// choosing pairs, looked at after every duel.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "duel/inference/fixed_n_interval.h"
#include "duel/jobs/jobs.h"
#include "tests/inference/null_problems.h"

namespace duel {
namespace {

TEST(FalseCertificates, are_rarer_than_alpha_on_a_hundred_thousand_problems_of_each_kind) {
  constexpr std::uint32_t kProblems = 100000;
  constexpr std::uint32_t kBatch = 1000;
  constexpr double kAlpha = 0.05;
  for (const NullProblem& problem : null_problems()) {
    for (const Chooser chooser : kChoosers) {
      std::atomic<std::uint64_t> count = 0;
      const auto run = run_jobs(
          kProblems / kBatch, 0, {},
          [&](std::uint64_t batch, const std::atomic<bool>&) {
            for (std::uint32_t k = 0; k < kBatch; ++k) {
              const auto trial = static_cast<std::uint32_t>(batch * kBatch + k);
              if (certifies_falsely(problem, chooser, kAlpha, 41, trial)) ++count;
            }
            return true;
          },
          [](std::uint64_t batch) { return std::to_string(batch); });
      ASSERT_TRUE(run.ok());
      RecordProperty(problem.name + ", chooser " + std::to_string(static_cast<int>(chooser)),
                     std::to_string(count));
      // One-sided 99.9 % limit.
      EXPECT_LE(fixed_n_clopper_pearson(count, kProblems, 0.002).upper, kAlpha)
          << problem.name << ", chooser " << static_cast<int>(chooser) << ": " << count;
    }
  }
}

// A hundred thousand problems for every registered policy, the kinds in turn, 100 duels each: long
// enough for evidence of 2/alpha (from 9 wins on), and short enough for all policies in minutes.
// `auto` aims at a certificate and so makes the choices of certify. self-sparring, which draws its
// self-duels one by one and takes about a hundred times as long, gets 20 000.
TEST(FalseCertificates, are_rarer_than_alpha_on_a_hundred_thousand_problems_per_policy) {
  constexpr std::uint32_t kBatch = 500;
  constexpr double kAlpha = 0.05;
  std::vector<NullProblem> kinds = null_problems();
  for (NullProblem& kind : kinds) kind.duels = 100;
  for (const std::string& policy : policy_names()) {
    const std::uint32_t problems = too_slow_for_many_problems(policy) ? 20000 : 100000;
    std::atomic<std::uint64_t> count = 0;
    const auto run = run_jobs(
        problems / kBatch, 0, {},
        [&](std::uint64_t batch, const std::atomic<bool>&) {
          for (std::uint32_t k = 0; k < kBatch; ++k) {
            const auto trial = static_cast<std::uint32_t>(batch * kBatch + k);
            const NullProblem& kind = kinds[trial % kinds.size()];
            if (policy_certifies_falsely(kind, policy, kAlpha, 43, trial)) ++count;
          }
          return true;
        },
        [](std::uint64_t batch) { return std::to_string(batch); });
    ASSERT_TRUE(run.ok()) << policy << ": " << run.error().to_string();
    RecordProperty(policy, std::to_string(count) + " of " + std::to_string(problems));
    EXPECT_LE(fixed_n_clopper_pearson(count, problems, 0.002).upper, kAlpha)
        << policy << ": " << count;
  }
}

}  // namespace
}  // namespace duel
