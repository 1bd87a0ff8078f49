// `--open-arms`, `--add-arm` and `--retire-arm` from outside.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

class ArmChangesCommand : public ::testing::Test {
 protected:
  CommandResult vote(std::vector<std::string> more, const std::string& input = "t\nt\nq\n") {
    std::vector<std::string> arguments = {"vote", "--arms", "red,blue,green"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_duel(arguments, {.input = input, .directory = directory_.path()});
  }

  TemporaryDirectory directory_;
};

TEST_F(ArmChangesCommand, an_arm_joins_and_leaves_an_open_log) {
  EXPECT_EQ(vote({"--open-arms"}).exit_code, 3);
  const CommandResult joined = vote({"--add-arm", "gold", "--retire-arm", "blue"});
  EXPECT_EQ(joined.exit_code, 3) << joined.err;
  EXPECT_TRUE(contains(joined.err, "joined: gold")) << joined.err;
  EXPECT_TRUE(contains(joined.err, "retired: blue")) << joined.err;
  EXPECT_TRUE(contains(joined.out, "gold")) << joined.out;
  EXPECT_FALSE(contains(joined.out, "blue")) << joined.out;
  // The same command again changes nothing more.
  const CommandResult again = vote({"--add-arm", "gold", "--retire-arm", "blue"});
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_FALSE(contains(again.err, "joined:")) << again.err;
  const CommandResult replayed =
      run_duel({"result", "--log", (directory_.path() / "duel.duel.jsonl").string()});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_TRUE(contains(replayed.out, "gold")) << replayed.out;
}

TEST_F(ArmChangesCommand, a_fixed_set_says_why_it_is_fixed) {
  EXPECT_EQ(vote({}).exit_code, 3);
  const CommandResult refused = vote({"--add-arm", "gold"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err,
                       "--add-arm: duel.duel.jsonl: the set of arms of this log is "
                       "fixed: its thresholds are lower because no arm joins or "
                       "leaves (begin another --log with --open-arms)"))
      << refused.err;
  EXPECT_TRUE(contains(vote({"--open-arms"}).err, "its set of arms is fixed"));
}

TEST_F(ArmChangesCommand, an_open_set_is_refused_where_no_threshold_is_known) {
  const CommandResult goal = vote({"--open-arms", "--goal", "ranking"});
  EXPECT_NE(goal.exit_code, 0);
  EXPECT_TRUE(contains(goal.err, "--open-arms: the goal ranking needs a fixed set of arms"))
      << goal.err;
  directory_.write("tasks.jsonl", "\"one\"\n\"two\"\n");
  const CommandResult tasks = vote({"--open-arms", "--tasks", "tasks.jsonl"});
  EXPECT_TRUE(contains(tasks.err,
                       "--open-arms: a statement about tasks like these needs a fixed "
                       "set of arms"))
      << tasks.err;
}

}  // namespace
}  // namespace duel
