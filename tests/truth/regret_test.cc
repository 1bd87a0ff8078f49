#include "duel/truth/regret.h"

#include <gtest/gtest.h>

#include "duel/truth/arena.h"
#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

RegretMeter meter(RegretNotion notion, const PreferenceMatrix& matrix) {
  return RegretMeter::create(notion, matrix).value();
}

// arXiv: D = (0, .05, .05, .04, .11, .11).
TEST(Regret, against_the_condorcet_winner_is_as_defined) {
  const auto matrix = named("arxiv");
  EXPECT_NEAR(meter(RegretNotion::strong, matrix).of_duel(1, 4), 0.16, 1e-15);
  EXPECT_NEAR(meter(RegretNotion::average, matrix).of_duel(1, 4), 0.08, 1e-15);
  EXPECT_NEAR(meter(RegretNotion::weak, matrix).of_duel(1, 4), 0.05, 1e-15);
  for (const auto notion : {RegretNotion::strong, RegretNotion::average, RegretNotion::weak}) {
    EXPECT_EQ(meter(notion, matrix).of_duel(0, 0), 0.0);
  }
  EXPECT_EQ(meter(RegretNotion::weak, matrix).of_duel(0, 5), 0.0);
}

// Copeland (5, 4, 3, 1, 1, 0)/5: z_max - (z_2 + z_6)/2 = 1 - (.8 + 0)/2.
TEST(Regret, copeland_uses_normalised_scores) {
  EXPECT_NEAR(meter(RegretNotion::copeland, named("arxiv")).of_duel(1, 5), 0.6, 1e-15);
}

// Borda of arms 1 and 4: 2.86/5 and 2.41/5.
TEST(Regret, borda_uses_the_mean_against_the_others) {
  EXPECT_NEAR(meter(RegretNotion::borda, named("arxiv")).of_duel(0, 3), (2.86 - 2.41) / 5 / 2,
              1e-15);
}

// Rock beats scissors .6, scissors beat paper .9, paper beats rock .8. Playing (rock, rock): the
// best fixed arm in hindsight is paper, .8 - .5.
TEST(Regret, von_neumann_is_against_the_best_fixed_arm_in_hindsight) {
  const auto matrix = matrix_of({{0.5, 0.6, 0.2}, {0.4, 0.5, 0.9}, {0.8, 0.1, 0.5}});
  const auto von_neumann = meter(RegretNotion::von_neumann, matrix);
  EXPECT_NEAR(von_neumann.of_duel(0, 0), 0.3, 1e-15);
  // (rock, scissors): arm a: (0 + .1)/2, b: (-.1 + 0)/2, c: (.3 - .4)/2.
  EXPECT_NEAR(von_neumann.of_duel(0, 1), 0.05, 1e-15);
  // Mixed as the von Neumann winner (1/2, 3/8, 1/8) does, no arm would have done better.
  EXPECT_NEAR(von_neumann.total({{4, 3, 1}, {}}), 0.0, 1e-15);
  // Not the sum of single rounds: (rock, rock) then (paper, paper) leaves arm b .5 (-.1 + .4) * 2.
  EXPECT_NEAR(von_neumann.total({{2, 0, 2}, {}}), 0.3, 1e-15);
}

TEST(Regret, refuses_notions_that_need_a_condorcet_winner_where_there_is_none) {
  const auto matrix = matrix_of({{0.5, 0.6, 0.2}, {0.4, 0.5, 0.9}, {0.8, 0.1, 0.5}});
  for (const auto notion : {RegretNotion::strong, RegretNotion::average, RegretNotion::weak}) {
    const auto result = RegretMeter::create(notion, matrix);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::unsupported);
    EXPECT_EQ(result.error().to_string(),
              to_string(notion) +
                  " regret needs a Condorcet winner, and matrix 'test' has none "
                  "(copeland and borda regret need none)");
  }
  EXPECT_TRUE(RegretMeter::create(RegretNotion::copeland, matrix).ok());
}

TEST(Regret, of_a_single_arm_is_zero_under_every_notion) {
  const auto matrix = matrix_of({{0.5}});
  for (const auto& name : regret_notion_names()) {
    if (name.starts_with("utility")) continue;  // a matrix has no utilities
    const auto single = meter(parse_regret_notion(name).value(), matrix);
    EXPECT_EQ(single.of_duel(0, 0), 0.0) << name;
    EXPECT_EQ(single.total({{20}, {10}}), 0.0) << name;
  }
}

TEST(Regret, notions_are_spelled_as_they_are_printed) {
  for (const auto& name : regret_notion_names()) {
    EXPECT_EQ(to_string(parse_regret_notion(name).value()), name);
  }
  const auto wrong = parse_regret_notion("avrage");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(wrong.error().to_string(),
            "unknown regret notion 'avrage' (did you mean 'average'? known: average, strong, weak, "
            "copeland, borda, von-neumann, utility, utility-strong, utility-weak)");
}

// What the arena tallies and what the meter makes of it is the sum of the rounds' regrets.
RC_GTEST_PROP(Regret, total_is_the_sum_over_rounds, ()) {
  const auto matrix = *coarse_matrix(6);
  const auto ranks = merit_ranks(matrix);
  MatrixArena arena(matrix, ranks, OutcomeStream(1, 0));
  const auto arm = rc::gen::inRange<Arm>(0, static_cast<Arm>(matrix.num_arms()));
  const auto duels = *rc::gen::container<std::vector<std::pair<Arm, Arm>>>(rc::gen::pair(arm, arm));
  for (const auto& [i, j] : duels) {
    if (i == j) {
      arena.idle(i, 1);
    } else {
      arena.meet({i, j, 1, false});
    }
  }
  for (const auto& name : regret_notion_names()) {
    const auto notion = parse_regret_notion(name).value();
    const auto created = RegretMeter::create(notion, matrix);
    if (!created.ok() || notion == RegretNotion::von_neumann) continue;
    double sum = 0;
    for (const auto& [i, j] : duels) sum += created->of_duel(i, j);
    RC_ASSERT(std::abs(created->total(arena.tally()) - sum) < 1e-9);
  }
}

RC_GTEST_PROP(Regret, strong_is_twice_average_and_at_least_twice_weak, ()) {
  const auto matrix = *coarse_matrix(6);
  RC_PRE(condorcet_winner(matrix).has_value());
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      const double strong = meter(RegretNotion::strong, matrix).of_duel(i, j);
      RC_ASSERT(strong == 2 * meter(RegretNotion::average, matrix).of_duel(i, j));
      RC_ASSERT(strong >= 2 * meter(RegretNotion::weak, matrix).of_duel(i, j));
      RC_ASSERT(strong >= 0);
    }
  }
}

}  // namespace
}  // namespace duel
