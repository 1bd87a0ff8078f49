// Arms by the thousands: the Bradley-Terry model by its formula.
#include "duel/truth/strengths.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/simulation/simulation.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

std::shared_ptr<const Strengths> strengths(const std::string& text) {
  return Strengths::create(parse_call(text).value()).value();
}

SimulationPlan plan_of(const std::string& policies, std::uint32_t trials) {
  SimulationPlan plan;
  plan.policies = parse_call_list(policies).value();
  plan.checkpoints = {10, 2000};
  plan.trials = trials;
  plan.seed = 3;
  plan.regrets = {RegretNotion::average, RegretNotion::strong, RegretNotion::weak};
  plan.threads = 1;
  return plan;
}

std::string bytes_of_table(const TrialTable& table) {
  std::string bytes;
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) bytes += table.pack(trial);
  return bytes;
}

TEST(Strengths, are_the_matrix_of_the_same_name) {
  const auto formula = strengths("strengths(k=40,seed=2,spread=1.5)");
  const PreferenceMatrix matrix = resolve_matrix("bradley-terry(k=40,seed=2,spread=1.5)").value();
  EXPECT_EQ(formula->name(), "strengths(k=40,seed=2,spread=1.5)");
  for (Arm i = 0; i < 40; ++i) {
    for (Arm j = 0; j < 40; ++j) EXPECT_EQ(formula->chance(i, j), matrix(i, j)) << i << " " << j;
  }
  EXPECT_EQ(formula->winner(), condorcet_winner(matrix));
  EXPECT_EQ(formula->merit_ranks(), merit_ranks(matrix));
  EXPECT_EQ(formula->gaps_to_winner(), gaps_to_winner(matrix, formula->winner()));
}

TEST(Strengths, give_a_simulation_the_bits_of_the_matrix) {
  const auto formula = strengths("strengths(k=40,seed=2,spread=1)");
  const PreferenceMatrix matrix = resolve_matrix("bradley-terry(k=40,seed=2,spread=1)").value();
  SimulationPlan by_formula = plan_of("ws-w,self-sparring", 5);
  SimulationPlan by_matrix = by_formula;
  by_formula.strengths = formula.get();
  by_matrix.matrix = &matrix;
  const Simulation one = Simulation::create(by_formula).value();
  const Simulation other = Simulation::create(by_matrix).value();
  for (std::size_t policy = 0; policy < one.num_policies(); ++policy) {
    EXPECT_EQ(bytes_of_table(one.run(policy).value().trials),
              bytes_of_table(other.run(policy).value().trials))
        << one.label(policy);
  }
}

TEST(Strengths, of_ten_thousand_arms_are_played) {
  const auto formula = strengths("strengths(k=10000,seed=1,spread=1)");
  SimulationPlan plan = plan_of("ws-w", 1);
  plan.strengths = formula.get();
  plan.checkpoints = {100'000};
  const PolicyRecord record = Simulation::create(plan).value().run(0).value();
  EXPECT_EQ(record.trials.informative(0, 0), 100'000u);
}

TEST(Strengths, refuse_regret_that_needs_all_pairs_and_policies_that_keep_them) {
  const auto formula = strengths("strengths(k=200000,seed=1,spread=1)");
  SimulationPlan plan = plan_of("ws-w", 1);
  plan.strengths = formula.get();
  plan.regrets = {RegretNotion::borda};
  const auto borda = Simulation::create(plan);
  ASSERT_FALSE(borda.ok());
  EXPECT_NE(borda.error().to_string().find("borda regret needs the numbers of all pairs"),
            std::string::npos);
  // 12 bytes for each of 4 10^10 pairs.
  plan.regrets = {RegretNotion::average};
  plan.policies = parse_call_list("rucb").value();
  const auto pairs = Simulation::create(plan);
  ASSERT_FALSE(pairs.ok());
  EXPECT_NE(pairs.error().to_string().find("at least 480.0 GB"), std::string::npos)
      << pairs.error().to_string();
  EXPECT_NE(pairs.error().to_string().find("ws-w"), std::string::npos);
}

TEST(Strengths, name_the_option_that_is_wrong) {
  EXPECT_FALSE(Strengths::create(parse_call("strengths(k=1)").value()).ok());
  EXPECT_FALSE(Strengths::create(parse_call("strengths(arms=5)").value()).ok());
}

}  // namespace
}  // namespace duel
