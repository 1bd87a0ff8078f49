#include "duel/study/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "duel/core/described_json.h"
#include "duel/pictures/plan_picture.h"
#include "duel/store/log_file.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"
#include "tests/log/written_log.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

PlanSpec small_spec(PlanTruth truth) {
  PlanSpec spec;
  spec.truth = std::move(truth);
  spec.policies = {{"certify", {}}};
  spec.trials = 60;
  spec.max_duels = 20'000;
  spec.threads = 1;
  return spec;
}

PlanTruth two_arms(double p) {
  return known_truth(PreferenceMatrix::create("two", {"a", "b"}, {0.5, p, 1 - p, 0.5}).value());
}

// An arm that always wins: E after s wins is sum_k w_k (2 p_k)^s, and 1/alpha_i = 2/alpha = 40 is
// first reached at s = 9 (s = 8: 16/64 1.8^8 + 14/64 1.4^8 + 12/64 1.16^8 + .. = 27.5 + 3.2 + .6 +
// .4 < 40, s = 9: 49.6 + .. > 40).
TEST(Plan, counts_the_duels_to_the_certificate_of_a_sure_winner_exactly) {
  const PlanResults results = run_plan(small_spec(two_arms(1.0))).value();
  ASSERT_EQ(results.entries.size(), 2U);
  for (const PlanEntry& entry : results.entries) {
    EXPECT_EQ(entry.p10, 9) << entry.policy;
    EXPECT_EQ(entry.p99, 9) << entry.policy;
    EXPECT_EQ(entry.winners, 60U);
    EXPECT_EQ(entry.wrong, 0U);
  }
  EXPECT_NEAR(*results.reference, std::log(20.0) / std::log(2.0), 1e-9);
}

TEST(Plan, gives_the_same_numbers_on_any_number_of_threads) {
  PlanSpec spec = small_spec(guessed_truth(4, 0.15, 0.5).value());
  spec.tie_rate = 0.2;
  spec.parallel = 3;
  spec.cost_per_duel = 0.01;
  const std::string one = described_json(run_plan(spec).value()).dump();
  spec.threads = 3;
  EXPECT_EQ(described_json(run_plan(spec).value()).dump(), one);
}

// Ties take duels and teach nothing, so that a rate of 1/2 doubles them. A single trial of two arms
// at p = 0.7 has a standard deviation of about half its mean, both means over 60 trials have 7 %
// error, and their ratio 10 %: the bounds stand 4 errors away.
TEST(Plan, needs_twice_the_duels_where_every_other_one_is_a_tie) {
  PlanSpec spec = small_spec(two_arms(0.7));
  const double plain = run_plan(spec).value().entries[0].mean;
  spec.tie_rate = 0.5;
  const double tied = run_plan(spec).value().entries[0].mean;
  EXPECT_NEAR(tied / plain, 2.0, 0.8);
}

TEST(Plan, says_undecided_at_the_cap_and_no_winner_where_there_is_none) {
  PlanSpec spec = small_spec(two_arms(0.5));
  spec.max_duels = 100;
  const PlanResults even = run_plan(spec).value();
  // At most 5 % of 60 may be certified by mistake; 11 or more has probability 1e-4.
  EXPECT_GT(even.entries[0].undecided, 49U);
  EXPECT_EQ(even.entries[0].p90, 100);
  EXPECT_EQ(even.without_winner, 60U);
  EXPECT_FALSE(even.reference);

  const PlanResults cycle =
      run_plan(small_spec(known_truth(resolve_matrix("no-condorcet(k=5,seed=1)").value()))).value();
  EXPECT_EQ(cycle.entries[0].no_winners, 60U);
  EXPECT_EQ(cycle.entries[0].wrong, 0U);
}

TEST(Plan, settles_copeland_and_borda_winners) {
  for (const Goal goal : {Goal::copeland, Goal::borda}) {
    PlanSpec spec = small_spec(known_truth(resolve_matrix("cyclic").value()));
    spec.policies = {{"auto", {}}};
    spec.goal = goal;
    spec.trials = 10;
    const PlanResults results = run_plan(spec).value();
    EXPECT_EQ(results.entries[0].winners, 10U);
    EXPECT_EQ(results.entries[0].wrong, 0U);
  }
}

TEST(Plan, works_with_several_duels_in_flight_for_every_policy) {
  PlanSpec spec = small_spec(guessed_truth(3, 0.3, 0).value());
  spec.trials = 3;
  spec.parallel = 5;
  spec.round_robin = false;
  for (const PolicyKind& kind : policy_catalogue()) {
    const std::string& name = kind.facts.name;
    // Scripted policies of tests play one pair for ever; scb, iir and knockout may spend all on the
    // two even arms; and self-sparring plays thousands of self-duels in between.
    if (name.starts_with("test-") || name == "scb" || name == "iir" || name == "knockout" ||
        name == "self-sparring") {
      continue;
    }
    spec.policies = {{name, {}}};
    const auto results = run_plan(spec);
    ASSERT_TRUE(results.ok()) << name << ": " << results.error().to_string();
    EXPECT_EQ(results->entries[0].winners, 3U) << name;
  }
}

TEST(Plan, guesses_a_truth_whose_first_arm_leads_by_the_gap) {
  const auto matrix = guessed_truth(6, 0.1, 1.0).value().draw(5, 3);
  EXPECT_EQ(condorcet_winner(*matrix), Arm{0});
  EXPECT_NEAR((*matrix)(0, 1), 0.6, 1e-12);
  for (Arm j = 2; j < 6; ++j) EXPECT_GE((*matrix)(0, j), 0.6 - 1e-12);
  EXPECT_NE((*guessed_truth(6, 0.1, 1.0)->draw(5, 4))(0, 2), (*matrix)(0, 2));
}

// Beta(81, 21) has mean 0.794 and standard deviation 0.040; the mean of 200 draws has error 0.003.
TEST(Plan, draws_truths_from_what_a_pilot_saw) {
  Pilot pilot{.name = "votes", .arms = {"a", "b"}, .wins = {0, 80, 20, 0}};
  const PlanTruth truth = posterior_truth(pilot);
  double sum = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) sum += (*truth.draw(1, trial))(0, 1);
  EXPECT_NEAR(sum / 200, 81.0 / 102, 0.012);
}

TEST(Plan, refuses_what_is_out_of_range_and_says_what_is_allowed) {
  PlanSpec spec = small_spec(two_arms(0.7));
  spec.alpha = 0.7;
  EXPECT_EQ(run_plan(spec).error().to_string(), "alpha: 0.7 is out of range (0 < alpha < 0.5)");
  EXPECT_FALSE(guessed_truth(1, 0.1, 0).ok());
  EXPECT_FALSE(guessed_truth(3, 0.5, 0).ok());
  spec.alpha = 0.05;
  spec.policies = {{"certify", {}}, {"certify", {{"alpha", "0.05"}}}};
  EXPECT_NE(run_plan(spec).error().to_string().find("given twice"), std::string::npos);
}

TEST(PlanQuestion, becomes_a_spec_with_auto_where_no_policy_is_named) {
  const PlanSpec spec = plan_spec({.matrix = "arxiv"}).value();
  EXPECT_EQ(spec.truth.name, "arxiv");
  EXPECT_EQ(spec.truth.num_arms, 6U);
  ASSERT_EQ(spec.policies.size(), 1U);
  EXPECT_EQ(spec.policies[0].name, "auto");
  EXPECT_EQ(spec.goal, Goal::condorcet);
  EXPECT_EQ(spec.trials, PlanSpec{}.trials);
}

// Round-robin is played in any case.
TEST(PlanQuestion, takes_lists_of_policies_and_drops_round_robin) {
  const PlanSpec spec =
      plan_spec({.arms = 4, .gap = 0.1, .policy = {"rucb(alpha=0.6),round-robin", "dts"}}).value();
  ASSERT_EQ(spec.policies.size(), 2U);
  EXPECT_EQ(spec.policies[0].name, "rucb");
  EXPECT_EQ(spec.policies[1].name, "dts");
  EXPECT_EQ(spec.truth.name, "4 arms, gap 0.1");
}

TEST(PlanQuestion, is_refused_with_the_field_that_is_wrong) {
  const auto complaint = [](const PlanQuestion& question) {
    return plan_spec(question).error().to_string();
  };
  EXPECT_EQ(complaint({}),
            "nothing describes the arms (give `matrix`, or `pilot`, or `arms` and `gap`)");
  EXPECT_EQ(plan_spec({.matrix = "arxiv", .gap = 0.1}).error().message,
            "the arms are described twice");
  EXPECT_EQ(complaint({.arms = 3}),
            "gap: is missing (`arms` and `gap` belong together, such as 5 and 0.05)");
  EXPECT_EQ(plan_spec({.gap = 0.1}).error().field, "arms");
  EXPECT_EQ(complaint({.arms = 1, .gap = 0.1}), "arms: 1 is out of range (2 .. 10000)");
  EXPECT_EQ(complaint({.arms = 3, .gap = 0.5}), "gap: 0.5 is out of range (0 < gap < 0.5)");
  EXPECT_EQ(plan_spec({.matrix = "arxiv", .policy = {"rucb("}}).error().field, "policy");
  EXPECT_EQ(plan_spec({.matrix = "arxiv", .goal = "copland"}).error().field, "goal");
  EXPECT_EQ(plan_spec({{.max_duels = 0}, "arxiv"}).error().field, "max_duels");
  EXPECT_EQ(plan_spec({{.parallel = 0}, "arxiv"}).error().field, "parallel");
  // More than 32 bits hold: it must not become a small number.
  EXPECT_EQ(plan_spec({.matrix = "arxiv", .trials = (1ULL << 32) + 2}).error().field, "trials");
}

TEST(WastefulDesigns, are_those_that_leave_undecided_what_another_decides) {
  PlanResults results{.trials = 100};
  const auto add = [&](const char* policy, std::uint64_t undecided) {
    PlanEntry entry;
    entry.policy = policy;
    entry.undecided = undecided;
    results.entries.push_back(entry);
  };
  add("dts", 11);
  add("certify", 1);
  add("rucb", 10);  // a tenth is not many
  add(kRoundRobin, 90);
  const auto wasteful = wasteful_designs(results);
  ASSERT_EQ(wasteful.size(), 1U);
  EXPECT_EQ(wasteful[0].entry->policy, "dts");
  EXPECT_EQ(wasteful[0].decider->policy, "certify");
  results.entries[1].undecided = 2;  // more than a tenth of what dts leaves
  EXPECT_TRUE(wasteful_designs(results).empty());
  EXPECT_TRUE(wasteful_designs({}).empty());
}

TEST(Plan, picture_has_a_line_for_every_design) {
  const PlanResults results = run_plan(small_spec(two_arms(0.8))).value();
  const std::string script = plan_picture_script(results, PlotFormat::svg);
  EXPECT_NE(script.find("$design1"), std::string::npos);
  EXPECT_NE(script.find("'round-robin'"), std::string::npos);
  EXPECT_NE(script.find("least mean"), std::string::npos);
}

Pilot pilot_of_csv(const char* text) {
  return pilot_of(parse_comparisons_csv(text, "p.csv").value(), "p.csv").value();
}

TEST(Pilot, counts_an_arena_and_a_plain_table) {
  const Pilot arena = pilot_of_csv(
      "id,model_a,model_b,winner,judge\n"
      "1,x,y,model_a,p\n2,y,x,model_a,p\n3,x,z,tie (bothbad),q\n"
      "4,z,x,model_b,q\n5,x,y,tie,q\n");
  EXPECT_EQ(arena.arms, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(arena.won(0, 1), 1U);
  EXPECT_EQ(arena.won(1, 0), 1U);
  EXPECT_EQ(arena.won(0, 2), 1U);
  EXPECT_EQ(arena.ties, 2U);
  EXPECT_EQ(arena.decisive, 3U);
  const Pilot plain = pilot_of_csv("first,second,winner\nx,y,y\nx,y,first\n");
  EXPECT_EQ(plain.won(1, 0), 1U);
  EXPECT_EQ(plain.won(0, 1), 1U);
}

TEST(Pilot, needs_two_arms) {
  const ComparisonTable none;
  EXPECT_EQ(pilot_of(none, "p.csv").error().message, "holds comparisons of 0 arms");
}

TEST(Pilot, reads_the_log_of_an_experiment) {
  const TemporaryDirectory directory;
  const auto file = directory / "pilot.jsonl";
  ExperimentRecord experiment;
  experiment.experiment_id = "pilot";
  experiment.arms = {{"a", "", ""}, {"b", "", ""}};
  auto log = WrittenLog::create(std::make_shared<LogFiles>(), file.string(), experiment, 0);
  ASSERT_TRUE(log.ok());
  for (const char* winner : {"a", "b", "a", ""}) {
    ComparisonRecord row{.first = "a", .second = "b"};
    row.answer = *winner == 0 ? Answer{Answered::tie, ""} : Answer{Answered::win, winner};
    ASSERT_TRUE(log->append({row}, 0).ok());
  }
  const Pilot pilot = read_pilot(file).value();
  EXPECT_EQ(pilot.won(0, 1), 2U);
  EXPECT_EQ(pilot.won(1, 0), 1U);
  EXPECT_EQ(pilot.ties, 1U);
}

}  // namespace
}  // namespace duel
