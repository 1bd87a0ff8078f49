// `mpirun -n N duel ...` with real MPI. Where mpirun or the module is missing, these tests are
// skipped and say so.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {
namespace {

// More ranks than cores, also as root, and without a way of copying that containers forbid.
const std::string kRun =
    "mpirun --allow-run-as-root --oversubscribe --bind-to none "
    "--mca btl_vader_single_copy_mechanism none -n ";

// Enters a directory of a test's own, where Open MPI also keeps its sessions: two mpirun that share
// one directory of sessions get in each other's way where one makes it while the other removes it.
std::string inside(const TemporaryDirectory& directory) {
  return "cd '" + directory.path().string() + "' && export TMPDIR=\"$PWD\" && ";
}

CommandOptions patient() {
  CommandOptions options;
  options.timeout = std::chrono::seconds(280);
  return options;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    const auto module = std::filesystem::path(duel_binary()).parent_path() / "libduel_mpi.so";
    if (run_shell("command -v mpirun").exit_code != 0) {
      GTEST_SKIP() << "MPI IS NOT TESTED: there is no mpirun (apt-get install openmpi-bin)";
    }
    if (!std::filesystem::exists(module)) {
      GTEST_SKIP() << "MPI IS NOT TESTED: " << module << " was not built (libopenmpi-dev)";
    }
  }

  CommandResult on(int ranks, const std::string& command) const {
    return run_shell(inside(directory_) + kRun + std::to_string(ranks) + " \"$duel\" " + command,
                     patient());
  }
  CommandResult alone(const std::string& command) const {
    return run_shell(inside(directory_) + "\"$duel\" " + command, patient());
  }
  void expect_same_files(const std::string& a, const std::string& b,
                         const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      EXPECT_EQ(content_of(directory_ / (a + "/" + name)),
                content_of(directory_ / (b + "/" + name)))
          << name;
    }
  }

  const TemporaryDirectory directory_;
};

TEST_F(Mpi, simulate_writes_the_bytes_of_one_thread) {
  const std::string study =
      "simulate --policy rucb,rmed1,dts --matrix arxiv,slides --rounds 3e3 --trials 17 --seed 3 "
      "--trials-csv ";
  const CommandResult one = alone(study + "--threads 1 -o one");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  for (const int ranks : {2, 4}) {
    const std::string output = "mpi" + std::to_string(ranks);
    const CommandResult many = on(ranks, study + "-o " + output);
    ASSERT_EQ(many.exit_code, 0) << many.err;
    EXPECT_EQ(many.out, one.out);
    expect_same_files(output, "one", {"results.csv", "matrices.csv", "trials.csv"});
    EXPECT_FALSE(std::filesystem::exists(directory_ / (output + "/progress.csv")));
    EXPECT_TRUE(contains(content_of(directory_ / (output + "/timing.json")),
                         "\"ranks\": " + std::to_string(ranks)));
  }
}

TEST_F(Mpi, more_trials_than_are_kept_give_the_bytes_of_one_thread) {
  const std::string study =
      "simulate --policy uniform --matrix arxiv --rounds 2 --trials 100001 --json ";
  const CommandResult one = alone(study);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const CommandResult many = on(2, study);
  ASSERT_EQ(many.exit_code, 0) << many.err;
  // Times are part of this form.
  const auto until_times = [](const std::string& text) {
    return text.substr(0, text.find("second"));
  };
  EXPECT_EQ(until_times(many.out), until_times(one.out));
}

TEST_F(Mpi, plan_and_league_print_what_one_thread_prints) {
  for (const std::string command :
       {"plan --matrix arxiv --policy rmed1 --trials 40 --max-duels 3000 --json",
        "league --matrix arxiv,cyclic --policy rucb,rmed1,savage-condorcet --rounds 1000 --trials "
        "9 --json",
        "league --certificates --matrix arxiv --policy rmed1,auto --max-duels 2000 --trials 5"}) {
    const CommandResult one = alone(command + " --threads 1");
    const CommandResult many = on(2, command);
    EXPECT_EQ(many.exit_code, one.exit_code) << many.err;
    EXPECT_EQ(many.out, one.out);
  }
}

TEST_F(Mpi, reproduce_writes_the_bytes_of_one_thread) {
  const std::string names = "if-error rucb-lemma1 ";
  const CommandResult one = alone("reproduce " + names + "--quick --threads 1 -o one");
  const CommandResult many = on(2, "reproduce " + names + "--quick -o many");
  EXPECT_EQ(many.exit_code, one.exit_code) << many.err;
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "one")) {
    if (entry.path().extension() != ".csv") continue;
    ++tables;
    const auto name = std::filesystem::relative(entry.path(), directory_ / "one");
    EXPECT_EQ(content_of(directory_.path() / "many" / name), content_of(entry.path())) << name;
  }
  EXPECT_GE(tables, 2u);
}

TEST_F(Mpi, an_error_is_said_once_with_its_exit_code) {
  const CommandResult wrong = on(2, "simulate --policy rucbb --matrix arxiv");
  EXPECT_EQ(wrong.exit_code, alone("simulate --policy rucbb --matrix arxiv").exit_code);
  EXPECT_EQ(times(wrong.err, "rucbb"), 1u) << wrong.err;
  const CommandResult usage = on(2, "simulate --no-such-option");
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(times(usage.err, "duel: error:"), 1u) << usage.err;
}

TEST_F(Mpi, an_error_of_rank_zero_alone_ends_all) {
  ASSERT_EQ(alone("simulate --policy uniform --matrix arxiv --rounds 10 -o out").exit_code, 0);
  const CommandResult other = on(4, "simulate --policy uniform --matrix arxiv --rounds 20 -o out");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(times(other.err, "the directory holds a different study"), 1u) << other.err;
}

TEST_F(Mpi, an_error_of_another_rank_ends_all) {
  // The file is there for rank 0 alone.
  const CommandResult one_sided =
      run_shell(inside(directory_) + kRun +
                    "3 sh -c 'mkdir -p rank$OMPI_COMM_WORLD_RANK; cd rank$OMPI_COMM_WORLD_RANK; "
                    "[ $OMPI_COMM_WORLD_RANK != 0 ] || printf \"0.5 0.6\\n0.4 0.5\\n\" > m.txt; "
                    "\"$duel\" simulate --policy uniform --matrix m.txt --rounds 100'",
                patient());
  EXPECT_NE(one_sided.exit_code, 0);
  EXPECT_EQ(times(one_sided.err, "m.txt"), 1u) << one_sided.err;
  EXPECT_EQ(one_sided.out, "");
}

// Starts a study on three ranks in `out`, waits until it has finished some trials, and ends it with
// `signal` to `victim`, which wrote its process id. False where the study was faster.
bool end_early(const TemporaryDirectory& directory, const std::string& study,
               const std::string& victim, int signal) {
  const std::filesystem::path pid_file = directory / (victim + ".pid");
  const std::string script = inside(directory) + "echo $$ > mpirun.pid && exec " + kRun +
                             "3 sh -c 'echo $$ > rank$OMPI_COMM_WORLD_RANK.pid; exec \"$duel\" " +
                             study + "'";
  CommandResult ended;
  std::thread runs([&] { ended = run_shell(script, patient()); });
  const std::string progress = directory / "out/progress.csv";
  for (int look = 0; look < 200'000; ++look) {
    std::error_code ignored;
    // The first line and a few trials.
    if (std::filesystem::exists(directory / "out/results.csv", ignored)) break;
    if (std::filesystem::exists(progress, ignored) && std::filesystem::exists(pid_file, ignored) &&
        times(content_of(progress), "\n") > 4) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  if (pid > 0) ::kill(pid, signal);
  runs.join();
  // Its last file may be there before the signal is, and mpirun says that it was interrupted.
  const bool finished = std::filesystem::exists(directory / "out/results.csv");
  if (ended.exit_code == 0 || finished) return false;
  EXPECT_GT(times(content_of(progress), "\n"), 4u) << "what was finished is on disk";
  return true;
}

struct Ending {
  std::string victim;  // mpirun or a rank
  int signal;
};
class MpiEnded : public Mpi, public testing::WithParamInterface<Ending> {};

TEST_P(MpiEnded, what_is_left_is_completed_by_resume) {
  const auto& [victim, signal] = GetParam();
  // Where the machine is so busy that the study ends before it is ended, a longer one will do.
  for (int rounds = 200'000; rounds <= 6'400'000; rounds *= 2) {
    const std::string study =
        "simulate --policy uniform,rucb --matrix arxiv --trials 60 --rounds " +
        std::to_string(rounds) + " --seed 9 -o out";
    std::filesystem::remove_all(directory_ / "out");
    if (!end_early(directory_, study, victim, signal)) continue;
    const CommandResult resumed = on(2, "simulate --resume out");
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    const CommandResult whole =
        alone("simulate --policy uniform,rucb --matrix arxiv --trials 60 --rounds " +
              std::to_string(rounds) + " --seed 9 -o whole");
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    expect_same_files("out", "whole", {"results.csv", "matrices.csv"});
    return;
  }
  FAIL() << "every study ended before it could be ended";
}

INSTANTIATE_TEST_SUITE_P(Signals, MpiEnded,
                         testing::Values(Ending{"rank2", SIGKILL}, Ending{"rank0", SIGKILL},
                                         Ending{"rank1", SIGINT}, Ending{"mpirun", SIGINT}),
                         [](const testing::TestParamInfo<Ending>& test) {
                           return test.param.victim +
                                  (test.param.signal == SIGKILL ? "_killed" : "_interrupted");
                         });

TEST_F(Mpi, without_the_module_rank_zero_works_alone_and_says_so) {
  const std::string study = "simulate --policy rucb --matrix arxiv --rounds 1000 --trials 3 ";
  const CommandResult one = alone(study + "-o one");
  const CommandResult many =
      run_shell(inside(directory_) + "DUEL_MPI_MODULE=/nonexistent/libduel_mpi.so " + kRun +
                    "3 \"$duel\" " + study + "-o many",
                patient());
  EXPECT_EQ(many.exit_code, 0) << many.err;
  EXPECT_EQ(many.out, one.out);
  EXPECT_EQ(times(many.err, "rank 0 works alone"), 1u) << many.err;
  expect_same_files("many", "one", {"results.csv"});
}

TEST_F(Mpi, a_variable_keeps_each_process_to_itself) {
  const CommandResult each =
      run_shell(inside(directory_) + "DUEL_MPI=0 " + kRun +
                    "2 \"$duel\" simulate --policy uniform --matrix arxiv --rounds 10",
                patient());
  EXPECT_EQ(each.exit_code, 0) << each.err;
  EXPECT_EQ(times(each.out, "uniform"), 2u) << each.out;
}

}  // namespace
}  // namespace duel
