#include "duel/core/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Every kind of cell, and a name that CSV and Markdown have to escape.
Table small_table() {
  Table table;
  table.column("policy", Align::left).column("mean").column("trials").column("apart");
  table.row({"rucb(a=1,b|c)", Cell(1.25, 1), 30U, true});
  table.row({"é", 10.0, Cell(), false});
  table.row({"none", Cell(kNothing, 1)});
  return table;
}

TEST(Table, is_aligned_by_what_a_terminal_shows) {
  EXPECT_EQ(small_table().to_string(),
            "policy         mean  trials  apart\n"
            "rucb(a=1,b|c)   1.2      30   true\n"
            "é                10       -  false\n"
            "none              -\n");
  EXPECT_EQ(small_table().width(), 34U);
  EXPECT_EQ(Table().width(), 0U);
}

TEST(Table, gives_programs_all_digits) {
  EXPECT_EQ(small_table().to_csv(),
            "policy,mean,trials,apart\n"
            "\"rucb(a=1,b|c)\",1.25,30,true\n"
            "é,10,,false\n"
            "none,,,\n");
}

TEST(Table, escapes_what_would_end_a_cell_of_markdown) {
  EXPECT_EQ(small_table().to_markdown(),
            "| policy | mean | trials | apart |\n"
            "|---|--:|--:|--:|\n"
            "| rucb(a=1,b\\|c) | 1.2 | 30 | true |\n"
            "| é | 10 | – | false |\n"
            "| none | – |  |  |\n");
  EXPECT_EQ(Table("a|b,", Align::left).row({"x\ny"}).to_markdown(),
            "| a\\|b | |\n|---|---|\n| x y |  |\n");
}

TEST(Table, takes_the_cells_of_a_row_by_name) {
  const Json outer = {{"seed", 7}, {"mean", 1}};
  const Json inner = {{"policy", "rucb"}, {"mean", 0.5}, {"se", nullptr}, {"shown_nowhere", 1}};
  Table table("policy,mean,se,seed");
  table.row_of({&inner, &outer});
  EXPECT_EQ(table.to_csv(), "policy,mean,se,seed\nrucb,0.5,,7\n");
  EXPECT_THROW(table.row_of({&outer}), CheckFailure);
}

TEST(Table, takes_texts_and_refuses_more_cells_than_columns) {
  Table table("a,b");
  EXPECT_EQ(table.row(std::vector<std::string>{"x"}).to_csv(), "a,b\nx,\n");
  EXPECT_THROW(table.row({1, 2, 3}), CheckFailure);
  EXPECT_EQ(table.num_rows(), 1U);
}

TEST(Table, folds_words_and_keeps_what_must_stay_whole) {
  Table table;
  table.column("policy", Align::left, Fold::above).column("mean");
  table.column("meaning", Align::left, Fold::words);
  table.row({"rucb", 1.5, "short"});
  table.row({"imed(c=1,n0=20,ag=0.25,slack=4)", 12.25, "words that go on and on"});
  EXPECT_EQ(table.to_string(100), table.to_string()) << "nothing folds where there is room";
  EXPECT_EQ(table.to_string(30),
            "policy       mean  meaning\n"
            "rucb          1.5  short\n"
            "imed(c=1,n0=20,ag=0.25,slack=4)\n"
            "            12.25  words that\n"
            "                   go on and\n"
            "                   on\n");
  EXPECT_EQ(table.least_width(), 29U);
  // A word that is longer than its column is cut, between characters.
  Table long_word;
  long_word.column("text", Align::left, Fold::words).row({"ääääääääääääxyz"});
  EXPECT_EQ(long_word.to_string(10), "text\nääääääääää\nääxyz\n");
}

}  // namespace
}  // namespace duel
