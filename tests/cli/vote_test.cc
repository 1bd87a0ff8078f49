// `duel vote` without a terminal: answers from lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;

class VoteCommand : public ::testing::Test {
 protected:
  CommandResult duel(const std::string& input, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"vote", "--arms", "red,blue"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_duel(arguments, {.input = input, .directory = directory_.path()});
  }
  // "result winner" of each outcome in the log.
  std::vector<std::string> outcomes() const {
    std::vector<std::string> all;
    std::istringstream lines(content_of(directory_.path() / "duel.duel.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      if (record["record"] == "outcome") all.push_back(record["result"]);
    }
    return all;
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

}  // namespace
}  // namespace duel
