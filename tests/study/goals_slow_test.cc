// The rate of false certificates of sets, orders, rankings and arms that are good enough, on 5 000
// problems of each kind where they are likeliest.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "duel/inference/fixed_n_interval.h"
#include "tests/study/goal_problems.h"

namespace duel {
namespace {

TEST(GoalsAtLength, are_certified_falsely_less_often_than_alpha) {
  constexpr std::uint32_t kProblems = 5000;
  for (const GoalProblem& problem : goal_problems()) {
    for (const char* policy : {"auto", "uniform"}) {
      const std::uint64_t wrong = false_certificates(problem, policy, 0.1, kProblems, 0);
      RecordProperty(problem.name + ", " + policy, std::to_string(wrong));
      // One-sided 99.9 % limit.
      EXPECT_LE(fixed_n_clopper_pearson(wrong, kProblems, 0.002).upper, 0.1)
          << problem.name << ", " << policy << ": " << wrong;
    }
  }
}

}  // namespace
}  // namespace duel
