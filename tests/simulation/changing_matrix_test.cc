// Runs on a matrix that changes, against a loop that plays every round and adds up each round's
// regret by the matrix in force.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "duel/policies/registry.h"
#include "duel/simulation/simulation.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

PreferenceMatrix reversed(const PreferenceMatrix& matrix) {
  const std::size_t k = matrix.num_arms();
  std::vector<double> p(k * k);
  for (Arm i = 0; i < k; ++i) {
    for (Arm j = 0; j < k; ++j) p[i * k + j] = matrix(j, i);
  }
  return PreferenceMatrix::create("reversed", matrix.arm_names(), p).value();
}

struct Shown {
  std::vector<double> regrets;
  std::vector<std::uint64_t> informative;
  std::vector<bool> correct;
};

// Every round played, regret added round by round.
Shown play_literally(const std::string& policy_name, const SimulationPlan& plan,
                     std::uint32_t trial) {
  const std::size_t k = plan.matrix->num_arms();
  const auto policy_kind =
      configure_policy({policy_name, {}}, {k, plan.checkpoints.back()}).value();
  const TrialStreams streams(plan.seed, trial, policy_name);
  const auto policy = policy_kind->make(streams.choice.at(0));
  const OutcomeStream outcomes(plan.seed, trial);
  std::map<std::pair<Arm, Arm>, std::uint32_t> meetings;
  Shown shown;
  std::vector<double> sums(plan.regrets.size());
  std::uint64_t informative = 0;
  std::size_t next = 0;
  for (Round t = 1; t <= plan.checkpoints.back(); ++t) {
    const PreferenceMatrix* matrix = plan.matrix;
    for (const MatrixChange& change : plan.changes) {
      if (t >= change.from) matrix = change.matrix;
    }
    const Duel duel = policy->select(t, streams.choice.at(t));
    policy->issued(duel, streams.choice.at(t));
    RoundRng answer = streams.answer.at(t);
    Outcome outcome = Outcome::first_wins;
    if (duel.is_self()) {
      outcome = answer.coin() ? Outcome::first_wins : Outcome::second_wins;
    } else {
      const Arm low = std::min(duel.first, duel.second), high = std::max(duel.first, duel.second);
      const auto draw = static_cast<double>(outcomes.draw(low, high, meetings[{low, high}]++));
      const bool low_wins = draw < (*matrix)(low, high) * 0x1p53;
      outcome = low_wins == (duel.first == low) ? Outcome::first_wins : Outcome::second_wins;
      ++informative;
    }
    policy->observe(duel, outcome, answer);
    for (std::size_t r = 0; r < plan.regrets.size(); ++r) {
      sums[r] +=
          RegretMeter::create(plan.regrets[r], *matrix).value().of_duel(duel.first, duel.second);
    }
    if (t == plan.checkpoints[next]) {
      shown.regrets.insert(shown.regrets.end(), sums.begin(), sums.end());
      shown.informative.push_back(informative);
      shown.correct.push_back(policy->recommend(streams.recommend.at(t)) ==
                              condorcet_winner(*matrix));
      ++next;
    }
  }
  return shown;
}

void expect_literal_agreement(const std::vector<Round>& change_rounds) {
  const PreferenceMatrix first = resolve_matrix("slides").value();
  const PreferenceMatrix second = reversed(first);
  SimulationPlan plan;
  plan.matrix = &first;
  for (std::size_t k = 0; k < change_rounds.size(); ++k) {
    plan.changes.push_back({change_rounds[k], k % 2 == 0 ? &second : &first});
  }
  plan.checkpoints = {1, 99, 100, 500, 1999, 2000};
  plan.trials = 5;
  plan.seed = 3;
  plan.regrets = {RegretNotion::average, RegretNotion::weak, RegretNotion::copeland};
  plan.threads = 1;
  for (const std::string name : {"ws-s", "rmed1", "uniform"}) {
    plan.policies = {{name, {}}};
    const Simulation simulation = Simulation::create(plan).value();
    const PolicyRecord record = simulation.run(0).value();
    for (std::uint32_t trial = 0; trial < plan.trials; ++trial) {
      const Shown expected = play_literally(name, plan, trial);
      for (std::size_t c = 0; c < plan.checkpoints.size(); ++c) {
        for (std::size_t r = 0; r < plan.regrets.size(); ++r) {
          ASSERT_NEAR(record.trials.value(trial, c, r), expected.regrets[c * 3 + r], 1e-9)
              << name << ", trial " << trial << ", checkpoint " << c << ", regret " << r;
        }
        ASSERT_EQ(record.trials.informative(trial, c), expected.informative[c]);
        ASSERT_EQ(record.trials.correct(trial, c), expected.correct[c]);
      }
    }
  }
}

TEST(ChangingMatrix, regret_is_counted_against_the_matrix_in_force) {
  expect_literal_agreement({700});
}
TEST(ChangingMatrix, may_change_at_checkpoints_beside_them_and_in_every_round) {
  expect_literal_agreement({2, 3, 99, 100, 101, 500, 501, 1999, 2000});
}
TEST(ChangingMatrix, change_after_the_end_changes_nothing) { expect_literal_agreement({2001}); }

TEST(ChangingMatrix, names_the_change_whose_matrix_lacks_a_winner) {
  const PreferenceMatrix first = resolve_matrix("random-condorcet(k=4,seed=1)").value();
  const PreferenceMatrix second = resolve_matrix("no-condorcet(k=4,seed=1)").value();
  SimulationPlan plan;
  plan.matrix = &first;
  plan.changes = {{50, &second}};
  plan.checkpoints = {100};
  plan.policies = {{"uniform", {}}};
  const auto simulation = Simulation::create(plan);
  ASSERT_FALSE(simulation.ok());
  EXPECT_NE(simulation.error().to_string().find("from round 50"), std::string::npos);
}

}  // namespace
}  // namespace duel
