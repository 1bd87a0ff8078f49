// Two runs that meet at one log, and logs that are refused.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

using namespace std::chrono_literals;

class SharedLog : public JudgedDirectory {};

TEST_F(SharedLog, of_two_runs_that_begin_at_once_no_answer_is_lost) {
  // The judge keeps a book of its own: who asked for what.
  script("judge", "echo \"$WHO $3\" >> \"$BOOK\"\n" + lot() +
                      "[ $((n % 2)) = 0 ] && winner=a || winner=b\n" + say_winner());
  int refused = 0;
  for (int round = 0; round < 20; ++round) {
    const std::string log = "log" + std::to_string(round);
    const std::string book = "book" + std::to_string(round);
    const auto start = [&](const std::string& who) {
      CommandOptions options{.directory = directory_.path()};
      options.variables = {{"WHO", who}, {"BOOK", book}};
      return std::make_unique<RunningDuel>(
          complete({"--arms", "a,b", "--max-duels", "6", "--parallel", "3", "--log", log}),
          options);
    };
    const auto one = start("one"), two = start("two");
    for (const auto& running : {one.get(), two.get()}) {
      const CommandResult result = running->wait();
      if (result.exit_code == 3) continue;
      ++refused;
      EXPECT_EQ(result.exit_code, 1) << result.err;
      EXPECT_TRUE(contains(result.err, log + ": another process is writing to this log"))
          << result.err;
    }
    EXPECT_EQ(verify(log).exit_code, 0) << log;
    const auto answered = fates(log);  // no duel is served twice
    EXPECT_EQ(answered.size(), 6);
    for (const auto& [duel_id, fate] : answered) EXPECT_EQ(fate, "outcome") << duel_id;
    std::multiset<std::string> said;
    std::istringstream lines(text_of(book));
    for (std::string who, what; lines >> who >> what;) said.insert(what);
    EXPECT_EQ(said.size(), 6) << log;  // what the judge said is in the log, each once
    for (const std::string& duel_id : said) {
      EXPECT_TRUE(answered.contains(duel_id)) << duel_id;
      EXPECT_EQ(said.count(duel_id), 1) << duel_id;
    }
  }
  RecordProperty("refused", refused);
}

TEST_F(SharedLog, a_refused_log_with_a_cut_last_line_is_left_byte_for_byte_as_it_was) {
  script("judge", lot() + "[ $((n % 2)) = 0 ] && winner=a || winner=b\n" + say_winner());
  ASSERT_EQ(duel({"--arms", "a,b", "--max-duels", "4", "--log", "log"}).exit_code, 3);
  const std::string whole = text_of("log");
  const std::string cut = whole.substr(0, whole.size() - 25);
  const auto refused = [&](const std::string& text, std::vector<std::string> arguments, int code) {
    write("log", text);
    arguments.insert(arguments.end(), {"--log", "log", "--max-duels", "8"});
    const CommandResult result = duel(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(text_of("log"), text) << result.err;
  };
  refused(cut, {"--arms", "a,b", "--seed", "9"}, 2);
  refused(cut, {"--arms", "a,b,c"}, 2);
  refused(cut, {"--arms", "a,b", "--alpha", "0.01"}, 2);
  refused(cut, {"--arms", "a,b", "--judge", "./judge {first.id} {second.id} {duel_id} more"}, 2);
  // A line in the middle that does not fit its hash, too.
  std::string damaged = cut;
  damaged.replace(damaged.find("\"d2\""), 4, "\"d9\"");
  refused(damaged, {"--arms", "a,b"}, 1);
  // The same log goes on where nothing is wrong.
  write("log", cut);
  EXPECT_EQ(duel({"--arms", "a,b", "--log", "log", "--max-duels", "8"}).exit_code, 3);
  EXPECT_EQ(verify("log").exit_code, 0);
  EXPECT_EQ(fates("log").size(), 8);
}

}  // namespace
}  // namespace duel
