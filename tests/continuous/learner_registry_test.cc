#include "duel/continuous/learner_registry.h"

#include <gtest/gtest.h>

#include <vector>

namespace duel {
namespace {

TEST(LearnerRegistry, lists_learners_with_their_facts) {
  std::vector<std::string> names;
  for (const PointLearnerKind& kind : point_learner_catalogue()) {
    const LearnerFacts& facts = kind.facts;
    names.push_back(facts.name);
    for (const std::string* text : {&facts.title, &facts.paper, &facts.setting, &facts.guarantee,
                                    &facts.departs, &facts.status}) {
      EXPECT_FALSE(text->empty()) << facts.name;
    }
    EXPECT_TRUE(facts.setting.starts_with("continuous")) << facts.name;
    EXPECT_FALSE(kind.options.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"bgd1", "bgd2", "dbgd"}));
}

TEST(LearnerRegistry, writes_names_that_read_back) {
  const PointSetPtr ball = make_ball(50, 10).value();
  for (const char* name : {"dbgd", "dbgd(delta=1,gamma=0.01)", "bgd1(delta_l=0.8,analysis=theorem)",
                           "bgd2(gamma=0,batch=25,decay=0.999)"}) {
    const auto once = configure_point_learner(name, ball, 1000).value();
    const auto again = configure_point_learner(once->canonical(), ball, 77).value();
    EXPECT_EQ(once->canonical(), again->canonical());
    EXPECT_EQ(once->steps().delta, again->steps().delta);
    EXPECT_EQ(once->steps().gamma, again->steps().gamma);
  }
  EXPECT_EQ(configure_point_learner("dbgd(gamma=0.01,delta=1)", ball, 9).value()->canonical(),
            "dbgd(delta=1,gamma=0.01)");
}

TEST(LearnerRegistry, says_what_is_wrong_with_a_name) {
  const PointSetPtr ball = make_ball(2, 1).value();
  const auto message = [&](const char* text, std::uint64_t comparisons = 10) {
    const auto result = configure_point_learner(text, ball, comparisons);
    return result.ok() ? std::string() : result.error().to_string();
  };
  EXPECT_EQ(message("dbdg"),
            "there is no learner of points 'dbdg' (did you mean 'dbgd'? known: bgd1, bgd2, dbgd)");
  EXPECT_EQ(message("dbgd(detla=1)"),
            "learner 'dbgd' has no option 'detla' (did you mean 'delta'? known: delta, "
            "gamma, delta_l, analysis, horizon, batch, decay)");
  EXPECT_EQ(message("dbgd(delta=0)"),
            "option 'delta' of learner 'dbgd': 0 is out of range (allowed: auto | > 0)");
  EXPECT_NE(message("dbgd(gamma=-1)"), "");
  EXPECT_NE(message("dbgd(batch=0)"), "");
  EXPECT_EQ(message("dbgd(delta=1)", 0),
            "learner 'dbgd': the automatic gamma needs a horizon (set gamma or horizon)");
}

}  // namespace
}  // namespace duel
