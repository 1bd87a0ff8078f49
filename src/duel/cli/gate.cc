#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/judge_options.h"
#include "duel/core/described_json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/judge_pool.h"
#include "duel/judging/unchanged_arms.h"
#include "duel/log/experiment_log.h"
#include "duel/verdict/gate_result.h"

namespace duel::cli {
namespace {

constexpr int kExitWorse = 6;

struct GateArguments {
  std::string baseline;
  std::vector<std::string> candidates;
  std::string judge;
  JudgeArguments asked;
  std::string claim = "not-worse", fail = "worse";
  GateRule rule;
  InterviewRequest request;
  std::string logs = ".", markdown, junit;
  bool json = false;
};

// The rule for each of so many candidates against one baseline.
GateRule rule_of(const GateArguments& arguments) {
  GateRule rule = arguments.rule;
  rule.alpha /= static_cast<double>(arguments.candidates.size());
  rule.claim = arguments.claim == "better" ? GateClaim::better : GateClaim::not_worse;
  rule.fail = arguments.fail == "beyond-margin" ? GateClaim::beyond_margin : GateClaim::worse;
  return rule;
}

// The questions of an experiment until the gate has passed or failed.
class GateQuestions final : public Questions {
 public:
  // REQUIRES: all live longer.
  GateQuestions(Questions& questions, const Ledger& ledger, GateKeeper& keeper)
      : questions_(questions), ledger_(ledger), keeper_(keeper) {}

  Result<Next> next() override {
    if (decided()) return Next(Over{RunEnding::certified});
    DUEL_ASSIGN(Next next, questions_.next());
    if (const auto* question = std::get_if<Question>(&next)) {
      keeper_.served(question->duel_id, *ledger_.find_open(question->duel_id));
    }
    return next;
  }
  Result<Taken> answer(std::vector<Given> given) override {
    std::vector<std::string> duel_ids;
    for (const Given& one : given) duel_ids.push_back(one.question.duel_id);
    DUEL_ASSIGN(Taken taken, questions_.answer(std::move(given)));
    for (const std::string& duel_id : duel_ids) {
      DUEL_ASSIGN(const std::optional<LedgerDuel> duel, ledger_.find_duel(duel_id));
      if (duel && duel->fate != Fate::pending) keeper_.settled(duel_id, *duel);
    }
    return taken;
  }
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return {.certified = decided()}; }

 private:
  bool decided() const { return keeper_.gate().end() != GateEnd::open; }

  Questions& questions_;
  const Ledger& ledger_;
  GateKeeper& keeper_;
};

// What an earlier run has recorded.
Status hear_log(const std::string& log, GateKeeper& keeper) {
  std::optional<Ledger> ledger;
  const auto take = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    keeper.hear(*ledger, entry);
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(std::filesystem::path(log), take));
  return Done{};
}

struct GateRun {
  GateResult result;
  RunEnding ending = RunEnding::undecided;
};

// One candidate, until it has passed or failed or nothing more is to be asked.
Result<GateRun> run_candidate(const GateArguments& arguments, const std::string& candidate,
                              const InterruptGuard& guard, const CommandContext& context) {
  const GateRule rule = rule_of(arguments);
  DUEL_RETURN_IF_ERROR(check_gate(rule));
  InterviewRequest request = arguments.request;
  request.arms = {arguments.baseline, candidate};
  const bool has_tasks = !request.tasks.empty();
  DUEL_ASSIGN(JudgeCommand judge, arguments.asked.command("--judge", arguments.judge, has_tasks));
  DUEL_RETURN_IF_ERROR(ChildProcess::check_program(judge.program()));
  request.judge = judge.entry();
  // Of the log's own certificate, which is reached after "better" and "worse" are, but not always
  // after what is beyond the margin: it must not end the run before the gate does.
  constexpr double kNever = 1e-9;
  request.alpha = rule.fail == GateClaim::beyond_margin ? kNever : rule.alpha;
  request.name = id_from(fmt::format("gate-{}", std::filesystem::path(candidate).stem().string()));
  request.log = (std::filesystem::path(arguments.logs) / (request.name + ".duel.jsonl")).string();
  DUEL_ASSIGN(InterviewPlan plan, plan_interview(request));
  if (plan.arms.size() != 2) {
    return Error::invalid_argument(
        fmt::format("'{}' and '{}' are {} arms", arguments.baseline, candidate, plan.arms.size()),
        "--candidate", "a baseline and a candidate are one file or name each");
  }
  const std::string baseline_id = plan.arms[0].shown.arm_id;
  const std::string candidate_id = plan.arms[1].shown.arm_id;
  GateKeeper keeper(rule);
  DUEL_ASSIGN(Interview interview, Interview::open(std::move(plan)));
  if (interview.resumed()) {
    context.note("continuing {}: {} so far", interview.log_file(),
                 counted(interview.ledger().served(), "duel"));
    DUEL_RETURN_IF_ERROR(hear_log(interview.log_file(), keeper));
  }
  const std::string name = judge.name();
  JudgePool pool(std::move(judge), arguments.asked.judge_options());
  LocalQuestions questions = interview.questions();
  GateQuestions until_decided(questions, interview.ledger(), keeper);
  UnchangedArms unchanged(until_decided, interview.arms());
  JudgeLoop loop(unchanged, pool,
                 arguments.asked.loop_options(name, "the log is kept; run the same command again"));
  DUEL_ASSIGN(const RunEnding ending, loop.run([&] { return stopping(guard); }, [] {}));
  if (ending != RunEnding::interrupted) pool.finish();
  if (loop.failed() > 0) {
    context.warn("{}: {} got no answer. The last: {}", candidate_id, counted(loop.failed(), "duel"),
                 loop.last_failure());
  }
  return GateRun{gate_result_of(keeper, rule, baseline_id, candidate_id, interview.log_file()),
                 ending};
}

std::string gate_table(const std::vector<GateResult>& results) {
  Table table;
  table.column("candidate", Align::left).column("verdict", Align::left).column("mean score");
  table.column("95 %").column("answers").column("won").column("tied").column("lost");
  for (const GateResult& result : results) {
    table.row({result.candidate, result.verdict,
               result.mean_score ? fmt::format("{:.3f}", *result.mean_score) : std::string("-"),
               fmt::format("{:.3f} .. {:.3f}", result.interval.lower, result.interval.upper),
               result.answers, result.wins, result.ties, result.losses});
  }
  return table.to_string();
}

Result<int> gate(const GateArguments& arguments, const Command& command, CommandContext& context) {
  if (arguments.baseline.empty() || arguments.candidates.empty()) {
    return usage_error(
        arguments.baseline.empty() ? "--baseline" : "--candidate",
        Error::invalid_argument("is missing")
            .with_hint("duel gate --baseline prod.txt --candidate new.txt --judge ./judge.sh"));
  }
  if (arguments.judge.empty()) {
    return usage_error("--judge", Error::invalid_argument("no judge is given")
                                      .with_hint("write --judge './judge.sh {first} {second}'"));
  }
  std::error_code failed;
  std::filesystem::create_directories(arguments.logs, failed);
  for (const std::string& file : {arguments.markdown, arguments.junit}) {
    if (!file.empty()) DUEL_RETURN_IF_ERROR(check_output(file));
  }
  const InterruptGuard guard(InterruptGuard::First::drains);
  std::vector<GateResult> results;
  for (const std::string& candidate : arguments.candidates) {
    DUEL_ASSIGN(GateRun run, run_candidate(arguments, candidate, guard, context));
    results.push_back(std::move(run.result));
    if (run.ending != RunEnding::interrupted) continue;
    context.warn_command("interrupted; every answer is in the log. To continue:",
                         same_command(command));
    return guard.exit_code();
  }
  const GateRule rule = rule_of(arguments);
  if (!arguments.markdown.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.markdown, gate_markdown(results, rule)));
  }
  if (!arguments.junit.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.junit, gate_junit(results)));
  }
  const auto any = [&](GateEnd end) {
    return std::ranges::find(results, end, &GateResult::end) != results.end();
  };
  if (arguments.json) {
    Json json;
    json["verdict"] = gate_headline(results);
    json["alpha"] = arguments.rule.alpha;
    json["margin"] = rule.margin;
    json["claim"] = std::string(to_word(rule.claim));
    json["fail"] = std::string(to_word(rule.fail));
    json["candidates"] = described_json(results);
    context.print(json.dump_pretty());
  } else {
    std::string text = gate_headline(results) + "\n\n" + gate_table(results) + "\n";
    for (const GateResult& result : results) text += result.detail + ".\n";
    context.print(text);
  }
  return any(GateEnd::failed) ? kExitWorse : any(GateEnd::open) ? kExitUndecided : kExitDone;
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
      "undecided, 1 failure, 130 interrupted. After a kill the same command continues.");
  GateArguments& arguments = command.runs(gate);
  arguments.request.max_duels = 2000;
  command.add("--baseline ARM", not_empty(&arguments.baseline),
              "What is in use: a file or a name.");
  command.add("--candidate ARM", not_empty(&arguments.candidates),
              "What is to replace it; may be repeated. Each of N candidates is judged at level "
              "alpha/N.");
  command.add("--judge COMMAND", &arguments.judge, "The judge, as for 'duel run'.");
  command.add("--tasks FILE", not_empty(&arguments.request.tasks),
              "JSON Lines: each duel is about one task.");
  command.add("--about WHAT", one_of(&arguments.request.about, {"tasks-like-these", "these-tasks"}),
              "What the statement covers: tasks like these (default; each counts once) or exactly "
              "these.");
  command.add("--margin NUMBER",
              number(
                  &arguments.rule.margin, [](double value) { return value >= 0 && value < 0.5; },
                  ">= 0 and < 0.5"),
              "By how much the mean score may be below 1/2 (default 0.05).");
  command.add("--claim CLAIM", one_of(&arguments.claim, {"not-worse", "better"}),
              "What lets a candidate pass (default not-worse).");
  command.add("--fail WHEN", one_of(&arguments.fail, {"worse", "beyond-margin"}),
              "What makes it fail: being worse (default), or by more than the margin, which takes "
              "several times as many answers.");
  command.add("--alpha NUMBER", error_level(&arguments.rule.alpha),
              "Largest probability that a statement is wrong (default 0.05).");
  command.add("--max-duels N", count(&arguments.request.max_duels, 1, 1'000'000'000),
              "Undecided after N duels for each candidate (default 2000).");
  command.add("--order ORDER", one_of(&arguments.request.order, {"random", "both", "fixed"}),
              "Which of the two is shown first (default random).");
  add_judge_options(command, arguments.asked);
  command.add_seed(&arguments.request.seed);
  command.add("--logs FOLDER", not_empty(&arguments.logs),
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
