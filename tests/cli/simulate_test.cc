#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// A study of a few milliseconds.
const std::vector<std::string> kSmall = {
    "simulate", "--policy", "rucb,uniform", "--matrix", "arxiv", "--rounds", "1e3",
    "--trials", "5",        "--seed",       "1"};

Json json_of(const std::vector<std::string>& arguments, const CommandOptions& options = {}) {
  const CommandResult result = run_duel(with(arguments, {"--json"}), options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(result.out);
}

// The same object without its times.
Json without_seconds(Json json) {
  for (auto& policy : json["policies"]) policy.erase("seconds");
  return json;
}

// --- output -----------------------------------------------------------------------------------

TEST(SimulateCommand, prints_a_table_with_standard_errors_and_the_lower_bound) {
  const CommandResult result = run_duel(kSmall);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"arxiv: 6 arms, Condorcet winner ", "; 1e3 rounds, 5 trials, seed 1", "average regret",
        "± se", "median", "accuracy", "informative", "\nrucb(alpha=0.51) ", "\nuniform ",
        "\nlower bound LB ln T ", "LB = 20.73"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
  EXPECT_FALSE(contains(result.out, "\033"));
}

TEST(SimulateCommand, prints_the_json_of_the_contract) {
  const Json json =
      json_of({"simulate", "--policy", "rucb,rmed1,rmed2fh", "--matrix", "arxiv", "--rounds", "1e4",
               "--trials", "10", "--seed", "1", "--checkpoints", "1e3,1e4"});
  EXPECT_EQ(json["matrix"], "arxiv");
  EXPECT_EQ(json["rounds"], 10000);
  EXPECT_EQ(json["trials"], 10);
  EXPECT_EQ(json["seed"], 1);
  EXPECT_NEAR(json["lower_bound"].get<double>(), 20.7350, 1e-4);
  ASSERT_EQ(json["policies"].size(), 3U);
  EXPECT_EQ(json["policies"][0]["policy"], "rucb(alpha=0.51)");
  EXPECT_TRUE(contains(json["policies"][2]["policy"].get<std::string>(), "horizon=10000"));
  for (const auto& policy : json["policies"]) {
    EXPECT_GT(policy["seconds"].get<double>(), 0);
    ASSERT_EQ(policy["checkpoints"].size(), 2U);
    EXPECT_EQ(policy["checkpoints"][0]["round"], 1000);
    EXPECT_EQ(policy["checkpoints"][1]["round"], 10000);
    for (const auto& checkpoint : policy["checkpoints"]) {
      const auto& regret = checkpoint["regret"]["average"];
      for (const char* key : {"mean", "se", "median", "q10", "q90", "min", "max"}) {
        EXPECT_TRUE(regret[key].is_number()) << key;
      }
      EXPECT_LE(regret["min"].get<double>(), regret["q10"].get<double>());
      EXPECT_LE(regret["q10"].get<double>(), regret["median"].get<double>());
      EXPECT_LE(regret["median"].get<double>(), regret["q90"].get<double>());
      EXPECT_LE(regret["q90"].get<double>(), regret["max"].get<double>());
      EXPECT_GE(checkpoint["accuracy"].get<double>(), 0);
      EXPECT_LE(checkpoint["accuracy"].get<double>(), 1);
      EXPECT_LE(checkpoint["informative"].get<double>(), checkpoint["round"].get<double>());
    }
  }
}

TEST(SimulateCommand, uniform_regret_is_what_the_matrix_says) {
  // One uniform duel costs the mean over ordered pairs of (D_i + D_j)/2 = the mean of D over arms.
  // arxiv: D = 0, .05, .05, .04, .11, .11, mean .06. One duel's regret has a standard deviation
  // below .06, so the mean of 20 trials of 1e4 rounds has one below .06 * sqrt(1e4 / 20) = 1.35.
  const Json json = json_of({"simulate", "--policy", "uniform", "--matrix", "arxiv", "--rounds",
                             "1e4", "--trials", "20"});
  const auto& last = json["policies"][0]["checkpoints"].back();
  EXPECT_NEAR(last["regret"]["average"]["mean"].get<double>(), 600, 5 * 1.35);
  EXPECT_EQ(last["informative"], 10000);
}

TEST(SimulateCommand, several_matrices_give_several_tables_and_runs) {
  const std::vector<std::string> arguments = {"simulate", "--policy", "rucb",   "--matrix",
                                              "arxiv",    "--matrix", "cyclic", "--rounds",
                                              "1e3",      "--trials", "3"};
  const Json json = json_of(arguments);
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["matrix"], "arxiv");
  EXPECT_EQ(json["runs"][1]["matrix"], "cyclic");
  const std::string out = run_duel(arguments).out;
  EXPECT_TRUE(contains(out, "arxiv: 6 arms"));
  EXPECT_TRUE(contains(out, "\n\ncyclic: 4 arms"));
}

TEST(SimulateCommand, options_within_parentheses_do_not_cut_lists) {
  const Json json =
      json_of({"simulate", "--policy", "rucb(alpha=0.6,unplayed=1),uniform", "--policy", "rmed1",
               "--matrix", "arithmetic(k=4,step=0.1),cyclic", "--rounds", "100", "--trials", "2"});
  ASSERT_EQ(json["runs"].size(), 2U);
  ASSERT_EQ(json["runs"][0]["policies"].size(), 3U);
  EXPECT_EQ(json["runs"][0]["policies"][0]["policy"], "rucb(alpha=0.6,unplayed=1)");
}

TEST(SimulateCommand, regret_notions_are_named) {
  const std::vector<std::string> arguments = with(kSmall, {"--regret", "average,strong,weak"});
  const Json json = json_of(arguments);
  for (const auto& policy : json["policies"]) {
    const auto& regret = policy["checkpoints"].back()["regret"];
    EXPECT_NEAR(regret["strong"]["mean"].get<double>(), 2 * regret["average"]["mean"].get<double>(),
                1e-9);
    EXPECT_LE(regret["weak"]["mean"].get<double>(), regret["average"]["mean"].get<double>());
  }
  const std::string out = run_duel(arguments).out;
  for (const char* title : {"average regret", "strong regret", "weak regret"}) {
    EXPECT_TRUE(contains(out, title)) << title;
  }
}

TEST(SimulateCommand, one_trial_has_no_standard_error) {
  const Json json = json_of(with(kSmall, {}));
  EXPECT_TRUE(json["policies"][0]["checkpoints"][0]["regret"]["average"]["se"].is_number());
  const std::vector<std::string> one = {"simulate", "--policy", "uniform",  "--matrix", "arxiv",
                                        "--rounds", "10",       "--trials", "1"};
  const Json single = json_of(one);
  EXPECT_TRUE(single["policies"][0]["checkpoints"][0]["regret"]["average"]["se"].is_null());
  EXPECT_TRUE(contains(run_duel(one).out, "1 trial, seed 0"));
}

TEST(SimulateCommand, results_do_not_depend_on_threads) {
  const std::vector<std::string> arguments = {
      "simulate", "--policy", "rucb,rmed1,epsilon-greedy,btm",
      "--matrix", "arxiv",    "--rounds",
      "5e3",      "--trials", "13",
      "--seed",   "3"};
  const Json one = without_seconds(json_of(with(arguments, {"--threads", "1"})));
  const Json two = without_seconds(json_of(with(arguments, {"--threads", "2"})));
  const Json five = without_seconds(json_of(with(arguments, {"--threads", "5"})));
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, five);
  EXPECT_NE(one, without_seconds(
                     json_of({"simulate", "--policy", "rucb,rmed1,epsilon-greedy,btm", "--matrix",
                              "arxiv", "--rounds", "5e3", "--trials", "13", "--seed", "4"})));
}

TEST(SimulateCommand, another_policy_leaves_the_numbers_alone) {
  const Json both = json_of({"simulate", "--policy", "rmed1,rucb", "--matrix", "arxiv", "--rounds",
                             "1e4", "--trials", "5"});
  const Json alone = json_of(
      {"simulate", "--policy", "rucb", "--matrix", "arxiv", "--rounds", "1e4", "--trials", "5"});
  EXPECT_EQ(both["policies"][1]["checkpoints"], alone["policies"][0]["checkpoints"]);
}

TEST(SimulateCommand, horizon_per_checkpoint_tunes_for_each_checkpoint) {
  const std::vector<std::string> arguments = {"simulate", "--policy",      "rmed2fh", "--matrix",
                                              "arxiv",    "--rounds",      "1e4",     "--trials",
                                              "3",        "--checkpoints", "1e3,1e4"};
  const Json json = json_of(with(arguments, {"--horizon-per-checkpoint"}));
  EXPECT_TRUE(contains(json["policies"][0]["policy"].get<std::string>(), "horizon=checkpoint"));
  const Json shorter = json_of(
      {"simulate", "--policy", "rmed2fh", "--matrix", "arxiv", "--rounds", "1e3", "--trials", "3"});
  EXPECT_EQ(json["policies"][0]["checkpoints"][0]["regret"],
            shorter["policies"][0]["checkpoints"].back()["regret"]);
}

TEST(SimulateCommand, reads_a_matrix_file_and_standard_input) {
  const TemporaryDirectory place;
  const std::string csv = "good,bad\n0.5,0.9\n0.1,0.5\n";
  const std::string file = place.write("my, own.csv", csv);
  const std::vector<std::string> rest = {"--rounds", "100", "--trials", "2", "--policy", "rucb"};
  EXPECT_EQ(json_of(with({"simulate", "--matrix", file}, rest))["matrix"], "my, own");
  EXPECT_EQ(json_of(with({"simulate", "--matrix", "-"}, rest), {.input = csv})["matrix"], "stdin");
}

TEST(SimulateCommand, a_study_file_says_what_the_options_say_and_options_win) {
  const TemporaryDirectory place;
  const std::string study = place.write("study.toml",
                                        "policies = [\"rucb\", \"uniform\"]\n"
                                        "matrices = [\"arxiv\"]\n"
                                        "rounds = 1e3\ntrials = 5\nseed = 1\n");
  EXPECT_EQ(without_seconds(json_of({"simulate", study})), without_seconds(json_of(kSmall)));
  EXPECT_EQ(json_of({"simulate", study, "--trials", "2"})["trials"], 2);
  EXPECT_EQ(json_of({"simulate", study, "--policy", "rmed1"})["policies"].size(), 1U);
}

TEST(SimulateCommand, quiet_leaves_out_notes) {
  const TemporaryDirectory place;
  const CommandResult loud = run_duel(with(kSmall, {"-o", place / "loud"}));
  EXPECT_TRUE(contains(loud.err, "draw them: duel plot ")) << loud.err;
  for (const std::string flag : {"-q", "--quiet"}) {
    const CommandResult quiet = run_duel(with(kSmall, {"-o", place / flag, flag}));
    EXPECT_EQ(quiet.err, "");
    EXPECT_TRUE(contains(quiet.out, "rucb(alpha=0.51)"));
  }
  EXPECT_EQ(run_duel(with({"-q"}, with(kSmall, {"-o", place / "first"}))).err, "");
}

// --- output directory
// -----------------------------------------------------------------------------

TEST(SimulateCommand, writes_its_results_into_a_directory) {
  const TemporaryDirectory place;
  const std::string out = place / "deep/down/out";
  EXPECT_EQ(run_duel(with(kSmall, {"-o", out, "--trials-csv"})).exit_code, 0);
  EXPECT_EQ(content_of(out + "/results.csv").rfind("matrix,policy,round,regret,mean,se,", 0), 0U);
  EXPECT_EQ(content_of(out + "/matrices.csv").rfind("matrix,num_arms,", 0), 0U);
  EXPECT_EQ(content_of(out + "/trials.csv").rfind("matrix,policy,trial,", 0), 0U);
  EXPECT_TRUE(contains(content_of(out + "/spec.toml"), "rounds = 1000"));
  // The spec in the directory is a study file that gives the same results.
  const Json again = without_seconds(json_of({"simulate", out + "/spec.toml"}));
  EXPECT_EQ(again, without_seconds(json_of(kSmall)));
  const std::vector<std::string> quiet = with(kSmall, {"--output", place / "plain"});
  EXPECT_EQ(run_duel(quiet).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(place / "plain/trials.csv"));
}

TEST(SimulateCommand, does_not_overwrite_another_study_without_force) {
  const TemporaryDirectory place;
  const std::string out = place / "out";
  ASSERT_EQ(run_duel(with(kSmall, {"-o", out})).exit_code, 0);
  const std::string before = content_of(out + "/results.csv");
  const std::vector<std::string> other = {"simulate", "--policy", "uniform", "--matrix",
                                          "cyclic",   "--rounds", "50",      "--trials",
                                          "2",        "-o",       out};
  const CommandResult refused = run_duel(other);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(contains(refused.err, "the directory holds a different study")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--force")) << refused.err;
  EXPECT_EQ(content_of(out + "/results.csv"), before);
  EXPECT_EQ(run_duel(with(other, {"--force"})).exit_code, 0);
  EXPECT_TRUE(contains(content_of(out + "/results.csv"), "cyclic"));
}

// --- interruption and resumption
// --------------------------------------------------------------------

bool wait_for_lines(const std::string& file, std::size_t lines) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    const std::string text = content_of(file);
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// Enough trials that it is still at work when the signal comes, whatever the machine.
std::vector<std::string> long_study(const std::string& out) {
  return {"simulate", "--policy", "uniform,rmed1", "--matrix", "arxiv", "--rounds", "1e5",
          "--trials", "4000",     "--seed",        "7",        "-o",    out};
}

TEST(SimulateCommand, an_interrupt_gives_the_statistics_of_the_finished_trials) {
  const TemporaryDirectory place;
  const std::string out = place / "out";
  RunningDuel running(with(long_study(out), {"--json"}));
  ASSERT_TRUE(wait_for_lines(out + "/progress.csv", 10));
  running.send(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(contains(result.err, "duel: warning: interrupted: these are the statistics of the "))
      << result.err;
  EXPECT_TRUE(
      contains(result.err, "finished trials of 8000; to continue: duel simulate --resume " + out))
      << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["trials_asked"], 4000);
  EXPECT_LT(json["trials"].get<int>(), 4000);
  EXPECT_GE(json["trials"].get<int>(), 1);
  EXPECT_EQ(json["policies"][0]["policy"], "uniform");
  EXPECT_FALSE(std::filesystem::exists(out + "/results.csv"));
}

TEST(SimulateCommand, an_interrupt_without_a_directory_says_so_too) {
  const CommandResult result = run_interrupted(
      {"simulate", "--policy", "uniform", "--matrix", "arxiv", "--rounds", "1e5", "--trials",
       "1000000", "--quiet"},
      {}, [](const CommandResult& ended) {
        return contains(ended.err, "interrupted") && !contains(ended.err, "before the first trial");
      });
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(contains(result.err, "interrupted")) << result.err;
  EXPECT_FALSE(contains(result.err, "--resume")) << result.err;
  EXPECT_TRUE(contains(result.out, " of 1000000 trials")) << result.out << result.err;
}

TEST(SimulateCommand, a_termination_signal_ends_it_cleanly_with_143) {
  const TemporaryDirectory place;
  const std::string out = place / "out";
  RunningDuel running(long_study(out));
  ASSERT_TRUE(wait_for_lines(out + "/progress.csv", 2));
  running.send(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 143);
}

TEST(SimulateCommand, a_resumed_study_equals_an_uninterrupted_one) {
  const TemporaryDirectory place;
  const auto study = [&](const std::string& name) {
    return std::vector<std::string>{
        "simulate", "--policy",  "uniform,rmed1", "--matrix", "arxiv", "--rounds",
        "5e4",      "--trials",  "300",           "--seed",   "7",     "--trials-csv",
        "-o",       place / name};
  };
  RunningDuel running(study("broken"));
  ASSERT_TRUE(wait_for_lines(place / "broken/progress.csv", 20));
  running.send(SIGINT);
  const int code = running.wait().exit_code;
  EXPECT_EQ(code, 130) << "it was done before the signal came: give it more trials";
  const CommandResult resumed =
      run_duel({"simulate", "--resume", place / "broken", "--threads", "1", "--json"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const CommandResult whole = run_duel(with(study("whole"), {"--json"}));
  EXPECT_EQ(whole.exit_code, 0);
  EXPECT_EQ(without_seconds(Json::parse(resumed.out)), without_seconds(Json::parse(whole.out)));
  for (const char* file : {"/results.csv", "/trials.csv", "/matrices.csv", "/spec.toml"}) {
    EXPECT_EQ(content_of(place / ("broken" + std::string(file))),
              content_of(place / ("whole" + std::string(file))))
        << file;
  }
  EXPECT_FALSE(std::filesystem::exists(place / "broken/progress.csv"));

  const CommandResult again = run_duel({"simulate", "--resume", place / "broken"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(contains(again.err, "was already complete; nothing was run")) << again.err;
  EXPECT_TRUE(contains(again.out, "rmed1"));
}

TEST(SimulateCommand, a_killed_study_can_be_resumed) {
  const TemporaryDirectory place;
  const std::string out = place / "out";
  {
    RunningDuel running({"simulate", "--policy", "uniform", "--matrix", "arxiv", "--rounds", "2e4",
                         "--trials", "400", "-o", out});
    ASSERT_TRUE(wait_for_lines(out + "/progress.csv", 10));
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().exit_code, 137);
  }
  const Json resumed = json_of({"simulate", "--resume", out});
  const Json whole = json_of({"simulate", "--policy", "uniform", "--matrix", "arxiv", "--rounds",
                              "2e4", "--trials", "400"});
  EXPECT_EQ(without_seconds(resumed), without_seconds(whole));
}

// --- bad input
// ----------------------------------------------------------------------------------------

struct BadInput {
  std::vector<std::string> arguments;
  int exit_code;
  std::string message;
};

TEST(SimulateCommand, explains_bad_input_and_writes_nothing) {
  const TemporaryDirectory place;
  place.write("occupied", "a file");
  place.write("broken.toml", "policies = [\"rucb\"\n");
  place.write("typo.toml", "policies = [\"rucb\"]\nmatrices = [\"arxiv\"]\nronds = 5\n");
  place.write("wrong.toml", "policies = [\"rucb\"]\nmatrices = [\"arxiv\"]\nrounds = 0\n");
  place.write("ragged.csv", "a,b\n0.5,0.6\n0.4\n");
  place.write("skewed.csv", "a,b\n0.5,0.6\n0.6,0.5\n");
  place.write("nan.csv", "a,b\n0.5,nan\n0.4,0.5\n");
  place.write("outside.csv", "a,b\n0.5,1.2\n-0.2,0.5\n");
  place.write("twice.csv", "a,a\n0.5,0.6\n0.4,0.5\n");
  place.write("nameless.csv", "a,\n0.5,0.6\n0.4,0.5\n");
  place.write("empty.csv", "");
  place.write("binary.csv", std::string("\0\1\2\377\376\0", 6));
  std::filesystem::create_directory(place / "a-directory");
  const auto base = [](const std::vector<std::string>& more) {
    return with({"simulate", "--policy", "rucb", "--matrix", "arxiv"}, more);
  };
  const auto on_matrix = [](const std::string& matrix) {
    return std::vector<std::string>{"simulate", "--policy", "rucb", "--matrix",
                                    matrix,     "-o",       "out"};
  };
  const std::vector<BadInput> cases = {
      {{"simulate"}, 2, "no policy is given (write --policy rucb,rmed1"},
      {{"simulate", "--policy", "rucb"}, 2, "no matrix is given (write --matrix arxiv"},
      {base({"--rounds", "0"}), 2, "--rounds: 0 is not possible"},
      {base({"--rounds", "-1"}), 2, "--rounds: -1 is not possible"},
      {base({"--rounds", "1e30"}), 2, "--rounds: 1e30 is not possible"},
      {base({"--rounds", "1.5"}), 2, "--rounds: 1.5 is not possible"},
      {base({"--rounds", "many"}), 2, "--rounds: many is not possible"},
      {base({"--rounds", "nan"}), 2, "--rounds: nan is not possible"},
      {base({"--trials", "0"}), 2, "--trials: 0 is not possible here (a whole number from 1 to "},
      {base({"--trials", "-1"}), 2, "--trials: -1"},
      {base({"--trials", "1e30"}), 2, "--trials: 1e30"},
      {base({"--seed", "-1"}), 2, "--seed: -1"},
      {base({"--seed", "x"}), 2, "--seed: x"},
      {base({"--threads", "1e9"}), 2, "--threads: 1e9"},
      {base({"--checkpoints", "0"}), 2, "--checkpoints: 0"},
      {base({"--checkpoints", "10,x"}), 2, "--checkpoints: x"},
      {base({"--checkpoints", "1e9"}), 2, "checkpoint 1000000000 lies outside the run"},
      {base({"--regret", "averag"}), 2,
       "--regret: unknown regret notion 'averag' (did you mean "
       "'average'?"},
      {base({"--regret", "weak,weak"}), 2, "regret 'weak' is given twice"},
      {base({"--policy", "rubc"}), 2, "--policy: there is no policy 'rubc' (did you mean 'rucb'?"},
      {base({"--policy", "rucb(alpa=1)"}), 2,
       "policy 'rucb' has no option 'alpa' (did you mean "
       "'alpha'?"},
      {base({"--policy", "rmed1,rucb(alpha=-1)"}), 2, "option 'alpha' of policy 'rucb'"},
      {base({"--policy", "rucb(alpha=x)"}), 2, "'x' is not a number"},
      {base({"--policy", "rucb(alpha=1"}), 2, "missing ')'"},
      {base({"--policy", "rucb(alpha)"}), 2, "'alpha' is not key=value"},
      {base({"--policy", "rucb(alpha=1,alpha=2)"}), 2, "option 'alpha' is given twice"},
      {base({"--policy", "rucb(unplayed=3)"}), 2, "'3' is not a known value"},
      {base({"--policy", "rucb(ties=cion)"}), 2, "did you mean 'coin'?"},
      {base({"--policy", "rucb"}), 2, "policy 'rucb' is given twice"},
      {base({"--policy", ","}), 2, "a name is missing"},
      {on_matrix("arxvi"), 2,
       "there is no matrix and no file named 'arxvi' (did you mean "
       "'arxiv'?"},
      {on_matrix("missing.csv"), 1, "missing.csv: there is no such file"},
      {on_matrix("a-directory"), 1, "a-directory"},
      {on_matrix("bradley-terry(k=0)"), 2,
       "option 'k' of matrix 'bradley-terry': 0 is out of "
       "range"},
      {on_matrix("bradley-terry(kk=3)"), 2, "has no option 'kk' (did you mean 'k'?"},
      {on_matrix("ragged.csv"), 1, "ragged.csv:3"},
      {on_matrix("skewed.csv"), 1, "skewed.csv"},
      {on_matrix("nan.csv"), 1, "nan.csv:2"},
      {on_matrix("outside.csv"), 1, "outside.csv:2"},
      {on_matrix("twice.csv"), 1, "twice.csv"},
      {on_matrix("nameless.csv"), 1, "nameless.csv:1"},
      {on_matrix("empty.csv"), 1, "empty.csv"},
      {on_matrix("binary.csv"), 1, "binary.csv"},
      {on_matrix("/dev/zero"), 1, "/dev/zero"},
      {on_matrix("no-condorcet(k=5,seed=1)"), 1, "average regret needs a Condorcet winner"},
      {on_matrix("-"), 1, "standard input"},
      {base({"-o", "/proc/nowhere"}), 1, "/proc/nowhere: the directory cannot be created"},
      {base({"-o", "occupied"}), 1, "occupied: "},
      {base({"-o", "occupied/below"}), 1, "occupied/below: "},
      {base({"-o", ""}), 2, "--output: it is empty"},
      {base({"--trials-csv"}), 2, "--trials-csv: there is no directory to write to (add -o DIR)"},
      {base({"--force"}), 2, "--force: there is nothing to replace (add -o DIR)"},
      {{"simulate", "missing.toml"}, 1, "missing.toml: cannot be read: No such file"},
      {{"simulate", "a-directory"},
       2,
       "'a-directory' is a directory, not a study file (to "
       "continue it: duel simulate --resume a-directory)"},
      {{"simulate", "broken.toml"}, 1, "broken.toml:"},
      {{"simulate", "typo.toml"}, 1, "typo.toml:3: unknown key 'ronds' (did you mean 'rounds'?"},
      {{"simulate", "wrong.toml"}, 1, "wrong.toml:3: rounds: 0"},
      {{"simulate", "--resume", "missing"}, 1, "missing: there is no study to resume"},
      {{"simulate", "--resume", "a-directory"}, 1, "spec.toml is missing"},
      {{"simulate", "--resume", "x", "--rounds", "5"}, 2, "--rounds cannot be given with it"},
      {{"simulate", "--resume", "x", "-o", "y"}, 2, "--output cannot be given with it"},
      {{"simulate", "--resume", "x", "--force"}, 2, "--force cannot be given with it"},
      {{"simulate", "study.toml", "--resume", "x"}, 2, "a study file cannot be given with it"},
  };
  const std::set<std::string> before = names_in(place.path());
  for (const BadInput& bad : cases) {
    const CommandResult result =
        run_duel(bad.arguments,
                 {.input = "", .directory = place.path(), .timeout = std::chrono::seconds(60)});
    EXPECT_EQ(result.exit_code, bad.exit_code) << bad.message << "\n" << result.err;
    EXPECT_EQ(result.out, "") << bad.message;
    EXPECT_EQ(result.err.rfind("duel: error: ", 0), 0U) << bad.message << "\n" << result.err;
    EXPECT_TRUE(contains(result.err, bad.message)) << bad.message << "\n" << result.err;
    EXPECT_EQ(names_in(place.path()), before) << bad.message;
  }
}

TEST(SimulateCommand, a_regret_that_is_defined_without_a_condorcet_winner_works) {
  const Json json =
      json_of({"simulate", "--policy", "savage-copeland", "--matrix", "no-condorcet(k=5,seed=1)",
               "--regret", "copeland,borda,von-neumann", "--rounds", "1e3", "--trials", "2"});
  EXPECT_TRUE(json["lower_bound"].is_null());
  EXPECT_TRUE(json["policies"][0]["checkpoints"][0]["regret"].contains("von-neumann"));
}

// Rankers compared by clicks. ---------------------------------------------------------------------

TEST(SimulateCommand, an_environment_of_clicks_counts_regret_against_the_exact_matrix) {
  const std::string environment =
      "clicks(data=synthetic(queries=10,documents=8,features=4),interleave=team-draft,length=5)";
  const Json json = json_of({"simulate", "--policy", "rmed1,uniform", "--environment", environment,
                             "--rounds", "1e4", "--trials", "4"});
  EXPECT_EQ(json["matrix"], environment);
  const auto last = [&](int policy) -> const Json& {
    return json["policies"][policy]["checkpoints"].back();
  };
  EXPECT_GT(last(0)["regret"]["average"]["mean"], 0.0);
  EXPECT_LT(last(0)["regret"]["average"]["mean"], last(1)["regret"]["average"]["mean"]);
  EXPECT_EQ(last(0)["accuracy"], 1.0);
}

TEST(SimulateCommand, without_a_truth_only_accuracy_is_reported) {
  const std::vector<std::string> arguments = {
      "simulate",
      "--policy",
      "rmed1",
      "--environment",
      "clicks(data=synthetic(queries=5,documents=20,features=3,noise=0.1))",
      "--rounds",
      "2e3",
      "--trials",
      "3"};
  const Json json = json_of(arguments);
  const Json& last = json["policies"][0]["checkpoints"].back();
  EXPECT_TRUE(last["regret"]["average"]["mean"].is_null());
  EXPECT_TRUE(last["accuracy"].is_number());
  const CommandResult table = run_duel(arguments);
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_FALSE(contains(table.out, "nan")) << table.out;
  EXPECT_TRUE(contains(table.out, "3 arms, no\nknown truth")) << table.out;

  const TemporaryDirectory place;
  std::vector<std::string> to_files = arguments;
  to_files.insert(to_files.end(), {"--trials-csv", "-o", place / "out"});
  ASSERT_EQ(run_duel(to_files).exit_code, 0);
  EXPECT_EQ(run_duel({"simulate", "--resume", place / "out"}).exit_code, 0);
  const CommandResult plot = run_duel({"plot", place / "out", "-o", place / "regret.svg"});
  EXPECT_EQ(plot.exit_code, 1);
  EXPECT_TRUE(contains(plot.err, "there is nothing to draw")) << plot.err;
}

TEST(SimulateCommand, a_study_of_clicks_resumes_only_on_the_same_data) {
  const TemporaryDirectory place;
  const std::string data = "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:2\n";
  place.write("data.txt", data);
  const CommandOptions there{.directory = place.path()};
  const CommandResult begun = run_interrupted(
      {"simulate", "--policy", "uniform", "--environment",
       "clicks(data=data.txt,interleave=team-draft)", "--rounds", "1e4", "--trials", "1e5",
       "--checkpoints", "1e4", "-o", "out"},
      there, [&](const CommandResult&) { return std::filesystem::exists(place / "out"); });
  ASSERT_EQ(begun.exit_code, 130);
  place.write("data.txt", "0 qid:1 1:2 2:1\n1 qid:1 1:1 2:2\n");
  const CommandResult changed = run_duel({"simulate", "--resume", "out"}, there);
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(contains(changed.err, "out")) << changed.err;
}

TEST(SimulateCommand, refuses_what_does_not_fit_in_memory) {
  // Trials are not kept when there are so many, unless trials.csv is wanted.
  const TemporaryDirectory place;
  const CommandResult result =
      run_duel({"simulate", "--policy", "rucb", "--matrix", "arxiv", "--trials", "4e9", "--rounds",
                "1e18", "--trials-csv", "-o", place / "out"});
  EXPECT_EQ(result.exit_code == 1 || result.exit_code == 2, true) << result.exit_code;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("duel: error: ", 0), 0U) << result.err;
}

// Problems that are more than a matrix, each as a user writes it.
TEST(SimulateCommand, plays_every_kind_of_problem) {
  const TemporaryDirectory place;
  place.write("features.csv", "0,1\n1,0\n0.5,0.5\n");
  place.write("utilities.csv", "1\n0\n0.3\n");
  CommandOptions options;
  options.directory = place.path();
  for (const char* problem :
       {"linear(k=4,d=2,seed=1,scale=5)", "linear(k=4,d=2,seed=1,scale=5,fresh=true)",
        "table(features=features.csv,utilities=utilities.csv)",
        "choice(matrix=plackett-luce(k=5,seed=1,spread=1),m=3)", "multileave(matrix=arxiv,m=3)",
        "corrupt(base=arxiv,budget=20)", "switching(base=arxiv,changes=2,rounds=60)",
        "drifting(from=arxiv,to=slides,rounds=60,steps=5)"}) {
    const CommandResult result =
        run_duel({"simulate", "--policy", "uniform,self-sparring,multi-rucb", "--matrix", problem,
                  "--rounds", "60", "--trials", "2", "--json"},
                 options);
    EXPECT_EQ(result.exit_code, 0) << problem << "\n" << result.err;
    EXPECT_TRUE(contains(result.out, "multi-rucb")) << problem;
  }
}

}  // namespace
}  // namespace duel
