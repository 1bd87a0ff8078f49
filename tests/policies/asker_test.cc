#include "duel/policies/asker.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/preference_matrix.h"

namespace duel {
namespace {

constexpr std::uint64_t kSeed = 11;

std::shared_ptr<const ConfiguredPolicy> configured(const PolicyKind& kind, std::size_t num_arms) {
  CallSpec call;
  call.name = kind.facts.name;
  return kind.configure(call, {.num_arms = num_arms, .rounds = 20'000}).value();
}

// Who wins depends on the round alone, so that two loops over the same rounds hear the same.
Outcome outcome_of(const PreferenceMatrix& matrix, const Duel& duel) {
  RoundRng rng = Stream(kSeed, 0, Purpose::test, "outcome").at(duel.round);
  if (rng.bernoulli(0.1)) return Outcome::tie;
  return rng.bernoulli(matrix(duel.first, duel.second)) ? Outcome::first_wins
                                                        : Outcome::second_wins;
}

// Every round one by one, as the simulator plays without jumps.
std::vector<Duel> literal_informative_duels(const ConfiguredPolicy& configuration,
                                            const PreferenceMatrix& matrix, Round rounds) {
  const TrialStreams streams(kSeed, 0, configuration.facts().name);
  const auto policy = configuration.make(streams.choice.at(0));
  std::vector<Duel> duels;
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = policy->select(t, streams.choice.at(t));
    policy->issued(duel, streams.choice.at(t));
    RoundRng answer = streams.answer.at(t);
    if (duel.is_self()) {
      policy->observe(duel, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
    } else {
      duels.push_back(duel);
      policy->observe(duel, outcome_of(matrix, duel), answer);
    }
  }
  return duels;
}

TEST(Asker, asks_the_duels_of_the_plain_loop_without_its_self_duels) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  constexpr Round kRounds = 3000;
  int compared = 0;
  for (const PolicyKind& kind : policy_catalogue()) {
    if (kind.facts.jumping == Jumping::in_law) continue;
    const auto configuration = configured(kind, matrix.num_arms());
    const std::vector<Duel> expected = literal_informative_duels(*configuration, matrix, kRounds);
    Asker asker(*configuration, kSeed);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      const Asker::Question question = asker.next();
      ASSERT_EQ(question.state, Asker::State::ask) << kind.facts.name << ", duel " << n;
      ASSERT_EQ(question.duel, expected[n]) << kind.facts.name << ", duel " << n;
      asker.answered(question.duel, outcome_of(matrix, question.duel));
    }
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// Answers come three duels late, some never; a copy made on the way goes on as the original does.
TEST(Asker, asks_no_self_duel_with_answers_outstanding_and_copies_go_on_alike) {
  const PreferenceMatrix matrix = resolve_matrix("cyclic").value();
  for (const PolicyKind& kind : policy_catalogue()) {
    const std::string& name = kind.facts.name;
    const bool sequential = kind.facts.outstanding == Outstanding::sequential;
    Asker asker(*configured(kind, matrix.num_arms()), kSeed);
    std::optional<Asker> copy;
    std::deque<Duel> outstanding;
    std::size_t asked = 0, waited = 0;
    for (int step = 0; step < 600; ++step) {
      if (step == 300) copy.emplace(asker);
      const Asker::Question question = asker.next();
      if (copy) {
        const Asker::Question again = copy->next();
        ASSERT_EQ(again.state, question.state) << name;
        ASSERT_EQ(again.duel, question.duel) << name;
      }
      if (question.state == Asker::State::ask) {
        ASSERT_FALSE(question.duel.is_self()) << name;
        outstanding.push_back(question.duel);
        ++asked;
      }
      waited += question.state == Asker::State::wait ? 1 : 0;
      ASSERT_TRUE(!sequential || outstanding.size() <= 1) << name;
      if (outstanding.size() > 3 || (question.state != Asker::State::ask && !outstanding.empty())) {
        const Duel duel = outstanding.front();
        outstanding.pop_front();
        const Outcome outcome = step % 17 == 0 ? Outcome::none : outcome_of(matrix, duel);
        asker.answered(duel, outcome);
        if (copy) copy->answered(duel, outcome);
      }
      ASSERT_EQ(asker.outstanding(), outstanding.size()) << name;
    }
    EXPECT_GT(asked, 0U) << name;
    EXPECT_TRUE(!sequential || waited > 0) << name;
  }
}

TEST(Asker, has_nothing_to_ask_once_the_policy_has_settled_and_listens_still) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const auto configuration = configured(*find_policy("if2").value(), matrix.num_arms());
  Asker asker(*configuration, kSeed);
  Asker::Question question = asker.next();
  while (question.state == Asker::State::ask) {
    asker.answered(question.duel, outcome_of(matrix, question.duel));
    question = asker.next();
  }
  EXPECT_EQ(question.state, Asker::State::nothing);
  const Arm settled = asker.recommend();
  asker.heard(0, 1, Outcome::first_wins);
  EXPECT_EQ(asker.next().state, Asker::State::nothing);
  EXPECT_EQ(asker.recommend(), settled);
  EXPECT_LT(asker.clock(), Asker::kEndOfTime);
}

TEST(Asker, count_based_policies_learn_from_duels_they_did_not_choose) {
  const auto configuration = configured(*find_policy("rucb").value(), 3);
  Asker asker(*configuration, kSeed);
  for (int n = 0; n < 200; ++n) {
    asker.heard(2, 0, Outcome::first_wins);
    asker.heard(1, 2, Outcome::second_wins);
    asker.heard(0, 1, Outcome::tie);
  }
  EXPECT_EQ(asker.recommend(), 2U);
}

}  // namespace
}  // namespace duel
