#include "duel/study/study.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/simulation/scripted_policies.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

const std::set<std::string> kComplete = {"spec.toml", "results.csv", "matrices.csv", "timing.json",
                                         "trials.csv"};

StudySpec small_study() {
  StudySpec spec;
  spec.policies = {"test-watched", "rucb", "uniform(ties=half)"};
  spec.matrices = {"arxiv", "arithmetic(k=4,step=0.1)"};
  spec.rounds = 300;
  spec.trials = 12;
  spec.seed = 3;
  spec.regrets = {RegretNotion::average, RegretNotion::weak};
  spec.trials_csv = true;
  spec.threads = 2;
  return spec;
}

StudyOptions into(const std::filesystem::path& directory) {
  StudyOptions options;
  options.output = directory;
  return options;
}

std::string error_of(const StudySpec& spec, const StudyOptions& options = {}) {
  const auto outcome = run_study(spec, options);
  return outcome.ok() ? "no error" : outcome.error().to_string();
}

// Runs the study into `directory` and stops it when `trials` trials of the watched policy (the
// first one on each matrix) have begun.
void interrupt_after(int trials, const StudySpec& spec, const std::filesystem::path& directory) {
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  Watched::before_trial = [&] {
    if (++begun == trials) stop = true;
  };
  StudyOptions options = into(directory);
  options.stop = &stop;
  const auto outcome = run_study(spec, options);
  Watched::before_trial = nullptr;
  ASSERT_TRUE(outcome.ok()) << outcome.error().to_string();
  EXPECT_TRUE(outcome->results.interrupted);
  EXPECT_EQ(names_in(directory), (std::set<std::string>{"spec.toml", "progress.csv"}));
}

void expect_same_results(const std::filesystem::path& a, const std::filesystem::path& b) {
  for (const char* file : {"spec.toml", "results.csv", "matrices.csv", "trials.csv"}) {
    EXPECT_EQ(content_of(a / file), content_of(b / file)) << file;
  }
  EXPECT_EQ(names_in(a), names_in(b));
}

class Study : public ::testing::Test {
 protected:
  // The reference of all comparisons: one run without interruption.
  void SetUp() override {
    const auto outcome = run_study(small_study(), into(directory_ / "whole"));
    ASSERT_TRUE(outcome.ok()) << outcome.error().to_string();
  }
  std::filesystem::path whole() const { return directory_ / "whole"; }

  TemporaryDirectory directory_;
};

TEST_F(Study, writes_all_files_and_nothing_else) {
  EXPECT_EQ(names_in(whole()), kComplete);
  EXPECT_EQ(content_of(whole() / "spec.toml"),
            "policies = [\"test-watched\", \"rucb(alpha=0.51)\", \"uniform(ties=half)\"]\n"
            "matrices = [\"arxiv\", \"arithmetic(k=4,step=0.1)\"]\n"
            "rounds = 300\ntrials = 12\nseed = 3\nregrets = [\"average\", \"weak\"]\n"
            "horizon_per_checkpoint = false\ntrials_csv = true\nthreads = 2\n");
  const std::string trials = content_of(whole() / "trials.csv");
  EXPECT_TRUE(
      trials.starts_with("matrix,policy,trial,round,regret,value,correct,informative\narxiv,test-"
                         "watched,0,1,average,"))
      << trials.substr(0, 200);
  // 2 matrices, 3 policies, 12 trials, 9 checkpoints (1, 2, 5, .., 200, 300), 2 regrets.
  EXPECT_EQ(std::count(trials.begin(), trials.end(), '\n'), 1 + 2 * 3 * 12 * 9 * 2);
  const std::string results = content_of(whole() / "results.csv");
  EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 1 + 2 * 3 * 9 * 2);
  EXPECT_NE(results.find("\n\"arithmetic(k=4,step=0.1)\",uniform(ties=half),300,weak,"),
            std::string::npos);
  const auto timing = nlohmann::json::parse(content_of(whole() / "timing.json"));
  EXPECT_EQ(timing["threads"], 2);
  EXPECT_EQ(timing["policies"].size(), 6U);
  EXPECT_GT(timing["policies"][1]["seconds"], 0);
}

TEST_F(Study, has_the_same_results_in_memory_and_on_disk) {
  StudySpec spec = small_study();
  spec.trials_csv = false;
  const StudyOutcome outcome = run_study(spec).value();
  EXPECT_EQ(to_results_csv(outcome.results), content_of(whole() / "results.csv"));
  EXPECT_EQ(to_matrices_csv(outcome.results), content_of(whole() / "matrices.csv"));
  const StudyResults read = read_results(whole()).value();
  EXPECT_EQ(to_results_csv(read), content_of(whole() / "results.csv"));
  EXPECT_EQ(read.runs[0].facts.num_arms, 6U);
}

TEST_F(Study, does_not_depend_on_the_number_of_threads) {
  for (const unsigned threads : {1U, 3U, 7U}) {
    StudySpec spec = small_study();
    spec.threads = threads;
    const auto other = directory_ / std::to_string(threads);
    ASSERT_TRUE(run_study(spec, into(other)).ok());
    for (const char* file : {"results.csv", "matrices.csv", "trials.csv"}) {
      EXPECT_EQ(content_of(other / file), content_of(whole() / file));
    }
  }
}

TEST_F(Study, equals_the_uninterrupted_run_after_an_interruption) {
  for (const int trials : {1, 5, 12, 17, 24}) {
    const auto part = directory_ / ("part" + std::to_string(trials));
    StudySpec spec = small_study();
    interrupt_after(trials, spec, part);
    EXPECT_EQ(read_results(part).error().message, "the study in this directory is not finished");
    const auto resumed = resume_study(part, {}, 3);
    ASSERT_TRUE(resumed.ok()) << resumed.error().to_string();
    EXPECT_FALSE(resumed->results.interrupted);
    EXPECT_GT(resumed->trials_resumed, 0U);
    expect_same_results(part, whole());
  }
}

TEST_F(Study, equals_the_uninterrupted_run_after_many_interruptions_and_torn_lines) {
  const auto part = directory_ / "part";
  const StudySpec spec = small_study();
  interrupt_after(4, spec, part);
  for (int i = 0; i < 3; ++i) {
    std::string log = content_of(part / "progress.csv");
    log.resize(log.size() - 7 * static_cast<std::size_t>(i + 1));
    write_content(part / "progress.csv", log);
    std::atomic<bool> stop{false};
    std::atomic<int> begun{0};
    Watched::before_trial = [&] {
      if (++begun == 3) stop = true;
    };
    StudyOptions options;
    options.stop = &stop;
    const auto again = resume_study(part, options);
    Watched::before_trial = nullptr;
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(again->results.interrupted);
  }
  write_content(part / "progress.csv", content_of(part / "progress.csv") + "1,2,3,0,4,garb");
  ASSERT_TRUE(resume_study(part).ok());
  expect_same_results(part, whole());
}

TEST_F(Study, continues_an_unfinished_run_of_the_same_study) {
  const auto part = directory_ / "part";
  interrupt_after(5, small_study(), part);
  const StudyOutcome outcome = run_study(small_study(), into(part)).value();
  EXPECT_GT(outcome.trials_resumed, 0U);
  // The time of the resumed trials is not known.
  EXPECT_TRUE(std::isnan(outcome.results.runs[0].policies[0].seconds));
  EXPECT_FALSE(std::isnan(outcome.results.runs[0].policies[1].seconds));
  expect_same_results(part, whole());

  const auto anew = directory_ / "anew";
  interrupt_after(5, small_study(), anew);
  StudyOptions options = into(anew);
  options.force = true;
  EXPECT_EQ(run_study(small_study(), options)->trials_resumed, 0U);
  expect_same_results(anew, whole());
}

TEST_F(Study, goes_on_after_a_kill) {
  const auto part = directory_ / "part";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> begun{0};
    Watched::before_trial = [&] {
      if (++begun == 8) {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));  // for the log to be flushed
        kill(getpid(), SIGKILL);
      }
    };
    run_study(small_study(), into(part)).ok();
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(names_in(part).contains("progress.csv"));
  EXPECT_FALSE(names_in(part).contains("results.csv"));
  const auto resumed = resume_study(part);
  ASSERT_TRUE(resumed.ok()) << resumed.error().to_string();
  EXPECT_GE(resumed->trials_resumed, 6U);  // of the 8 begun two were running
  expect_same_results(part, whole());
}

TEST_F(Study, has_nothing_to_do_where_all_is_done) {
  const StudyOutcome outcome = resume_study(whole()).value();
  EXPECT_TRUE(outcome.already_complete);
  EXPECT_EQ(outcome.results.runs.size(), 2U);
  EXPECT_EQ(to_results_csv(outcome.results), content_of(whole() / "results.csv"));
  EXPECT_EQ(names_in(whole()), kComplete);
}

TEST_F(Study, may_be_run_again_in_its_directory) {
  const std::string before = content_of(whole() / "results.csv");
  const StudyOutcome outcome = run_study(small_study(), into(whole())).value();
  EXPECT_FALSE(outcome.already_complete);
  EXPECT_EQ(content_of(whole() / "results.csv"), before);
  EXPECT_EQ(names_in(whole()), kComplete);
}

TEST_F(Study, refuses_the_directory_of_another_study) {
  StudySpec other = small_study();
  other.seed = 4;
  const std::string before = content_of(whole() / "results.csv");
  EXPECT_EQ(error_of(other, into(whole())),
            whole().string() +
                ": the directory holds a different study (choose another "
                "directory, or `force` to replace it)");
  EXPECT_EQ(content_of(whole() / "results.csv"), before);
  EXPECT_EQ(names_in(whole()), kComplete);

  StudyOptions options = into(whole());
  options.force = true;
  other.trials_csv = false;
  ASSERT_TRUE(run_study(other, options).ok());
  EXPECT_NE(content_of(whole() / "results.csv"), before);
  EXPECT_FALSE(names_in(whole()).contains("trials.csv"));
}

TEST_F(Study, refuses_results_without_a_spec_and_specs_that_cannot_be_read) {
  const auto other = directory_ / "other";
  std::filesystem::create_directory(other);
  write_content(other / "results.csv", "mine");
  EXPECT_EQ(error_of(small_study(), into(other)),
            other.string() +
                ": the directory holds results without a spec (choose another "
                "directory, or `force` to replace it)");
  write_content(other / "spec.toml", "rounds = 0");
  const std::string error = error_of(small_study(), into(other));
  EXPECT_NE(error.find("a spec that cannot be read"), std::string::npos) << error;
  EXPECT_NE(error.find("spec.toml:1: rounds: 0 is not possible here"), std::string::npos) << error;
  EXPECT_EQ(content_of(other / "results.csv"), "mine");
}

TEST_F(Study, does_not_resume_when_a_matrix_file_has_changed) {
  const auto file = directory_ / "m.csv";
  write_content(file, "a,b\n0.5,0.75\n0.25,0.5\n");
  StudySpec spec = small_study();
  spec.policies = {"test-watched", "uniform"};
  spec.matrices = {file.string()};
  const auto part = directory_ / "part";
  interrupt_after(2, spec, part);
  write_content(file, "a,b\n0.5,0.8\n0.2,0.5\n");
  const auto refused = resume_study(part);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().hint, "start over with `force`");
  write_content(file, "a,b\n0.5,0.75\n0.25,0.5\n");
  EXPECT_TRUE(resume_study(part).ok());
}

TEST_F(Study, cannot_resume_what_is_not_there) {
  const auto refused = resume_study(directory_ / "none");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
}

TEST_F(Study, says_before_the_work_that_the_output_cannot_be_written) {
  write_content(directory_ / "file", "x");
  int trials = 0;
  Watched::before_trial = [&] { ++trials; };
  const std::string at_file = error_of(small_study(), into(directory_ / "file"));
  const std::string below = error_of(small_study(), into(directory_ / "file" / "below"));
  const std::string proc = error_of(small_study(), into("/proc/none"));
  Watched::before_trial = nullptr;
  EXPECT_EQ(trials, 0);
  EXPECT_TRUE(at_file.starts_with((directory_ / "file").string() + ": ")) << at_file;
  EXPECT_TRUE(below.starts_with((directory_ / "file" / "below").string() + ": ")) << below;
  EXPECT_TRUE(proc.starts_with("/proc/none: the directory cannot be created: ")) << proc;
  EXPECT_EQ(content_of(directory_ / "file"), "x");
}

TEST_F(Study, checks_everything_before_it_touches_the_disk) {
  const auto none = directory_ / "none";
  const auto refuse = [&](auto change) {
    StudySpec spec = small_study();
    change(spec);
    const std::string error = error_of(spec, into(none));
    EXPECT_FALSE(std::filesystem::exists(none)) << error;
    return error;
  };
  EXPECT_TRUE(refuse([](StudySpec& s) {
                s.policies = {"rucbb"};
              }).starts_with("there is no policy 'rucbb' (did you mean 'rucb'?"));
  EXPECT_TRUE(refuse([](StudySpec& s) {
                s.policies = {"rucb(alhpa=1)"};
              }).starts_with("policy 'rucb' has no option 'alhpa' (did you mean 'alpha'?"));
  EXPECT_EQ(refuse([](StudySpec& s) { s.policies = {"rucb(alpha=-1)"}; }),
            "option 'alpha' of policy 'rucb': -1 is out of range (allowed: > 0)");
  EXPECT_EQ(refuse([](StudySpec& s) { s.policies = {"rucb", "rucb(alpha=0.51)"}; }),
            "policy 'rucb(alpha=0.51)' is given twice ('rucb' and 'rucb(alpha=0.51)' are the "
            "same)");
  EXPECT_NE(refuse([](StudySpec& s) { s.matrices = {"arixv"}; }).find("did you mean 'arxiv'?"),
            std::string::npos);
  const std::string no_winner = refuse([](StudySpec& s) { s.matrices = {"no-condorcet"}; });
  EXPECT_TRUE(no_winner.starts_with("matrix 'no-condorcet'")) << no_winner;
  EXPECT_NE(no_winner.find("Condorcet winner"), std::string::npos) << no_winner;
  EXPECT_NE(refuse([](StudySpec& s) { s.matrices = {"-"}; }).find("standard input"),
            std::string::npos);
  EXPECT_EQ(refuse([](StudySpec& s) { s.trials = 0; }),
            "trials: 0 is not possible here (1 or more)");
  EXPECT_EQ(refuse([](StudySpec& s) { s.rounds = 0; }),
            "rounds: 0 is not possible here (a whole number from 1 to 1000000000000000000)");
  EXPECT_EQ(refuse([](StudySpec& s) { s.checkpoints = {301}; }),
            "checkpoint 301 lies outside the run of 300 rounds (1 .. 300)");
  EXPECT_EQ(refuse([](StudySpec& s) { s.policies.clear(); }),
            "the study names no policy (a name such as rucb)");
}

TEST_F(Study, leaves_a_resumable_directory_when_a_policy_fails) {
  const auto part = directory_ / "part";
  StudySpec spec = small_study();
  spec.policies = {"uniform", "test-clumsy(what=overflow)"};
  const std::string error = error_of(spec, into(part));
  EXPECT_NE(error.find("a count is full"), std::string::npos) << error;
  EXPECT_EQ(names_in(part), (std::set<std::string>{"spec.toml", "progress.csv"}));
}

TEST_F(Study, gives_the_statistics_of_the_finished_trials_when_interrupted) {
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  Watched::before_trial = [&] {
    if (++begun == 5) stop = true;
  };
  StudyOptions options;
  options.stop = &stop;
  StudySpec spec = small_study();
  spec.threads = 1;
  const StudyOutcome outcome = run_study(spec, options).value();
  Watched::before_trial = nullptr;
  EXPECT_TRUE(outcome.results.interrupted);
  ASSERT_EQ(outcome.results.runs.size(), 2U);
  ASSERT_EQ(outcome.results.runs[0].policies.size(), 1U);
  EXPECT_EQ(outcome.results.runs[0].policies[0].trials, 5U);
  EXPECT_EQ(outcome.results.runs[0].not_run.size(), 2U);
  EXPECT_EQ(outcome.results.runs[1].not_run.size(), 3U);
  // The first five trials are those of the whole run.
  spec.trials = 5;
  const StudyOutcome five = run_study(spec).value();
  EXPECT_EQ(five.results.runs[0].policies[0].checkpoints.back().regrets[0].mean,
            outcome.results.runs[0].policies[0].checkpoints.back().regrets[0].mean);
}

TEST_F(Study, tells_its_progress) {
  std::vector<StudyProgress> all;
  StudyOptions options;
  options.progress = [&](const StudyProgress& progress) { all.push_back(progress); };
  ASSERT_TRUE(run_study(small_study(), options).ok());
  ASSERT_GE(all.size(), 6U);
  EXPECT_EQ(all.front().matrix, "arxiv");
  EXPECT_EQ(all.front().policy, "test-watched");
  EXPECT_EQ(all.back().matrix, "arithmetic(k=4,step=0.1)");
  EXPECT_EQ(all.back().trials_done, 72U);
  EXPECT_EQ(all.back().trials_total, 72U);
  EXPECT_EQ(all.back().seconds_left, 0);
  EXPECT_GT(all.back().trials_per_second, 0);
}

TEST_F(Study, tells_matrices_of_the_same_name_apart) {
  std::filesystem::create_directory(directory_ / "x");
  std::filesystem::create_directory(directory_ / "y");
  StudySpec spec = small_study();
  spec.policies = {"uniform"};
  spec.matrices = {(directory_ / "x/m.csv").string(), (directory_ / "y/m.csv").string()};
  for (const std::string& file : spec.matrices) {
    write_content(file, "a,b\n0.5,0.75\n0.25,0.5\n");
  }
  const StudyOutcome outcome = run_study(spec).value();
  EXPECT_NE(outcome.results.runs[0].facts.matrix, outcome.results.runs[1].facts.matrix);
}

TEST_F(Study, resumes_horizons_per_checkpoint_as_they_were) {
  StudySpec spec = small_study();
  spec.policies = {"test-watched", "test-halves"};
  spec.checkpoints = {10, 100};
  spec.horizon_per_checkpoint = true;
  const auto part = directory_ / "part";
  const auto other = directory_ / "other";
  interrupt_after(3, spec, part);
  EXPECT_NE(content_of(part / "spec.toml").find("\"test-halves(horizon=checkpoint)\""),
            std::string::npos);
  EXPECT_NE(content_of(part / "spec.toml").find("checkpoints = [10, 100, 300]"), std::string::npos);
  ASSERT_TRUE(resume_study(part).ok());
  ASSERT_TRUE(run_study(spec, into(other)).ok());
  expect_same_results(part, other);
}

}  // namespace
}  // namespace duel
