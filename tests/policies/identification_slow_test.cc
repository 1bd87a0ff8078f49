// Ten thousand runs of every policy that stops by itself, held to the error that it promises.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "duel/inference/fixed_n_interval.h"
#include "duel/policies/stopping.h"
#include "tests/policies/exploration_problems.h"

namespace duel {
namespace {

class ManyIdentifications : public testing::TestWithParam<std::string> {};

// Strengths 2^-i: neighbours are 2/3 : 1/3, and every policy's assumption holds.
ExplorationProblem strengths(std::size_t num_arms, std::uint64_t seed) {
  ExplorationProblem problem = easy_problem(num_arms, 0, 0, seed);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      const double odds = std::exp2(static_cast<double>(j) - static_cast<double>(i));
      problem.p[i * num_arms + j] = odds / (1 + odds);
    }
  }
  return problem;
}

// The lower end of Wilson's interval, with 1e-4 on each side, of the share of wrong answers is not
// above the level: a policy that keeps its level fails this with probability 1e-4 at most. `iir` is
// dear, and is run 500 times with three arms.
TEST_P(ManyIdentifications, err_no_more_often_than_they_promise) {
  constexpr double kLevel = 0.1;
  constexpr std::uint64_t kMost = 3'000'000;
  const bool dear = GetParam() == "iir";
  const std::size_t num_arms = dear ? 3 : 5;
  const std::uint64_t runs = dear ? 500 : 10'000;
  const StoppingPolicy* policy = find_stopping_policy(GetParam());
  const PolicySetting setting{.num_arms = num_arms, .rounds = kMost};
  const auto play = policy->configure({GetParam(), {{"delta", "0.1"}}}, setting);
  ASSERT_TRUE(play.ok()) << play.error().to_string();
  std::uint64_t wrong = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const ExplorationProblem problem = strengths(num_arms, run);
    const TrialStreams streams(run, 0, GetParam());
    const Stream nature(run, 0, Purpose::test, "nature");
    const OwnStop stop = (*play)({&streams, kMost, [&](const Duel& duel) {
                                    RoundRng draw = nature.at(duel.round);
                                    return problem.answer(duel, draw);
                                  }});
    ASSERT_TRUE(stop.found) << "run " << run;
    bool right = !stop.found->empty() && stop.found->front() == 0;
    if (policy->finds == Finds::order) {
      for (Arm arm = 0; arm < num_arms; ++arm) right = right && (*stop.found)[arm] == arm;
    }
    wrong += right ? 0 : 1;
  }
  EXPECT_LE(fixed_n_wilson(wrong, runs, 2e-4).lower, kLevel) << wrong << " of " << runs;
  RecordProperty("wrong", static_cast<int>(wrong));
}

INSTANTIATE_TEST_SUITE_P(All, ManyIdentifications, testing::ValuesIn(stopping_policy_names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace duel
