// `duel run` from outside, with small shell judges: that it finds the best arm, that no failure of
// a judge counts against an arm, and that a kill at any moment loses and doubles nothing.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

// A judge whose answer depends on the duel's id alone: the arm whose name comes first in the
// alphabet wins three times in four.
constexpr const char* kJudge =
    "read -r line\n"
    "n=$(printf '%s' \"${line%%,*}\" | cksum); n=${n%% *}\n"
    "if [ \"$1\" \\< \"$2\" ]; then better=first worse=second; else better=second worse=first; fi\n"
    "[ $((n % 4)) -lt 3 ] && echo $better || echo $worse\n";

class RunCommand : public ::testing::Test {
 protected:
  RunCommand() {
    for (const char* name : {"a", "b", "c"}) write(std::string("arms/") + name + ".txt", name);
    script("judge", kJudge);
  }

  std::string write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((directory_.path() / name).parent_path());
    return directory_.write(name, content);
  }
  void script(const std::string& name, const std::string& body) {
    const std::string path = write(name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // `duel run` in the directory, with quick retries.
  CommandResult duel(std::vector<std::string> arguments) {
    return run_duel(complete(std::move(arguments)), {.directory = directory_.path()});
  }
  static std::vector<std::string> complete(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--retry-delay", "0.001"});
    return arguments;
  }
  // What does not depend on clocks.
  static Json timeless(const std::string& text) {
    Json json = Json::parse(text);
    json.erase("log");
    json.erase("judge");
    json.erase("certificate");
    return json;
  }
  std::vector<Json> records(const std::string& log) const {
    std::vector<Json> all;
    std::istringstream lines(content_of(directory_.path() / log));
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    return all;
  }

  // Until the log has so many lines: a busy machine may take its time.
  void wait_for_lines(const std::string& log, std::ptrdiff_t count) const {
    for (int tries = 0; tries < 6000; ++tries) {
      const std::string text = content_of(directory_.path() / log);
      if (std::count(text.begin(), text.end(), '\n') >= count) return;
      std::this_thread::sleep_for(5ms);
    }
    FAIL() << log << " does not grow";
  }

  TemporaryDirectory directory_;
};

TEST_F(RunCommand, a_judge_that_always_says_the_same_of_a_pair_is_told_so) {
  script("sure", "[ \"$(cat \"$1\")\" \\< \"$(cat \"$2\")\" ] && echo first || echo second\n");
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./sure"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "repeated answers were the same")) << result.err;
}

TEST_F(RunCommand, finds_the_best_arm_and_writes_log_and_certificate) {
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./judge"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "beats each of the 2 other arms")) << result.out;
  EXPECT_TRUE(contains(result.out, "A round-robin would have needed about"));
  EXPECT_TRUE(contains(result.out, "Certificate: arms.certificate.json\n"));
  EXPECT_EQ(result.err, "");
  const Json certificate = Json::parse(content_of(directory_ / "arms.certificate.json"));
  EXPECT_TRUE(contains(certificate.dump(), "\"a\""));
  const auto log = records("arms.duel.jsonl");
  EXPECT_EQ(log.front()["record"], "experiment");
  EXPECT_EQ(log.back()["record"], "completed");
  // Once certified, nothing is asked again.
  const CommandResult again = duel({"--arms", "arms/*.txt", "--judge", "./judge"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, result.out);
  EXPECT_TRUE(contains(again.err, "was already certified; nothing was asked"));
}

TEST_F(RunCommand, prints_json) {
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./judge", "--json", "-q"});
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["winner"], "a");
  EXPECT_EQ(json["certificate"]["kind"], "winner");
  EXPECT_EQ(json["arms"].size(), 3);
  EXPECT_EQ(json["duels"]["served"],
            json["duels"]["decisive"].get<int>() + json["duels"]["expired"].get<int>());
  EXPECT_EQ(json["judge"]["failed"], 0);
  EXPECT_GT(json["round_robin"]["median"], 0);
}

TEST_F(RunCommand, takes_arms_that_a_shell_expanded) {
  const CommandResult result = duel({"--arms", "arms/a.txt", "arms/b.txt", "arms/c.txt", "--judge",
                                     "./judge", "--max-duels", "2"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(records("arms.duel.jsonl").front()["arms"].size(), 3);
}

TEST_F(RunCommand, stops_undecided_and_goes_on_with_more_duels) {
  const CommandResult first =
      duel({"--arms", "arms/*.txt", "--judge", "./judge", "--max-duels", "5", "--log", "l"});
  EXPECT_EQ(first.exit_code, 3);
  EXPECT_TRUE(first.out.starts_with("Not enough data after 5 duels: ")) << first.out;
  EXPECT_TRUE(contains(first.err, "reached --max-duels 5; to continue"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "l.certificate.json"));
  const CommandResult more =
      duel({"--arms", "arms/*.txt", "--judge", "./judge", "--log", "l", "--json"});
  EXPECT_EQ(more.exit_code, 0);
  EXPECT_TRUE(contains(more.err, "continuing l: 5 duels so far"));
  const CommandResult whole = duel({"--arms", "arms/*.txt", "--judge", "./judge", "--json"});
  EXPECT_EQ(timeless(more.out), timeless(whole.out));
}

TEST_F(RunCommand, loses_and_doubles_nothing_when_killed_at_random_moments) {
  const std::vector<std::string> arguments = {"--arms", "arms/*.txt", "--judge", "./judge",
                                              "--json"};
  const CommandResult whole = duel(arguments);
  ASSERT_EQ(whole.exit_code, 0);
  std::vector<std::string> cut = arguments;
  cut.insert(cut.end(), {"--log", "killed"});
  int kills = 0;
  CommandResult last;
  // Later and later, so that it comes to an end on a busy machine, too.
  for (int delay = 15; kills < 200; delay = delay % 61 + 17 + 4 * kills) {
    RunningDuel running(complete(cut), {.directory = directory_.path()});
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    running.send(SIGKILL);  // a zombie takes the signal, too, if it ended before
    last = running.wait();
    if (last.exit_code != 128 + SIGKILL) break;
    ++kills;
  }
  EXPECT_GE(kills, 2);
  // Each kill loses the answer that was waited for. On a busy machine these are a fifth of all, and
  // then the report must say that they could have changed the result: the exit code follows it.
  ASSERT_TRUE(last.exit_code == 0 || last.exit_code == 4) << last.err;
  const Json report = Json::parse(last.out);
  bool healthy = true;
  for (const Json& check : report["health"]) healthy = healthy && check["verdict"] != "failed";
  EXPECT_EQ(last.exit_code, healthy ? 0 : 4) << report["health"];
  EXPECT_EQ(report["winner"], Json::parse(whole.out)["winner"]);
  std::map<std::string, int> ends;  // a duel is answered, or lost to a kill for good
  int lost = 0;
  for (const Json& record : records("killed")) {
    if (record["record"] == "serve") ends[record["duel_id"].get<std::string>()] += 100;
    if (record["record"] == "outcome" || record["record"] == "expired") {
      ++ends[record["duel_id"].get<std::string>()];
    }
    if (record["record"] == "expired") ++lost;
  }
  for (const auto& [duel_id, count] : ends) EXPECT_EQ(count, 101) << duel_id;
  EXPECT_LE(lost, kills);  // one duel at a time: a kill loses no second one
  EXPECT_EQ(report["duels"]["expired"], lost);
}

TEST_F(RunCommand, keeps_several_duels_in_flight_and_survives_a_kill_with_them) {
  script("slow", "sleep 0.05\n" + std::string(kJudge));
  const std::vector<std::string> arguments = {"--arms", "arms/*.txt",  "--judge", "./slow",
                                              "--json", "--parallel",  "6",       "--log",
                                              "many",   "--max-duels", "60"};
  RunningDuel running(complete(arguments), {.directory = directory_.path()});
  wait_for_lines("many", 8);
  running.send(SIGKILL);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  const CommandResult result = duel(arguments);
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
  EXPECT_TRUE(contains(result.err, "of them without an answer, which is final")) << result.err;
  std::map<std::string, int> fates;
  for (const Json& record : records("many")) {
    const std::string kind = record["record"];
    if (kind == "serve") fates[record["duel_id"]] += 1;
    if (kind == "outcome" || kind == "expired") fates[record["duel_id"]] += 100;
  }
  for (const auto& [duel_id, fate] : fates) EXPECT_EQ(fate, 101) << duel_id;  // each ends once
}

TEST_F(RunCommand, ends_cleanly_on_interruption_and_says_how_to_go_on) {
  script("slow", "sleep 100\n");
  RunningDuel running(complete({"--arms", "arms/*.txt", "--judge", "./slow", "--log", "my log"}),
                      {.directory = directory_.path()});
  wait_for_lines("my log", 2);
  const auto begin = std::chrono::steady_clock::now();
  running.send(SIGINT);
  while (!contains(running.err_so_far(), "stopping: ") &&
         std::chrono::steady_clock::now() - begin < 60s) {
    std::this_thread::sleep_for(5ms);
  }
  running.send(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 90s);  // it does not wait for the judge
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(
      contains(result.err, "stopping: 1 answer is outstanding; press Ctrl-C again to drop them"))
      << result.err;
  EXPECT_EQ(result.out.substr(0, 48), "Undecided after 1 duel: no decisive answer yet.\n");
  EXPECT_TRUE(contains(result.err, "To continue: duel run --arms 'arms/*.txt' --log 'my log' "))
      << result.err;
  EXPECT_TRUE(contains(result.err, "--judge ./slow"));
}

TEST_F(RunCommand, counts_no_failure_of_the_judge_against_an_arm) {
  // Fails in every way in turn, and answers tie at the fourth try of each duel.
  script(
      "moody",
      "echo x >> count; n=$(wc -l < count)\n"
      "case $((n % 4)) in 1) exit 1;; 2) echo perhaps;; 3) kill -KILL $$;; 0) echo tie;; esac\n");
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./moody", "--retries", "3",
                                     "--max-duels", "4", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["duels"]["ties"], 4);
  EXPECT_EQ(json["duels"]["decisive"], 0);
  EXPECT_EQ(json["judge"]["senseless"], 4);
  EXPECT_EQ(json["judge"]["crashes"], 8);
  EXPECT_TRUE(contains(result.err, "the judge failed 12 times"));
}

TEST_F(RunCommand, loses_no_answer_to_a_judge_that_is_busy_now_and_then) {
  script("busy", "echo x >> count; n=$(wc -l < count)\n[ $((n % 2)) = 0 ] || exit 75\n" +
                     std::string(kJudge));
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./busy", "--retries", "0",
                                     "--max-duels", "6", "--log", "l", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["judge"]["busy"], 6);
  EXPECT_EQ(json["judge"]["failed"], 0);
  EXPECT_EQ(json["duels"]["expired"], 0);
  EXPECT_TRUE(contains(result.err, "the judge was busy 6 times; such a try counts nowhere"))
      << result.err;
  for (const Json& record : records("l")) {
    EXPECT_FALSE(record.contains("failed_tries")) << record;
  }
}

TEST_F(RunCommand, ends_with_the_code_for_later_when_the_judge_stays_busy) {
  script("busy", "exit 75\n");
  const CommandResult result =
      duel({"--arms", "arms/*.txt", "--judge", "./busy", "--busy-patience", "0.2", "--log", "l"});
  EXPECT_EQ(result.exit_code, 75);
  EXPECT_TRUE(contains(result.err,
                       "error: the judge: the judge stayed busy for 0.2 s (the same "
                       "command continues later; --busy-patience waits longer)"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "to continue: duel run --arms")) << result.err;
  EXPECT_EQ(records("l").back()["record"], "expired");  // what was out is lost for good
}

TEST_F(RunCommand, stops_when_the_judge_never_answers) {
  script("broken", "echo the key is missing >&2; exit 1\n");
  const CommandResult result = duel(
      {"--arms", "arms/*.txt", "--judge", "./broken", "--retries", "0", "--max-failures", "3"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err,
                       "error: the judge: no answer to 3 duels in a row; duel d3: it "
                       "gave no answer: exit code 1; standard error ends with 'the key is "
                       "missing'"))
      << result.err;
}

TEST_F(RunCommand, records_what_the_failure_option_says) {
  script("senseless", "echo perhaps\n");
  script("silent", "exit 1\n");
  const auto fate = [&](const std::string& judge, const std::string& what, const std::string& log) {
    duel({"--arms", "arms/*.txt", "--judge", "./" + judge, "--retries", "0", "--max-failures", "1",
          "--on-failure", what, "--log", log});
    const Json last = records(log).back();
    return last["record"].get<std::string>() + " " + last.value("result", "");
  };
  EXPECT_EQ(fate("senseless", "missing", "l1"), "outcome invalid");
  EXPECT_EQ(fate("silent", "missing", "l2"), "expired ");
  EXPECT_EQ(fate("silent", "skip", "l3"), "outcome skip");
  EXPECT_EQ(fate("silent", "stop", "l4"), "expired ");
}

TEST_F(RunCommand, gives_up_on_a_judge_that_hangs) {
  script("hangs", "trap '' TERM\nsleep 60 & wait; sleep 60\n");
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./hangs", "--timeout",
                                     "0.2", "--retries", "0", "--max-failures", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "no answer within 0.2 s")) << result.err;
}

TEST_F(RunCommand, speaks_with_a_judge_that_stays) {
  script("stays",
         "echo started >> starts\n"
         "while read -r line; do\n"
         "  id=${line#*'\"duel_id\":\"'}; id=${id%%'\"'*}\n"
         "  case \"$line\" in *'\"arm_id\":\"a\"'*) w=a;; *) w=b;; esac\n"
         "  printf '{\"duel_id\":\"%s\",\"result\":\"win\",\"winner\":\"%s\"}\\n' \"$id\" $w\n"
         "done\n");
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./stays",
                                     "--judge-protocol", "jsonl", "--parallel", "2", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["winner"], "a");
  EXPECT_EQ(content_of(directory_ / "starts"), "started\nstarted\n");
}

TEST_F(RunCommand, judges_in_both_orders_and_takes_a_flip_for_a_tie) {
  script("left", "echo first\n");  // always the one shown first
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./left", "--order", "both",
                                     "--max-duels", "3", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(Json::parse(result.out)["duels"]["ties"], 3);
  EXPECT_EQ(records("arms.duel.jsonl")[2]["judgements"].size(), 2);
}

TEST_F(RunCommand, gives_each_duel_a_task) {
  write("tasks.jsonl", "{\"id\":\"t1\",\"q\":\"one\"}\n{\"id\":\"t2\",\"q\":\"two words\"}\n");
  script("asks", "echo \"$3\" >> asked; echo tie\n");
  const CommandResult result =
      duel({"--arms", "arms/*.txt", "--judge", "./asks {first} {second} {task.q}", "--tasks",
            "tasks.jsonl", "--max-duels", "12"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  std::map<std::string, int> asked;
  std::istringstream lines(content_of(directory_ / "asked"));
  for (std::string line; std::getline(lines, line);) ++asked[line];
  EXPECT_EQ(asked.size(), 2);
  EXPECT_LE(asked["one"] + asked["two words"], 6);  // each once for each of the three pairs
  EXPECT_LE(std::abs(asked["one"] - asked["two words"]), 3);
  EXPECT_TRUE(contains(result.err, "has used every task: add tasks")) << result.err;
  EXPECT_FALSE(contains(result.err, "repeated answers")) << result.err;
  const std::string task = records("arms.duel.jsonl")[1]["task"];
  EXPECT_TRUE(task == "t1" || task == "t2");
}

TEST_F(RunCommand, asks_a_batch_when_the_last_one_is_answered) {
  const CommandResult result =
      duel({"--arms", "arms/*.txt", "--judge", "./judge", "--batch", "4", "--max-duels", "10"});
  std::string kinds;
  for (const Json& record : records("arms.duel.jsonl")) {
    if (record["record"] == "serve") kinds += 's';
    if (record["record"] == "outcome") kinds += 'o';
  }
  EXPECT_EQ(kinds, "ssssoooossssoooossoo") << result.err;
  EXPECT_TRUE(
      contains(duel({"--arms", "a,b", "--judge", "./judge", "--batch", "0"}).err, "--batch"));
}

TEST_F(RunCommand, tells_the_policy_of_features) {
  write("features.csv", "length,tone\n1,0\n0.5,0.25\n-1,0\n");
  const std::vector<std::string> command = {"--arms",   "arms/*.txt", "--judge",     "./judge",
                                            "--policy", "lin-ts",     "--max-duels", "6"};
  const auto with = [&](const std::string& features) {
    std::vector<std::string> all = command;
    all.insert(all.end(), {"--features", features});
    return duel(all);
  };
  EXPECT_TRUE(contains(with("none.csv").err, "--features"));
  write("two.csv", "1\n2\n");
  EXPECT_TRUE(contains(with("two.csv").err,
                       "--features: two.csv: there are features of 2 arms, and 3 arms"));
  write("words.csv", "1,2\n1,nan\n1,2\n");
  EXPECT_TRUE(contains(with("words.csv").err, "--features"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "arms.duel.jsonl"));

  with("features.csv");
  const std::vector<Json> log = records("arms.duel.jsonl");
  EXPECT_EQ(log[0]["arms"][1]["features"].dump(), "[0.5,0.25]");
  write("features.csv", "1,0\n0.5,0.5\n-1,0\n");
  const CommandResult other = with("features.csv");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "--features: arms.duel.jsonl: this log belongs to another"))
      << other.err;
  const CommandResult same = duel(command);  // goes on with those of the log
  EXPECT_FALSE(contains(same.err, "error")) << same.err;
  EXPECT_EQ(
      run_duel({"verify", "--replay", "--log", directory_.path() / "arms.duel.jsonl"}).exit_code,
      0);
}

TEST_F(RunCommand, names_the_option_that_differs_from_the_log) {
  duel({"--arms", "arms/*.txt", "--judge", "./judge", "--max-duels", "2"});
  const auto refused = [&](const std::string& option, const std::string& value) {
    const CommandResult result = duel(
        {"--arms", "arms/*.txt", "--judge", "./judge", option, value, "--log", "arms.duel.jsonl"});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_TRUE(
        contains(result.err, "error: " + option + ": arms.duel.jsonl: this log belongs to "))
        << result.err;
    EXPECT_TRUE(contains(result.err, "(give another --log to start over)")) << result.err;
  };
  refused("--alpha", "0.01");
  refused("--order", "both");
  refused("--seed", "77");
  refused("--goal", "ranking");
  refused("--policy", "uniform");
  refused("--name", "other");
}

TEST_F(RunCommand, notices_a_file_that_changed) {
  duel({"--arms", "arms/*.txt", "--judge", "./judge", "--max-duels", "2"});
  write("arms/b.txt", "better");
  const CommandResult result = duel({"--arms", "arms/*.txt", "--judge", "./judge"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err,
                       "arms.duel.jsonl: this log belongs to another experiment: the content of "
                       "arm 'b' (arms/b.txt) has changed since"))
      << result.err;
}

TEST_F(RunCommand, keeps_what_it_has_when_the_disk_is_full) {
  const CommandResult full =
      run_shell("ulimit -f 4; exec \"$duel\" run --arms 'arms/*.txt' --judge ./judge --log small",
                {.directory = directory_.path()});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_TRUE(contains(full.err, "small: ")) << full.err;
  EXPECT_TRUE(contains(full.err, "cannot be written")) << full.err;
  const CommandResult result =
      duel({"--arms", "arms/*.txt", "--judge", "./judge", "--log", "small", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["winner"], "a");
  EXPECT_EQ(run_duel({"verify", "--log", directory_ / "small"}).exit_code, 0);
}

TEST_F(RunCommand, explains_wrong_usage) {
  const auto complaint = [&](std::vector<std::string> arguments) {
    const CommandResult result = duel(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_TRUE(contains(complaint({"--arms", "a,b"}), "no judge is given"));
  EXPECT_TRUE(contains(complaint({"--judge", "./judge"}), "--arms: no arms are given"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "./judge {frist}"}),
                       "--judge: unknown place '{frist}' (did you mean 'first'?"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "x 'y"}),
                       "--judge: a quote ' is not closed"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "x {task}"}),
                       "'{task}' without tasks (add --tasks)"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "x", "--alpha", "1"}),
                       "'1' is out of range (allowed: > 0 and < 1)"));
  EXPECT_TRUE(
      contains(complaint({"--arms", "a,b", "--judge", "x", "--timeout", "0"}), "--timeout"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "x", "--policy", "dts-pluss"}),
                       "did you mean 'dts-plus'?"));
  EXPECT_TRUE(contains(complaint({"--arms", "a,b", "--judge", "x", "--name", "a b"}), "--name"));
  EXPECT_TRUE(
      contains(complaint({"--arms", "a,b", "--judge", "x", "--log", "l", "--certificate", "l"}),
               "the log and the certificate are the same file"));
}

TEST_F(RunCommand, says_what_cannot_be_started) {
  const CommandResult missing = duel({"--arms", "a,b", "--judge", "./nowhere"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.err, "./nowhere: there is no such program")) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "duel.duel.jsonl"));
  run_shell("printf '#!/nowhere/python\\n' > script && chmod +x script",
            {.directory = directory_.path()});
  const CommandResult script = duel({"--arms", "a,b", "--judge", "./script"});
  EXPECT_EQ(script.exit_code, 1);
  EXPECT_TRUE(contains(script.err, "or what its first line names after #! is missing"))
      << script.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "duel.duel.jsonl"));
  EXPECT_EQ(duel({"--arms", "a,b", "--judge", "./arms"}).exit_code, 1);  // a directory
  EXPECT_FALSE(std::filesystem::exists(directory_ / "duel.duel.jsonl"));
  write("plain", "echo first\n");
  const CommandResult plain = duel({"--arms", "a,b", "--judge", "./plain"});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_TRUE(contains(plain.err,
                       "./plain: it may not be run (a script needs to be made executable: "
                       "chmod +x)"))
      << plain.err;
}

TEST_F(RunCommand, lets_no_two_programs_write_one_log) {
  script("slow", "sleep 5; echo tie\n");
  RunningDuel running(complete({"--arms", "arms/*.txt", "--judge", "./slow", "--log", "one"}),
                      {.directory = directory_.path()});
  wait_for_lines("one", 1);
  const CommandResult second = duel({"--arms", "arms/*.txt", "--judge", "./judge", "--log", "one"});
  EXPECT_EQ(second.exit_code, 1) << second.err;
  EXPECT_TRUE(contains(second.err, "one: ")) << second.err;
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
}

}  // namespace
}  // namespace duel
