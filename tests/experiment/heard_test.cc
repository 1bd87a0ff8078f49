#include "duel/experiment/heard.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

constexpr Parts kParts{.silence_ties = true};

LedgerDuel settled(Outcome outcome, Fate fate = Fate::answered) {
  return {.first = 0, .second = 1, .fate = fate, .outcome = outcome};
}

TEST(Heard, an_answer_is_the_same_for_all_three) {
  for (const Outcome outcome : {Outcome::first_wins, Outcome::tie, Outcome::skip, Outcome::none}) {
    const Heard answer = heard(settled(outcome), OnTimeout::tie, kParts);
    EXPECT_EQ(answer.counted, outcome);
    EXPECT_EQ(answer.chooser, outcome);
    EXPECT_EQ(answer.evidence, EvidenceAnswer(outcome));
  }
}

TEST(Heard, silence_may_be_a_tie_and_is_never_evidence) {
  const LedgerDuel lost = settled(Outcome::none, Fate::expired);
  const Heard tie = heard(lost, OnTimeout::tie, kParts);
  EXPECT_EQ(tie.chooser, Outcome::tie);
  EXPECT_EQ(tie.counted, Outcome::tie);
  EXPECT_EQ(tie.evidence, EvidenceAnswer(Outcome::none)) << "its place in the order is given up";
  const Heard discarded = heard(lost, OnTimeout::discard, kParts);
  EXPECT_EQ(discarded.chooser, Outcome::none);
  EXPECT_EQ(discarded.counted, Outcome::none);
  EXPECT_EQ(heard(lost, OnTimeout::tie, Parts{}).counted, Outcome::none)
      << "logs of earlier formats count it as expired";
}

TEST(Heard, what_is_no_evidence_still_teaches_the_chooser) {
  LedgerDuel again = settled(Outcome::second_wins);
  again.evidence = false;
  const Heard answer = heard(again, OnTimeout::tie, kParts);
  EXPECT_EQ(answer.counted, Outcome::second_wins);
  EXPECT_EQ(answer.chooser, Outcome::second_wins);
  EXPECT_EQ(answer.evidence, std::nullopt);
}

TEST(Heard, an_arm_against_itself_is_only_counted) {
  LedgerDuel aa = settled(Outcome::first_wins);
  aa.second = aa.first;
  aa.evidence = false;
  const Heard answer = heard(aa, OnTimeout::tie, kParts);
  EXPECT_EQ(answer.counted, Outcome::first_wins);
  EXPECT_EQ(answer.chooser, std::nullopt);
  EXPECT_EQ(answer.evidence, std::nullopt);
}

}  // namespace
}  // namespace duel
