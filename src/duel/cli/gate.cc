#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/judge_options.h"
#include "duel/core/numbers.h"
#include "duel/judging/child_process.h"
#include "duel/judging/gate_run.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/jury.h"
#include "duel/judging/unchanged_arms.h"

namespace duel::cli {
namespace {

constexpr int kExitWorse = 6;

struct GateArguments {
  GateRequest request;
  JuryArguments jury;
  JudgeArguments asked;
  std::string claim = "not-worse", fail = "worse";
  std::string markdown, junit;
  bool json = false;
};

GateRequest request_of(const GateArguments& arguments, const JudgeEntry& judge) {
  GateRequest request = arguments.request;
  request.rule.claim = arguments.claim == "better" ? GateClaim::better : GateClaim::not_worse;
  request.rule.fail =
      arguments.fail == "beyond-margin" ? GateClaim::beyond_margin : GateClaim::worse;
  request.interview.judge = judge;
  return request;
}

Status check_arguments(const GateArguments& arguments) {
  const std::string missing = arguments.request.baseline.empty()     ? "--baseline"
                              : arguments.request.candidates.empty() ? "--candidate"
                                                                     : "";
  if (!missing.empty()) {
    return usage_error(
        missing,
        Error::invalid_argument("is missing")
            .with_hint("duel gate --baseline prod.txt --candidate new.txt --judge ./judge.sh"));
  }
  if (arguments.jury.judges.empty()) {
    return usage_error("--judge", Error::invalid_argument("no judge is given")
                                      .with_hint("write --judge './judge.sh {first} {second}'"));
  }
  for (const std::string& file : {arguments.markdown, arguments.junit}) {
    if (!file.empty()) DUEL_RETURN_IF_ERROR(check_output(file));
  }
  return Done{};
}

// A log of another gate is in the way.
Error with_hint_of_gate(Error error) {
  if (error.code == ErrorCode::invalid_argument && error.where.ends_with(".duel.jsonl")) {
    error.hint = "give the arguments that it began with, or another `logs` folder to start over";
  }
  return error;
}

// Asks about one candidate, until it has passed or failed or nothing more is to be asked. `spent`:
// what the answers about all of them have cost so far.
Result<GateStop> ask_about(GateRun& gate, const GateArguments& arguments, Jury& jury, double& spent,
                           const InterruptGuard& guard, const CommandContext& context) {
  LocalQuestions questions = gate.interview().questions();
  GateQuestions until_decided(questions, gate.keeper());
  UnchangedArms unchanged(until_decided, gate.interview().arms());
  JudgeLoopOptions options = arguments.jury.loop_options(
      arguments.asked.loop_options(
          jury.name(), "the logs are kept; a judge that was changed needs another `logs` folder"),
      gate.interview());
  options.spent = spent;  // on all candidates
  JudgeLoop loop(unchanged, jury, options);
  bool draining = false;
  const auto on_turn = [&] {
    if (!guard.interrupted() || std::exchange(draining, true) || loop.in_flight() == 0) return;
    context.warn("stopping: {} outstanding; press Ctrl-C again to drop them",
                 counted(loop.in_flight(), "answer is", "answers are"));
  };
  DUEL_ASSIGN(const RunEnding ending, loop.run([&] { return stopping(guard); }, on_turn));
  if (ending != RunEnding::interrupted) jury.finish();
  spent += loop.cost();
  note_costs(loop, gate.interview().spent(), context);
  if (!gate.keeper().decided()) note_budget(loop, arguments.jury, context);
  warn_of_troubles(jury, loop.failed(), loop.last_failure(), context);
  return gate_stop(ending, loop.money_is_out());
}

Result<int> gate(const GateArguments& arguments, const Command& command, CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_arguments(arguments));
  const bool has_tasks = !arguments.request.interview.tasks.empty();
  DUEL_ASSIGN(const auto judges, arguments.jury.commands(arguments.asked, has_tasks));
  const GateRequest request = request_of(arguments, entry_of_jury(judges, arguments.jury.rule()));
  DUEL_ASSIGN(std::vector<GateInterviewPlan> plans, plan_gate(request));
  for (const JudgeCommand& judge : judges) {
    DUEL_RETURN_IF_ERROR(ChildProcess::check_program(judge.program()));
  }
  std::error_code failed;  // of which the logs will tell
  std::filesystem::create_directories(request.folder, failed);
  const InterruptGuard guard(InterruptGuard::First::drains);
  // All logs first: what is wrong with the last one is found before anything is paid for.
  std::vector<std::unique_ptr<GateRun>> runs;
  double spent = 0;
  for (GateInterviewPlan& plan : plans) {
    auto opened = GateRun::open(std::move(plan));
    if (!opened.ok()) return with_hint_of_gate(opened.error());
    runs.push_back(*std::move(opened));
    const Interview& interview = runs.back()->interview();
    spent += interview.spent().cost;
    if (!interview.resumed()) continue;
    context.note("continuing {}: {} so far", interview.log_file(),
                 counted(interview.ledger().served(), "duel"));
  }
  GateReport report{.rule = request.rule, .candidates = {}};
  for (const auto& run : runs) {
    Jury jury(judges, arguments.asked.judge_options(), arguments.jury.rule(),
              request.interview.seed);
    const auto ended = ask_about(*run, arguments, jury, spent, guard, context);
    if (!ended.ok()) {
      context.note_command("the logs have every answer; to continue:", same_command(command));
      return ended_by(ended.error(), jury, command);
    }
    report.candidates.push_back(run->result(*ended));
    if (*ended != GateStop::interrupted) continue;
    context.warn_command("interrupted; every answer is in the log. To continue:",
                         same_command(command));
    return guard.exit_code();
  }
  if (!arguments.markdown.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.markdown, report.markdown()));
  }
  if (!arguments.junit.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.junit, report.junit()));
  }
  context.print(arguments.json ? report.json().dump_pretty() : report.text());
  return report.end() == GateEnd::failed ? kExitWorse
         : report.end() == GateEnd::open ? kExitUndecided
                                         : kExitDone;
}

}  // namespace

void add_gate_command(Command& program) {
  Command& command = program.add_command(
      "gate",
      "Says whether a candidate is no worse than the baseline, for pull requests.\nA judge program "
      "compares the two, on the tasks if you give any, until the gate can say *better*, *not "
      "worse* or *worse*, each false with probability at most --alpha, or until --max-duels. Ties "
      "count one half: what matters is the mean score, and 'not worse' means that it is above 1/2 "
      "less the margin.\nExit codes: 0 every candidate passed, 6 one is worse, 3 one is "
      "undecided, 1 failure, 75 the judge stayed busy, 130 interrupted. After a kill the same "
      "command continues.");
  GateArguments& arguments = command.runs(gate);
  arguments.request.interview.max_duels = 2000;
  command.add("--baseline ARM", not_empty(&arguments.request.baseline),
              "What is in use: a file or a name.");
  command.add("--candidate ARM", not_empty(&arguments.request.candidates),
              "What is to replace it; may be repeated. Each of N candidates is judged at level "
              "alpha/N.");
  add_jury_options(command, arguments.jury);
  command.add("--tasks FILE", not_empty(&arguments.request.interview.tasks),
              "JSON Lines: each duel is about one task.");
  command.add("--about WHAT",
              one_of(&arguments.request.interview.about, {"tasks-like-these", "these-tasks"}),
              "What the statement covers: tasks like these (default; each counts once) or exactly "
              "these.");
  command.add("--margin NUMBER",
              number(
                  &arguments.request.rule.margin,
                  [](double value) { return value >= 0 && value < 0.5; }, ">= 0 and < 0.5"),
              "By how much the mean score may be below 1/2 (default 0.05).");
  command.add("--claim CLAIM", one_of(&arguments.claim, {"not-worse", "better"}),
              "What lets a candidate pass (default not-worse).");
  command.add("--fail WHEN", one_of(&arguments.fail, {"worse", "beyond-margin"}),
              "What makes it fail: being worse (default), or by more than the margin, which takes "
              "several times as many answers.");
  command.add("--alpha NUMBER", error_level(&arguments.request.rule.alpha),
              "Largest probability that a statement is wrong (default 0.05).");
  command.add("--max-duels N", count(&arguments.request.interview.max_duels, 1, 1'000'000'000),
              "Undecided after N duels for each candidate (default 2000).");
  command.add("--order ORDER",
              one_of(&arguments.request.interview.order, {"random", "both", "fixed"}),
              "Which of the two is shown first (default random).");
  add_judge_options(command, arguments.asked);
  add_votes_option(command, arguments.jury);
  add_budget_option(command, arguments.jury, "all logs");
  command.add_seed(&arguments.request.interview.seed);
  command.add("--logs FOLDER", not_empty(&arguments.request.folder),
              "Where gate-CANDIDATE.duel.jsonl is kept (default: here).");
  command.add("--markdown FILE", not_empty(&arguments.markdown),
              "Write a table for a pull request; '-' is stdout.");
  command.add("--junit FILE", not_empty(&arguments.junit), "Write JUnit XML.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel gate --baseline prod.txt --candidate new.txt --judge ./judge.sh --tasks "
      "questions.jsonl\n"
      "  duel gate --baseline prod.txt --candidate a.txt --candidate b.txt --judge ./judge.sh "
      "--margin 0.02 --markdown gate.md --junit gate.xml";
}

}  // namespace duel::cli
