// The framework of reproductions: registry, tables, findings, their file and the report.
#include "duel/reproduction/reproduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "duel/ranking/letor/synthetic.h"
#include "duel/reproduction/dbgd_ranking.h"
#include "duel/reproduction/filter_exploration.h"
#include "duel/reproduction/record.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A small record by hand; its first finding fails.
ReproductionRecord by_hand() {
  ReproductionRecord record;
  record.name = "some-figure";
  record.paper = "Somebody (2001)";
  record.what = "Figure 9";
  record.description = "What it shows.";
  record.settings = {true, 7, "1.2.3", {"sushi 00ff"}};
  record.seconds = 12.4;
  Findings found;
  found.within("regret | at 1e5", "250", {300, 5, 40}, {240, 260}).note =
      "the table is for another T";
  found.that("a is below b", "figure", "1 < 2", "this order", true);
  found.shown("constant", "-", exactly(2.5));
  found.skipped("on data", "figure", "give --matrix x=FILE");
  record.findings = found;
  record.remarks = {"A paragraph."};
  record.tables = {"regret.csv"};
  record.figures = {{"regret", "Regret over rounds."}};
  return record;
}

TEST(ReproductionRegistry, is_sorted_by_name_and_complete) {
  const std::vector<std::string> names = reproduction_catalogue().names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"if-walk", "if-matches", "if-scaling", "if-error", "rmed-arxiv",
                           "rmed-cyclic", "rmed-arithmetic", "rmed-sushi", "rmed-mslr16",
                           "rmed-mslr64", "dts-fig1", "dts-robust", "merge"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  for (const ReproductionKind& kind : reproduction_catalogue()) {
    EXPECT_FALSE(kind.facts.paper.empty() || kind.facts.what.empty()) << kind.facts.name;
    EXPECT_FALSE(kind.facts.description.empty()) << kind.facts.name;
    EXPECT_EQ(kind.facts.needs.empty(), !kind.facts.uses_matrices() && !kind.facts.uses_data())
        << kind.facts.name;
  }
}

TEST(ReproductionRegistry, names_the_nearest_of_an_unknown_name) {
  const auto found = reproduction_catalogue().find("rmed-arixv");
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(has(found.error().to_string(), "did you mean 'rmed-arxiv'?"));
}

TEST(ReproductionTable, has_keys_then_the_estimate_then_more) {
  TidyTable table("t", "matrix,round", "min", 3);
  table.add({"a,b", "10"}, {1.5, 0.25, 4}, {1});
  table.add({"c", "10"}, {2, kUndefined, 1}, {kUndefined});
  EXPECT_EQ(table.to_csv(),
            "matrix,round,mean,se,trials,seed,min\n\"a,b\",10,1.5,0.25,4,3,1\nc,10,2,,1,3,\n");
  EXPECT_EQ(table.num_rows(), 2U);
}

TEST(ReproductionFinding, verdict_is_by_the_accepted_range_with_its_ends) {
  EXPECT_EQ(Findings().within("c", "p", {1, 0.1, 5}, {1, 2}).verdict, FindingVerdict::pass);
  EXPECT_EQ(Findings().within("c", "p", {2, 0.1, 5}, {1, 2}).verdict, FindingVerdict::pass);
  EXPECT_EQ(Findings().within("c", "p", {2.001, 0.1, 5}, {1, 2}).verdict, FindingVerdict::fail);
  EXPECT_EQ(Findings().within("c", "p", {kUndefined, 0.1, 5}, {1, 2}).verdict,
            FindingVerdict::fail);
  EXPECT_EQ(Findings().within("c", "p", {1, 0.1, 5}, {1, 2}).tolerance, "[1, 2]");
}

TEST(ReproductionFinding, shows_the_error_to_two_digits_and_the_mean_to_the_same_place) {
  EXPECT_EQ(measured_text({259.04, 5.63, 100}), "259.0 ± 5.6");
  EXPECT_EQ(measured_text({1234.5, 12.34, 100}), "1234 ± 12");  // halves to even, as printf
  EXPECT_EQ(measured_text({0.16034, 0.0037, 100}), "0.1603 ± 0.0037");
  EXPECT_EQ(measured_text(exactly(20.73504)), "20.735");
  EXPECT_EQ(measured_text(exactly(2)), "2");
  EXPECT_EQ(measured_text({}), "-");
}

TEST(ReproductionRecord, reads_back_what_it_wrote) {
  const ReproductionRecord before = by_hand();
  const ReproductionRecord after = parse_record(to_json(before), "findings.json").value();
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_EQ(after.settings, before.settings);
  EXPECT_FALSE(after.passed());
  EXPECT_EQ(after.findings[0].note, "the table is for another T");
  EXPECT_TRUE(std::isnan(after.findings[3].value.mean));
}

TEST(ReproductionRecord, a_quick_run_cannot_fail) {
  Reproduction done;
  done.findings.within("c", "1", {3, 0.1, 5}, {1, 2});
  done.findings.within("c", "1", {1, 0.1, 5}, {1, 2});
  const ReproductionFacts facts{.name = "n", .paper = "p", .what = "w", .description = "d"};
  const auto verdict = [&](bool quick, std::size_t k) {
    return record_of(facts, {quick, 0, "1", {}}, done, 1).findings[k].verdict;
  };
  EXPECT_EQ(verdict(true, 0), FindingVerdict::unclear);
  EXPECT_EQ(verdict(true, 1), FindingVerdict::pass);
  EXPECT_EQ(verdict(false, 0), FindingVerdict::fail);
  EXPECT_TRUE(record_of(facts, {true, 0, "1", {}}, done, 1).passed());
}

TEST(ReproductionFinding, says_where_a_published_number_is_from) {
  EXPECT_EQ(Findings().shown("c", "0.59", {}).source, "printed");
  EXPECT_EQ(Findings().shown("c", "-", {}).source, "");
  EXPECT_EQ(Findings().shown("c", from_figure("0.59"), {}).source, "read from the figure");
  EXPECT_EQ(Findings().shown("c", rerun("0.59", "20 runs"), {}).source,
            "other implementation, re-run (an independent one, not the authors', 20 runs)");
  const auto record = parse_record(to_json(by_hand()), "findings.json");
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->findings[0].source, "printed");
}

TEST(ReproductionContext, reports_a_part_as_its_share_of_the_whole) {
  double last = 0;
  ReproductionContext context;
  context.progress = [&](double share, std::string_view) { last = share; };
  context.part(0.5, 1).report(0.5, "");
  EXPECT_DOUBLE_EQ(last, 0.75);
  context.part(0.5, 1).part_of(1, 4).report(1, "");
  EXPECT_DOUBLE_EQ(last, 0.75);
  context.part_of(2, 3).report(0, "");
  EXPECT_DOUBLE_EQ(last, 2.0 / 3);
  ReproductionContext().part(0, 1).report(1, "");  // nobody listens
}

TEST(ReproductionFigure, plots_two_standard_errors_and_nothing_around_what_is_exact) {
  ChartPanel panel;
  plot(panel, "a", 1, {10, 2, 5});
  plot(panel, "b", 1, exactly(3), ChartLine::bound);
  plot(panel, "a", 2, {20, kUndefined, 1});
  ASSERT_EQ(panel.curves.size(), 2U);
  ASSERT_EQ(panel.curves[0].points.size(), 2U);
  EXPECT_EQ(panel.curves[0].points[0].low, 6);
  EXPECT_EQ(panel.curves[0].points[0].high, 14);
  EXPECT_TRUE(std::isnan(panel.curves[0].points[1].low));
  EXPECT_TRUE(std::isnan(panel.curves[1].points[0].high));
  EXPECT_EQ(panel.curves[1].line, ChartLine::bound);
}

TEST(ReproductionRecord, a_damaged_file_is_an_error_with_its_name) {
  const std::string text = to_json(by_hand());
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.size() / 2), std::string("{}"), std::string("[1]")}) {
    const auto record = parse_record(damaged, "dir/findings.json");
    ASSERT_FALSE(record.ok());
    EXPECT_EQ(record.error().where, "dir/findings.json");
  }
  std::string verdict = text;
  verdict.replace(verdict.find("\"fail\""), 6, "\"fial\"");
  const auto record = parse_record(verdict, "dir/findings.json");
  ASSERT_FALSE(record.ok());
  EXPECT_TRUE(has(record.error().to_string(), "did you mean 'fail'?"));
}

TEST(ReproductionRecord, settings_hold_only_what_decides_the_numbers) {
  ReproductionContext context;
  context.matrices = {
      {"m", std::make_shared<const PreferenceMatrix>(resolve_matrix("arxiv").value())}};
  ReproductionFacts facts{.name = "n", .paper = "p", .what = "w", .description = "d"};
  EXPECT_TRUE(settings_of(facts, context, "1").inputs.empty());
  facts.needs = "--matrix m=FILE: a matrix";
  const ReproductionSettings arxiv = settings_of(facts, context, "1");
  ASSERT_EQ(arxiv.inputs.size(), 1U);
  context.threads = 3;
  EXPECT_EQ(settings_of(facts, context, "1"), arxiv);
  context.matrices[0].matrix =
      std::make_shared<const PreferenceMatrix>(resolve_matrix("cyclic").value());
  EXPECT_NE(settings_of(facts, context, "1"), arxiv);
}

TEST(ReproductionReport, says_every_number_verdict_note_and_remark) {
  ReproductionRecord good = by_hand();
  good.name = "another";
  good.findings.erase(good.findings.begin());
  const std::string report = report_markdown({by_hand(), good});
  EXPECT_TRUE(has(report, "2 reproductions, 7 findings: 2 pass, 1 fail, 2 shown, 2 skipped."))
      << report;
  EXPECT_TRUE(has(
      report, "| regret \\| at 1e5 | 250 | printed | 300.0 ± 5.0 | 40 | [240, 260] | **FAIL** |"))
      << report;
  EXPECT_TRUE(has(report, "the table is for another T"));
  EXPECT_TRUE(has(report, "give --matrix x=FILE"));
  EXPECT_TRUE(has(report, "\nA paragraph.\n"));
  EXPECT_TRUE(has(report, "quick, seed 7, version 1.2.3, 12 s."));
  EXPECT_TRUE(has(report, "\nGiven to those that take matrices or data: sushi.\n"));
  EXPECT_TRUE(has(report,
                  "\n## What does not match\n\n- [`some-figure`](#some-figure), regret | at 1e5: "
                  "300.0 ± 5.0, where [240, 260] is asked. Why: "))
      << report;
  EXPECT_LT(report.find("### `another`"), report.find("### `some-figure`"));
}

TEST(ReproductionContext, finds_a_matrix_by_its_name_before_a_part_of_it) {
  const auto arxiv = std::make_shared<const PreferenceMatrix>(resolve_matrix("arxiv").value());
  const auto cyclic = std::make_shared<const PreferenceMatrix>(resolve_matrix("cyclic").value());
  ReproductionContext context;
  context.matrices = {{"sushi_a10", arxiv}, {"sushi", cyclic}};
  EXPECT_EQ(context.matrix({"sushi"}), cyclic.get());
  EXPECT_EQ(context.matrix({"a10"}), arxiv.get());
  EXPECT_EQ(context.matrix({"mslr", "a10"}), arxiv.get());
  EXPECT_EQ(context.matrix({"mslr"}), nullptr);
  // What bears the name is taken as it is; what only contains it has to fit.
  const auto is_small = [](const PreferenceMatrix& matrix) { return matrix.num_arms() < 6; };
  EXPECT_EQ(context.matrix({"a10"}, is_small), nullptr);
  EXPECT_EQ(context.matrix({"sushi_a10"}, is_small), arxiv.get());
}

// --- regret runs --------------------------------------------------------------------------------

TEST(RegretRuns, markers_are_one_two_five_and_decades) {
  EXPECT_EQ(markers_between(100, 3000), (std::vector<Round>{100, 200, 500, 1000, 2000, 3000}));
  EXPECT_EQ(decades_between(100, 3000), (std::vector<Round>{100, 1000, 3000}));
  EXPECT_EQ(round_label(100'000), "1e5");
  EXPECT_EQ(round_label(30'000), "3e4");
  EXPECT_EQ(round_label(1234), "1234");
  EXPECT_EQ(round_label(200), "200");
}

TEST(RegretRuns, are_the_simulations_own_numbers) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  RegretPlan plan;
  plan.matrix = &matrix;
  plan.markers = {100, 1000, 2000};
  plan.trials = 6;
  plan.contestants = {{.label = "a", .policy = "rucb"},
                      {.label = "b", .policy = "savage-condorcet", .fresh_per_marker = true},
                      {.label = "c", .policy = "uniform", .most_rounds = 1000, .trials = 3}};
  ReproductionContext context;
  context.seed = 5;
  const RegretRuns runs = play_regret(context, plan).value();

  SimulationPlan direct;
  direct.matrix = &matrix;
  direct.policies = {parse_call("savage-condorcet(horizon=1000)").value()};
  direct.checkpoints = {1000};
  direct.trials = 6;
  direct.seed = 5;
  const PolicyRecord fresh = Simulation::create(direct).value().run(0).value();
  for (std::uint32_t trial = 0; trial < 6; ++trial) {
    EXPECT_EQ(runs.find("b").values_at(1000)[trial], fresh.trials.value(trial, 0, 0));
  }
  EXPECT_FALSE(runs.find("c").has(2000));
  EXPECT_EQ(runs.find("c").trials().num_trials(), 3U);

  // The slope by hand: the mean over trials of the growth, per unit of ln t.
  const std::vector<double> early = runs.find("a").values_at(100);
  const std::vector<double> late = runs.find("a").values_at(1000);
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += late[k] - early[k];
  EXPECT_NEAR(runs.find("a").slope(100, 1000).mean, sum / 6 / std::log(10.0), 1e-12);
  // A ratio to itself is 1 without any error, since it is paired.
  EXPECT_EQ(ratio_of_means(runs.find("a"), runs.find("a"), 1000).mean, 1);
  EXPECT_EQ(ratio_of_means(runs.find("a"), runs.find("a"), 1000).se, 0);
  EXPECT_NEAR(paired_difference(runs.find("a"), runs.find("b"), 1000).mean,
              runs.find("a").regret_at(1000).mean - runs.find("b").regret_at(1000).mean, 1e-9);
}

TEST(RegretRuns, do_not_depend_on_the_number_of_threads) {
  const PreferenceMatrix matrix = resolve_matrix("cyclic").value();
  RegretPlan plan;
  plan.matrix = &matrix;
  plan.markers = {1000};
  plan.trials = 9;
  plan.contestants = {{.label = "a", .policy = "dts"}};
  ReproductionContext one;
  one.threads = 1;
  ReproductionContext four;
  four.threads = 4;
  EXPECT_EQ(play_regret(one, plan).value().find("a").values_at(1000),
            play_regret(four, plan).value().find("a").values_at(1000));
}

TEST(RegretRuns, end_when_they_are_told_to_stop) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const std::atomic<bool> stop = true;
  ReproductionContext context;
  context.stop = &stop;
  RegretPlan plan;
  plan.matrix = &matrix;
  plan.markers = {1'000'000'000};
  plan.trials = 2;
  plan.contestants = {{.label = "a", .policy = "uniform"}};
  const auto runs = play_regret(context, plan);
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().code, ErrorCode::interrupted);
}

TEST(RegretRuns, panel_draws_both_bounds_where_there_is_a_winner) {
  const PreferenceMatrix matrix = resolve_matrix("cyclic").value();
  RegretPlan plan;
  plan.matrix = &matrix;
  plan.markers = {100, 1000};
  plan.trials = 2;
  plan.contestants = {{.label = "a", .policy = "rmed1"}};
  const ChartPanel panel = regret_panel(play_regret({}, plan).value(), "t");
  ASSERT_EQ(panel.curves.size(), 3U);
  EXPECT_TRUE(has(panel.curves[1].formula, "0.815"));  // the true bound of the circle
  EXPECT_TRUE(has(panel.curves[2].formula, "7.449"));  // with the winner as target
}

// --- explorations of Interleaved Filter
// -----------------------------------------------------------

// Two arms: one match, decided by hand. The first arm always wins, so with T = 100, K = 2 the mean
// is 1 and it ends at the first n with sqrt(ln 400/n) <= 1/2: n = 24 (colt), or sqrt(4 ln 400/n) <=
// 1/2: n = 96 (jcss). A candidate that loses instead ends as soon: the other arm is then alone.
TEST(FilterExploration, ends_where_the_interval_says) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1, 0, 0.5}).value();
  for (const auto& [interval, duels] :
       {std::pair(FilterInterval::colt, 24U), std::pair(FilterInterval::jcss, 96U)}) {
    FilterPlan plan{&matrix, true, interval, 100, 1000, 20};
    const auto explorations = explore_with_filter({}, plan).value();
    for (const FilterExploration& exploration : explorations) {
      EXPECT_TRUE(exploration.finished);
      EXPECT_EQ(exploration.answer, 0U);
      EXPECT_EQ(exploration.duels, duels);
      EXPECT_EQ(exploration.matches, 1U);
      EXPECT_LE(exploration.candidates, 2U);
    }
  }
}

TEST(FilterExploration, plays_as_the_policy_does) {
  const PreferenceMatrix matrix = equal_gaps(5, 0.2).value();
  FilterPlan plan{&matrix, true, FilterInterval::jcss, 100'000, 100'000, 8};
  ReproductionContext context;
  context.seed = 3;
  const auto explorations = explore_with_filter(context, plan).value();
  SimulationPlan direct;
  direct.matrix = &matrix;
  direct.policies = {parse_call("if2(ci=jcss)").value()};
  direct.checkpoints = {100'000};
  direct.trials = 8;
  direct.seed = 3;
  const PolicyRecord record = Simulation::create(direct).value().run(0).value();
  for (std::uint32_t trial = 0; trial < 8; ++trial) {
    EXPECT_EQ(explorations[trial].duels, record.trials.informative(trial, 0));
  }
}

TEST(DbgdRanking, does_not_depend_on_the_number_of_threads_nor_on_the_other_runs) {
  const SyntheticOptions options{.queries = 12, .documents = 12, .features = 9, .factors = 3};
  const DbgdRankingData data{make_synthetic(options), {}, {}, "", ""};
  const DbgdRankingPlan plan{2000, 4, 2};
  std::vector<DbgdRankingRun> runs;
  for (const std::uint64_t batch : {1, 5, 10, 50, 100}) {
    runs.push_back(DbgdRankingRun::of_batch(batch, plan));
  }
  ReproductionContext context;
  context.threads = 1;  // groups of three and two
  const auto together = play_dbgd_rankings(context, data, runs, plan).value();
  context.threads = 4;  // each alone
  const auto apart = play_dbgd_rankings(context, data, runs, plan).value();
  const auto single =
      play_dbgd_rankings(context, data, std::span(runs).subspan(2, 1), plan).value();
  ASSERT_EQ(together.size(), 5U);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    EXPECT_EQ(together[r].curve, apart[r].curve);
    EXPECT_EQ(together[r].weights, apart[r].weights);
    ASSERT_EQ(together[r].curve.size(), 2U);
    EXPECT_EQ(together[r].curve[0].size(), 4U);
  }
  EXPECT_EQ(single[0].weights, together[2].weights);
}

TEST(DbgdRanking, steps_carry_the_best_published_setting_over) {
  const DbgdRankingRun published = DbgdRankingRun::of_batch(100, {10'000'000, 50, 1});
  EXPECT_EQ(published.delta, 1);
  EXPECT_NEAR(published.gamma, 0.01, 1e-12);
  // As many updates, as long a step.
  EXPECT_EQ(DbgdRankingRun::of_batch(1, {100'000, 50, 1}).gamma, published.gamma);
}

}  // namespace
}  // namespace duel
