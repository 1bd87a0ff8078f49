// `duel vote` without a terminal, where answers come from lines, and on one, where each key is a
// vote.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/on_terminal.h"
#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {
namespace {

using Json = nlohmann::json;

// "win", "tie", .. of each outcome in the log.
std::vector<std::string> outcomes_in(const std::filesystem::path& log) {
  std::vector<std::string> all;
  std::istringstream lines(content_of(log));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_discarded()) continue;  // a line being written
    if (record["record"] == "outcome") all.push_back(record["result"]);
  }
  return all;
}

class VoteCommand : public ::testing::Test {
 protected:
  CommandResult duel(const std::string& input, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"vote", "--arms", "red,blue"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_duel(arguments, {.input = input, .directory = directory_.path()});
  }
  std::vector<std::string> outcomes() const {
    return outcomes_in(directory_.path() / "duel.duel.jsonl");
  }
  using Results = std::vector<std::string>;
  TemporaryDirectory directory_;
};

TEST_F(VoteCommand, takes_every_answer_from_lines) {
  const CommandResult result = duel("1\nright\nt\n\nBOTH_BAD\ns\n");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(outcomes(), (Results{"win", "win", "tie", "both_bad", "skip"}));
  EXPECT_TRUE(
      contains(result.out, "6 duels: 2 decided, 1 tie, 1 both bad, 1 skipped, 1 still open."))
      << result.out;
  EXPECT_TRUE(contains(result.err, "To continue: duel vote --arms red,blue"));
}

TEST_F(VoteCommand, shows_both_items_and_the_keys) {
  const CommandResult result = duel("q\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.err, "--- 1 ---\n"));
  EXPECT_TRUE(contains(result.err, "--- 2 ---\n"));
  EXPECT_TRUE(contains(result.err, "red\n") && contains(result.err, "blue\n"));
  EXPECT_TRUE(contains(result.err, "t: tie   b: both bad   s: skip   u: undo   q: stop"));
  EXPECT_EQ(outcomes(), Results{});
}

TEST_F(VoteCommand, a_panel_is_asked_one_by_one_until_it_is_certain) {
  const std::vector<std::string> panel = {"--about", "these-people", "--panel", "2"};
  const auto vote = [&](const std::string& voter) {
    std::vector<std::string> more = panel;
    more.insert(more.end(), {"--voter", voter, "--question", "Which one would you wear?"});
    return duel("t\n1\n1\n", more);
  };
  const CommandResult nobody = duel("1\n", panel);
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_TRUE(contains(nobody.err, "--voter")) << nobody.err;
  const CommandResult first = vote("ann");
  EXPECT_EQ(first.exit_code, 3) << first.err;
  EXPECT_TRUE(contains(first.err, "Which one would you wear?")) << first.err;
  EXPECT_TRUE(contains(first.err, "everything that can matter")) << first.err;
  EXPECT_TRUE(contains(first.out, "1 of these 2 people has answered")) << first.out;
  EXPECT_EQ(outcomes(), (Results{"tie"}));
  EXPECT_EQ(vote("ann").exit_code, 3);  // nothing new is asked
  EXPECT_EQ(outcomes(), (Results{"tie"}));
  const CommandResult last = vote("bob");
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_TRUE(contains(last.out, "'red' and 'blue' tie")) << last.out;
  const CommandResult verified =
      run_duel({"verify", "duel.certificate.json", "--log", "duel.duel.jsonl", "--replay"},
               {.directory = directory_.path()});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

// What these people have said is counted: no rate, no strength and no probability speaks of others.
TEST_F(VoteCommand, the_result_of_a_panel_is_its_count) {
  const std::vector<std::string> panel = {"--about", "these-people", "--panel", "3",
                                          "--order", "fixed",        "--voter"};
  const auto vote = [&](const std::string& voter) {
    std::vector<std::string> more = panel;
    more.push_back(voter);
    return duel("1\n", more);
  };
  const auto result = [&] {
    const CommandResult told =
        run_duel({"result", "--log", "duel.duel.jsonl"}, {.directory = directory_.path()});
    EXPECT_EQ(told.exit_code, 0) << told.err;
    for (const char* of_a_sample : {"Elo", "P(best)", "95 %", "Bradley-Terry"}) {
      EXPECT_FALSE(contains(told.out, of_a_sample)) << of_a_sample << " in\n" << told.out;
    }
    return told.out;
  };
  EXPECT_EQ(vote("ann").exit_code, 3);
  const std::string open = result();
  EXPECT_TRUE(contains(open, "If they will not come, the owner can\n    close the panel")) << open;
  EXPECT_TRUE(contains(open,
                       "What the panel has said of each pair\n"
                       "first       second  for first  for second  neither  to come\n"
                       "red    and  blue            1           0        0        2\n"))
      << open;
  EXPECT_EQ(vote("bob").exit_code, 0);
  EXPECT_TRUE(contains(result(), "red    beats  blue            2           0        0        1\n"))
      << result();
}

TEST_F(VoteCommand, a_panel_without_a_size_is_closed_by_its_owner) {
  const auto vote = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--about", "these-people"});
    return duel("1\n1\n1\n", more);
  };
  EXPECT_EQ(vote({"--close-panel"}).exit_code, 1);
  EXPECT_EQ(vote({"--voter", "ann"}).exit_code, 3);
  const CommandResult closed = vote({"--close-panel"});
  EXPECT_EQ(closed.exit_code, 0) << closed.err;
  EXPECT_TRUE(contains(closed.out, "More of the 1 who answered prefer")) << closed.out;
}

TEST_F(VoteCommand, takes_an_answer_back_before_the_next_pair_comes) {
  const CommandResult result = duel("1\nu\nt\nq\n");
  EXPECT_EQ(outcomes(), (Results{"tie"}));
  EXPECT_TRUE(contains(result.err, "Undone."));
  const CommandResult late = duel("u\nq\n");
  EXPECT_TRUE(contains(late.err, "There is nothing to undo: the last answer is recorded."));
}

TEST_F(VoteCommand, repeats_the_keys_for_what_it_does_not_know) {
  const CommandResult result = duel("x\n2\nq\n");
  EXPECT_EQ(outcomes(), (Results{"win"}));
}

TEST_F(VoteCommand, goes_on_and_ends_with_a_certificate) {
  duel("t\nt\n");
  // The fixed order shows red first; always the first.
  std::string always;
  for (int k = 0; k < 100; ++k) always += "1\n";
  const CommandResult other = duel("q\n", {"--order", "fixed"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "its order is random, not fixed")) << other.err;
  const CommandResult result =
      duel(always, {"--order", "fixed", "--log", "fixed.jsonl", "--voter", "ann", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["winner"], "red");
  EXPECT_TRUE(std::filesystem::exists(directory_ / "fixed.certificate.json"));
  EXPECT_TRUE(
      contains(content_of(directory_ / "fixed.jsonl"), R"("source":{"type":"human","id":"ann"})"));
}

TEST_F(VoteCommand, shows_texts_blind_and_harmless) {
  directory_.write("one.txt", "First line\n\x1b[31mred\ttab\n");
  directory_.write("two.txt", "Another text\n");
  const CommandResult result = run_duel({"vote", "--arms", "one.txt,two.txt"},
                                        {.input = "q\n", .directory = directory_.path()});
  EXPECT_TRUE(contains(result.err, "First line\n?[31mred    tab\n")) << result.err;
  EXPECT_FALSE(contains(result.err.substr(0, result.err.find("[1")), "one.txt"));
}

// `duel vote` on a terminal.
class VoteOnTerminal : public OnTerminal {
 protected:
  using Results = std::vector<std::string>;

  void start(const std::vector<std::string>& more = {},
             const std::string& arms = "red,blue,green,grey") {
    std::vector<std::string> words = {duel_binary(), "vote", "--arms", arms};
    words.insert(words.end(), more.begin(), more.end());
    start_program(std::move(words));
  }
  Results outcomes() const { return outcomes_in(directory_.path() / "duel.duel.jsonl"); }
  void wait_for_outcomes(std::size_t count) const {
    for (int tries = 0; tries < 6000 && outcomes().size() < count; ++tries) ::usleep(20'000);
    EXPECT_EQ(outcomes().size(), count);
  }
};

TEST_F(VoteOnTerminal, takes_one_key_for_each_vote_without_enter) {
  start();
  shown_up_to("q: stop");
  EXPECT_TRUE(is_raw());
  press("1");
  shown_up_to("Your last answer: the first is better.   u: take it back");
  press("t");
  shown_up_to("Your last answer: a tie.");
  press("2");
  shown_up_to("Your last answer: the second is better.");
  press("q");
  EXPECT_EQ(WEXITSTATUS(status()), 3);
  EXPECT_EQ(outcomes(), (Results{"win", "tie", "win"}));
  EXPECT_FALSE(is_raw());
}

TEST_F(VoteOnTerminal, takes_the_last_answer_back_while_the_next_pair_is_on_the_screen) {
  start();
  shown_up_to("q: stop");
  press("1");
  shown_up_to("u: take it back");
  press("u");
  shown_up_to("Undone.");
  press("s");
  shown_up_to("Your last answer: skipped.");
  press("b");
  shown_up_to("Your last answer: both bad.");
  press("q");
  status();
  EXPECT_EQ(outcomes(), (Results{"skip", "both_bad"}));
}

TEST_F(VoteOnTerminal, records_an_answer_by_itself_after_a_while) {
  start();
  shown_up_to("q: stop");
  press("t");
  wait_for_outcomes(1);
  press("u");
  shown_up_to("There is nothing to undo: the last answer is recorded.");
}

TEST_F(VoteOnTerminal, ends_with_the_certificate_and_nothing_open) {
  start({"--order", "fixed", "--alpha", "0.5"}, "red,blue");
  std::string text = shown_up_to("q: stop");
  for (int votes = 0; votes < 200 && !contains(text, "Certificate: "); ++votes) {
    press("1");
    text = shown([](const std::string& told) {
      return contains(told, "take it back") || contains(told, "Check it:");
    });
  }
  EXPECT_EQ(WEXITSTATUS(status()), 0);
  const std::string log = content_of(directory_.path() / "duel.duel.jsonl");
  EXPECT_TRUE(contains(log, R"("record":"completed")")) << log;
  EXPECT_FALSE(is_raw());
}

// Ctrl-C is a key here: the terminal turns it into the signal.
TEST_F(VoteOnTerminal, is_as_it_was_after_an_interruption_that_keeps_the_last_answer) {
  start();
  shown_up_to("q: stop");
  press("1");
  shown_up_to("u: take it back");
  press("\x03");
  EXPECT_EQ(WEXITSTATUS(status()), 130);
  EXPECT_EQ(outcomes(), (Results{"win"}));
  EXPECT_FALSE(is_raw());
}

TEST_F(VoteOnTerminal, is_as_it_was_after_a_crash) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGHUP, SIGQUIT}) {
    start({"--log", std::to_string(signal)});
    shown_up_to("q: stop");
    ASSERT_TRUE(is_raw());
    ::kill(pid_, signal);
    const int ended = status();
    EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == signal) << signal;
    EXPECT_FALSE(is_raw()) << signal;
  }
}

// `duel run --audit vote`: a program answers every duel, and whoever sits here answers after it.
class AuditOnTerminal : public VoteOnTerminal {
 protected:
  void start_audit(const std::string& judge_waits = "") {
    directory_.write("judge", "#!/bin/sh\n" + judge_waits + "echo second\n");
    std::filesystem::permissions(directory_.path() / "judge", std::filesystem::perms::owner_all);
    start_program({duel_binary(), "run", "--arms", "red,blue", "--judge", "./judge", "--audit",
                   "vote", "--audits", "1", "--audit-from-seed", "--order", "fixed"});
  }
  std::string log() const { return content_of(directory_.path() / "duel.duel.jsonl"); }
  std::size_t answers_of_people() const {
    std::size_t count = 0;
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);) {
      Json record = Json::parse(line);
      count += record["record"] == "outcome" && record["source"]["type"] != "judge" ? 1 : 0;
    }
    return count;
  }
};

TEST_F(AuditOnTerminal, ends_with_the_certificate_and_tells_the_key) {
  start_audit();
  std::string text = shown_up_to("q: stop");
  for (int votes = 0; votes < 200 && !contains(text, "Check it:"); ++votes) {
    press("1");
    text = shown([](const std::string& told) {
      return contains(told, "q: stop") || contains(told, "Check it:");
    });
  }
  EXPECT_EQ(WEXITSTATUS(status()), 0);
  // With the question that stood on the screen when the certificate came.
  EXPECT_TRUE(contains(log(), R"("audit_key":")")) << log();
  EXPECT_FALSE(is_raw());
}

TEST_F(AuditOnTerminal, takes_no_key_for_a_question_that_is_not_on_the_screen_yet) {
  start_audit("while [ ! -e go ]; do sleep 0.02; done\n");
  while (!is_raw()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  press("2");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  directory_.write("go", "");
  std::string text = shown_up_to("q: stop");
  press("1");
  text += shown_up_to("the first is better");
  EXPECT_FALSE(contains(text, "the second is better")) << text;
  press("q");
  status();
  EXPECT_EQ(answers_of_people(), 1U);
}

TEST_F(AuditOnTerminal, counts_an_answer_that_can_be_taken_back) {
  start_audit();
  EXPECT_TRUE(contains(shown_up_to("q: stop"), "[audit 1]"));
  press("1");
  const std::string next = shown([](const std::string& text) {
    return contains(text, "Your last answer: the first is better.") && contains(text, "q: stop");
  });
  EXPECT_TRUE(contains(next, "[audit 2]")) << next;
  press("q");
  status();
}

TEST_F(AuditOnTerminal, keeps_the_last_answer_when_it_is_interrupted) {
  start_audit();
  shown_up_to("q: stop");
  press("1");
  // In one go: what shows both may come in one piece.
  shown([](const std::string& text) {
    const std::size_t answer = text.find("Your last answer: the first is better.");
    return answer != std::string::npos && text.find("q: stop", answer) != std::string::npos;
  });
  press("\x03");
  EXPECT_EQ(WEXITSTATUS(status()), 130);
  EXPECT_EQ(answers_of_people(), 1U);
  EXPECT_FALSE(is_raw());
}

// Ctrl-Z in a shell, and `fg`.
TEST_F(VoteOnTerminal, is_as_it_was_while_it_is_stopped_and_shows_the_pair_again) {
  start_program(
      {"/bin/sh", "-c", "set -m; \"$duel\" vote --arms red,blue; echo stopped now; read line; fg"});
  shown_up_to("q: stop");
  EXPECT_TRUE(is_raw());
  press("\x1a");
  shown_up_to("stopped now");
  EXPECT_FALSE(is_raw());
  press("\n");
  shown_up_to("q: stop");
  EXPECT_TRUE(is_raw());
  press("q");
  status();
  EXPECT_FALSE(is_raw());
}

TEST_F(VoteOnTerminal, breaks_messages_at_words_and_keeps_a_command_in_one_piece) {
  start({"--log", "a-log-with-a-name-that-is-long-enough-to-fill-a-line-of-the-terminal.jsonl"});
  shown_up_to("q: stop");
  press("q");
  const std::string text = shown_up_to(
      "--log a-log-with-a-name-that-is-long-enough-to-fill-a-line-"
      "of-the-terminal.jsonl");
  const std::size_t at = text.find("To continue:");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find("\r\n  duel vote --arms", at), at + 12) << text;
  status();
}

}  // namespace
}  // namespace duel
