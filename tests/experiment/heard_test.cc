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

Judgement judgement(const std::string& judge, const std::string& first, double score) {
  return {first, answer_of_score(score, first, first == "a" ? "b" : "a"), judge};
}

OutcomeRecord record_of(std::vector<Judgement> judgements, Answer answer) {
  OutcomeRecord record;
  record.judgements = std::move(judgements);
  record.answer = std::move(answer);
  return record;
}

TEST(JudgementsOfSeveral, make_their_mean_turned_to_the_arm_shown_first) {
  const std::vector<Judgement> both = {judgement("x", "a", 0.75), judgement("y", "a", 1),
                                       judgement("x", "b", 0), judgement("y", "b", 0.75)};
  EXPECT_EQ(combined(both, "a", "b"), answer_of_score(0.75, "a", "b"));
  EXPECT_TRUE(
      check_judgements(record_of(both, answer_of_score(0.75, "a", "b")), Placement::both, "a", "b")
          .ok());
  // Without any score, too: two of three is more than a tie.
  const std::vector<Judgement> votes = {{"a", {Answered::win, "a"}, "x"},
                                        {"a", {Answered::tie, ""}, "y"}};
  EXPECT_EQ(combined(votes, "a", "b"), answer_of_score(0.75, "a", "b"));
  // One that says nothing sensible is left out.
  const std::vector<Judgement> one = {{"a", {Answered::invalid, ""}, "x"},
                                      {"a", {Answered::win, "b"}, "y"}};
  EXPECT_EQ(combined(one, "a", "b"), answer_of_score(0, "a", "b"));
}

TEST(JudgementsOfSeveral, are_refused_where_they_make_another_answer_or_were_shown_otherwise) {
  const auto refused = [](std::vector<Judgement> judgements, Placement order, double score) {
    const OutcomeRecord record = record_of(std::move(judgements), answer_of_score(score, "a", "b"));
    const Status status = check_judgements(record, order, "a", "b");
    return status.ok() ? std::string() : status.error().message;
  };
  const Judgement x = judgement("x", "a", 0.75), y = judgement("y", "a", 0.25);
  EXPECT_EQ(refused({x, y}, Placement::random, 0.5), "");
  EXPECT_NE(refused({x, y}, Placement::random, 0.75), "");
  EXPECT_NE(refused({x, judgement("y", "b", 0.75)}, Placement::random, 0.5), "")
      << "in one order only";
  EXPECT_NE(refused({x, judgement("", "a", 0.25)}, Placement::random, 0.5), "") << "whose?";
  EXPECT_NE(refused({x, y}, Placement::both, 0.5), "") << "the other order is missing";
  EXPECT_NE(refused({judgement("", "a", 0.75)}, Placement::random, 0.75), "")
      << "one judge says all in the answer";
}

}  // namespace
}  // namespace duel
