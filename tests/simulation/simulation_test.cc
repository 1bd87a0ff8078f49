#include "duel/simulation/simulation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "duel/core/checkpoints.h"
#include "duel/simulation/aggregate.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"
#include "tests/simulation/scripted_policies.h"

namespace duel {
namespace {

PreferenceMatrix matrix_of(std::vector<std::string> names, std::vector<double> p) {
  return PreferenceMatrix::create("test", std::move(names), std::move(p)).value();
}

// Arm 0 wins with 3/4: a duel of 0 and 1 costs (0 + 1/4)/2 = 1/8.
PreferenceMatrix two_arms() { return matrix_of({"a", "b"}, {0.5, 0.75, 0.25, 0.5}); }

// 0 beats 1, 1 beats 2, 2 beats 0: no Condorcet winner; all three are Copeland winners. Arm 3
// loses to all.
PreferenceMatrix cycle() {
  return matrix_of({"a", "b", "c", "d"}, {0.5, 0.7, 0.3, 0.8,  //
                                          0.3, 0.5, 0.7, 0.8,  //
                                          0.7, 0.3, 0.5, 0.8,  //
                                          0.2, 0.2, 0.2, 0.5});
}

SimulationPlan plan_on(const PreferenceMatrix& matrix, const std::string& policies,
                       std::vector<Round> checkpoints, std::uint32_t trials) {
  SimulationPlan plan;
  plan.matrix = &matrix;
  plan.policies = parse_call_list(policies).value();
  plan.checkpoints = std::move(checkpoints);
  plan.trials = trials;
  plan.seed = 11;
  plan.threads = 2;
  return plan;
}

std::vector<double> values_at(const PolicyRecord& record, std::size_t checkpoint,
                              std::size_t regret = 0) {
  std::vector<double> values;
  for (std::uint32_t trial = 0; trial < record.trials.num_trials(); ++trial) {
    values.push_back(record.trials.value(trial, checkpoint, regret));
  }
  return values;
}

// Every number of a record, for comparison bit for bit.
std::vector<double> all_numbers(const PolicyRecord& record) {
  const TrialTable& table = record.trials;
  std::vector<double> numbers;
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
    numbers.push_back(table.finished(trial) ? 1 : 0);
    for (std::size_t c = 0; c < table.num_checkpoints(); ++c) {
      numbers.push_back(table.correct(trial, c) ? 1 : 0);
      numbers.push_back(static_cast<double>(table.informative(trial, c)));
      for (std::size_t r = 0; r < table.num_regrets(); ++r) {
        numbers.push_back(table.value(trial, c, r));
      }
    }
  }
  return numbers;
}

TEST(Simulation, reports_the_regret_of_known_duels) {
  const PreferenceMatrix matrix = two_arms();
  SimulationPlan plan = plan_on(matrix, "test-halves", {2, 4, 10}, 3);
  plan.regrets = {RegretNotion::average, RegretNotion::strong, RegretNotion::weak};
  const Simulation simulation = Simulation::create(plan).value();
  EXPECT_EQ(simulation.label(0), "test-halves(horizon=10)");
  const PolicyRecord record = simulation.run(0).value();
  EXPECT_FALSE(record.interrupted);
  EXPECT_EQ(record.trials_run, 3U);
  for (std::uint32_t trial = 0; trial < 3; ++trial) {
    ASSERT_TRUE(record.trials.finished(trial));
    // Rounds 1 .. 5 duel 0 and 1, the rest 0 and 0.
    EXPECT_EQ(record.trials.value(trial, 0, 0), 2 / 8.0);
    EXPECT_EQ(record.trials.value(trial, 1, 0), 4 / 8.0);
    EXPECT_EQ(record.trials.value(trial, 2, 0), 5 / 8.0);
    EXPECT_EQ(record.trials.value(trial, 2, 1), 5 / 4.0);
    EXPECT_EQ(record.trials.value(trial, 2, 2), 0);
    EXPECT_EQ(record.trials.informative(trial, 1), 4U);
    EXPECT_EQ(record.trials.informative(trial, 2), 5U);
  }
}

TEST(Simulation, runs_policies_with_a_horizon_afresh_for_every_checkpoint) {
  const PreferenceMatrix matrix = two_arms();
  SimulationPlan plan =
      plan_on(matrix, "test-halves,test-halves(horizon=100),test-clumsy,test-halves(ties=drop)",
              {2, 4, 10}, 3);
  plan.horizon_per_checkpoint = true;
  const Simulation simulation = Simulation::create(plan).value();
  EXPECT_EQ(simulation.label(0), "test-halves(horizon=checkpoint)");
  EXPECT_EQ(simulation.label(1), "test-halves(horizon=100)");
  EXPECT_EQ(simulation.label(3), "test-halves(horizon=checkpoint,ties=drop)");
  const PolicyRecord afresh = simulation.run(0).value();
  const PolicyRecord fixed = simulation.run(1).value();
  const PolicyRecord none = simulation.run(2).value();
  const std::vector<Round> checkpoints = {2, 4, 10};
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    const auto rounds = static_cast<double>(checkpoints[c]);
    EXPECT_EQ(afresh.trials.value(1, c, 0), rounds / 2 / 8);
    EXPECT_EQ(afresh.trials.informative(1, c), checkpoints[c] / 2);
    EXPECT_EQ(fixed.trials.value(1, c, 0), rounds / 8);
    EXPECT_EQ(none.trials.value(1, c, 0), rounds / 8);
  }
}

TEST(Simulation, takes_the_horizon_of_the_checkpoint_for_one_policy_by_its_label) {
  const PreferenceMatrix matrix = two_arms();
  const SimulationPlan plan =
      plan_on(matrix, "test-halves(horizon=checkpoint),test-halves", {2, 10}, 1);
  const Simulation simulation = Simulation::create(plan).value();
  EXPECT_EQ(simulation.label(0), "test-halves(horizon=checkpoint)");
  EXPECT_EQ(simulation.label(1), "test-halves(horizon=10)");
  EXPECT_EQ(simulation.run(0)->trials.informative(0, 0), 1U);
  EXPECT_EQ(simulation.run(1)->trials.informative(0, 0), 2U);
}

TEST(Simulation, says_at_which_checkpoint_a_horizon_is_impossible) {
  const PreferenceMatrix matrix = two_arms();
  SimulationPlan plan = plan_on(matrix, "test-halves", {1, 10}, 1);
  EXPECT_TRUE(Simulation::create(plan).ok());
  plan.horizon_per_checkpoint = true;
  const auto refused = Simulation::create(plan);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "halves needs a horizon of 2 or more, with the horizon of checkpoint 1");
}

TEST(Simulation, calls_the_condorcet_winner_alone_right) {
  const PreferenceMatrix matrix = two_arms();
  const Simulation simulation =
      Simulation::create(plan_on(matrix, "test-clumsy(arm=0),test-clumsy(arm=1)", {3}, 2)).value();
  EXPECT_TRUE(simulation.run(0)->trials.correct(1, 0));
  EXPECT_FALSE(simulation.run(1)->trials.correct(1, 0));
}

TEST(Simulation, calls_the_copeland_set_right_where_there_is_no_condorcet_winner) {
  const PreferenceMatrix matrix = cycle();
  SimulationPlan plan = plan_on(matrix, "test-clumsy(arm=2),test-clumsy(arm=3)", {3}, 2);
  plan.regrets = {RegretNotion::copeland};
  const Simulation simulation = Simulation::create(plan).value();
  EXPECT_TRUE(simulation.run(0)->trials.correct(1, 0));
  EXPECT_FALSE(simulation.run(1)->trials.correct(1, 0));
}

TEST(Simulation, refuses_a_regret_that_the_matrix_does_not_define) {
  const PreferenceMatrix matrix = cycle();
  const auto refused = Simulation::create(plan_on(matrix, "uniform", {3}, 2));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
}

TEST(Simulation, refuses_unknown_policies_and_options) {
  const PreferenceMatrix matrix = two_arms();
  const auto policy = Simulation::create(plan_on(matrix, "unifrom", {3}, 2));
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.error().hint.find("did you mean 'uniform'?"), std::string::npos);
  const auto option = Simulation::create(plan_on(matrix, "uniform(alpha=1)", {3}, 2));
  ASSERT_FALSE(option.ok());
  // Without an option `horizon` the word `checkpoint` means nothing.
  EXPECT_FALSE(Simulation::create(plan_on(matrix, "uniform(horizon=checkpoint)", {3}, 2)).ok());
}

TEST(Simulation, refuses_what_does_not_fit_in_memory) {
  const PreferenceMatrix matrix = two_arms();
  const auto refused =
      Simulation::create(plan_on(matrix, "uniform", log_checkpoints(1'000'000'000), 0xffff'ffff));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("4294967295 trials at 28 checkpoints need 2048.7 GB"),
            std::string::npos)
      << refused.error().message;
}

TEST(Simulation, gives_the_same_bits_for_any_number_of_threads) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  SimulationPlan plan = plan_on(matrix, "rucb,rmed1,uniform", {10, 100, 3000}, 23);
  plan.regrets = {RegretNotion::average, RegretNotion::von_neumann};
  std::vector<std::vector<double>> reference;
  for (const unsigned threads : {1U, 2U, 3U, 7U, 64U}) {
    plan.threads = threads;
    const Simulation simulation = Simulation::create(plan).value();
    for (std::size_t p = 0; p < simulation.num_policies(); ++p) {
      const std::vector<double> numbers = all_numbers(simulation.run(p).value());
      if (threads == 1) {
        reference.push_back(numbers);
      } else {
        EXPECT_EQ(numbers, reference[p]) << simulation.label(p) << " on " << threads;
      }
    }
  }
}

TEST(Simulation, leaves_the_numbers_of_a_policy_alone_when_another_joins) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const Simulation alone = Simulation::create(plan_on(matrix, "rucb", {100, 2000}, 9)).value();
  const Simulation together =
      Simulation::create(plan_on(matrix, "uniform,rucb,rmed1", {100, 2000}, 9)).value();
  EXPECT_EQ(all_numbers(alone.run(0).value()), all_numbers(together.run(1).value()));
}

TEST(Simulation, leaves_the_end_alone_when_checkpoints_or_trials_are_added) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const Simulation few = Simulation::create(plan_on(matrix, "rucb", {2000}, 4)).value();
  const Simulation many =
      Simulation::create(plan_on(matrix, "rucb", log_checkpoints(2000), 9)).value();
  const PolicyRecord a = few.run(0).value();
  const PolicyRecord b = many.run(0).value();
  for (std::uint32_t trial = 0; trial < 4; ++trial) {
    EXPECT_EQ(a.trials.value(trial, 0, 0),
              b.trials.value(trial, b.trials.num_checkpoints() - 1, 0));
  }
}

TEST(Simulation, gives_other_trials_other_numbers) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  SimulationPlan plan = plan_on(matrix, "uniform", {5000}, 2);
  const auto first = values_at(Simulation::create(plan)->run(0).value(), 0);
  EXPECT_NE(first[0], first[1]);
  plan.seed = 12;
  EXPECT_NE(values_at(Simulation::create(plan)->run(0).value(), 0), first);
}

// Uniform draws an ordered pair i != j, all equally likely, afresh each round: every arm takes part
// equally often, so the mean regret of a round is mean(D), and rounds are independent.
TEST(Simulation, finds_the_mean_regret_of_uniform_pairs_on_arxiv) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const Round rounds = 10'000;
  const std::uint32_t trials = 200;
  const std::vector<double> gaps = gaps_to_winner(matrix, *condorcet_winner(matrix));
  const double k = static_cast<double>(matrix.num_arms());
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    for (std::size_t j = 0; j < gaps.size(); ++j) {
      if (i == j) continue;
      const double regret = (gaps[i] + gaps[j]) / 2;
      sum += regret / (k * (k - 1));
      squares += regret * regret / (k * (k - 1));
    }
  }
  const double t = static_cast<double>(rounds);
  EXPECT_NEAR(t * sum, 600, 1e-9);
  const double se = std::sqrt(t * (squares - sum * sum) / trials);

  const Simulation simulation =
      Simulation::create(plan_on(matrix, "uniform", {rounds}, trials)).value();
  const Summary summary = summarize(values_at(simulation.run(0).value(), 0));
  EXPECT_NEAR(summary.mean, 600, 5 * se);  // se is 0.16: a bias of 0.2 % would be seen
  // The standard error of an estimated standard error is se / sqrt(2 (n - 1)), 5 % here.
  EXPECT_NEAR(summary.se, se, 5 * se / std::sqrt(2.0 * (trials - 1)));
}

TEST(Simulation, counts_every_duel_of_uniform_pairs_as_informative) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const PolicyRecord record =
      Simulation::create(plan_on(matrix, "uniform", {17, 400}, 2))->run(0).value();
  EXPECT_EQ(record.trials.informative(1, 0), 17U);
  EXPECT_EQ(record.trials.informative(1, 1), 400U);
}

TEST(Simulation, runs_a_single_arm) {
  const PreferenceMatrix matrix = matrix_of({"only"}, {0.5});
  const PolicyRecord record =
      Simulation::create(plan_on(matrix, "uniform", {1000}, 2))->run(0).value();
  EXPECT_EQ(record.trials.value(0, 0, 0), 0);
  EXPECT_EQ(record.trials.informative(0, 0), 0U);
  EXPECT_TRUE(record.trials.correct(0, 0));
}

TEST(Simulation, turns_what_a_policy_throws_into_an_error) {
  const PreferenceMatrix matrix = two_arms();
  const Simulation simulation =
      Simulation::create(plan_on(matrix,
                                 "test-clumsy(what=overflow),test-clumsy(what=no_memory),"
                                 "test-clumsy(what=our_bug)",
                                 {10}, 8))
          .value();
  const auto overflow = simulation.run(0);
  ASSERT_FALSE(overflow.ok());
  EXPECT_EQ(overflow.error().code, ErrorCode::unsupported);
  EXPECT_EQ(overflow.error().message, "a count is full");
  EXPECT_NE(overflow.error().where.find("test-clumsy(what=overflow), trial "), std::string::npos);
  const auto memory = simulation.run(1);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().message, "there is not enough memory");
  EXPECT_THROW(static_cast<void>(simulation.run(2)), CheckFailure);
}

TEST(Simulation, keeps_the_finished_trials_when_it_is_stopped) {
  const PreferenceMatrix matrix = two_arms();
  SimulationPlan plan = plan_on(matrix, "test-watched", {100}, 50);
  plan.threads = 1;
  const Simulation simulation = Simulation::create(plan).value();
  const PolicyRecord whole = simulation.run(0).value();

  std::atomic<bool> stop{false};
  int trials = 0;
  Watched::before_trial = [&] { stop = ++trials == 7; };
  RunHooks hooks;
  hooks.stop = &stop;
  const PolicyRecord part = simulation.run(0, hooks).value();
  Watched::before_trial = nullptr;
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.trials_run, 7U);
  EXPECT_EQ(part.trials.num_finished(), 7U);

  const PolicyRecord rest = simulation.run(0, {}, part.trials).value();
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(rest.trials_run, 43U);
  EXPECT_EQ(all_numbers(rest), all_numbers(whole));

  const PolicyRecord nothing_left = simulation.run(0, {}, whole.trials).value();
  EXPECT_EQ(nothing_left.trials_run, 0U);
  EXPECT_FALSE(nothing_left.interrupted);
}

TEST(Simulation, stops_in_the_middle_of_a_long_trial) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const Simulation simulation =
      Simulation::create(plan_on(matrix, "uniform", {4'000'000'000}, 3)).value();
  std::atomic<bool> stop{false};
  RunHooks hooks;
  hooks.stop = &stop;
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const PolicyRecord record = simulation.run(0, hooks).value();
  EXPECT_TRUE(record.interrupted);
  EXPECT_EQ(record.trials.num_finished(), 0U);
  EXPECT_LT(record.seconds, 30);
}

TEST(Simulation, tells_its_progress_and_ends_with_an_error_of_its_caller) {
  const PreferenceMatrix matrix = two_arms();
  const Simulation simulation =
      Simulation::create(plan_on(matrix, "test-watched", {100}, 20)).value();
  std::uint32_t last = 0;
  std::atomic<int> rows{0};
  RunHooks hooks;
  hooks.on_progress = [&](std::uint32_t finished) { last = finished; };
  hooks.on_trial = [&](const TrialTable& table, std::uint32_t row, std::uint32_t trial) {
    EXPECT_EQ(row, trial);
    rows += table.finished(trial) ? 1 : 0;
  };
  EXPECT_TRUE(simulation.run(0, hooks).ok());
  EXPECT_EQ(last, 20U);
  EXPECT_EQ(rows, 20);

  hooks.on_tick = []() -> Status { return Error::io("the disk is full"); };
  const auto failed = simulation.run(0, hooks);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "the disk is full");
}

TEST(Simulation, measures_wall_and_processor_time) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const PolicyRecord record =
      Simulation::create(plan_on(matrix, "uniform", {20'000}, 20))->run(0).value();
  EXPECT_GT(record.seconds, 0);
  EXPECT_GT(record.cpu_seconds, 0);
}

}  // namespace
}  // namespace duel
