// Interrupting `duel run`: answers that are slow to come must be as good as fast ones. A judge that
// takes longer to say "b" than to say "a" would otherwise make a the winner by Ctrl-C alone.
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

using namespace std::chrono_literals;

class Interrupt : public JudgedDirectory {
 protected:
  // Even arms; where the file `slow` is, the answer b takes as long as it says.
  Interrupt() {
    script("judge", lot() +
                        "[ $((n % 2)) = 0 ] && winner=a || winner=b\n"
                        "[ $winner = b ] && [ -e slow ] && sleep $(cat slow)\n" +
                        say_winner());
  }
  static std::vector<std::string> arguments(const std::string& max_duels) {
    return {"--arms", "a,b", "--parallel", "8", "--log", "log", "--max-duels", max_duels};
  }
  std::size_t unanswered() const {
    const auto all = fates("log");
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& duel) { return duel.second.empty(); }));
  }
};

TEST_F(Interrupt, the_first_waits_for_every_answer_that_is_to_come) {
  write("slow", "0.7");
  RunningDuel running(complete(arguments("1000")), {.directory = directory_.path()});
  // All places are taken by slow answers sooner or later; some are in flight.
  wait_until([&] { return count("log", "outcome") >= 3 && unanswered() >= 4; });
  running.send_to_group(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(contains(result.err, "outstanding; press Ctrl-C again to drop them")) << result.err;
  const auto all = fates("log");
  EXPECT_LT(all.size(), 1000);
  for (const auto& [duel_id, fate] : all) EXPECT_EQ(fate, "outcome") << duel_id;
  EXPECT_EQ(verify("log").exit_code, 0);
  // The slow answers are among them.
  std::set<std::string> winners;
  for (const Json& record : records("log")) {
    if (record["record"] == "outcome") winners.insert(record["winner"].get<std::string>());
  }
  EXPECT_TRUE(winners.contains("b"));
}

TEST_F(Interrupt, the_second_gives_up_for_good) {
  write("slow", "100");
  RunningDuel running(complete(arguments("1000")), {.directory = directory_.path()});
  wait_until([&] { return unanswered() == 8 && count("log", "outcome") >= 3; });
  running.send_to_group(SIGINT);
  wait_until([&] { return contains(running.err_so_far(), "press Ctrl-C again"); });
  const auto begin = std::chrono::steady_clock::now();
  running.send_to_group(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 80s);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  const auto before = fates("log");
  std::set<std::string> given_up;
  for (const auto& [duel_id, fate] : before) {
    EXPECT_FALSE(fate.empty()) << duel_id;
    if (fate == "expired") given_up.insert(duel_id);
  }
  EXPECT_GE(given_up.size(), 4);
  EXPECT_EQ(verify("log").exit_code, 0);
  // The next run does not ask them again, though all would answer fast now.
  std::filesystem::remove(directory_.path() / "slow");
  const std::string more = std::to_string(before.size() + 6);
  EXPECT_EQ(duel(arguments(more)).exit_code, 3);
  const auto after = fates("log");  // no duel is served twice
  EXPECT_EQ(after.size(), before.size() + 6);
  for (const std::string& duel_id : given_up) EXPECT_EQ(after.at(duel_id), "expired") << duel_id;
}

TEST_F(Interrupt, what_a_kill_left_open_has_expired_in_the_next_run) {
  write("slow", "2");
  RunningDuel running(complete(arguments("1000")), {.directory = directory_.path()});
  wait_until([&] { return unanswered() >= 4 && count("log", "outcome") >= 3; });
  running.send(SIGKILL);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  const auto before = fates("log");
  std::set<std::string> open;
  for (const auto& [duel_id, fate] : before) {
    if (fate.empty()) open.insert(duel_id);
  }
  ASSERT_GE(open.size(), 1);
  std::filesystem::remove(directory_.path() / "slow");
  const CommandResult again = duel(arguments(std::to_string(before.size() + 6)));
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_TRUE(contains(again.err,
                       std::to_string(open.size()) + " of them without an answer, which is final"))
      << again.err;
  const auto after = fates("log");
  for (const auto& [duel_id, fate] : after) {
    EXPECT_EQ(fate, open.contains(duel_id) ? "expired" : "outcome") << duel_id;
  }
  EXPECT_EQ(verify("log").exit_code, 0);
}

TEST_F(Interrupt, in_both_orders_the_second_half_is_waited_for) {
  write("slow", "0.5");
  std::vector<std::string> both = arguments("1000");
  both.insert(both.end(), {"--order", "both"});
  RunningDuel running(complete(both), {.directory = directory_.path()});
  wait_until([&] { return count("log", "outcome") >= 1 && unanswered() >= 4; });
  running.send(SIGTERM);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.exit_code, 143) << result.err;
  for (const auto& [duel_id, fate] : fates("log")) EXPECT_EQ(fate, "outcome") << duel_id;
}

}  // namespace
}  // namespace duel
