#include "duel/pictures/board_picture.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "duel/verdict/experiment_result.h"

namespace duel {
namespace {

// `a` and `b` met often, and a won three in four; c lost its only duel, with a.
Ledger lopsided() {
  ComparisonTable table;
  for (const std::string arm : {"a", "b", "c"}) table.arms.push_back({arm, "", ""});
  const auto add = [&](const std::string& winner, const std::string& loser, int times) {
    for (int k = 0; k < times; ++k) {
      ComparisonRecord row{.first = k % 2 == 0 ? winner : loser,
                           .second = k % 2 == 0 ? loser : winner};
      row.answer = {Answered::win, winner};
      table.rows.push_back(row);
    }
  };
  add("a", "b", 90);
  add("b", "a", 30);
  add("a", "c", 1);
  auto read = answers_of(table, "lopsided", 0.05, false);
  EXPECT_TRUE(read.ok()) << read.error().to_string();
  return std::move(read->ledger);
}

// The colours of the cells in the order in which they are drawn: rows below each column's name.
std::vector<std::string> colors_in(const std::string& script) {
  static const std::regex kCell("set object rectangle .* fc rgb '(#[0-9a-f]{6})'");
  std::vector<std::string> colors;
  for (std::sregex_iterator cell(script.begin(), script.end(), kCell), end; cell != end; ++cell) {
    colors.push_back((*cell)[1]);
  }
  return colors;
}

std::string script_of(const Ledger& ledger) {
  return board_picture_script(ledger, board_of(ledger), PlotFormat::svg);
}

TEST(BoardPicture, one_duel_that_was_won_is_no_colour_yet) {
  const Ledger ledger = lopsided();
  const Board board = board_of(ledger);
  ASSERT_EQ(board.arms.size(), 3U);
  std::vector<std::string> order;
  for (const BoardArm& arm : board.arms) order.push_back(ledger.id_of(arm.arm));
  const std::vector<std::string> colors = colors_in(script_of(ledger));
  ASSERT_GE(colors.size(), 6U);
  const std::string grey = "#e4e4e4", never = "#f6f6f6";
  std::size_t at = 0;
  for (const std::string& column : order) {
    for (const std::string& row : order) {
      if (row == column) continue;
      const std::string color = colors[at++];
      const std::string pair = row + " against " + column;
      if (row + column == "ab" || row + column == "ba") {
        EXPECT_NE(color, grey) << pair;
        EXPECT_NE(color, never) << pair;
      } else if (row == "a" || column == "a") {
        EXPECT_EQ(color, grey) << pair << ": 1 of 1";
      } else {
        EXPECT_EQ(color, never) << pair;
      }
    }
  }
}

TEST(BoardPicture, the_places_that_are_open_stand_beside_the_names) {
  const std::string script = script_of(lopsided());
  EXPECT_NE(script.find("place"), std::string::npos);
  EXPECT_NE(script.find("1 to 2"), std::string::npos) << script;
}

}  // namespace
}  // namespace duel
