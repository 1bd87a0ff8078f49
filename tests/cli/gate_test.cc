// `duel gate` from outside: its verdicts and exit codes, several candidates, what it leaves for
// pull requests, and that it goes on from its logs.
#include <csignal>
#include <set>

#include "tests/cli/judged_directory.h"
#include "tests/support/places.h"

namespace duel {
namespace {

// Arms are files that hold a number, and the larger one is better; equal ones tie.
class GateCommand : public JudgedDirectory {
 protected:
  GateCommand() {
    write("prod.txt", "5");
    write("same.txt", "5");
    write("new.txt", "7");
    write("old.txt", "3");
    script("judge",
           "echo x >> asked\n"
           "if [ \"$1\" -gt \"$2\" ]; then echo first\n"
           "elif [ \"$1\" -lt \"$2\" ]; then echo second\n"
           "else echo tie; fi\n");
    // The same, and says how much.
    script("mild",
           "if [ \"$1\" -gt \"$2\" ]; then echo score 0.9\n"
           "elif [ \"$1\" -lt \"$2\" ]; then echo score 0.1\n"
           "else echo score 0.5; fi\n");
    script("lazy", "echo first\n");
    script("busy", "exit 75\n");
    script("dear", "[ \"$1\" -gt \"$2\" ] && echo first || echo second\necho '{\"cost\": 0.5}'\n");
  }
  CommandResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"gate", "--retry-delay", "0.001"});
    return run_duel(arguments, {.directory = directory_.path()});
  }
  CommandResult gate(const std::string& candidate, std::vector<std::string> more = {},
                     const std::string& judge = "judge") const {
    more.insert(more.begin(), {"--baseline", "prod.txt", "--candidate", candidate, "--judge",
                               "./" + judge + " {first.payload} {second.payload}"});
    return run(std::move(more));
  }
  // The one candidate of `--json`.
  Json candidate(const CommandResult& result) const {
    const Json json = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(json.is_object() && json["candidates"].size() == 1) << result.out << result.err;
    return json.is_object() ? json["candidates"][0] : Json();
  }
  std::size_t asked() const {
    const std::string text = exists("asked") ? text_of("asked") : "";
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(directory_.path() / name);
  }
  void tasks(int count) const {
    std::string text;
    for (int k = 0; k < count; ++k) text += "{\"q\":" + std::to_string(k) + "}\n";
    write("tasks.jsonl", text);
  }
};

TEST_F(GateCommand, passes_what_is_shown_to_be_better) {
  const CommandResult result = gate("new.txt", {"--claim", "better", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["verdict"], "better");
  EXPECT_EQ(json["passed"], true);
  EXPECT_EQ(json["headline"], "1 of 1 candidate passed");
  const Json shown = candidate(result);
  EXPECT_EQ(shown["verdict"], "better");
  EXPECT_EQ(shown["ended"], "decided");
  EXPECT_EQ(shown["candidate"], "new.txt");
  EXPECT_EQ(shown["baseline"], "prod.txt");
  EXPECT_EQ(shown["losses"], 0);
  EXPECT_EQ(shown["wins"], shown["answers"]);
  EXPECT_EQ(shown["answers"], count("gate-new.duel.jsonl", "outcome"));
  EXPECT_EQ(shown["mean_score"], 1.0);
  // Every second answer would have to be the other one.
  EXPECT_EQ(shown["reversed_by"], (shown["answers"].get<int>() + 1) / 2);
  EXPECT_EQ(shown["detail"],
            "new.txt is better than prod.txt: its mean score is above 0.5 (false with probability "
            "at most 0.05, whenever you look)");
  EXPECT_EQ(verify("gate-new.duel.jsonl").exit_code, 0);
}

TEST_F(GateCommand, passes_a_change_that_makes_no_difference_since_ties_count) {
  const CommandResult result = gate("same.txt", {"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json shown = candidate(result);
  EXPECT_EQ(shown["verdict"], "not worse");
  EXPECT_EQ(shown["ties"], shown["answers"]);
  EXPECT_EQ(shown["mean_score"], 0.5);
  // A tie is its own reverse.
  EXPECT_TRUE(shown["reversed_by"].is_null());
  // With a larger margin sooner.
  const CommandResult wide = gate("same.txt", {"--json", "--margin", "0.2", "--logs", "wide"});
  EXPECT_EQ(wide.exit_code, 0);
  EXPECT_LT(candidate(wide)["answers"], shown["answers"]);
}

TEST_F(GateCommand, fails_what_is_worse) {
  const CommandResult result = gate("old.txt");
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_TRUE(contains(result.out, "0 of 1 candidate passed, 1 worse\n")) << result.out;
  EXPECT_TRUE(contains(result.out,
                       "old.txt is worse than prod.txt: its mean score is below 0.5 (false with "
                       "probability at most 0.05, whenever you look).\n"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "wrong of ")) << result.out;
}

TEST_F(GateCommand, asks_for_better_where_the_claim_is_better) {
  const CommandResult result = gate("same.txt", {"--claim", "better", "--max-duels", "80"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_TRUE(contains(result.out,
                       "same.txt against prod.txt is undecided after 80 answers: the largest "
                       "number of duels is reached.\n"))
      << result.out;
}

TEST_F(GateCommand, says_whether_duels_or_tasks_are_used_up) {
  tasks(6);
  const CommandResult used = gate("same.txt", {"--tasks", "tasks.jsonl", "--json"});
  EXPECT_EQ(used.exit_code, 3) << used.err;
  EXPECT_EQ(candidate(used)["ended"], "tasks_used_up");
  EXPECT_TRUE(contains(candidate(used)["detail"], "after 6 answers: every task has been used"))
      << used.out;
  const CommandResult limited =
      gate("same.txt", {"--tasks", "tasks.jsonl", "--max-duels", "4", "--logs", "other", "--json"});
  EXPECT_EQ(limited.exit_code, 3) << limited.err;
  EXPECT_EQ(candidate(limited)["ended"], "max_duels");
  // More tasks, and it goes on.
  tasks(200);
  const CommandResult more = gate("same.txt", {"--tasks", "tasks.jsonl", "--json"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_TRUE(contains(more.err, "continuing gate-same.duel.jsonl: 6 duels so far")) << more.err;
}

TEST_F(GateCommand, goes_on_after_the_certificate_of_its_log_where_that_is_not_the_end) {
  // Worse is shown before worse by more than the margin is, and the log's certificate with it.
  const CommandResult result =
      gate("old.txt", {"--fail", "beyond-margin", "--margin", "0.4", "--json"});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_EQ(candidate(result)["detail"],
            "old.txt is worse than prod.txt by more than the margin: its mean score is below 0.1 "
            "(false with probability at most 0.05, whenever you look)");
  const std::vector<Json> log = records("gate-old.duel.jsonl");
  EXPECT_EQ(log.front()["stopping"]["alpha"], 0.05);
  std::size_t certified = 0, after = 0;
  for (const Json& record : log) {
    if (record["record"] == "certified") ++certified;
    if (certified > 0 && record["record"] == "outcome") ++after;
  }
  EXPECT_EQ(certified, 1U);
  EXPECT_GT(after, 0U);
  EXPECT_EQ(verify("gate-old.duel.jsonl").exit_code, 0);
  const CommandResult shown =
      run_duel({"result", "--log", "gate-old.duel.jsonl"}, {.directory = directory_.path()});
  EXPECT_TRUE(contains(shown.out + shown.err, "0.05")) << shown.out;
  EXPECT_FALSE(contains(shown.out, "1e-09")) << shown.out;
  // And once more from the log: nothing is asked.
  const std::size_t before = asked();
  const CommandResult again =
      gate("old.txt", {"--fail", "beyond-margin", "--margin", "0.4", "--json"});
  EXPECT_EQ(again.exit_code, 6) << again.err;
  EXPECT_EQ(candidate(again), candidate(result));
  EXPECT_EQ(asked(), before);
}

TEST_F(GateCommand, judges_each_of_several_candidates_at_its_share_of_alpha) {
  write("a/prompt.txt", "7");
  write("b/prompt.txt", "3");
  const std::vector<std::string> both = {
      "--baseline",  "prod.txt",     "--candidate", "a/prompt.txt",
      "--candidate", "b/prompt.txt", "--judge",     "./judge {first.payload} {second.payload}"};
  std::vector<std::string> arguments = both;
  arguments.emplace_back("--json");
  const CommandResult result = run(arguments);
  EXPECT_EQ(result.exit_code, 6) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["verdict"], "worse");
  EXPECT_EQ(json["headline"], "1 of 2 candidates passed, 1 worse");
  EXPECT_EQ(json["alpha"], 0.05);
  ASSERT_EQ(json["candidates"].size(), 2U);
  EXPECT_EQ(json["candidates"][0]["candidate"], "a/prompt.txt");
  EXPECT_EQ(json["candidates"][1]["candidate"], "b/prompt.txt");
  EXPECT_EQ(json["candidates"][1]["verdict"], "worse");
  // Files of one name have logs of their own.
  std::set<std::string> logs;
  for (const Json& one : json["candidates"]) {
    logs.insert(one["log"]);
    EXPECT_EQ(records(one["log"]).front()["stopping"]["alpha"], 0.025);
  }
  EXPECT_EQ(logs.size(), 2U);
  const std::size_t before = asked();
  const CommandResult again = run(both);
  EXPECT_EQ(again.exit_code, 6) << again.err;
  EXPECT_EQ(asked(), before);
  EXPECT_TRUE(contains(again.out, "97.5 %")) << again.out;
  EXPECT_FALSE(contains(again.out, "95 %")) << again.out;
}

TEST_F(GateCommand, is_undecided_where_one_candidate_is_and_none_failed) {
  const CommandResult result = gate("new.txt", {"--candidate", "same.txt", "--max-duels", "20"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_TRUE(contains(result.out, "1 of 2 candidates passed, 1 undecided")) << result.out;
}

TEST_F(GateCommand, heads_the_interval_with_its_level) {
  const CommandResult result = gate("new.txt", {"--alpha", "0.01"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, " 99 % ")) << result.out;
}

TEST_F(GateCommand, goes_on_from_its_log) {
  EXPECT_EQ(gate("new.txt", {"--max-duels", "3", "--claim", "better"}).exit_code, 3);
  EXPECT_EQ(asked(), 3U);
  const CommandResult more = gate("new.txt", {"--claim", "better", "--json"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_TRUE(contains(more.err, "continuing gate-new.duel.jsonl: 3 duels so far")) << more.err;
  EXPECT_EQ(asked(), count("gate-new.duel.jsonl", "serve"));
  EXPECT_EQ(candidate(more)["answers"], asked());
  // What began with other arguments is another gate.
  const CommandResult other = gate("new.txt", {"--alpha", "0.01"});
  EXPECT_EQ(other.exit_code, 2) << other.err;
  EXPECT_TRUE(contains(other.err, "--alpha: gate-new.duel.jsonl: ")) << other.err;
  EXPECT_TRUE(contains(other.err,
                       "give the arguments that it began with, or another --logs folder to start "
                       "over"))
      << other.err;
}

TEST_F(GateCommand, says_the_same_whether_answers_overlap_or_not) {
  script("slow", lot() +
                     "sleep 0.0$((n % 5))\n"
                     "winner=new; [ $((n % 10)) -lt 7 ] || winner=prod\n" +
                     say_winner());
  const auto with = [&](const std::string& parallel) {
    return run({"--baseline", "prod.txt", "--candidate", "new.txt", "--judge",
                "./slow {first.id} {second.id} {duel_id}", "--parallel", parallel, "--logs",
                parallel, "--claim", "better", "--json"});
  };
  Json one = candidate(with("1")), four = candidate(with("4"));
  EXPECT_EQ(one["verdict"], "better");
  EXPECT_GE(count("4/gate-new.duel.jsonl", "outcome"), one["answers"].get<std::size_t>());
  one.erase("log");
  four.erase("log");
  EXPECT_EQ(one, four);
}

TEST_F(GateCommand, takes_graded_answers) {
  const CommandResult better = gate("new.txt", {"--claim", "better", "--json"}, "mild");
  EXPECT_EQ(better.exit_code, 0) << better.err;
  const Json shown = candidate(better);
  EXPECT_EQ(shown["verdict"], "better");
  EXPECT_EQ(shown["graded"], shown["answers"]);
  EXPECT_NEAR(shown["mean_score"].get<double>(), 0.9, 1e-12);
  const CommandResult worse = gate("old.txt", {}, "mild");
  EXPECT_EQ(worse.exit_code, 6) << worse.err;
  EXPECT_TRUE(contains(worse.out, "graded")) << worse.out;
}

TEST_F(GateCommand, counts_a_flip_between_both_orders_as_a_tie) {
  const CommandResult result = gate("new.txt", {"--order", "both", "--json"}, "lazy");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json shown = candidate(result);
  EXPECT_EQ(shown["verdict"], "not worse");
  EXPECT_EQ(shown["ties"], shown["answers"]);
}

TEST_F(GateCommand, leaves_a_duel_without_an_answer_out) {
  script("shy",
         "[ \"$(printf '%s' \"$3\" | tail -c 1)\" = 3 ] && exit 1\n"
         "[ \"$1\" -gt \"$2\" ] && echo first || echo second\n");
  const CommandResult result = run({"--baseline", "prod.txt", "--candidate", "new.txt", "--judge",
                                    "./shy {first.payload} {second.payload} {duel_id}", "--retries",
                                    "0", "--claim", "better", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json shown = candidate(result);
  EXPECT_EQ(shown["losses"], 0);
  EXPECT_EQ(count("gate-new.duel.jsonl", "expired"), 1U);
  EXPECT_EQ(shown["answers"], count("gate-new.duel.jsonl", "outcome"));
  EXPECT_TRUE(contains(result.err, "1 duel got no answer")) << result.err;
}

TEST_F(GateCommand, shows_the_health_checks_that_failed) {
  const CommandResult result = gate(
      "new.txt", {"--max-duels", "60", "--markdown", "gate.md", "--junit", "gate.xml"}, "lazy");
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "health check failed: position_bias: the first place won 100"))
      << result.out;
  EXPECT_TRUE(contains(text_of("gate.md"), "**health check failed**: position_bias"));
  EXPECT_TRUE(contains(text_of("gate.xml"), "health check failed: position_bias"));
  // That most answers are ties is what a gate hopes for.
  const CommandResult tied = gate("same.txt");
  EXPECT_FALSE(contains(tied.out, "health check failed: ties")) << tied.out;
}

TEST_F(GateCommand, writes_markdown_and_junit_that_others_can_read) {
  write("a|b & <c>.txt", "7");
  const CommandResult result =
      gate("a|b & <c>.txt", {"--candidate", "old.txt", "--candidate", "same.txt", "--max-duels",
                             "20", "--markdown", "gate.md", "--junit", "gate.xml"});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  const std::string markdown = text_of("gate.md");
  EXPECT_TRUE(markdown.starts_with("### Gate: 1 of 3 candidates passed, 1 worse, 1 undecided\n"))
      << markdown;
  EXPECT_TRUE(contains(markdown, "| candidate | verdict | mean score | 98.333 % |")) << markdown;
  EXPECT_TRUE(contains(markdown, "| a\\|b & \\<c>.txt | **")) << markdown;
  EXPECT_TRUE(contains(markdown, "the margin is 0.05.")) << markdown;
  // Read by somebody else's parser.
  const CommandResult parsed = run_shell(
      "python3 -c 'import xml.etree.ElementTree as t\n"
      "suite = t.parse(\"gate.xml\").getroot().find(\"testsuite\")\n"
      "print(suite.get(\"tests\"), suite.get(\"failures\"), suite.get(\"errors\"))\n"
      "for case in suite:\n"
      "  print(case.get(\"name\"), \"/\", \" \".join(kind.tag for kind in case))\n"
      "  for kind in case: print(kind.get(\"message\") or \"\", kind.text or \"\")'",
      {.directory = directory_.path()});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err << text_of("gate.xml");
  EXPECT_TRUE(parsed.out.starts_with("3 1 1\n")) << parsed.out;
  EXPECT_TRUE(contains(parsed.out, "a|b & <c>.txt against prod.txt / system-out\n")) << parsed.out;
  EXPECT_TRUE(contains(parsed.out, "old.txt against prod.txt / failure system-out\n"))
      << parsed.out;
  EXPECT_TRUE(contains(parsed.out, "same.txt against prod.txt / error system-out\n")) << parsed.out;
  EXPECT_TRUE(contains(parsed.out, "old.txt is worse than prod.txt: its mean score is below 0.5"))
      << parsed.out;
}

TEST_F(GateCommand, refuses_what_makes_no_sense_before_it_asks) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::string judge = "./judge {first.payload} {second.payload}";
  const std::vector<Case> cases = {
      {{"--candidate", "new.txt", "--judge", judge}, "--baseline: is missing"},
      {{"--baseline", "prod.txt", "--judge", judge}, "--candidate: is missing"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt"}, "--judge: no judge is given"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--judge", "./nowhere"}, "./nowhere"},
      {{"--baseline", "prod.txt", "--candidate", "prod.txt", "--judge", judge},
       "--candidate: the same file is given twice"},
      {{"--baseline", "prod.txt", "--candidate", "*.txt", "--judge", judge},
       "--candidate: '*.txt' is 4 arms"},
      {{"--baseline", "a,b", "--candidate", "new.txt", "--judge", judge},
       "--baseline: 'a,b' is 2 arms"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--candidate", "gone.txt/", "--judge",
        judge},
       "--candidate: there is no file 'gone.txt/'"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--judge", judge, "--margin", "0.5"},
       "--margin"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--judge", judge, "--claim", "worse"},
       "--claim"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--judge", judge, "--judge", judge},
       "--votes 2 asks one judge twice"},
      {{"--baseline", "prod.txt", "--candidate", "new.txt", "--judge", judge, "--tasks", "none"},
       "none"},
  };
  for (const Case& one : cases) {
    const CommandResult result = run(one.arguments);
    EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 2) << result.exit_code << result.out;
    EXPECT_TRUE(contains(result.err, one.says)) << one.says << "\n" << result.err;
  }
  EXPECT_EQ(asked(), 0U);
  EXPECT_FALSE(exists("gate-new.duel.jsonl"));
}

TEST_F(GateCommand, takes_the_mean_of_several_judges_and_of_several_votes) {
  const CommandResult jury = gate("new.txt", {"--judge", "./mild {first.payload} {second.payload}",
                                              "--claim", "better", "--json"});
  EXPECT_EQ(jury.exit_code, 0) << jury.err;
  EXPECT_NEAR(candidate(jury)["mean_score"].get<double>(), 0.95, 1e-12);
  const Json begun = records("gate-new.duel.jsonl").front();
  EXPECT_TRUE(begun["judge"]["command"].get<std::string>().starts_with("mean of: ./judge"))
      << begun;
  const std::size_t before = asked();
  const CommandResult votes =
      gate("new.txt", {"--votes", "3", "--logs", "votes", "--max-duels", "2", "--json"});
  EXPECT_EQ(votes.exit_code, 3) << votes.err;
  EXPECT_EQ(asked() - before, 6U);
}

TEST_F(GateCommand, stops_before_the_budget_of_all_candidates_is_exceeded) {
  const std::vector<std::string> more = {"--candidate", "old.txt", "--budget", "3", "--json"};
  const CommandResult result = gate("new.txt", more, "dear");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const Json json = Json::parse(result.out);
  std::size_t served = 0;
  for (const Json& one : json["candidates"]) {
    EXPECT_EQ(one["ended"], "budget");
    EXPECT_TRUE(contains(one["detail"], "the budget is used up")) << one;
    served += count(one["log"], "serve");
  }
  EXPECT_EQ(served, 6U);
  EXPECT_TRUE(contains(result.err, "stopped before --budget 3 could be exceeded")) << result.err;
  // What was spent counts in the next run, too.
  EXPECT_EQ(gate("new.txt", more, "dear").exit_code, 3);
  EXPECT_EQ(count("gate-new.duel.jsonl", "serve") + count("gate-old.duel.jsonl", "serve"), 6U);
}

TEST_F(GateCommand, ends_with_the_code_for_later_when_the_judge_stays_busy) {
  const CommandResult result = gate("new.txt", {"--busy-patience", "0.2"}, "busy");
  EXPECT_EQ(result.exit_code, 75);
  EXPECT_TRUE(contains(result.err, "the judge stayed busy for 0.2 s")) << result.err;
  EXPECT_TRUE(contains(result.err, "to continue: duel gate ")) << result.err;
}

TEST_F(GateCommand, keeps_its_answers_when_it_is_interrupted) {
  script("slow", "sleep 0.02\n[ \"$1\" -gt \"$2\" ] && echo first || echo tie\n");
  const std::vector<std::string> arguments = {"gate",
                                              "--baseline",
                                              "prod.txt",
                                              "--candidate",
                                              "same.txt",
                                              "--judge",
                                              "./slow {first.payload} {second.payload}"};
  RunningDuel running(arguments, {.directory = directory_.path()});
  wait_until([&] {
    return exists("gate-same.duel.jsonl") && count("gate-same.duel.jsonl", "outcome") > 2;
  });
  running.send(SIGINT);
  const CommandResult stopped = running.wait();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err,
                       "interrupted; every answer is in the log. To continue: duel "
                       "gate --baseline prod.txt --candidate same.txt"))
      << stopped.err;
  for (const auto& [duel_id, fate] : fates("gate-same.duel.jsonl")) EXPECT_EQ(fate, "outcome");
  const CommandResult done = run_duel(arguments, {.directory = directory_.path()});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(contains(done.err, "continuing gate-same.duel.jsonl")) << done.err;
}

// The step of action.yml with these inputs over its defaults, as a runner would run it.
class GateAction : public GateCommand {
 protected:
  CommandResult step(const std::map<std::string, std::string>& inputs) const {
    std::istringstream lines(content_of(std::filesystem::path(source_dir()) / "action.yml"));
    CommandOptions options{.directory = directory_.path()};
    std::map<std::string, std::string> values;
    std::string script, input;
    bool in_script = false;
    for (std::string line; std::getline(lines, line);) {
      const auto value_of = [&](const std::string& key) {
        std::string value = line.substr(key.size());
        if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
        return value;
      };
      if (in_script) script += line.substr(std::min<std::size_t>(line.size(), 8)) + "\n";
      in_script = in_script || line == "      run: |";
      if (line.starts_with("  ") && line[2] != ' ') input = line.substr(2, line.size() - 3);
      if (line.starts_with("    default: ")) values[input] = value_of("    default: ");
      const std::size_t from = line.find(": ${{ inputs.");
      if (from == std::string::npos) continue;
      const std::string name = line.substr(8, from - 8);
      const std::string of = line.substr(from + 13, line.find(" }}") - from - 13);
      const auto given = inputs.find(of);
      options.variables[name] = given == inputs.end() ? values.at(of) : given->second;
    }
    EXPECT_FALSE(script.empty());
    write("step.sh", script);
    write("output", "");
    write("summary", "");
    options.variables["GITHUB_OUTPUT"] = "output";
    options.variables["GITHUB_STEP_SUMMARY"] = "summary";
    return run_shell(
        "mkdir -p bin && ln -sf \"$duel\" bin/duel && PATH=\"$PWD/bin:$PATH\" bash "
        "--noprofile --norc -eo pipefail step.sh",
        options);
  }
};

TEST_F(GateAction, fails_the_job_and_gives_the_verdict_to_later_steps) {
  std::map<std::string, std::string> inputs = {
      {"baseline", "prod.txt"},
      {"candidate", "new.txt\nold.txt\n"},
      {"judge", "./judge {first.payload} {second.payload}"}};
  const CommandResult worse = step(inputs);
  EXPECT_EQ(worse.exit_code, 6) << worse.out << worse.err;
  EXPECT_EQ(text_of("output"), "verdict=worse\npassed=false\n");
  EXPECT_TRUE(contains(text_of("summary"), "### Gate: 1 of 2 candidates passed, 1 worse"));
  EXPECT_EQ(worse.out, text_of("summary"));
  EXPECT_TRUE(exists("duel-gate.xml"));
  inputs["candidate"] = "same.txt";
  inputs["logs"] = "logs";
  const CommandResult passed = step(inputs);
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_EQ(text_of("output"), "verdict=not worse\npassed=true\n");
  EXPECT_TRUE(exists("logs/gate-same.duel.jsonl"));
}

TEST_F(GateAction, hands_every_input_on) {
  const CommandResult result = step({{"baseline", "prod.txt"},
                                     {"candidate", "old.txt"},
                                     {"judge", "./judge {first.payload} {second.payload}"},
                                     {"fail", "beyond-margin"},
                                     {"order", "both"},
                                     {"margin", "0.1"},
                                     {"alpha", "0.01"},
                                     {"max-duels", "200"}});
  EXPECT_EQ(result.exit_code, 6) << result.out << result.err;
  const Json json = Json::parse(text_of("duel-gate.json"));
  EXPECT_EQ(json["fail"], "beyond-margin");
  EXPECT_EQ(json["margin"], 0.1);
  EXPECT_EQ(json["alpha"], 0.01);
  EXPECT_EQ(records("gate-old.duel.jsonl").front()["order"], "both");
}

}  // namespace
}  // namespace duel
