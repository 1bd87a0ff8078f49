// `duel result -o` and `--position` from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;

// The good one beats poor in 60 of 80 duels where it is shown first and in 50 of 80 where second; a
// third arm hardly played.
std::string votes(bool idle = true) {
  std::string text = "model_a,model_b,winner,tstamp\n";
  int time = 1700000000;
  const auto add = [&](const std::string& row, int times) {
    for (int k = 0; k < times; ++k) text += row + "," + std::to_string(time++) + "\n";
  };
  add("The good one,poor,model_a", 60);
  add("The good one,poor,model_b", 20);
  add("poor,The good one,model_a", 30);
  add("poor,The good one,model_b", 50);
  if (!idle) return text;
  add("poor,idle,tie", 1);
  add("poor,idle,model_a", 5);
  add("idle,poor,model_a", 5);
  return text;
}

class BoardCommand : public ::testing::Test {
 protected:
  CommandResult result(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"result", votes_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_duel(arguments, {.directory = directory_.path()});
  }
  std::string file(const std::string& name) const { return content_of(directory_.path() / name); }

  TemporaryDirectory directory_;
  std::string votes_ = directory_.write("votes.csv", votes());
};

TEST_F(BoardCommand, writes_the_numbers_that_it_prints_as_csv) {
  const CommandResult done = result({"--json", "-o", "board.csv"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Json json = Json::parse(done.out);
  std::istringstream lines(file("board.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "rank,rank_best,rank_worst,arm_id,name,elo,elo_low,elo_high,wins,losses,ties,both_bad,"
            "rate,probability_best");
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("1,1,2,The-good-one,The good one,")) << line;
  EXPECT_TRUE(contains(line, ",110,50,0,0,0.6875,")) << line;
  const Json& best = json["arms"][0];
  EXPECT_EQ(best["arm_id"], "The-good-one");
  EXPECT_EQ(best["rank"], 1);
  EXPECT_EQ(best["rank_range"], (Json{1, 2})) << "idle has too few duels to be behind";
  EXPECT_TRUE(contains(line, best["elo"].dump().substr(0, 12))) << line;
}

TEST_F(BoardCommand, writes_markdown_with_the_verdict_and_who_beat_whom) {
  ASSERT_EQ(result({"-o", "board.md"}).exit_code, 0);
  const std::string text = file("board.md");
  EXPECT_TRUE(text.starts_with("# votes\n\n")) << text;
  EXPECT_TRUE(contains(text, "| place | arm | Elo [95 %] | won |")) << text;
  EXPECT_TRUE(contains(text, "| The good one |  |")) << text;
  EXPECT_TRUE(contains(text, "110 of 160")) << text;
  EXPECT_TRUE(contains(text, "| – |")) << "The good one never met idle: " << text;
}

TEST_F(BoardCommand, draws_strengths_and_a_map_of_the_wins) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const CommandResult done = result({"-o", "board.svg", "-o", "board.png"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string svg = file("board.svg");
  EXPECT_TRUE(contains(svg, "<title>votes: strengths and wins after 171 duels</title>"));
  EXPECT_TRUE(contains(svg, "The good one"));
  EXPECT_TRUE(contains(svg, "Elo, 95 % intervals; 0 is the average arm"));
  EXPECT_TRUE(file("board.png").starts_with("\x89PNG"));
}

TEST_F(BoardCommand, refuses_a_file_of_no_known_format_before_it_reads_anything) {
  const CommandResult wrong = result({"-o", "board.txt"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err,
                       "--output: 'board.txt' does not end in a known format (known: "
                       ".csv, .md, .html, .svg, .pdf, .png)"))
      << wrong.err;
  EXPECT_NE(result({"-o", "nowhere/board.csv"}).exit_code, 0);
}

// Of two arms the effect is known: half of ln 3 + ln(3/5).
TEST_F(BoardCommand, fits_what_being_shown_first_is_worth) {
  votes_ = directory_.write("two.csv", votes(false));
  const Json json = Json::parse(result({"--json", "--position"}).out);
  const Json& position = json["bradley_terry"]["position"];
  EXPECT_NEAR(position["log_odds"], (std::log(3.0) + std::log(0.6)) / 2, 1e-6);
  EXPECT_LT(position["interval"][0], position["log_odds"]);
  EXPECT_NEAR(position["elo"], 400 / std::log(10.0) * position["log_odds"].get<double>(), 1e-6);
  EXPECT_FALSE(Json::parse(result({"--json"}).out)["bradley_terry"].contains("position"));
  const std::string text = result({"--position"}).out;
  EXPECT_TRUE(contains(text, "Being shown first is worth +")) << text;
}

TEST_F(BoardCommand, says_why_the_places_cannot_be_told_from_the_arms) {
  votes_ = directory_.write("one_order.csv", "model_a,model_b,winner\na,b,model_a\na,b,model_b\n");
  const CommandResult done = result({"--position"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(contains(done.out,
                       "The effect of being shown first was not fitted: position: the "
                       "duels do not determine the effect of places"))
      << done.out;
}

TEST_F(BoardCommand, prints_its_guess_at_columns_and_the_model_of_ties) {
  votes_ = directory_.write("votes.csv", "left;right;vote\na;b;left\na;b;tie\na;b;right\na;b;a\n");
  const CommandResult guessed = result({"--ties", "half"});
  EXPECT_EQ(guessed.exit_code, 0) << guessed.err;
  EXPECT_TRUE(contains(guessed.err, "read as columns a=left,b=right,winner=vote: 4 comparisons"))
      << guessed.err;
  EXPECT_TRUE(contains(guessed.out, "ties as half wins")) << guessed.out;
  EXPECT_EQ(Json::parse(result({"--json"}).out)["bradley_terry"]["ties"], "davidson");
  const CommandResult stated = result({"--columns", "a=left,b=right,winner=vote"});
  EXPECT_EQ(stated.exit_code, 0) << stated.err;
  EXPECT_FALSE(contains(stated.err, "read as")) << stated.err;
  const CommandResult wrong = result({"--columns", "a=left,b=right,winner=winner"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(contains(wrong.err, "there is no column 'winner'")) << wrong.err;
}

}  // namespace
}  // namespace duel
