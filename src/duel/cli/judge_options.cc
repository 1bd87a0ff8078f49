#include "duel/cli/judge_options.h"

#include <fmt/format.h>

#include "duel/cli/result_report.h"
#include "duel/core/numbers.h"
#include "duel/verdict/result_tables.h"

namespace duel::cli {
namespace {

Value some_seconds(double* target) {
  return number(
      target, [](double value) { return value > 0 && value <= 1e6; },
      "> 0 and <= 1000000, in seconds");
}

}  // namespace

Result<JudgeCommand> JudgeArguments::command(const std::string& option, const std::string& text,
                                             bool has_tasks) const {
  auto judge = JudgeCommand::parse(text, has_tasks, protocol != "jsonl");
  if (!judge.ok()) return usage_error(option, judge.error());
  return judge;
}

JudgeOptions JudgeArguments::judge_options() const {
  JudgeOptions made = options;
  if (protocol == "jsonl") made.protocol = JudgeProtocol::jsonl;
  return made;
}

JudgeLoopOptions JudgeArguments::loop_options(const std::string& judge,
                                              const std::string& hint) const {
  return {.max_failures = max_failures,
          .source = {"judge", judge},
          .broken = [hint](std::uint64_t in_a_row, const Judged& last) {
            return Error::io(fmt::format("no answer to {} duels in a row; duel {}: {}", in_a_row,
                                         last.question.duel_id, last.failure),
                             "the judge", hint);
          }};
}

void add_judge_options(Command& command, JudgeArguments& arguments) {
  JudgeOptions& options = arguments.options;
  command.add(
      "--judge-protocol PROTOCOL", one_of(&arguments.protocol, {"call", "jsonl"}),
      "call (default): one call for each duel; jsonl: the judge stays, one JSON line in, one "
      "line out.");
  command.add_configurable("--parallel N", count(&options.parallel, 1, 1000),
                           "Duels in flight at a time (default 1).");
  command.add_configurable("--timeout SECONDS", some_seconds(&options.timeout_seconds),
                           "How long to wait for an answer (default 120).");
  command.add_configurable("--retries N", count(&options.retries, 0, 100),
                           "Retries when the judge fails (default 2).");
  command.add_configurable(
      "--retry-delay SECONDS", some_seconds(&options.retry_seconds),
      "Delay before the first retry; doubles each time, up to 30 (default 0.5).");
  command.add_configurable(
      "--busy-patience SECONDS", some_seconds(&options.busy_seconds),
      "How long a judge may say nothing but 'busy' to a duel before the run ends (default 600). "
      "The pauses begin with --retry-delay, too.");
  command.add("--max-failures N", count(&arguments.max_failures, 1, 1'000'000),
              "Stop after N duels in a row without an answer (default 5).");
}

Result<std::vector<JudgeCommand>> JuryArguments::commands(const JudgeArguments& asked,
                                                          bool has_tasks) const {
  std::vector<JudgeCommand> commands;
  for (const std::string& text : judges) {
    DUEL_ASSIGN(JudgeCommand judge, asked.command("--judge", text, has_tasks));
    for (const JudgeCommand& other : commands) {
      if (other.name() != judge.name()) continue;
      return usage_error("--judge", Error::invalid_argument(fmt::format("'{}' twice", text))
                                        .with_hint("--votes 2 asks one judge twice"));
    }
    commands.push_back(std::move(judge));
  }
  return commands;
}

Status JuryArguments::check_cache(const InterviewRequest& request) const {
  if (cache.empty()) return Done{};
  if (request.tasks.empty()) {
    return usage_error("--cache",
                       Error::invalid_argument(
                           "without tasks every duel of a pair is one question, and is asked once")
                           .with_hint("give the questions: --tasks questions.jsonl"));
  }
  const auto scope = task_scope_of(request.about, true);
  if (scope.ok() && *scope == TaskScope::these_tasks) {
    return usage_error(
        "--cache",
        Error::invalid_argument("over exactly these tasks a task comes again and counts again, "
                                "which needs a new answer")
            .with_hint("leave it out, or ask --about tasks-like-these"));
  }
  return Done{};
}

JudgeLoopOptions JuryArguments::loop_options(JudgeLoopOptions options,
                                             const Interview& interview) const {
  options.votes = votes;
  options.budget = budget;
  options.spent = interview.spent().cost;
  options.dearest_duel = interview.dearest_duel();
  options.orders = interview.ledger().experiment().order == Placement::both ? 2 : 1;
  return options;
}

void add_jury_options(Command& command, JuryArguments& arguments) {
  command.add("--judge COMMAND", not_empty(&arguments.judges),
              "The judge's command line, run without a shell. Placeholders: {first} {second} "
              "(paths, or the text of arms that are not files), {first.id}, {first.payload}, "
              "{task}, {task.FIELD}, {duel_id}. Without placeholders, {first} {second} are added, "
              "and {task} if there are tasks. May be repeated: see --jury.");
  command.add("--jury HOW", one_of(&arguments.jury, {"mean", "drawn"}),
              "Of several judges: all answer each duel, and the mean is one graded answer (mean, "
              "the default), or one is drawn for each duel (drawn).");
}

void add_votes_option(Command& command, JuryArguments& arguments) {
  command.add("--votes N", count(&arguments.votes, 1, 1000),
              "Ask the judge N times about each duel and take the mean as one graded answer "
              "(default 1).");
}

void add_budget_option(Command& command, JuryArguments& arguments, std::string_view of) {
  command.add("--budget PRICE",
              number(
                  &arguments.budget, [](double value) { return value > 0; }, "> 0"),
              fmt::format("Stop before the judge's answers, over all runs of {}, could cost more. "
                          "The judge tells the cost of each in the last line of its output: "
                          "{{\"cost\":0.003}}.",
                          of));
}

void add_cache_option(Command& command, JuryArguments& arguments) {
  command.add("--cache DIR", not_empty(&arguments.cache),
              "Keep the judge's answers in DIR, and do not ask it again for one that is there: by "
              "the judge and its files, the contents of both arms and the task. Such an answer is "
              "marked in the log and is no evidence. Needs --tasks.");
}

void warn_of_troubles(const Jury& jury, std::uint64_t failed, const std::string& last,
                      const CommandContext& context) {
  const JudgeTroubles troubles = jury.troubles();
  if (jury.times_busy() > 0) {
    context.note("the judge was busy {}; such a try counts nowhere",
                 counted(jury.times_busy(), "time"));
  }
  if (failed == 0 && troubles.total() == 0) return;
  context.warn("the judge failed {} ({}, {}, {}); {} got no answer. The last: {}",
               counted(troubles.total(), "time"), counted(troubles.timeouts, "timeout"),
               counted(troubles.crashes, "crash", "crashes"),
               counted(troubles.senseless, "invalid answer"), counted(failed, "duel"), last);
}

void note_costs(const JudgeLoop& loop, const AnswerCosts& spent, const CommandContext& context) {
  if (spent.answers == 0) return;
  context.note("the judge says that its answers cost {} ({} in this run, {})",
               price_text(spent.cost), price_text(loop.cost()), counted(spent.tokens, "token"));
}

void note_budget(const JudgeLoop& loop, const JuryArguments& arguments,
                 const CommandContext& context) {
  if (!loop.money_is_out()) return;
  context.note("stopped before --budget {} could be exceeded; a larger one continues",
               format_number(arguments.budget));
}

void note_remembered(const Jury& jury, const JuryArguments& arguments,
                     const CommandContext& context) {
  if (jury.remembered() == 0) return;
  context.note("{} from {}: they help to choose, and are no evidence",
               counted(jury.remembered(), "answer"), arguments.cache);
}

Result<int> ended_by(const Error& error, const Jury& jury, const Command& command) {
  if (!jury.stayed_busy()) return error;
  print_error(as_option(command, error));
  return kExitTemporary;
}

Stopping stopping(const InterruptGuard& guard) {
  if (guard.stop_now().load()) return Stopping::at_once;
  return guard.interrupted() ? Stopping::after_answers : Stopping::no;
}

Result<int> ended_by(const Error& error, bool stayed_busy, const Command& command) {
  if (!stayed_busy) return error;
  print_error(as_option(command, error));
  return kExitTemporary;
}

}  // namespace duel::cli
