// What holds of every policy that explores and then exploits: IF, BTM, SAVAGE in all their forms.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "duel/policies/beat_the_mean.h"
#include "duel/policies/interleaved_filter.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/savage_borda.h"
#include "duel/policies/savage_condorcet.h"
#include "duel/policies/savage_copeland.h"
#include "duel/truth/arena.h"
#include "tests/policies/exploration_problems.h"

namespace duel {
namespace {

const std::vector<std::string>& calls() {
  static const std::vector<std::string> all = {
      "if1",
      "if1(ci=jcss)",
      "if2",
      "if2(ci=colt)",
      "btm",
      "btm(gamma=1.1)",
      "btm(gamma=1.3,radius=tight,literal_self=true)",
      "btm-pac(epsilon=0.5,delta=0.5)",
      "savage-condorcet",
      "savage-condorcet(bound=anytime,delta=0.05)",
      "savage-copeland",
      "savage-copeland(epsilon=0.05)",
      "savage-borda",
      "savage-borda(sampling=arms)",
  };
  return all;
}

Stream stream_of(const std::string& call, std::uint64_t seed, Purpose purpose) {
  return Stream(seed, 0, purpose, call);
}

class EveryExplorer : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Exploration, EveryExplorer, testing::ValuesIn(calls()),
                         [](const testing::TestParamInfo<std::string>& call) {
                           std::string name;
                           for (const char c : call.param) name += std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

TEST_P(EveryExplorer, one_arm_is_played_against_itself) {
  for (const Round horizon : {Round{1}, Round{1000}}) {
    auto policy = make_policy(GetParam(), 1, horizon, 1);
    const Stream choices = stream_of(GetParam(), 1, Purpose::choice);
    for (Round t = 1; t <= 5; ++t) {
      const Duel duel = policy->select(t, choices.at(t));
      EXPECT_EQ(duel, (Duel{0, 0, t}));
      policy->issued(duel, choices.at(t));
      policy->observe(duel, Outcome::first_wins, choices.at(t));
    }
    EXPECT_EQ(policy->recommend(choices.at(0)), 0U);
    EXPECT_EQ(policy->jump(6, 1000, choices.at(6)).idle_until, 1000U);
  }
}

TEST_P(EveryExplorer, a_horizon_of_one_is_one_duel) {
  if (GetParam().starts_with("btm-pac")) return;  // has none
  for (const std::size_t k : {2, 3, 7}) {
    auto policy = make_policy(GetParam(), k, 1, 3);
    const Stream choices = stream_of(GetParam(), 3, Purpose::choice);
    Duel duel = policy->select(1, choices.at(1));
    policy->issued(duel, choices.at(1));
    policy->observe(duel, Outcome::second_wins, choices.at(1));
    const Arm chosen = policy->recommend(choices.at(0));
    EXPECT_LT(chosen, k);
    for (Round t = 2; t < 5; ++t) {
      duel = policy->select(t, choices.at(t));
      EXPECT_EQ(duel, (Duel{chosen, chosen, t}));
      policy->issued(duel, choices.at(t));
      policy->observe(duel, Outcome::first_wins, choices.at(t));
    }
  }
}

TEST_P(EveryExplorer, finds_the_winner_of_an_easy_problem_and_stays_with_it) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ExplorationProblem problem = easy_problem(5, static_cast<Arm>(seed % 5), 0.4, seed);
    auto policy = make_policy(GetParam(), 5, 100000, seed);
    const auto run = play_asynchronously(*policy, problem, 1, 50000);
    EXPECT_TRUE(run.settled);
    found += run.recommended == seed % 5;
    const Stream choices = stream_of(GetParam(), seed, Purpose::choice);
    for (Round t = run.rounds + 1; t < run.rounds + 50; ++t) {
      const Duel duel = policy->select(t, choices.at(t));
      EXPECT_EQ(duel, (Duel{run.recommended, run.recommended, t}));
      policy->issued(duel, choices.at(t));
      policy->observe(duel, Outcome::second_wins, choices.at(t));
    }
    EXPECT_EQ(policy->recommend(choices.at(0)), run.recommended);
  }
  EXPECT_GE(found, 19);
}

TEST_P(EveryExplorer, copes_with_duels_outstanding_late_out_of_order_and_lost) {
  for (const std::size_t outstanding : {2, 7, 60}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      ExplorationProblem problem = easy_problem(5, static_cast<Arm>(seed % 5), 0.4, seed);
      problem.lost_rate = 0.15;
      problem.tie_rate = 0.1;
      auto policy = make_policy(GetParam(), 5, 100000, seed);
      const auto run = play_asynchronously(*policy, problem, outstanding, 100000);
      EXPECT_TRUE(run.settled) << "seed " << seed;
      found += run.recommended == seed % 5;
    }
    EXPECT_GE(found, 18) << outstanding << " outstanding";
  }
}

TEST_P(EveryExplorer, random_problems_with_duels_outstanding_end_at_the_horizon) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ExplorationProblem problem = random_problem(seed, 600);
    problem.lost_rate = 0.1;
    auto policy = make_policy(GetParam(), problem.num_arms, problem.horizon, seed);
    const auto run = play_asynchronously(*policy, problem, 1 + seed % 9, problem.horizon + 1000);
    EXPECT_LT(run.recommended, problem.num_arms);
    if (!GetParam().starts_with("btm-pac")) {
      EXPECT_TRUE(run.settled) << "seed " << seed;
    }
  }
}

TEST_P(EveryExplorer, ignores_foreign_and_unknown_duels) {
  const ExplorationProblem problem = random_problem(5, 2000);
  const std::size_t k = problem.num_arms;
  auto policy = make_policy(GetParam(), k, 3000, 1);
  auto disturbed = policy->clone();
  const Stream choices = stream_of(GetParam(), 1, Purpose::choice);
  RoundRng rng = Stream(9, 0, Purpose::test).at(0);
  for (Round t = 1; t <= 1500; ++t) {
    const Duel duel = policy->select(t, choices.at(t));
    ASSERT_EQ(duel, disturbed->select(t, choices.at(t)));
    policy->issued(duel, choices.at(t));
    disturbed->issued(duel, choices.at(t));
    const auto i = static_cast<Arm>(rng.below(k));
    const auto j = static_cast<Arm>(rng.below(k));
    disturbed->observe({.first = i, .second = j, .round = t, .foreign = true}, Outcome::first_wins,
                       choices.at(t));
    disturbed->observe({.first = i, .second = j, .round = t + 100000}, Outcome::first_wins,
                       choices.at(t));
    const Outcome outcome = problem.answer(duel, rng);
    policy->observe(duel, outcome, choices.at(t));
    disturbed->observe(duel, outcome, choices.at(t));
  }
}

// When T duels went out, the leader of the moment is played until their answers are in.
TEST_P(EveryExplorer, at_the_horizon_the_leader_is_played_until_the_answers_are_in) {
  if (GetParam().starts_with("btm-pac")) return;  // has none
  auto policy = make_policy(GetParam(), 3, 12, 1);
  const Stream choices = stream_of(GetParam(), 1, Purpose::choice);
  std::vector<Duel> explored;
  for (Round t = 1; t <= 12; ++t) {
    explored.push_back(policy->select(t, choices.at(t)));
    policy->issued(explored.back(), choices.at(t));
  }
  Round t = 13;
  for (const Duel& late : explored) {
    const Duel duel = policy->select(t, choices.at(t));
    EXPECT_TRUE(duel.is_self());
    EXPECT_EQ(duel.first, policy->recommend(choices.at(t)));
    policy->issued(duel, choices.at(t));
    policy->observe(duel, Outcome::second_wins, choices.at(t));
    EXPECT_EQ(policy->jump(t + 1, 1000, choices.at(t + 1)).idle_until, t + 1);
    ++t;
    const bool first_wins = late.first < late.second;
    policy->observe(late, first_wins ? Outcome::first_wins : Outcome::second_wins,
                    choices.at(late.round));
  }
  const Duel duel = policy->select(t, choices.at(t));
  policy->issued(duel, choices.at(t));
  policy->observe(duel, Outcome::first_wins, choices.at(t));
  EXPECT_EQ(policy->jump(t + 1, 1000, choices.at(t + 1)).idle_until, 1000U);
  for (Round later = t + 1; later < t + 20; ++later) {
    EXPECT_EQ(policy->select(later, choices.at(later)), (Duel{duel.first, duel.first, later}));
  }
}

// --- saving -------------------------------------------------------------------------------------

// A run with duels outstanding that can be carried on by another policy object.
class Session {
 public:
  Session(const ExplorationProblem& problem, const std::string& call, std::uint64_t seed)
      : problem_(problem),
        choices_(seed, 2, Purpose::choice, call),
        answers_(seed, 2, Purpose::answer, call),
        rng_(Stream(seed, 2, Purpose::test, call).at(0)) {}

  // One call to the policy; what was chosen or answered as text.
  std::string step(AnyPolicy& policy) {
    if (outstanding_.empty() || (outstanding_.size() < 5 && rng_.coin())) {
      ++t_;
      const Duel duel = policy.select(t_, choices_.at(t_));
      policy.issued(duel, choices_.at(t_));
      outstanding_.push_back(duel);
      return std::to_string(duel.first) + "-" + std::to_string(duel.second);
    }
    const std::size_t k = rng_.below(outstanding_.size());
    const Duel duel = outstanding_[k];
    outstanding_.erase(outstanding_.begin() + static_cast<std::ptrdiff_t>(k));
    policy.observe(duel, problem_.answer(duel, rng_), answers_.at(duel.round));
    return "recommend " + std::to_string(policy.recommend(answers_.at(0)));
  }

 private:
  ExplorationProblem problem_;
  Stream choices_;
  Stream answers_;
  RoundRng rng_;
  Round t_ = 0;
  std::vector<Duel> outstanding_;
};

TEST_P(EveryExplorer, saving_and_restoring_between_any_two_calls_changes_nothing) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    ExplorationProblem problem = random_problem(seed, 2000);
    problem.lost_rate = 0.05;
    auto policy = make_policy(GetParam(), problem.num_arms, problem.horizon, seed);
    Session session(problem, GetParam(), seed);
    RoundRng rng = Stream(seed, 3, Purpose::test).at(0);
    const std::uint64_t save_after = rng.below(2 * problem.horizon);
    for (std::uint64_t call = 0; call < save_after; ++call) session.step(*policy);

    const std::string saved = policy->save();
    auto other = make_policy(GetParam(), problem.num_arms, problem.horizon, seed + 1000);
    const Status status = other->restore(saved);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    EXPECT_EQ(other->save(), saved);
    Session other_session = session;
    for (int call = 0; call < 3000; ++call) {
      ASSERT_EQ(session.step(*policy), other_session.step(*other)) << "seed " << seed;
    }
    EXPECT_EQ(other->save(), policy->save());
  }
}

TEST_P(EveryExplorer, a_state_of_another_size_is_refused) {
  auto small = make_policy(GetParam(), 3, 1000, 1);
  auto large = make_policy(GetParam(), 4, 1000, 1);
  EXPECT_FALSE(large->restore(small->save()).ok());
}

// Whatever the content says, a state with a right checksum is refused or played on legally.
TEST_P(EveryExplorer, a_nonsensical_state_is_refused_or_harmless) {
  constexpr std::size_t kHead = 16;  // magic and length
  int refused = 0;
  int accepted = 0;
  int full = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    ExplorationProblem problem = random_problem(seed % 7, 500, 5);
    problem.lost_rate = 0.1;
    auto policy = make_policy(GetParam(), problem.num_arms, problem.horizon, seed);
    Session session(problem, GetParam(), seed % 7);
    for (std::uint64_t call = 0; call < 10 * (seed % 50); ++call) session.step(*policy);
    std::string state = policy->save();
    const std::size_t body = state.size() - kHead - 8;
    // Past the identity, which is the first field.
    std::uint64_t identity = 0;
    std::memcpy(&identity, state.data() + kHead, 8);
    RoundRng rng = Stream(seed, 4, Purpose::test).at(0);
    const std::size_t from = 8 + identity;
    for (std::uint64_t flips = 1 + rng.below(4); flips > 0; --flips) {
      const std::size_t at = from + rng.below(body - from);
      state[kHead + at] = static_cast<char>(
          rng.coin() ? rng.below(256) : static_cast<std::uint64_t>(state[kHead + at]) ^ 1U);
    }
    const std::uint64_t checksum = hash_text(std::string_view(state).substr(kHead, body));
    std::memcpy(state.data() + kHead + body, &checksum, 8);
    auto other = make_policy(GetParam(), problem.num_arms, problem.horizon, seed);
    if (!other->restore(state).ok()) {
      ++refused;
      continue;
    }
    ++accepted;
    try {
      const Stream choices(seed, 5, Purpose::choice);
      for (Round t = 1; t < 600; ++t) {
        const Duel duel = other->select(t, choices.at(t));
        ASSERT_LT(duel.first, problem.num_arms);
        ASSERT_LT(duel.second, problem.num_arms);
        other->issued(duel, choices.at(t));
        other->observe(duel, problem.answer(duel, rng), choices.at(t));
        ASSERT_LT(other->recommend(choices.at(t)), problem.num_arms);
      }
    } catch (const std::overflow_error&) {
      ++full;  // counts that claim to be full say so
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(accepted, full);
}

// --- jumping ------------------------------------------------------------------------------------

class NoObserver : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena& arena, Arm recommended) override {
    tally = arena.tally();
    arm = recommended;
  }
  PlayTally tally;
  Arm arm = 0;
};

TEST_P(EveryExplorer, jumping_over_the_exploitation_changes_no_tally) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ExplorationProblem problem = easy_problem(4, static_cast<Arm>(seed % 4), 0.45, seed);
    const auto matrix = PreferenceMatrix::create("easy", {"a", "b", "c", "d"}, problem.p);
    ASSERT_TRUE(matrix.ok());
    const std::vector<std::uint32_t> rank = {0, 1, 2, 3};
    const std::vector<Round> checkpoints = {10, 10000, 20000};
    const auto configured =
        configure_policy(*parse_call(GetParam()), {.num_arms = 4, .rounds = 20000});
    ASSERT_TRUE(configured.ok());
    const TrialStreams streams(seed, 0, GetParam());
    NoObserver jumping;
    NoObserver plain;
    MatrixArena first(*matrix, rank, OutcomeStream(seed, 0));
    MatrixArena second(*matrix, rank, OutcomeStream(seed, 0));
    EXPECT_TRUE((*configured)->play(first, streams, {.checkpoints = checkpoints}, jumping));
    EXPECT_TRUE((*configured)
                    ->play(second, streams, {.checkpoints = checkpoints, .jumping = false}, plain));
    EXPECT_EQ(jumping.tally.plays, plain.tally.plays);
    EXPECT_EQ(jumping.tally.better, plain.tally.better);
    EXPECT_EQ(jumping.arm, plain.arm);
    EXPECT_EQ(first.informative(), second.informative());
  }
}

// A billion rounds cost no more than the exploration.
TEST(ExploreThenExploit, exploitation_is_one_jump) {
  const ExplorationProblem problem = easy_problem(4, 2, 0.45, 1);
  const auto matrix = PreferenceMatrix::create("easy", {"a", "b", "c", "d"}, problem.p);
  const std::vector<std::uint32_t> rank = {0, 1, 2, 3};
  const std::vector<Round> checkpoints = {1000000000};
  for (const std::string& call : calls()) {
    const auto configured =
        configure_policy(*parse_call(call), {.num_arms = 4, .rounds = 1000000000});
    NoObserver observer;
    MatrixArena arena(*matrix, rank, OutcomeStream(1, 0));
    EXPECT_TRUE(
        (*configured)
            ->play(arena, TrialStreams(1, 0, call), {.checkpoints = checkpoints}, observer));
    EXPECT_EQ(observer.arm, 2U) << call;
    std::uint64_t plays = 0;
    for (const std::uint64_t count : observer.tally.plays) plays += count;
    EXPECT_EQ(plays, 2000000000U);
  }
}

// --- names and options --------------------------------------------------------------------------

std::string canonical(const std::string& call, Round rounds) {
  const auto configured = configure_policy(*parse_call(call), {.num_arms = 4, .rounds = rounds});
  return configured.ok() ? (*configured)->canonical() : "error: " + configured.error().to_string();
}

TEST(ExplorationOptions, canonical_strings_show_the_horizon_and_what_defines_the_algorithm) {
  EXPECT_EQ(canonical("if1", 1000), "if1(horizon=1000,ci=colt)");
  EXPECT_EQ(canonical("if2", 1000), "if2(horizon=1000,ci=jcss)");
  EXPECT_EQ(canonical("if2(ci=colt,horizon=1e6)", 1000), "if2(horizon=1000000,ci=colt)");
  EXPECT_EQ(canonical("btm", 1000), "btm(horizon=1000,gamma=1)");
  EXPECT_EQ(canonical("btm(gamma=1.3,radius=tight)", 50), "btm(horizon=50,gamma=1.3,radius=tight)");
  EXPECT_EQ(canonical("btm-pac", 1000), "btm-pac(gamma=1,epsilon=0.1,delta=0.1)");
  EXPECT_EQ(canonical("savage-condorcet", 1000), "savage-condorcet(horizon=1000,delta=auto)");
  EXPECT_EQ(canonical("savage-copeland(delta=0.01)", 9), "savage-copeland(horizon=9,delta=0.01)");
  EXPECT_EQ(canonical("savage-borda(sampling=arms)", 9),
            "savage-borda(horizon=9,delta=auto,sampling=arms)");
  for (const std::string& call : calls()) {
    EXPECT_EQ(canonical(canonical(call, 77), 12345), canonical(call, 77));
  }
}

TEST(ExplorationOptions, bad_values_are_refused) {
  for (const char* const call :
       {"if1(horizon=0)", "if1(ci=colty)", "btm(gamma=0.9)", "btm(radius=wide)",
        "btm-pac(epsilon=0)", "btm-pac(delta=1)", "btm-pac(horizon=5)", "savage-condorcet(delta=0)",
        "savage-condorcet(delta=1)", "savage-condorcet(epsilon=0.6)",
        "savage-condorcet(sampling=arms)", "savage-borda(bound=never)"}) {
    EXPECT_TRUE(canonical(call, 1000).starts_with("error: ")) << call;
  }
  EXPECT_TRUE(canonical("btm", 0).starts_with("error: "));
}

TEST(ExplorationOptions, facts_are_complete) {
  for (const char* const name :
       {"if1", "if2", "btm", "btm-pac", "savage-condorcet", "savage-copeland", "savage-borda"}) {
    const auto kind = find_policy(name);
    ASSERT_TRUE(kind.ok());
    const PolicyFacts& facts = (*kind)->facts;
    for (const std::string& text :
         {facts.title, facts.paper, facts.setting, facts.guarantee, facts.departs}) {
      EXPECT_FALSE(text.empty()) << name;
    }
    EXPECT_EQ(facts.status, "tested");
    EXPECT_EQ(facts.jumping, Jumping::exact);
    EXPECT_EQ(facts.needs_horizon, std::string(name) != "btm-pac");
    for (const OptionFact& option : (*kind)->options) EXPECT_FALSE(option.doc.empty());
  }
}

}  // namespace
}  // namespace duel
