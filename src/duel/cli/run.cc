#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/live_table.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/judging/judged_run.h"

namespace duel::cli {
namespace {

struct Arguments {
  InterviewOptions interview;
  std::string judge;
  std::string protocol = "call";
  std::string on_failure = "missing";
  std::uint64_t parallel = 1;
  std::uint64_t retries = 2;
  std::uint64_t max_failures = 5;
  double timeout = 120;
  double retry_delay = 0.5;
};

Value seconds(double* target) {
  return number(
      target, [](double value) { return value > 0 && value <= 1e6; },
      "> 0 and <= 1000000, in seconds");
}

FailedDuel failed_duel(const std::string& word) {
  if (word == "skip") return FailedDuel::skip;
  return word == "stop" ? FailedDuel::stop : FailedDuel::missing;
}

Json judge_json(const JudgedRun& run, const JudgePool& pool) {
  Json json;
  json["judge"] = {{"answered", run.answered()},
                   {"failed", run.failed()},
                   {"timeouts", pool.troubles().timeouts},
                   {"crashes", pool.troubles().crashes},
                   {"senseless", pool.troubles().senseless}};
  return json;
}

Result<int> run(const Arguments& arguments, const Command& command, CommandContext& context) {
  JudgeOptions options;
  options.protocol = arguments.protocol == "jsonl" ? JudgeProtocol::jsonl : JudgeProtocol::call;
  options.parallel = static_cast<std::size_t>(arguments.parallel);
  options.timeout_seconds = arguments.timeout;
  options.retries = arguments.retries;
  options.retry_seconds = arguments.retry_delay;
  if (arguments.judge.empty()) {
    return Error::invalid_argument("no judge is given")
        .with_hint("write --judge './judge.sh {first} {second}'; 'duel vote' asks you instead");
  }
  auto judge = JudgeCommand::parse(arguments.judge, !arguments.interview.request.tasks.empty(),
                                   options.protocol == JudgeProtocol::call);
  if (!judge.ok()) return usage_error("--judge", judge.error());
  InterviewOptions asked = arguments.interview;
  asked.request.judge = judge->entry();
  asked.judge_program = judge->program();
  // Of two judges of one name, the log can tell whose answer it is.
  const std::string judge_name =
      fmt::format("{}@{}", std::filesystem::path(judge->program()).filename().string(),
                  asked.request.judge.sha256.substr(0, 12));
  const InterruptGuard guard(InterruptGuard::First::drains);
  DUEL_ASSIGN(Interview interview, open_interview(asked, context));
  JudgePool pool(std::move(*judge), options);
  JudgedRun judged(interview, pool,
                   {.on_failure = failed_duel(arguments.on_failure),
                    .max_failures = arguments.max_failures,
                    .judge = judge_name});
  const bool was_certified = interview.certified();
  auto ended = [&] {
    LiveTable table(interview, context.quiet);
    bool draining = false;
    return judged.run(guard.stop(), guard.stop_now(), [&] {
      if (guard.interrupted() && !std::exchange(draining, true) && judged.in_flight() > 0) {
        table.clear();
        context.warn(fmt::format("stopping: {} still to come; once more gives them up",
                                 judged.in_flight() == 1
                                     ? std::string("1 answer is")
                                     : fmt::format("{} answers are", judged.in_flight())));
      }
      table.update(judged.in_flight(), judged.last_failure());
    });
  }();
  if (!ended.ok()) {
    if (interview.ledger().served() > 0) {
      context.note(fmt::format("{} has the {} so far; to go on: {}", interview.log_file(),
                               counted(interview.ledger().served(), "duel"),
                               same_command(command)));
    }
    return ended.error();
  }
  if (*ended != InterviewEnding::interrupted) pool.finish();
  const InterviewEnding ending = *ended;
  DUEL_ASSIGN(const int code, report_ending(ending, arguments.interview, interview, context,
                                            judge_json(judged, pool)));
  if (judged.failed() > 0 || pool.troubles().total() > 0) {
    context.warn(fmt::format(
        "the judge failed {} times ({} without an answer in time, {} crashes, {} answers that made "
        "no sense); {} duels got no answer. The last: {}",
        pool.troubles().total(), pool.troubles().timeouts, pool.troubles().crashes,
        pool.troubles().senseless, judged.failed(), judged.last_failure()));
  }
  if (was_certified) {
    context.note(fmt::format("{} was certified already; nothing was asked", interview.log_file()));
  }
  if (ending == InterviewEnding::interrupted) {
    context.warn(fmt::format("interrupted; {} has every answer. To go on: {}", interview.log_file(),
                             same_command(command)));
    return guard.exit_code();
  }
  if (ending == InterviewEnding::undecided) context.note(why_undecided(interview));
  return code;
}

}  // namespace

void add_run_command(Command& program) {
  Command& command = program.add_command(
      "run",
      "Finds the best arm by asking a judge program which of two is better.\n"
      "A policy chooses the pairs; the run stops by itself once an arm has been shown to beat "
      "every other (or what else --goal asks for: the best three, their order), and writes a "
      "certificate that holds even though you looked after every duel. The "
      "judge is a program: its first line is the answer (first, second, tie, both_bad, skip, or an "
      "arm's id), or its exit code is (11 first, 12 second, 13 tie, 14 both bad, 15 skip). Any "
      "other exit code is a failure, which is tried again and never counts against an arm. Every "
      "duel is in the log before it counts: after a kill the same command continues.\n"
      "Exit codes: 0 certified (also that no arm beats every other), 3 undecided after "
      "--max-duels or without fresh tasks, 4 certified, but a health check failed, 1 failure, 130 "
      "interrupted: the first Ctrl-C asks nothing new and waits for the answers to come, the second "
      "gives them up.");
  auto& arguments = command.keep<Arguments>();
  add_interview_options(command, arguments.interview, {"random", "both", "fixed"});
  command.add("--judge COMMAND", &arguments.judge,
              "The judge's command line, run without a shell. Places: {first} {second} (paths, or "
              "the text of arms that are no files), {first.id}, {first.payload}, {task}, "
              "{task.FIELD}, {duel_id}. Without places {first} {second} are added, and {task} "
              "where there are tasks.");
  command.add(
      "--judge-protocol PROTOCOL", one_of(&arguments.protocol, {"call", "jsonl"}),
      "call (default): one call for each duel; jsonl: the judge stays, one JSON line in, one "
      "line out.");
  command.add_configurable("--parallel N", count(&arguments.parallel, 1, 1000),
                           "Duels in flight at a time (default 1).");
  command.add_configurable("--timeout SECONDS", seconds(&arguments.timeout),
                           "How long to wait for an answer (default 120).");
  command.add_configurable("--retries N", count(&arguments.retries, 0, 100),
                           "Further tries when the judge fails (default 2).");
  command.add_configurable(
      "--retry-delay SECONDS", seconds(&arguments.retry_delay),
      "Pause before the second try; doubled each time, at most 30 (default 0.5).");
  command.add("--on-failure WHAT", one_of(&arguments.on_failure, {"missing", "skip", "stop"}),
              "What becomes of a duel when every try failed: missing (default), skip, or missing "
              "and the run stops.");
  command.add("--allow-new-judge", &arguments.interview.request.allows_new_judge,
              "Go on with a log that another judge began, because several answer; a health check "
              "then compares them.");
  command.add("--max-failures N", count(&arguments.max_failures, 1, 1'000'000),
              "Stop after N duels in a row without an answer (default 5).");
  command.footer =
      "Examples:\n"
      "  duel run --arms 'prompts/*.txt' --judge ./judge.sh\n"
      "  duel run --arms 'prompts/*.txt' --judge ./judge.sh --goal set --top 3\n"
      "  duel run --arms a,b,c --judge 'python3 judge.py {first} {second} {task.question}' --tasks "
      "questions.jsonl --parallel 8\n"
      "  duel run --arms 'models/*.json' --judge ./judge.py --judge-protocol jsonl --order both "
      "--alpha 0.01 --max-duels 2000";
  command.action = [&arguments, &command](CommandContext& context) {
    return run(arguments, command, context);
  };
}

}  // namespace duel::cli
