#include "duel/experiment/vote_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "duel/experiment/comparison_table.h"
#include "tests/support/places.h"

namespace duel {
namespace {

using Strings = std::vector<std::string>;

// The table as an arena file, or the error.
std::string read(const std::string& text, const char* columns = nullptr) {
  VoteColumns stated;
  if (columns != nullptr) stated = parse_vote_columns(columns).value();
  const auto table = parse_comparisons(text, "votes", columns == nullptr ? nullptr : &stated);
  if (!table.ok()) return table.error().to_string();
  std::string arena = to_text(*table, ComparisonFormat::arena);
  arena.erase(0, arena.find('\n') + 1);
  std::ranges::replace(arena, '\n', '|');
  return arena;
}
std::string guess(const std::string& text) {
  const auto table = parse_comparisons(text, "votes");
  return table.ok() ? table->read_as : table.error().to_string();
}

TEST(VoteColumns, are_guessed_from_names_and_from_what_the_columns_hold) {
  EXPECT_EQ(guess("left,right,winner\nx,y,left\nx,y,tie\n"),
            "columns a=left,b=right,winner=winner");
  EXPECT_EQ(guess("Model A;Model B;Vote\nx;y;Model A\ny;z;B\n"),
            "columns a=Model A,b=Model B,winner=Vote");
  EXPECT_EQ(guess("id\toption1\toption2\tchoice\tworker_id\n7\tx\ty\t2\tw\n"),
            "columns a=option1,b=option2,winner=choice,judge=worker_id");
  EXPECT_EQ(guess("firstItem,secondItem,preferred,created_at\nx,y,y,2026-11-15T09:00:00Z\n"),
            "columns a=firstItem,b=secondItem,winner=preferred,time=created_at");
  EXPECT_EQ(guess("left_model|right_model|answer\nx|y|right\n"),
            "columns a=left_model,b=right_model,winner=answer");
  EXPECT_EQ(guess("model_a,model_b,winner\nx,y,model_a\n"), "") << "these names are ours";
}

TEST(VoteColumns, votes_name_the_arm_or_its_side) {
  const std::string rows = "left,right,winner\nx,y,left\nx,y,Right\nx,y,x\nx,y,Y\n";
  EXPECT_NE(read(rows).find("the winner 'Y' is neither of the two arms"), std::string::npos)
      << "names of arms are exact: " << read(rows);
  EXPECT_EQ(read("left,right,winner\nx,y,left\nx,y,Right\nx,y,y\nx,y,TIE\nx,y,both bad\n"),
            "x,y,model_a,,|x,y,model_b,,|x,y,model_b,,|x,y,tie,,|x,y,tie (bothbad),,|");
  EXPECT_EQ(read("Model A;Model B;Vote\nx;y;Model A\nx;y;B\nx;y;Tie\nx;y;model_a\n"),
            "x,y,model_a,,|x,y,model_b,,|x,y,tie,,|x,y,model_a,,|");
  EXPECT_EQ(read("left,right,winner\n0,1,tie\n0,2,right\n1,0,left\n"),
            "0,1,tie,,|0,2,model_b,,|1,0,model_a,,|")
      << "arms that are called by a number";
  EXPECT_NE(read("a,b,winner\na,b,a\nb,a,a\n").find("the winner 'a' is an arm and also a column"),
            std::string::npos);
}

TEST(VoteColumns, the_pair_that_the_votes_speak_of_is_taken) {
  EXPECT_EQ(guess("id,prompt,model_x,model_y,worker,winner,left,right\n"
                  "0,8,97,98,58,tie,Airoboros,Weaver\n0,8,97,98,14,right,Airoboros,Weaver\n"),
            "columns a=left,b=right,winner=winner,judge=worker");
  EXPECT_EQ(guess("conversation_a,conversation_b,model_1,model_2,vote\nhi,ho,x,y,model_2\n"),
            "columns a=model_1,b=model_2,winner=vote");
}

// The judges of a row answer one question, so only one of their votes may be evidence.
TEST(VoteColumns, several_judges_vote_in_one_row) {
  const std::string text =
      "num,model_a,model_b,human,gpt4\n0,x,y,a,t\n1,x,y,,b\n2,y,x,tie (bothbad),b\n";
  EXPECT_EQ(guess(text), "columns a=model_a,b=model_b,winner=human,winner=gpt4");
  EXPECT_EQ(read(text),
            "x,y,model_a,human,,0,|x,y,tie,gpt4,,0,false|x,y,model_b,gpt4,,1,|"
            "y,x,tie (bothbad),human,,2,|y,x,model_b,gpt4,,2,false|");
  const auto table = parse_comparisons(text, "votes").value();
  EXPECT_EQ(table.left_out, (Strings{"1 row without a vote"}));
  EXPECT_TRUE(table.rows[0].evidence);
  EXPECT_FALSE(table.rows[1].evidence);
  EXPECT_TRUE(table.rows[2].evidence) << "the first that voted there";
  EXPECT_EQ(read(text, "a=model_a,b=model_b,winner=gpt4"),
            "x,y,tie,,,0,a|x,y,model_b,,,1,|y,x,model_b,,,2,tie (bothbad)|");
}

TEST(VoteColumns, can_be_stated) {
  const auto columns = parse_vote_columns("a=left, b=right,winner=vote,judge=who,time=at");
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(to_text(*columns), "a=left,b=right,winner=vote,judge=who,time=at");
  EXPECT_EQ(read("l,r,v\nx,y,l\n", "a=l,b=r,winner=v"), "x,y,model_a,,|");
  EXPECT_EQ(read("[{\"l\":\"x\",\"r\":\"y\",\"v\":\"r\"}]", "a=l,b=r,winner=v"), "x,y,model_b,,|");
  EXPECT_NE(read("l,r,v\nx,y,l\n", "a=l,b=r,winner=vote").find("there is no column 'vote'"),
            std::string::npos);
  const auto error = [](const char* text) {
    const auto parsed = parse_vote_columns(text);
    return parsed.ok() ? "no error" : parsed.error().to_string();
  };
  EXPECT_NE(error("a=x,b=y").find("a, b and winner are needed"), std::string::npos);
  EXPECT_NE(error("a=x,b=y,winer=z").find("did you mean 'winner'"), std::string::npos);
  EXPECT_NE(error("a=x,a=y,winner=z").find("given twice"), std::string::npos);
  EXPECT_NE(error("a").find("names no column"), std::string::npos);
}

TEST(VoteColumns, of_json_lines_are_guessed_too) {
  EXPECT_EQ(read("{\"left\":\"x\",\"right\":\"y\",\"winner\":\"left\",\"judge\":\"me\"}\n"),
            "x,y,model_a,me,|");
  EXPECT_EQ(read("{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_b\",\"judge\":\"me\","
                 "\"tstamp\":17,\"turn\":1}\n"),
            "x,y,model_b,me,17,1|");
}

TEST(VoteColumns, a_table_that_nobody_can_guess_is_an_error_that_lists_its_columns) {
  EXPECT_NE(guess("who,what,when\n1,2,3\n").find("there is no column for the first arm"),
            std::string::npos);
  EXPECT_NE(guess("who,what,when\n1,2,3\n").find("the columns here: who, what, when"),
            std::string::npos);
  EXPECT_NE(guess("left,right,winner\nx,y,maybe\n").find("no column says which of 'left'"),
            std::string::npos);
}

TEST(WinCounts, a_square_of_counts_is_read_as_wins_of_rows_over_columns) {
  const std::string plain = "red,blue\n0,2\n1,0\n", expected =
                                                        "red,blue,model_a,,|red,blue,model_a,,|"
                                                        "blue,red,model_a,,|";
  EXPECT_EQ(read(plain), expected);
  EXPECT_EQ(read("arm;red;blue\nred;0;2\nblue;1;0\n"), expected);
  EXPECT_EQ(read("red,blue\nblue,1,0\nred,0,2\n"),
            "blue,red,model_a,,|red,blue,model_a,,|red,blue,model_a,,|")
      << "the names of the rows give their order";
  EXPECT_EQ(guess(plain), "a table of wins: row beats column");
  EXPECT_TRUE(parse_comparisons(plain, "votes")->interleaved) << "the winner was not shown first";
  EXPECT_NE(read("red,blue\n0,0.5\n0.5,0\n").find("'0.5' is no number of wins"), std::string::npos);
  EXPECT_NE(read(",red,blue\nred,0,2\ngreen,1,0\n").find("'green' is no column"),
            std::string::npos);
  EXPECT_NE(read(",red,blue\nred,0,2\nred,1,0\n").find("two rows of 'red'"), std::string::npos);
}

struct Published {
  const char* file;
  std::size_t rows, arms;
  const char* read_as;
};

TEST(VoteColumns, published_files_are_read) {
  for (const Published& one :
       {Published{"votes/simple.csv", 16, 5, "columns a=left,b=right,winner=winner"},
        Published{"votes/food.csv", 0, 5, "columns a=left,b=right,winner=winner"},
        Published{"votes/llmfao_crowd_even_prompts.csv", 0, 0,
                  "columns a=left,b=right,winner=winner,judge=worker"},
        Published{"judges/arena_people_and_judges.csv", 4 * 13472, 0,
                  "columns a=model_a,b=model_b,winner=human,winner=gpt4,winner=claude3opus,"
                  "winner=gpt35"},
        Published{"sports/atp_10.counts.csv", 0, 10, "a table of wins: row beats column"},
        Published{"image_quality/tmo_7.counts.csv", 1213, 7,
                  "a table of wins: row beats column"}}) {
    const std::string file = shared_dir() + "/data/" + one.file;
    if (!std::filesystem::exists(file)) {
      GTEST_SKIP() << "NOT CHECKED: the shared data file " << one.file << " is absent";
    }
    const auto table = read_comparisons(file);
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    EXPECT_EQ(table->read_as, one.read_as) << one.file;
    EXPECT_TRUE(one.rows == 0 || one.rows == table->rows.size()) << table->rows.size() << one.file;
    EXPECT_TRUE(one.arms == 0 || one.arms == table->arms.size()) << table->arms.size() << one.file;
  }
}

}  // namespace
}  // namespace duel
