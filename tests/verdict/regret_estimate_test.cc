#include "duel/verdict/regret_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/truth/lower_bound.h"
#include "duel/truth/preference_matrix.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

ExperimentRecord three_arms() { return experiment_of({"a", "b", "c"}); }

class Played {
 public:
  explicit Played(const ExperimentRecord& record = three_arms())
      : ledger_(std::move(Ledger::make(record)).value()) {}

  void play(const std::string& winner, const std::string& loser, int times,
            ServedBy by = ServedBy::policy) {
    for (int k = 0; k < times; ++k) {
      ServeRecord serve;
      serve.duel_id = "d" + std::to_string(ledger_.served());
      serve.ordinal = ledger_.served();
      serve.round = ledger_.served() + 1;
      serve.first = winner;
      serve.second = loser;
      serve.by = by;
      apply(serve);
      OutcomeRecord outcome;
      outcome.duel_id = serve.duel_id;
      outcome.answer = {Answered::win, winner};
      apply(outcome);
    }
  }
  const Ledger& ledger() const { return ledger_; }
  std::optional<RegretEstimate> estimate() const {
    return estimated_regret(ledger_, standing_of(ledger_));
  }

 private:
  void apply(Record record) {
    const LogEntry entry{ledger_.sequence() + 1, 0, std::move(record), "h"};
    const auto effect = ledger_.apply(entry);
    ASSERT_TRUE(effect.ok()) << effect.error().to_string();
  }
  Ledger ledger_;
};

// a beats b 60:40 and c 70:30; b beats c 60:40.
Played by_hand() {
  Played played;
  played.play("a", "b", 60);
  played.play("b", "a", 40);
  played.play("a", "c", 70);
  played.play("c", "a", 30);
  played.play("b", "c", 60);
  played.play("c", "b", 40);
  return played;
}

TEST(RegretEstimate, by_hand) {
  const auto estimate = by_hand().estimate();
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->against, 0U);
  // Gaps 0, .1, .2. Of 100 duels each: (a, b) cost .05, (a, c) .1, (b, c) .15.
  EXPECT_NEAR(estimate->regret, 100 * (0.05 + 0.1 + 0.15), 1e-9);
  const auto kl = [](double p) { return p * std::log(2 * p) + (1 - p) * std::log(2 * (1 - p)); };
  // b is beaten by a alone: .05/kl(.4). c by a for .1/kl(.3), or by b for .15/kl(.4).
  const double factor = 0.05 / kl(0.4) + std::min(0.1 / kl(0.3), 0.15 / kl(0.4));
  ASSERT_TRUE(estimate->lower_bound);
  EXPECT_NEAR(*estimate->lower_bound, factor * std::log(300), 1e-9);
}

TEST(RegretEstimate, the_factor_is_the_lower_bound_of_the_matrix) {
  const auto matrix = PreferenceMatrix::create(
      "four", {"a", "b", "c", "d"},
      {0.5, 0.6, 0.7, 0.55, 0.4, 0.5, 0.6, 0.8, 0.3, 0.4, 0.5, 0.45, 0.45, 0.2, 0.55, 0.5});
  ASSERT_TRUE(matrix.ok());
  const auto bound = regret_lower_bound(*matrix);
  ASSERT_TRUE(bound.ok());
  const auto factor = lower_bound_factor(
      4, 0, [&](Arm i, Arm j) -> std::optional<double> { return (*matrix)(i, j); });
  ASSERT_TRUE(factor);
  EXPECT_NEAR(*factor, bound->value, 1e-9);
}

TEST(RegretEstimate, is_silent_where_nothing_can_be_said) {
  Played played;
  EXPECT_FALSE(played.estimate());
  played.play("a", "b", 3);
  EXPECT_FALSE(played.estimate()) << "too little of c";
  // c never lost to anybody whom it met: there is an estimate, but no bound.
  Played unbeaten;
  unbeaten.play("a", "b", 40);
  unbeaten.play("a", "c", 10);
  unbeaten.play("c", "a", 10);
  const auto estimate = unbeaten.estimate();
  ASSERT_TRUE(estimate);
  EXPECT_FALSE(estimate->lower_bound);
  // Of scores regret is another one.
  ExperimentRecord copeland = three_arms();
  copeland.goal = Goal::copeland;
  Played by_scores(copeland);
  by_scores.play("a", "b", 40);
  by_scores.play("a", "c", 40);
  EXPECT_FALSE(by_scores.estimate());
}

TEST(RegretEstimate, the_ledger_counts_what_excluded_arms_have_changed) {
  Played played;
  EXPECT_EQ(played.ledger().excluded_share(), 0);
  played.play("a", "b", 3);
  played.play("a", "c", 1, ServedBy::exclude);
  EXPECT_EQ(played.ledger().excluded(), 1U);
  EXPECT_EQ(played.ledger().excluded_share(), 0.25);
}

}  // namespace
}  // namespace duel
