// Ratings that others publish of the same votes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "duel/core/csv.h"
#include "duel/core/whole_file.h"
#include "duel/verdict/board.h"
#include "duel/verdict/experiment_result.h"
#include "tests/support/places.h"

namespace duel {
namespace {

// Bradley-Terry strengths with ties as half wins, as evalica computes them: its iteration stops
// when a step changes no strength by more than 1e-6, which leaves it within 1e-4 of the maximum
// here.
TEST(PublishedVotes, ties_as_half_wins_give_the_strengths_that_others_publish) {
  for (const char* name : {"simple", "food"}) {
    const std::string folder = shared_dir() + "/data/votes/";
    if (!std::filesystem::exists(folder + name + ".csv")) {
      GTEST_SKIP() << "NOT CHECKED: the shared data file " << name << ".csv is absent";
    }
    const auto read = read_answers(folder + name + ".csv", 0.05);
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    const Ledger* const ledger = &read->ledger;
    const Board board = board_of(*ledger, {.ties_are_halves = true});
    ASSERT_TRUE(board.strengths.has_value()) << board.no_strengths;
    EXPECT_EQ(board.tie_model, TieModel::halves);
    EXPECT_EQ(board_of(*ledger).tie_model, TieModel::davidson);
    const std::string text = read_whole_file(folder + name + "-golden.csv", 1'000'000).value();
    CsvTable golden = CsvTable::open(text, name, "algorithm,item,score").value();
    int compared = 0;
    while (golden.next().value()) {
      if (golden.text("algorithm") != "bradley_terry") continue;
      for (Arm arm = 0; arm < ledger->arms().size(); ++arm) {
        if (ledger->name_of(arm) != golden.text("item")) continue;
        EXPECT_NEAR(board.strengths->strength[arm], golden.number("score").value(), 1e-4)
            << name << " " << golden.text("item");
        ++compared;
      }
    }
    EXPECT_EQ(compared, 5) << name;
  }
}

}  // namespace
}  // namespace duel
