// `duel run` and `duel vote` on an experiment of a server.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"

namespace duel {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

// The arm that comes first in the alphabet wins.
constexpr const char* kAnswer = "[ \"$1\" \\< \"$2\" ] && echo first || echo second\n";

class ServedRuns : public ::testing::Test {
 protected:
  ServedRuns() : server_(place_ / "duel.db") { script("judge", kAnswer); }
  // From the fourth question on nobody answers until the file `go` is there. At most three are
  // asked at a time, so that there is an answer before.
  void hold_back() {
    script("judge",
           "echo x >> asked\n"
           "while [ ! -e go ] && [ $(wc -l < asked) -gt 3 ]; do sleep 0.05; done\n" +
               std::string(kAnswer));
  }
  void script(const std::string& name, const std::string& text) {
    place_.write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(place_ / name, std::filesystem::perms::owner_all);
  }
  void create(const std::string& id, const std::string& arms, Words more = {}) {
    more.insert(more.begin(),
                {"experiment", "new", id, "--arms", arms, "--start", "--server", server_.url()});
    const CommandResult made = run_duel(more, {.directory = place_.path()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  Words run_of(const std::string& id, Words more = {}) const {
    more.insert(more.begin(), {"run", "--server", server_.url(), id, "--judge", "./judge"});
    return more;
  }
  json result(const std::string& id) {
    return json::parse(run_duel({"result", id, "--server", server_.url(), "--json"}).out);
  }
  // Outcomes by duel, from the log.
  std::map<std::string, int> outcomes(const std::string& id) {
    std::map<std::string, int> count;
    std::istringstream lines(
        run_duel({"export", id, "--what", "audit", "--server", server_.url()}).out);
    for (std::string line; std::getline(lines, line);) {
      const json record = json::parse(line);
      if (record["record"] == "outcome") ++count[record["duel_id"].get<std::string>()];
    }
    return count;
  }
  CommandOptions here() const { return {.directory = place_.path()}; }

  TemporaryDirectory place_;
  ServedStore server_;
};

TEST_F(ServedRuns, several_judges_work_on_one_experiment_until_there_is_a_winner) {
  create("e", "a,b,c,d");
  RunningDuel other(run_of("e", {"--parallel", "2", "--json"}), here());
  const CommandResult one = run_duel(run_of("e", {"--parallel", "2", "--json"}), here());
  const CommandResult two = other.wait();
  ASSERT_EQ(one.exit_code, 0) << one.err;
  ASSERT_EQ(two.exit_code, 0) << two.err;
  const json first = json::parse(one.out), second = json::parse(two.out);
  EXPECT_EQ(first["ending"], "certified");
  EXPECT_EQ(second["result"]["certificate"]["winner"], "a");
  const auto counted = outcomes("e");
  EXPECT_EQ(counted.size(),
            first["answered"].get<std::size_t>() + second["answered"].get<std::size_t>());
  for (const auto& [duel_id, count] : counted) EXPECT_EQ(count, 1) << duel_id;
}

TEST_F(ServedRuns, an_interrupt_waits_for_the_answers_and_loses_none) {
  create("e", "a,b");
  hold_back();
  RunningDuel running(run_of("e", {"--parallel", "3", "--json"}), here());
  wait_for([&] { return !outcomes("e").empty(); });
  running.send(SIGINT);
  place_.write("go", "");
  const CommandResult ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["ending"], "interrupted");
  EXPECT_EQ(report["undelivered"], 0);
  EXPECT_EQ(outcomes("e").size(), report["answered"].get<std::size_t>());
}

TEST_F(ServedRuns, goes_on_when_the_server_comes_back) {
  create("e", "a,b,c");
  hold_back();
  RunningDuel running(run_of("e", {"--parallel", "2", "--json", "--patience", "200"}), here());
  wait_for([&] { return !outcomes("e").empty(); });
  server_.kill();
  place_.write("go", "");
  wait_for([&] { return contains(running.err_so_far(), "trying again"); });
  server_.restart();
  const CommandResult ended = running.wait();
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.err, "answers again")) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["result"]["certificate"]["winner"], "a");
  // Each answer once, whatever was lost on the way.
  const auto counted = outcomes("e");
  EXPECT_EQ(counted.size(), report["answered"].get<std::size_t>());
  for (const auto& [duel_id, count] : counted) EXPECT_EQ(count, 1) << duel_id;
}

TEST_F(ServedRuns, a_server_that_stays_away_is_75) {
  create("e", "a,b");
  server_.kill();
  for (const std::string command : {"run", "vote"}) {
    Words words = {command, "--server", server_.url(), "e", "--patience", "0.5"};
    if (command == "run") words.insert(words.end(), {"--judge", "./judge"});
    const CommandResult ended = run_duel(words, here());
    EXPECT_EQ(ended.exit_code, 75) << ended.err;
    EXPECT_TRUE(contains(ended.err, "out of reach")) << ended.err;
  }
}

TEST_F(ServedRuns, a_judge_that_fails_is_reported_as_invalid_and_ends_the_run) {
  create("e", "a,b");
  script("judge", "exit 3\n");
  const CommandResult ended =
      run_duel(run_of("e", {"--retries", "0", "--max-failures", "2"}), here());
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.err, "no answer to 2 duels in a row")) << ended.err;
  EXPECT_EQ(result("e")["duels"]["invalid"], 2);
}

TEST_F(ServedRuns, judges_both_orders_where_the_experiment_says_so) {
  place_.write("both.json", R"({"presentation":{"order":"both"}})");
  create("e", "a,b", {"--config", "both.json"});
  const CommandResult ended = run_duel(run_of("e"), here());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(result("e")["certificate"]["winner"], "a");
  EXPECT_EQ(run_duel({"vote", "--server", server_.url(), "e"}).exit_code, 1);
}

TEST_F(ServedRuns, ends_undecided_when_no_more_duels_may_be_served) {
  create("e", "a,b", {"--max-duels", "3"});
  const CommandResult ended = run_duel(run_of("e"), here());
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(outcomes("e").size(), 3U);
}

TEST_F(ServedRuns, works_on_the_local_store_too) {
  const std::string store = place_ / "local.db";
  ASSERT_EQ(
      run_duel({"experiment", "new", "e", "--arms", "a,b", "--start", "--store", store}).exit_code,
      0);
  const CommandResult ended =
      run_duel({"run", "--experiment", "e", "--store", store, "--judge", "./judge"}, here());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "'a' beats")) << ended.out;
}

TEST_F(ServedRuns, refuses_what_the_experiment_has_decided) {
  create("e", "a,b");
  const CommandResult alpha = run_duel(run_of("e", {"--alpha", "0.1"}), here());
  EXPECT_EQ(alpha.exit_code, 2);
  EXPECT_TRUE(contains(alpha.err, "--alpha: the experiment has its own")) << alpha.err;
  const CommandResult votes = run_duel(run_of("e", {"--votes", "3"}), here());
  EXPECT_EQ(votes.exit_code, 2);
  EXPECT_TRUE(contains(votes.err, "--votes: it is for a log of this machine")) << votes.err;
  EXPECT_EQ(run_duel(run_of("nothing"), here()).exit_code, 1);
  EXPECT_EQ(run_duel({"run", "--server", server_.url(), "--judge", "./judge"}, here()).exit_code,
            2);
  create("pages", "a,b", {"--mode", "interleave"});
  const CommandResult pages = run_duel(run_of("pages"), here());
  EXPECT_EQ(pages.exit_code, 1);
  EXPECT_TRUE(contains(pages.err, "clicks")) << pages.err;
}

TEST_F(ServedRuns, people_vote_on_it) {
  create("e", "x,y");
  CommandOptions options = here();
  options.input = "1\n2\nt\nb\ns\nq\n";
  const CommandResult voted =
      run_duel({"vote", "--server", server_.url(), "e", "--voter", "ann", "--json"}, options);
  EXPECT_EQ(voted.exit_code, 3) << voted.err;
  EXPECT_EQ(json::parse(voted.out)["answered"], 5);
  const json counts = result("e")["duels"];
  EXPECT_EQ(counts["first_wins"].get<int>() + counts["second_wins"].get<int>(), 2);
  EXPECT_EQ(counts["ties"], 1);
  EXPECT_EQ(counts["both_bad"], 1);
  EXPECT_EQ(counts["skips"], 1);
  EXPECT_TRUE(contains(voted.err, "stopped; the server has every answer")) << voted.err;
}

}  // namespace
}  // namespace duel
