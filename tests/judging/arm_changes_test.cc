// Arms that join and leave an interview's log.
#include "duel/judging/arm_changes.h"

#include <gtest/gtest.h>

#include "duel/core/rng.h"
#include "duel/judging/interview.h"
#include "tests/judging/asked_interview.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

ListedArm named(const std::string& id, char content = 'a') {
  ListedArm arm;
  arm.shown.arm_id = id;
  arm.shown.payload = id;
  arm.reference = id;
  arm.sha256 = std::string(64, content);
  return arm;
}

class ChangedArms : public ::testing::Test {
 protected:
  InterviewPlan plan(const std::vector<std::string>& arms, bool open = true) const {
    InterviewPlan plan;
    plan.log = (directory_ / "log").string();
    plan.experiment.experiment_id = "x";
    plan.experiment.stopping.arms_fixed = !open;
    plan.max_duels = 20;
    for (const std::string& id : arms) plan.arms.push_back(named(id));
    return plan;
  }
  // Serves what is left of 20 duels, of which the arm with the smaller id wins two in three.
  static void play(Interview& interview) {
    while (true) {
      const auto question = next_of(interview);
      if (!question) break;
      const bool first = question->first.arm_id < question->second.arm_id;
      const bool surprise = hash_text(question->duel_id) % 3 == 0;
      const Outcome outcome = first != surprise ? Outcome::first_wins : Outcome::second_wins;
      answer(interview, *question, {outcome});
    }
  }
  std::string refusal(const InterviewPlan& plan) const {
    const std::string before = content_of(directory_ / "log");
    const auto interview = Interview::open(plan);
    EXPECT_FALSE(interview.ok());
    EXPECT_EQ(content_of(directory_ / "log"), before) << "a refusal changes nothing";
    if (interview.ok()) return "";
    std::string text = interview.error().to_string();
    if (const auto at = text.find(plan.log); at != std::string::npos) {
      text.replace(at, plan.log.size(), "log");
    }
    return text;
  }

  TemporaryDirectory directory_;
};

TEST_F(ChangedArms, lets_an_arm_join_once_and_goes_on_with_the_same_request) {
  Interview::open(plan({"a", "b", "c"})).value();
  InterviewPlan more = plan({"a", "b", "c"});
  more.changes.joining = {named("d")};
  more.max_duels = 60;
  {
    Interview joined = Interview::open(more).value();
    EXPECT_EQ(joined.joined(), std::vector<std::string>{"d"});
    EXPECT_EQ(joined.ledger().num_active(), 4U);
    play(joined);
    EXPECT_GT(joined.ledger().pair(3, 0).served + joined.ledger().pair(3, 1).served, 0U);
  }
  {
    const Interview again = Interview::open(more).value();
    EXPECT_TRUE(again.joined().empty());
    EXPECT_EQ(again.ledger().num_arms(), 4U);
  }
  // A list that names all of them, as a glob does that now finds the new file, is as good.
  EXPECT_TRUE(Interview::open(plan({"a", "b", "c", "d"})).ok());
  EXPECT_EQ(refusal(plan({"a", "b", "c"})),
            "arms: log: this log belongs to another experiment: it has the arm 'd', too (give "
            "another `log` to start over)");
}

TEST_F(ChangedArms, asks_nothing_more_about_an_arm_that_left_and_needs_it_no_more) {
  {
    Interview interview = Interview::open(plan({"a", "b", "c"})).value();
    play(interview);
  }
  InterviewPlan fewer = plan({"a", "c"});
  fewer.changes.leaving = {"b"};
  fewer.max_duels = 60;
  std::uint64_t before = 0;
  {
    Interview interview = Interview::open(fewer).value();
    EXPECT_EQ(interview.left(), std::vector<std::string>{"b"});
    before = interview.ledger().pair(1, 0).served + interview.ledger().pair(1, 2).served;
    play(interview);
    EXPECT_EQ(interview.ledger().pair(1, 0).served + interview.ledger().pair(1, 2).served, before);
    EXPECT_EQ(interview.ledger().served(), 60U);
  }
  EXPECT_TRUE(Interview::open(plan({"a", "c"})).ok());
  InterviewPlan back = plan({"a", "c"});
  back.changes.joining = {named("b")};
  EXPECT_EQ(refusal(back),
            "add_arm: log: the arm 'b' was retired (the id of an arm is never used again; give it "
            "another name)");
}

TEST_F(ChangedArms, says_why_a_fixed_set_does_not_change) {
  Interview::open(plan({"a", "b", "c"}, false)).value();
  InterviewPlan more = plan({"a", "b", "c"}, false);
  more.changes.joining = {named("d")};
  EXPECT_EQ(refusal(more),
            "add_arm: log: the set of arms of this log is fixed: its thresholds are lower because "
            "no arm joins or leaves (begin another `log` with `open_arms`)");
  InterviewPlan fewer = plan({"a", "b", "c"}, false);
  fewer.changes.leaving = {"c"};
  EXPECT_TRUE(refusal(fewer).starts_with("retire_arm: log: the set of arms of this log is fixed"));
  EXPECT_EQ(refusal(plan({"a", "b", "c"})),
            "open_arms: log: this log belongs to another experiment: its set of arms is fixed "
            "(give another `log` to start over)");
}

TEST_F(ChangedArms, refuses_what_makes_no_sense) {
  InterviewPlan early = plan({"a", "b"});
  early.changes.joining = {named("c")};
  EXPECT_EQ(refusal(early),
            "add_arm: log: there is no log yet to add an arm to or retire one from (give the "
            "initial arms in `arms`)");
  Interview::open(plan({"a", "b"})).value();
  InterviewPlan unknown = plan({"a", "b"});
  unknown.changes.leaving = {"bb"};
  EXPECT_TRUE(refusal(unknown).starts_with("retire_arm: log: the log has no arm 'bb' ("));
  InterviewPlan alone = plan({"a", "b"});
  alone.changes.leaving = {"a"};
  EXPECT_TRUE(refusal(alone).starts_with("retire_arm: log: fewer than two arms would be left"));
  InterviewPlan changed = plan({"a", "b"});
  changed.arms[1] = named("b", 'b');
  EXPECT_TRUE(
      refusal(changed).starts_with("arms: log: this log belongs to another experiment: the content "
                                   "of arm 'b' (b) has changed since"));
}

}  // namespace
}  // namespace duel
