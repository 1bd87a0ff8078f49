// How many duels a jury takes at a time, whichever of its judges is slow.
#include "duel/judging/jury.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

using namespace std::chrono_literals;

class Juries : public ::testing::Test {
 protected:
  Juries() { ::signal(SIGPIPE, SIG_IGN); }

  // A judge that says `first`; about the duel `waits_for` not before the file `go` is there, and
  // about every other it leaves a file.
  JudgeCommand judge(const std::string& name, const std::string& waits_for) {
    const auto file = directory_ / name;
    const std::string at = directory_.path().string() + "/";
    write_content(file, "#!/bin/sh\nif [ \"$1\" = " + waits_for + " ]; then\n  while [ ! -e " + at +
                            "go ]; do sleep 0.02; done\nelse\n  : > " + at + name +
                            "-$1\nfi\necho first\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return JudgeCommand::parse(file.string() + " {duel_id}", false, true).value();
  }
  Jury jury_of(JuryRule rule, std::size_t parallel) {
    std::vector<JudgeCommand> judges;
    judges.push_back(judge("one", "d1"));
    judges.push_back(judge("other", "d2"));
    return {std::move(judges), {.parallel = parallel, .timeout_seconds = 20}, rule, 7};
  }
  static Question question(int number) {
    Question q;
    q.duel_id = "d" + std::to_string(number);
    q.first = {.arm_id = "a", .path = "", .payload = "a"};
    q.second = {.arm_id = "b", .path = "", .payload = "b"};
    return q;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_ / name); }
  static std::size_t answered_by(Jury& jury, std::size_t count) {
    std::size_t answered = 0;
    while (answered < count) answered += jury.wait(100ms).size();
    return answered;
  }

  TemporaryDirectory directory_;
};

// Each judge has a place left, and yet there is none for a third duel: both duels that are out may
// have to be asked again, in the other order, of both judges.
TEST_F(Juries, judges_that_wait_on_different_duels_leave_no_place_for_another) {
  Jury jury = jury_of(JuryRule::mean, 2);
  jury.ask(question(1));
  jury.ask(question(2));
  while (!exists("one-d2") || !exists("other-d1")) EXPECT_TRUE(jury.wait(20ms).empty());
  for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(jury.wait(20ms).empty());
  EXPECT_EQ(jury.free(), 0U);
  directory_.write("go", "");
  EXPECT_EQ(answered_by(jury, 2), 2U);
  EXPECT_EQ(jury.free(), 2U);
}

TEST_F(Juries, so_many_duels_are_out_whoever_was_drawn_for_them) {
  constexpr std::size_t kParallel = 8;
  Jury jury = jury_of(JuryRule::drawn, kParallel);
  std::size_t asked = 0;
  for (; jury.free() > 0; ++asked) jury.ask(question(static_cast<int>(asked) + 3));
  EXPECT_EQ(asked, kParallel);
  EXPECT_EQ(answered_by(jury, asked), asked);
  EXPECT_EQ(jury.free(), kParallel);
}

}  // namespace
}  // namespace duel
