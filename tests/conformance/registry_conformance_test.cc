// What every registered policy must do, whatever it is. A new policy is held to all of this by
// registering; nothing here names one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "duel/policies/registry.h"
#include "duel/truth/arena.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/regret.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr Round kRounds = 800;

std::shared_ptr<const ConfiguredPolicy> configured(const std::string& text, std::size_t num_arms,
                                                   Round rounds = kRounds) {
  return configure_policy(parse_call(text).value(), {num_arms, rounds}).value();
}

PreferenceMatrix problem(std::size_t num_arms, std::uint64_t seed = 1) {
  if (num_arms == 1) return PreferenceMatrix::create("one", {"a"}, {0.5}).value();
  return resolve_matrix("random-condorcet(k=" + std::to_string(num_arms) +
                        ",seed=" + std::to_string(seed) + ",gap=0.1)")
      .value();
}

// Plays through the type-erased interface, one duel at a time.
class Player {
 public:
  Player(const std::string& policy, const PreferenceMatrix& matrix, std::uint32_t trial = 0)
      : matrix_(matrix),
        ranks_(merit_ranks(matrix)),
        streams_(11, trial, policy),
        arena_(matrix_, ranks_, OutcomeStream(11, trial)),
        policy_(configured(policy, matrix.num_arms())->make(streams_.choice.at(0))) {}

  Duel ask(Round t) const { return policy_->select(t, streams_.choice.at(t)); }
  void issue(const Duel& duel) { policy_->issued(duel, streams_.choice.at(duel.round)); }
  Outcome answer(const Duel& duel) {
    return duel.is_self() ? Outcome::first_wins : arena_.meet(duel);
  }
  void tell(const Duel& duel, Outcome outcome) {
    policy_->observe(duel, outcome, streams_.answer.at(duel.round));
  }
  Duel play(Round t) {
    const Duel duel = ask(t);
    issue(duel);
    tell(duel, answer(duel));
    return duel;
  }
  Arm recommended() const { return policy_->recommend(streams_.recommend.at(0)); }
  AnyPolicy& policy() { return *policy_; }

 private:
  const PreferenceMatrix& matrix_;
  std::vector<std::uint32_t> ranks_;
  TrialStreams streams_;
  MatrixArena arena_;
  std::unique_ptr<AnyPolicy> policy_;
};

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, plays_legal_pairs_for_any_number_of_arms) {
  for (const std::size_t num_arms : {1, 2, 3, 4, 7, 8, 9, 17}) {
    // Some policies take a few arms only; they say so instead of playing.
    if (const auto policy = configure_policy({GetParam(), {}}, {num_arms, kRounds}); !policy.ok()) {
      EXPECT_EQ(policy.error().code, ErrorCode::unsupported);
      EXPECT_GT(num_arms, 7U);
      continue;
    }
    const PreferenceMatrix matrix = problem(num_arms);
    Player player(GetParam(), matrix);
    for (Round t = 1; t <= kRounds; ++t) {
      const Duel duel = player.play(t);
      ASSERT_LT(duel.first, num_arms);
      ASSERT_LT(duel.second, num_arms);
      ASSERT_EQ(duel.round, t);
      ASSERT_FALSE(duel.foreign);
    }
    EXPECT_LT(player.recommended(), num_arms);
  }
}

TEST_P(Conformance, refuses_arms_that_it_does_not_have) {
  EXPECT_EQ(configure_policy({GetParam(), {}}, {0, kRounds}).error().field, "num_arms");
  const PreferenceMatrix matrix = problem(3);
  Player player(GetParam(), matrix);
  const std::string before = player.policy().save();
  for (const Duel& duel : {Duel{.first = 3, .second = 0, .round = 1, .foreign = true},
                           Duel{.first = 0, .second = 4'000'000, .round = 1, .foreign = true}}) {
    EXPECT_THROW(player.tell(duel, Outcome::first_wins), std::out_of_range);
    EXPECT_THROW(player.issue(duel), std::out_of_range);
  }
  EXPECT_EQ(player.policy().save(), before);
}

TEST_P(Conformance, selecting_changes_nothing_and_repeats_itself) {
  const PreferenceMatrix matrix = problem(5);
  Player player(GetParam(), matrix);
  for (Round t = 1; t <= 300; ++t) {
    const std::string before = player.policy().save();
    const Duel duel = player.ask(t);
    ASSERT_EQ(player.ask(t), duel);
    ASSERT_EQ(player.policy().save(), before);
    player.issue(duel);
    player.tell(duel, player.answer(duel));
  }
}

TEST_P(Conformance, same_seed_gives_the_same_run_and_another_trial_another) {
  const PreferenceMatrix matrix = problem(6);
  Player first(GetParam(), matrix), second(GetParam(), matrix), other(GetParam(), matrix, 1);
  int differences = 0;
  for (Round t = 1; t <= kRounds; ++t) {
    const Duel duel = first.play(t);
    ASSERT_EQ(second.play(t), duel);
    differences += other.play(t) == duel ? 0 : 1;
  }
  EXPECT_EQ(first.policy().save(), second.policy().save());
  // A schedule may ask the same pairs for long; what it has learnt must differ all the same.
  EXPECT_TRUE(differences > 0 || first.policy().save() != other.policy().save());
}

TEST_P(Conformance, continues_after_save_and_restore_as_if_nothing_had_happened) {
  const PreferenceMatrix matrix = problem(5);
  for (const Round midway : {0, 1, 7, 23, 60, 200}) {
    Player lived(GetParam(), matrix), restored(GetParam(), matrix);
    for (Round t = 1; t <= midway; ++t) {
      lived.play(t);
      restored.play(t);  // its arena must have seen the same meetings
    }
    // One duel is outstanding while the state is saved.
    const Duel duel = lived.ask(midway + 1);
    lived.issue(duel);
    const std::string saved = lived.policy().save();
    Player fresh(GetParam(), matrix);
    ASSERT_TRUE(fresh.policy().restore(saved).ok());
    ASSERT_EQ(fresh.policy().save(), saved);
    ASSERT_TRUE(restored.policy().restore(saved).ok());
    const Outcome outcome = lived.answer(duel);
    ASSERT_EQ(restored.answer(duel), outcome);
    lived.tell(duel, outcome);
    restored.tell(duel, outcome);
    for (Round t = midway + 2; t <= midway + 400; ++t) {
      ASSERT_EQ(restored.play(t), lived.play(t)) << "midway " << midway << ", t " << t;
    }
    EXPECT_EQ(restored.policy().save(), lived.policy().save());
    EXPECT_EQ(restored.recommended(), lived.recommended());
  }
}

TEST_P(Conformance, refuses_a_damaged_state_and_stays_as_it_was) {
  const PreferenceMatrix matrix = problem(4);
  Player player(GetParam(), matrix);
  for (Round t = 1; t <= 50; ++t) player.play(t);
  const std::string saved = player.policy().save();
  for (std::size_t size = 0; size < saved.size(); size += 3) {
    ASSERT_FALSE(player.policy().restore(saved.substr(0, size)).ok());
  }
  for (std::size_t k = 0; k < saved.size(); k += 5) {
    std::string damaged = saved;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    ASSERT_FALSE(player.policy().restore(damaged).ok());
  }
  // A state of another configuration: the same policy with other arms.
  const PreferenceMatrix larger = problem(5);
  Player stranger(GetParam(), larger);
  EXPECT_FALSE(stranger.policy().restore(saved).ok());
  EXPECT_EQ(player.policy().save(), saved);
}

// Answers come late, out of order, and one in ten never: told as `none`.
TEST_P(Conformance, bears_late_disordered_and_missing_outcomes) {
  for (const std::size_t num_arms : {1, 2, 3, 6}) {
    const PreferenceMatrix matrix = problem(num_arms, 3);
    Player player(GetParam(), matrix);
    const Stream chance(5, static_cast<std::uint32_t>(num_arms), Purpose::test);
    std::vector<Duel> outstanding;
    for (Round t = 1; t <= 3000; ++t) {
      RoundRng rng = chance.at(t);
      const Duel duel = player.ask(t);
      ASSERT_LT(duel.first, num_arms);
      ASSERT_LT(duel.second, num_arms);
      player.issue(duel);
      outstanding.push_back(duel);
      while (outstanding.size() > 30 || (!outstanding.empty() && rng.below(3) == 0)) {
        const std::size_t k = rng.below(outstanding.size());
        const Duel late = outstanding[k];
        outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(k));
        const std::uint64_t fate = rng.below(20);
        Outcome outcome = player.answer(late);
        if (fate == 0 || fate == 1) outcome = Outcome::none;
        if (fate == 2) outcome = Outcome::skip;
        if (fate == 3) outcome = Outcome::tie;
        if (fate == 4) outcome = Outcome::both_bad;
        player.tell(late, outcome);
      }
    }
    EXPECT_LT(player.recommended(), num_arms);
    // With everything answered the state still saves and restores.
    for (const Duel& duel : outstanding) player.tell(duel, Outcome::none);
    const std::string saved = player.policy().save();
    EXPECT_TRUE(player.policy().restore(saved).ok());
  }
}

TEST_P(Conformance, accepts_duels_that_it_did_not_choose) {
  const PreferenceMatrix matrix = problem(4);
  Player player(GetParam(), matrix);
  for (Round t = 1; t <= 400; ++t) {
    const Duel duel = player.play(t);
    if (t % 3 == 0) {
      const Duel foreign{static_cast<Arm>(t % 4), static_cast<Arm>((t / 4) % 4), t, true};
      player.tell(foreign, Outcome::first_wins);
    }
    ASSERT_LT(duel.first, 4U);
  }
  EXPECT_LT(player.recommended(), 4U);
}

TEST_P(Conformance, canonical_string_parses_back_to_itself) {
  const auto policy = configured(GetParam(), 4);
  const auto again = configured(policy->canonical(), 4, 12345);
  EXPECT_EQ(again->canonical(), policy->canonical());
}

// Tallies at many checkpoints, by the loop of the simulator.
class TallyObserver : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena& arena, Arm recommended) override {
    tallies.push_back(arena.tally().plays);
    tallies.push_back(arena.tally().better);
    tallies.push_back({arena.informative(), recommended});
  }
  std::vector<std::vector<std::uint64_t>> tallies;
};

std::vector<std::vector<std::uint64_t>> tallies_of(const ConfiguredPolicy& policy,
                                                   const PreferenceMatrix& matrix,
                                                   std::uint32_t trial, bool jumping,
                                                   OutcomeSource* source = nullptr) {
  const auto ranks = merit_ranks(matrix);
  MatrixArena arena(matrix, ranks, OutcomeStream(4, trial), source);
  const TrialStreams streams(4, trial, policy.facts().name);
  std::vector<Round> checkpoints;
  for (Round t = 10; t <= 5000; t += 10) checkpoints.push_back(t);
  TallyObserver observer;
  EXPECT_TRUE(policy.play(arena, streams, {checkpoints, jumping}, observer));
  return observer.tallies;
}

TEST_P(Conformance, jumping_changes_no_number_where_it_claims_to_be_exact) {
  for (const std::size_t num_arms : {2, 4, 7}) {
    const PreferenceMatrix matrix = problem(num_arms, 9);
    const auto policy = configured(GetParam(), num_arms, 5000);
    if (policy->facts().jumping != Jumping::exact) continue;
    for (std::uint32_t trial = 0; trial < 20; ++trial) {
      ASSERT_EQ(tallies_of(*policy, matrix, trial, true), tallies_of(*policy, matrix, trial, false))
          << num_arms << " arms, trial " << trial;
    }
  }
}

// As in an environment of clicks: half of the duels stay without an answer, some are ties.
class SparseAnswers : public OutcomeSource {
 public:
  SparseAnswers(const PreferenceMatrix& matrix, std::uint32_t trial)
      : matrix_(matrix), trial_(trial) {}
  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    RoundRng rng(mix64(std::uint64_t{high} << 32 | low), trial_, meeting);
    if (rng.coin()) return Outcome::none;
    if (rng.below(10) == 0) return Outcome::tie;
    return rng.bernoulli(matrix_(low, high)) ? Outcome::first_wins : Outcome::second_wins;
  }

 private:
  const PreferenceMatrix& matrix_;
  std::uint32_t trial_;
};

TEST_P(Conformance, jumping_stays_exact_where_duels_go_unanswered) {
  const PreferenceMatrix matrix = problem(5, 9);
  const auto policy = configured(GetParam(), 5, 5000);
  for (std::uint32_t trial = 0; trial < 5; ++trial) {
    SparseAnswers answers(matrix, trial);
    const auto jumped = tallies_of(*policy, matrix, trial, true, &answers);
    if (policy->facts().jumping != Jumping::exact) continue;
    ASSERT_EQ(jumped, tallies_of(*policy, matrix, trial, false, &answers)) << "trial " << trial;
  }
}

TEST_P(Conformance, counts_every_round_once) {
  const PreferenceMatrix matrix = problem(4, 9);
  const auto policy = configured(GetParam(), 4, 5000);
  const auto tallies = tallies_of(*policy, matrix, 0, true);
  for (std::size_t k = 0; k < 500; ++k) {
    std::uint64_t plays = 0, better = 0;
    for (const std::uint64_t n : tallies[3 * k]) plays += n;
    for (const std::uint64_t n : tallies[3 * k + 1]) better += n;
    ASSERT_EQ(plays, 2 * 10 * (k + 1));
    ASSERT_EQ(better, 10 * (k + 1));
  }
}

// Renaming the arms renames the result: mean regret on a problem and on the same problem with its
// arms in reverse order agree within sampling error.
TEST_P(Conformance, renaming_arms_leaves_regret_alone_in_law) {
  if (GetParam() == "pocowista" || GetParam() == "tra-pocowista") {
    GTEST_SKIP() << "begins with the arm of the lowest index and plays a pair until it is decided: "
                    "5000 rounds see one pair";
  }
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const std::size_t k = matrix.num_arms();
  std::vector<double> reversed(k * k);
  for (Arm i = 0; i < k; ++i) {
    for (Arm j = 0; j < k; ++j) {
      reversed[i * k + j] = matrix(static_cast<Arm>(k - 1 - i), static_cast<Arm>(k - 1 - j));
    }
  }
  const PreferenceMatrix renamed =
      PreferenceMatrix::create("reversed", matrix.arm_names(), reversed).value();
  const auto mean_and_se = [&](const PreferenceMatrix& p, std::uint32_t first_trial) {
    const auto policy = configured(GetParam(), k, 5000);
    const RegretMeter meter = RegretMeter::create(RegretNotion::average, p).value();
    double sum = 0, squares = 0;
    const int n = 150;
    for (std::uint32_t trial = 0; trial < n; ++trial) {
      const auto tallies = tallies_of(*policy, p, first_trial + trial, true);
      const double regret = meter.total({tallies[tallies.size() - 3], tallies[tallies.size() - 2]});
      sum += regret;
      squares += regret * regret;
    }
    const double mean = sum / n;
    return std::pair{mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
  };
  const auto [a, se_a] = mean_and_se(matrix, 0);
  const auto [b, se_b] = mean_and_se(renamed, 1000);
  // A schedule in lexicographic order may be cut off in mid-pass: at most one pass at the largest
  // regret of a duel.
  const double one_pass = 0.5 * static_cast<double>(k * (k - 1)) * 0.11;
  EXPECT_NEAR(a, b, 5 * std::hypot(se_a, se_b) + one_pass);
}

TEST_P(Conformance, facts_and_options_are_complete) {
  const PolicyKind* kind = find_policy(GetParam()).value();
  const PolicyFacts& facts = kind->facts;
  EXPECT_FALSE(facts.title.empty());
  EXPECT_FALSE(facts.paper.empty());
  EXPECT_FALSE(facts.setting.empty());
  EXPECT_FALSE(facts.guarantee.empty());
  EXPECT_FALSE(facts.departs.empty());
  EXPECT_TRUE(facts.status == "reproduced" || facts.status == "tested" ||
              facts.status == "experimental");
  bool has_ties = false, has_horizon = false;
  for (const OptionFact& option : kind->options) {
    EXPECT_FALSE(option.doc.empty()) << option.name;
    EXPECT_FALSE(option.default_value.empty()) << option.name;
    has_ties = has_ties || option.name == "ties";
    has_horizon = has_horizon || option.name == "horizon";
  }
  EXPECT_TRUE(has_ties);
  EXPECT_EQ(has_horizon, facts.needs_horizon);
  if (facts.needs_horizon) {
    EXPECT_FALSE(configure_policy({facts.name, {}}, {4, 0}).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Conformance, testing::ValuesIn(policy_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Registry, knows_the_policies_of_the_founding_papers) {
  for (const char* name :
       {"if1", "if2", "btm", "btm-pac", "savage-condorcet", "savage-copeland", "savage-borda",
        "rucb", "rucb-seed", "rmed1", "rmed2", "rmed2fh", "uniform", "epsilon-greedy"}) {
    EXPECT_TRUE(find_policy(name).ok()) << name;
  }
}

TEST(Registry, suggests_the_nearest_name) {
  const auto unknown = find_policy("ruby");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().to_string().find("did you mean 'rucb'"), std::string::npos);
}

}  // namespace
}  // namespace duel
