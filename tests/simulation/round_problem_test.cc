// Rounds that are more than duels: several arms at once, and contexts.
#include "duel/truth/round_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "duel/simulation/simulation.h"
#include "duel/study/problem.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

RoundProblemPtr problem(const std::string& text) {
  return round_problem(parse_call(text).value()).value();
}

SimulationPlan plan_of(const RoundProblem& problem, const std::string& policies, Round rounds,
                       std::uint32_t trials) {
  SimulationPlan plan;
  plan.by_round = &problem;
  plan.features = problem.features();
  plan.policies = parse_call_list(policies).value();
  plan.checkpoints = {rounds / 10, rounds};
  plan.trials = trials;
  plan.seed = 3;
  plan.threads = 1;
  return plan;
}

// exp(u_i)/sum exp(u_j) over those shown.
TEST(Choice, follows_the_weights) {
  const auto choice = problem("choice(matrix=plackett-luce(k=5,seed=2,spread=1),m=3)");
  const PreferenceMatrix& matrix = *choice->matrix();
  const auto trial = choice->trial(4, 0);
  const std::vector<Arm> shown = {0, 2, 3};
  std::map<Arm, int> chosen;
  constexpr int n = 20'000;
  for (Round t = 1; t <= n; ++t) {
    trial->begin(t);
    ++chosen[*trial->answer(shown).chosen];
  }
  double weights = 0;
  for (const Arm arm : shown) weights += matrix(arm, 0) / matrix(0, arm);
  for (const Arm arm : shown) {
    const double p = matrix(arm, 0) / matrix(0, arm) / weights;
    EXPECT_NEAR(chosen[arm] / double(n), p, 5 * std::sqrt(p * (1 - p) / n)) << arm;
  }
}

TEST(Choice, is_refused_where_a_matrix_does_not_say_how_one_of_several_is_chosen) {
  const auto refused = round_problem(parse_call("choice(matrix=arxiv,m=3)").value());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_string().find("not who is chosen of more"), std::string::npos);
  EXPECT_FALSE(round_problem(parse_call("multileave(matrix=no-condorcet(k=4))").value()).ok());
}

// Every set of three of arm 0, which loses to nobody: the mean regret of a round is that of the two
// others over three, and the least is none.
TEST(Multileave, counts_the_mean_and_the_least_over_a_set) {
  const auto multileave = problem("multileave(matrix=arxiv,m=6)");
  const Simulation simulation = Simulation::create([&] {
                                  SimulationPlan plan =
                                      plan_of(*multileave, "multi-rucb(max=6)", 10, 1);
                                  plan.regrets = {RegretNotion::average, RegretNotion::weak};
                                  return plan;
                                }())
                                    .value();
  const PolicyRecord record = simulation.run(0).value();
  // The first rounds show all six: gaps 0, .05, .05, .04, .11, .11.
  EXPECT_NEAR(record.trials.value(0, 0, 0), 0.36 / 6, 1e-12);
  EXPECT_EQ(record.trials.value(0, 0, 1), 0);
  EXPECT_EQ(record.trials.informative(0, 0), 1U);
}

// multi-rucb shows one arm alone once it is sure; self-sparring always shows five, so that its
// average regret grows for ever, and what it learns shows in the best of those and in its answer.
TEST(Multileave, sets_find_the_winner_sooner_than_pairs) {
  const auto multileave = problem("multileave(matrix=random-condorcet(k=10,seed=2,gap=0.1),m=5)");
  SimulationPlan plan = plan_of(*multileave, "multi-rucb,self-sparring(m=5),rucb", 1000, 10);
  plan.regrets = {RegretNotion::average, RegretNotion::weak};
  const Simulation simulation = Simulation::create(plan).value();
  const PolicyRecord multi = simulation.run(0).value(), five = simulation.run(1).value(),
                     pairs = simulation.run(2).value();
  const auto mean = [](const PolicyRecord& record, std::size_t regret) {
    double sum = 0;
    for (std::uint32_t trial = 0; trial < 10; ++trial) sum += record.trials.value(trial, 1, regret);
    return sum / 10;
  };
  EXPECT_LT(mean(multi, 0), mean(pairs, 0));
  EXPECT_LT(mean(five, 1), mean(pairs, 1));
  int right = 0;
  for (std::uint32_t trial = 0; trial < 10; ++trial) right += five.trials.correct(trial, 1) ? 1 : 0;
  EXPECT_GE(right, 9);
}

// The rows of a round are the same for all policies of a trial, and other ones in the next round.
TEST(FreshLinear, draws_new_rows_every_round) {
  const auto fresh = problem("linear(k=6,d=3,seed=1,fresh=true)");
  EXPECT_EQ(fresh->name(), "linear(k=6,d=3,seed=1,scale=1,features=sphere,fresh=true)");
  const auto one = fresh->trial(1, 0), same = fresh->trial(2, 0), other = fresh->trial(1, 1);
  const FeatureRows first = *one->begin(1).context;
  EXPECT_EQ(*same->begin(1).context, first);
  EXPECT_NE(*other->begin(1).context, first);
  EXPECT_NE(*one->begin(2).context, first);
  const RoundTrial::Scene scene = one->begin(3);
  EXPECT_EQ(scene.utility_gaps[scene.best], 0);
  for (const double gap : scene.utility_gaps) EXPECT_GE(gap, 0);
}

// Policies that use contexts learn theta; one that does not is at a loss.
TEST(FreshLinear, is_learnt_from_contexts_alone) {
  const auto fresh = problem("linear(k=10,d=3,seed=1,scale=4,fresh=true)");
  SimulationPlan plan =
      plan_of(*fresh,
              "lin-ts(estimator=online),lin-maxinp(width=0.3),lin-maxpairucb(width=0.3),"
              "colstim(width=0.3),uniform",
              2000, 5);
  plan.regrets = {RegretNotion::utility, RegretNotion::average};
  const Simulation simulation = Simulation::create(plan).value();
  const auto last_rounds = [&](std::size_t policy) {
    const PolicyRecord record = simulation.run(policy).value();
    double sum = 0;
    for (std::uint32_t trial = 0; trial < 5; ++trial) {
      sum += record.trials.value(trial, 1, 0) - record.trials.value(trial, 0, 0);
    }
    return sum / 5 / 1800;
  };
  const double uniform = last_rounds(4);
  for (std::size_t policy = 0; policy < 4; ++policy) {
    EXPECT_LT(last_rounds(policy), 0.3 * uniform) << simulation.label(policy);
  }
}

TEST(RoundProblem, refuses_what_it_cannot_do) {
  const auto multileave = problem("multileave(matrix=arxiv,m=3)");
  SimulationPlan plan = plan_of(*multileave, "rucb", 100, 1);
  plan.regrets = {RegretNotion::borda};
  EXPECT_FALSE(Simulation::create(plan).ok());
  plan.regrets = {RegretNotion::utility};
  EXPECT_FALSE(Simulation::create(plan).ok());
  plan.regrets = {RegretNotion::average};
  EXPECT_TRUE(Simulation::create(plan).ok());
  plan.feedback.batch = 5;
  EXPECT_FALSE(Simulation::create(plan).ok());
}

TEST(FeatureProblem, is_played_with_features_and_without) {
  const Problem linear = resolve_problem("linear(k=20,d=4,seed=1,scale=3)", 1).value();
  SimulationPlan plan;
  set_problem_of(plan, linear);
  plan.policies = parse_call_list("lin-ts,lin-maxinp(width=0.3),colstim(width=0.3),imed").value();
  plan.checkpoints = {5000};
  plan.trials = 10;
  plan.threads = 1;
  plan.regrets = {RegretNotion::utility, RegretNotion::average};
  const Simulation simulation = Simulation::create(plan).value();
  std::vector<double> means;
  for (std::size_t policy = 0; policy < 4; ++policy) {
    const PolicyRecord record = simulation.run(policy).value();
    double sum = 0;
    for (std::uint32_t trial = 0; trial < 10; ++trial) {
      sum += record.trials.value(trial, 0, 0);
      EXPECT_GT(record.trials.value(trial, 0, 0), record.trials.value(trial, 0, 1));
    }
    means.push_back(sum / 10);
  }
  // Four numbers are learnt sooner than twenty arms.
  EXPECT_LT(means[0], means[3]);
}

TEST(Corruption, is_a_problem_of_its_base) {
  const Problem corrupted = resolve_problem("corrupt(base=arxiv,budget=500)", 1).value();
  SimulationPlan plan;
  set_problem_of(plan, corrupted);
  ASSERT_NE(plan.matrix, nullptr);
  plan.policies = parse_call_list("rucb").value();
  plan.checkpoints = {2000};
  plan.trials = 3;
  const Simulation with = Simulation::create(plan).value();
  plan.outcomes = nullptr;
  const Simulation without = Simulation::create(plan).value();
  EXPECT_NE(with.run(0).value().trials.value(0, 0, 0),
            without.run(0).value().trials.value(0, 0, 0));
}

}  // namespace
}  // namespace duel
