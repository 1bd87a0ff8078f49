#include "duel/study/results.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

const std::string kHeader =
    "matrix,policy,round,regret,mean,se,median,q10,q90,min,max,trials,accuracy,accuracy_se,"
    "informative,seed\n";

// Three trials of one policy at two checkpoints, worked out by hand below.
PolicyRecord small_record() {
  PolicyRecord record{"rucb(alpha=0.51,ties=half)", TrialTable(4, 2, 1)};
  const double values[3][2] = {{1, 4}, {2, 10}, {6, 16}};
  const std::uint32_t trials[3] = {0, 1, 3};  // the third trial did not finish
  for (int i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      record.trials.set(trials[i], c, 0, values[i][c]);
      record.trials.set_facts(trials[i], c, i < static_cast<int>(c) + 1, 10 * (c + 1));
    }
    record.trials.finish(trials[i]);
  }
  record.seconds = 0.25;
  return record;
}

StudyResults small_results() {
  StudyResults results;
  results.rounds = 100;
  results.trials = 3;
  results.seed = 7;
  results.regrets = {RegretNotion::average};
  results.runs.resize(1);
  results.runs[0].facts = {"arxiv", 6, "r1", 20.5, 21};
  results.runs[0].policies = {summarize_policy(small_record(), {10, 100})};
  return results;
}

std::string error_of(const std::string& rows) {
  const auto results = parse_results_csv(kHeader + rows, "r.csv");
  return results.ok() ? "no error" : results.error().to_string();
}

// One good row with one field replaced.
std::string error_with(std::size_t column, const std::string& text) {
  std::vector<std::string> fields = {"arxiv", "rucb", "10", "average", "2",   "0.5", "2",  "1",
                                     "3",     "0.5",  "4",  "5",       "0.5", "0.1", "10", "7"};
  fields[column] = text;
  std::string row = fields[0];
  for (std::size_t i = 1; i < fields.size(); ++i) row += "," + fields[i];
  return error_of(row + "\n");
}

TEST(Results, summarizes_the_finished_trials) {
  const PolicyResult result = summarize_policy(small_record(), {10, 100});
  EXPECT_EQ(result.trials, 3U);
  ASSERT_EQ(result.checkpoints.size(), 2U);
  const CheckpointResult& last = result.checkpoints[1];
  EXPECT_EQ(last.round, 100U);
  EXPECT_EQ(last.regrets[0].mean, 10);
  EXPECT_DOUBLE_EQ(last.regrets[0].se, std::sqrt(72 / 2.0 / 3));  // deviations -6, 0, 6
  EXPECT_DOUBLE_EQ(last.accuracy, 2 / 3.0);
  EXPECT_DOUBLE_EQ(last.accuracy_se, std::sqrt(2 / 9.0 / 2));
  EXPECT_EQ(last.informative, 20);
}

TEST(Results, writes_tidy_csv) {
  StudyResults results = small_results();
  CheckpointResult& first = results.runs[0].policies[0].checkpoints[0];
  first.regrets[0].se = 0.1;  // shortest form that reads back
  first.regrets[0].q10 = 1.0 / 3;
  EXPECT_EQ(to_results_csv(results).substr(0, kHeader.size()), kHeader);
  const std::string rows = to_results_csv(results).substr(kHeader.size());
  EXPECT_TRUE(
      rows.starts_with("arxiv,\"rucb(alpha=0.51,ties=half)\",10,average,3,0.1,2,"
                       "0.3333333333333333,"))
      << rows;
  EXPECT_EQ(to_matrices_csv(results),
            "matrix,num_arms,condorcet_winner,lower_bound,lower_bound_condorcet_target\n"
            "arxiv,6,r1,20.5,21\n");
}

TEST(Results, reads_back_what_it_wrote) {
  const StudyResults results = small_results();
  const std::string text = to_results_csv(results);
  const StudyResults read = parse_results_csv(text, "r.csv").value();
  EXPECT_EQ(read.rounds, 100U);
  EXPECT_EQ(read.trials, 3U);
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(read.runs[0].policies[0].policy, "rucb(alpha=0.51,ties=half)");
  EXPECT_EQ(to_results_csv(read), text);
  StudyResults facts_only = results;
  const auto facts = parse_matrices_csv(to_matrices_csv(results), "m.csv").value();
  facts_only.runs[0].facts = facts[0];
  EXPECT_EQ(to_matrices_csv(facts_only), to_matrices_csv(results));
}

TEST(Results, leaves_empty_what_is_not_defined) {
  StudyResults results = small_results();
  results.runs[0].facts = {"cycle", 3, "", kUndefined, kUndefined};
  PolicyRecord record{"uniform", TrialTable(1, 1, 1)};
  record.trials.finish(0);
  results.runs[0].policies = {summarize_policy(record, {10})};
  EXPECT_EQ(to_results_csv(results), kHeader + "cycle,uniform,10,average,0,,0,0,0,0,0,1,0,,0,7\n");
  EXPECT_TRUE(to_matrices_csv(results).ends_with("\ncycle,3,,,\n"));
  const StudyResults read = parse_results_csv(to_results_csv(results), "r.csv").value();
  EXPECT_TRUE(std::isnan(read.runs[0].policies[0].checkpoints[0].regrets[0].se));
  const auto json = nlohmann::ordered_json::parse(to_json(results).dump());
  EXPECT_EQ(json["policies"][0]["checkpoints"][0]["regret"]["average"]["se"], nullptr);
  EXPECT_EQ(json["lower_bound"], nullptr);
}

TEST(Results, refuses_wrong_values_with_line_and_column) {
  EXPECT_EQ(error_with(4, "2"), "no error");
  EXPECT_EQ(error_with(0, ""), "r.csv:2: column 'matrix' is empty");
  EXPECT_EQ(error_with(1, ""), "r.csv:2: column 'policy' is empty");
  EXPECT_EQ(error_with(2, "0"),
            "r.csv:2: column 'round': '0' is out of range (1 .. 1000000000000000000)");
  EXPECT_EQ(error_with(2, "x"), "r.csv:2: column 'round': 'x' is not a number");
  EXPECT_TRUE(
      error_with(3, "averge")
          .starts_with(
              "r.csv:2: column 'regret': unknown regret notion 'averge' (did you mean 'average'?"));
  EXPECT_EQ(error_with(4, ""), "r.csv:2: column 'mean': '' is not a number");
  EXPECT_EQ(error_with(4, "nan"), "r.csv:2: column 'mean': 'nan' is not a number");
  EXPECT_EQ(error_with(4, "9"), "r.csv:2: the mean is not in [min, max]");
  EXPECT_EQ(error_with(5, "-1"), "r.csv:2: column 'se': a standard error is not negative");
  EXPECT_EQ(error_with(6, "100"),
            "r.csv:2: min, q10, median, q90 and max are not in ascending order");
  EXPECT_EQ(error_with(11, "0"), "r.csv:2: column 'trials': '0' is out of range (1 .. 4294967295)");
  EXPECT_EQ(error_with(12, "1.5"), "r.csv:2: column 'accuracy': not in [0, 1]");
  EXPECT_EQ(error_with(13, "-1"),
            "r.csv:2: column 'accuracy_se': a standard error is not negative");
  EXPECT_EQ(error_with(14, "-1"), "r.csv:2: column 'informative': less than 0");
  EXPECT_EQ(error_with(15, "-1"), "r.csv:2: column 'seed': '-1' is not a whole number, 0 or more");
}

TEST(Results, refuses_a_table_that_does_not_hang_together) {
  const auto row = [](const std::string& matrix, const std::string& policy,
                      const std::string& round, const std::string& regret,
                      const std::string& trials = "5", const std::string& seed = "7") {
    return matrix + "," + policy + "," + round + "," + regret + ",2,0.5,2,1,3,0.5,4," + trials +
           ",0.5,0.1,10," + seed + "\n";
  };
  const std::string good = row("m", "a", "10", "average") + row("m", "a", "10", "weak");
  EXPECT_EQ(error_of(good), "no error");
  EXPECT_EQ(error_of(good + row("m", "a", "20", "average")),
            "r.csv:4: the last checkpoint lacks a regret that others have");
  EXPECT_EQ(error_of(good + row("m", "a", "20", "weak")),
            "r.csv:4: the regrets of a checkpoint differ from those of the first one");
  EXPECT_EQ(error_of(good + row("m", "a", "10", "strong")),
            "no error");  // three notions at one checkpoint
  EXPECT_EQ(error_of(good + row("m", "a", "10", "weak")), "r.csv:4: this regret appears twice");
  EXPECT_EQ(error_of(good + row("m", "a", "20", "average") + row("m", "b", "10", "average")),
            "r.csv:5: the checkpoint before this line lacks a regret that others have");
  EXPECT_EQ(error_of(good + row("m", "a", "5", "average")),
            "r.csv:4: the rounds of a policy are not in ascending order");
  EXPECT_EQ(error_of(good + row("m", "a", "20", "average", "6")),
            "r.csv:4: the number of trials differs from the line before");
  EXPECT_EQ(error_of(good + row("m", "a", "20", "average", "5", "8")),
            "r.csv:4: the seed differs from the line before");
  const std::string other = row("m", "b", "10", "average") + row("m", "b", "10", "weak");
  EXPECT_EQ(error_of(good + other + row("m", "a", "20", "average")),
            "r.csv:6: the lines of policy 'a' are not consecutive");
  const std::string second = row("n", "a", "10", "average") + row("n", "a", "10", "weak");
  EXPECT_EQ(error_of(good + second + row("m", "b", "20", "average")),
            "r.csv:6: the lines of matrix 'm' are not consecutive");
  EXPECT_EQ(error_of("m,a,10\n"), "r.csv:2: 3 fields instead of 16");
  EXPECT_EQ(error_of(""), "r.csv: the file has no results");
}

TEST(Results, refuses_another_table) {
  EXPECT_EQ(parse_results_csv("", "r.csv").error().to_string(), "r.csv: the file is empty");
  const auto other = parse_results_csv("matrix,policy,rounds\n", "r.csv");
  ASSERT_FALSE(other.ok());
  EXPECT_TRUE(other.error().to_string().starts_with(
      "r.csv:1: unexpected column 'rounds' (the columns are matrix,policy,round,"));
  EXPECT_EQ(parse_results_csv("matrix,policy\n", "r.csv").error().message,
            "the column 'round' is missing");
  EXPECT_FALSE(parse_results_csv(std::string(1000, '\0'), "r.csv").ok());
  EXPECT_FALSE(parse_matrices_csv("matrix\n", "m.csv").ok());
  EXPECT_EQ(
      parse_matrices_csv(to_matrices_csv(StudyResults{}) + "a,0,,,\n", "m.csv").error().to_string(),
      "m.csv:2: column 'num_arms': '0' is out of range (1 .. 4294967296)");
}

TEST(Results, reads_a_directory_or_a_file) {
  const TemporaryDirectory directory;
  const StudyResults results = small_results();
  EXPECT_EQ(read_results(directory.path()).error().message,
            "there is no results.csv in this directory");
  write_content(directory / "progress.csv", "");
  EXPECT_EQ(read_results(directory.path()).error().message,
            "the study in this directory is not finished");
  write_content(directory / "results.csv", to_results_csv(results));
  EXPECT_EQ(read_results(directory.path())->runs[0].facts.num_arms, 0U);
  write_content(directory / "matrices.csv", to_matrices_csv(results));
  EXPECT_EQ(read_results(directory.path())->runs[0].facts.lower_bound, 20.5);
  EXPECT_EQ(read_results(directory / "results.csv")->runs[0].facts.lower_bound, 20.5);
  EXPECT_EQ(read_results(directory / "none").error().code, ErrorCode::not_found);
}

TEST(Results, writes_the_documented_json) {
  const auto json = nlohmann::ordered_json::parse(to_json(small_results()).dump());
  EXPECT_EQ(json.dump().substr(0, 90),
            R"({"matrix":"arxiv","rounds":100,"trials":3,"seed":7,"lower_bound":20.5,)"
            R"("policies":[{"policy)");
  EXPECT_EQ(json["policies"][0]["policy"], "rucb(alpha=0.51,ties=half)");
  EXPECT_EQ(json["policies"][0]["seconds"], 0.25);
  const auto& checkpoint = json["policies"][0]["checkpoints"][1];
  EXPECT_EQ(checkpoint["round"], 100);
  EXPECT_EQ(checkpoint["informative"], 20);
  EXPECT_NEAR(checkpoint["accuracy"].get<double>(), 2 / 3.0, 1e-12);
  std::vector<std::string> keys;
  for (const auto& [key, value] : checkpoint["regret"]["average"].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"mean", "se", "median", "q10", "q90", "min", "max"}));
  EXPECT_FALSE(json.contains("interrupted"));
}

TEST(Results, say_in_json_when_they_are_incomplete) {
  StudyResults results = small_results();
  results.trials = 5;
  results.interrupted = true;
  results.runs[0].not_run = {"uniform"};
  const auto json = nlohmann::ordered_json::parse(to_json(results).dump());
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["trials"], 3);
  EXPECT_EQ(json["trials_asked"], 5);
  EXPECT_EQ(json["policies"][0]["trials"], 3);
  EXPECT_EQ(json["not_run"][0], "uniform");
}

TEST(Results, of_several_matrices_are_several_runs_in_json) {
  StudyResults results = small_results();
  results.runs.push_back(results.runs[0]);
  results.runs[1].facts.matrix = "b\xff";
  const auto json = nlohmann::ordered_json::parse(to_json(results).dump());
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["matrix"], "arxiv");
  EXPECT_NE(to_json(results).dump_pretty().find("\"b\xef\xbf\xbd\""), std::string::npos);
}

TEST(Results, know_the_lower_bound_of_a_matrix) {
  const MatrixFacts facts = facts_of(resolve_matrix("arxiv").value(), "arxiv");
  EXPECT_EQ(facts.num_arms, 6U);
  EXPECT_NEAR(facts.lower_bound, 20.7350, 5e-5);
  EXPECT_NEAR(facts.lower_bound_condorcet_target, 20.7350, 5e-5);
  const MatrixFacts none = facts_of(
      PreferenceMatrix::create("c", {"a", "b", "c"}, {.5, .7, .3, .3, .5, .7, .7, .3, .5}).value(),
      "c");
  EXPECT_EQ(none.condorcet_winner, "");
  EXPECT_TRUE(std::isnan(none.lower_bound));
}

// Any table of finite numbers comes back as the same text.
RC_GTEST_PROP(Results, survive_a_round_trip_through_csv, ()) {
  StudyResults results;
  results.seed = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 62);
  results.regrets = {RegretNotion::weak, RegretNotion::borda};
  const auto names = rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::element(',', '"', '\n'), rc::gen::inRange<char>(32, 126))));
  const auto matrices = *rc::gen::unique<std::vector<std::string>>(2, names);
  const auto policies = *rc::gen::unique<std::vector<std::string>>(2, names);
  for (const std::string& matrix : matrices) {
    MatrixResult run;
    run.facts = {matrix, 6, *names, *rc::gen::arbitrary<double>(), kUndefined};
    for (const std::string& name : policies) {
      PolicyResult policy;
      policy.policy = name;
      policy.trials = *rc::gen::inRange(1U, 1000U);
      for (const Round round : {Round{3}, Round{70}}) {
        CheckpointResult checkpoint;
        checkpoint.round = round;
        for (int r = 0; r < 2; ++r) {
          checkpoint.regrets.push_back(summarize(*rc::gen::container<std::vector<double>>(
              3, rc::gen::map(rc::gen::arbitrary<double>(),
                              [](double x) { return std::remainder(x, 1e9); }))));
        }
        checkpoint.accuracy = *rc::gen::inRange(0, 1000) / 999.0 * 0.999;
        checkpoint.accuracy_se = checkpoint.accuracy / 7;
        checkpoint.informative = *rc::gen::inRange(0, 1000) / 3.0;
        policy.checkpoints.push_back(checkpoint);
      }
      run.policies.push_back(policy);
    }
    results.runs.push_back(run);
  }
  const std::string text = to_results_csv(results);
  const auto read = parse_results_csv(text, "r.csv");
  RC_ASSERT(read.ok());
  RC_ASSERT(to_results_csv(*read) == text);
  RC_ASSERT(parse_matrices_csv(to_matrices_csv(results), "m.csv").ok());
}

}  // namespace
}  // namespace duel
