#include "duel/policies/auto.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature auto_signature("auto", 0x17836a7598b55693);

std::string becomes(const std::string& call, const PolicySetting& setting) {
  return configure_policy(parse_call(call).value(), setting).value()->canonical();
}

TEST(Auto, becomes_what_the_aim_and_the_goal_ask_for_and_shows_its_name) {
  const PolicySetting traffic{.num_arms = 6, .rounds = 1000};
  EXPECT_EQ(becomes("auto", traffic), "imed(c=1,n0=20,ag=0.25,slack=4)");
  PolicySetting questions = traffic;
  questions.aim = Aim::certificate;
  EXPECT_EQ(becomes("auto", questions), "certify(alpha=0.05)");
  EXPECT_EQ(becomes("auto(alpha=0.01)", questions), "certify(alpha=0.01)");
  questions.goal = Goal::copeland;
  EXPECT_EQ(becomes("auto", questions), "ecw-rmed(alpha=3,beta=0.01)");
  questions.goal = Goal::borda;
  EXPECT_EQ(becomes("auto", questions), "uniform");
}

TEST(Auto, takes_aim_and_goal_from_the_user_before_the_run) {
  const PolicySetting traffic{.num_arms = 6, .rounds = 1000};
  EXPECT_EQ(becomes("auto(aim=certificate)", traffic), "certify(alpha=0.05)");
  EXPECT_EQ(becomes("auto(aim=certificate,goal=borda)", traffic), "uniform");
  EXPECT_EQ(becomes("auto(ties=half)", traffic), "imed(c=1,n0=20,ag=0.25,slack=4,ties=half)");
}

TEST(Auto, refuses_an_unknown_option_in_its_own_name) {
  const auto refused = configure_policy(parse_call("auto(gaol=borda)").value(), {.num_arms = 3});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_string().find("policy 'auto' has no option 'gaol'"),
            std::string::npos)
      << refused.error().to_string();
}

}  // namespace
}  // namespace duel
