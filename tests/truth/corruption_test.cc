#include "duel/truth/corruption.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

std::shared_ptr<const Corruption> corruption(const std::string& text) {
  return Corruption::create(parse_call(text).value()).value();
}

// As many answers as differ from those of nobody's interference.
int turned(const std::string& text, int answers, Arm low = 0, Arm high = 1) {
  const auto with = corruption(text), without = corruption("corrupt(base=arxiv,budget=0)");
  const auto some = with->outcomes(3, 0), none = without->outcomes(3, 0);
  int count = 0;
  for (int n = 0; n < answers; ++n) {
    const auto meeting = static_cast<std::uint32_t>(n);
    count += some->answer(low, high, meeting) == none->answer(low, high, meeting) ? 0 : 1;
  }
  return count;
}

TEST(Corruption, turns_the_first_answers_around) {
  EXPECT_EQ(turned("corrupt(base=arxiv,budget=70,mode=first)", 50), 50);
  EXPECT_EQ(turned("corrupt(base=arxiv,budget=70,mode=first)", 1000), 70);
}

TEST(Corruption, spreads_them) {
  const double n = 20'000, p = 0.05;
  EXPECT_NEAR(turned("corrupt(base=arxiv,budget=1000,mode=spread,rounds=20000)", 20'000), n * p,
              5 * std::sqrt(n * p * (1 - p)));
}

// Arm 0 is the first of those that have met as often: its wins are turned, .55 of the answers.
TEST(Corruption, turns_wins_of_the_arm_that_has_met_most) {
  const auto made = corruption("corrupt(base=arxiv,budget=1000000,mode=champion)");
  const auto answers = made->outcomes(3, 0);
  int wins = 0;
  for (std::uint32_t n = 0; n < 2000; ++n) {
    wins += answers->answer(0, 1, n) == Outcome::first_wins ? 1 : 0;
  }
  EXPECT_EQ(wins, 0);
  EXPECT_EQ(turned("corrupt(base=arxiv,budget=10,mode=champion)", 1000), 10);
}

TEST(Corruption, answers_as_the_matrix_where_nothing_is_turned) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const auto answers = corruption("corrupt(base=arxiv,budget=0)")->outcomes(5, 2);
  OutcomeStream outcomes(5, 2);
  for (std::uint32_t n = 0; n < 100; ++n) {
    const bool low = static_cast<double>(outcomes.draw(1, 4, n)) < matrix(1, 4) * 0x1p53;
    EXPECT_EQ(answers->answer(1, 4, n), low ? Outcome::first_wins : Outcome::second_wins);
  }
}

TEST(Corruption, says_what_cannot_be) {
  EXPECT_FALSE(
      Corruption::create(parse_call("corrupt(budget=10,mode=spread,rounds=5)").value()).ok());
  EXPECT_FALSE(Corruption::create(parse_call("corrupt(base=nothing)").value()).ok());
  EXPECT_EQ(corruption("corrupt(base=arxiv,budget=5)")->name(),
            "corrupt(base=arxiv,budget=5,mode=first)");
}

}  // namespace
}  // namespace duel
