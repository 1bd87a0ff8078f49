#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/judge_options.h"
#include "duel/cli/live_table.h"
#include "duel/cli/space_file.h"
#include "duel/cli/vote_here.h"
#include "duel/core/numbers.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/jury.h"

namespace duel::cli {
namespace {

struct TuneArguments {
  InterviewOptions interview;
  std::string space;
  bool vote = false;
  std::string voter;
  JudgeArguments asked;
  JuryArguments jury;
};

// Why it ended without a certificate, and what can be done.
std::string why_not_found(const Interview& interview, RunEnding ending) {
  const TunedSpace& tuned = *interview.ledger().tuned();
  if (ending == RunEnding::tasks_used_up) {
    return fmt::format(
        "no tasks are left for a proof: half of them are kept for it, each counts once, and {} "
        "were asked about; add tasks at the end of the file and run the command again",
        tuned.tasks_met());
  }
  return fmt::format(
      "nothing better than the point in use was found within --max-duels {}: {}; to continue, run "
      "the same command with a larger limit",
      interview.max_duels(),
      tuned.proof().candidates() == 0
          ? "no candidate was tested"
          : fmt::format("{} tested, none of them proved",
                        counted(tuned.proof().candidates(), "candidate was", "candidates were")));
}

struct TuneEnding {
  RunEnding ending = RunEnding::undecided;
  bool stopped = false;
  bool money_is_out = false;
  Json judge = Json::object();
};

Result<TuneEnding> ask_judge(const TuneArguments& arguments, Jury& jury, Interview& interview,
                             const InterruptGuard& guard, const CommandContext& context) {
  std::function<bool(const Question&)> known;
  if (!arguments.jury.cache.empty()) {
    DUEL_RETURN_IF_ERROR(
        jury.remember(arguments.jury.cache, interview.arms(),
                      [&context](const std::string& text) { context.warn(text); }));
    known = [&jury](const Question& question) { return jury.knows(question); };
  }
  LocalQuestions questions = interview.questions({}, std::move(known));
  JudgeLoop loop(
      questions, jury,
      arguments.jury.loop_options(
          arguments.asked.loop_options(jury.name(), "the log is kept; run the same command again"),
          interview));
  auto ended = [&] {
    LiveTable table(interview, context.quiet);
    bool draining = false;
    return loop.run(
        [&] { return stopping(guard); },
        [&] {
          if (guard.interrupted() && !std::exchange(draining, true) && loop.in_flight() > 0) {
            table.clear();
            context.warn("stopping: {} outstanding; press Ctrl-C again to drop them",
                         counted(loop.in_flight(), "answer is", "answers are"));
          }
          const std::string busy = jury.busy_now();
          table.update(loop.in_flight(), busy.empty() ? loop.last_failure() : busy);
        });
  }();
  if (!ended.ok()) return ended.error();
  if (*ended != RunEnding::interrupted) jury.finish();
  note_remembered(jury, arguments.jury, context);
  note_costs(loop, interview.spent(), context);
  note_budget(loop, arguments.jury, context);
  warn_of_troubles(jury, loop.failed(), loop.last_failure(), context);
  TuneEnding asked{.ending = *ended, .money_is_out = loop.money_is_out()};
  asked.judge["judge"] = {{"answered", loop.answered()}, {"failed", loop.failed()}};
  return asked;
}

Result<TuneEnding> ask(const TuneArguments& arguments, Interview& interview, Jury* jury,
                       const InterruptGuard& guard, const CommandContext& context) {
  if (jury != nullptr) return ask_judge(arguments, *jury, interview, guard, context);
  DUEL_ASSIGN(const VotedHere voted, vote_here(interview, arguments.voter, guard));
  return TuneEnding{voted.ending, voted.stopped};
}

Result<int> tune(const TuneArguments& arguments, const Command& command, CommandContext& context) {
  if (arguments.space.empty()) {
    return usage_error("--space",
                       Error::invalid_argument("is missing")
                           .with_hint("duel tune --space space.toml --judge ./judge.sh"));
  }
  const std::vector<std::string>& named = arguments.jury.judges;
  if (arguments.vote != named.empty()) {
    return usage_error("--judge",
                       Error::invalid_argument(arguments.vote ? "either a judge answers or you do"
                                                              : "nobody is named who answers")
                           .with_hint("--judge './judge.sh {first} {second}', or --vote"));
  }
  InterviewOptions asked = arguments.interview;
  DUEL_ASSIGN(asked.request.space, read_space_file(arguments.space));
  if (asked.request.name.empty()) {
    asked.request.name = id_from(std::filesystem::path(arguments.space).stem().string());
  }
  if (named.size() > 1) {
    return usage_error("--judge", Error::unsupported("one judge compares points"));
  }
  DUEL_RETURN_IF_ERROR(arguments.jury.check_cache(asked.request));
  DUEL_ASSIGN(const std::vector<JudgeCommand> judges,
              arguments.jury.commands(arguments.asked, !asked.request.tasks.empty()));
  std::optional<Jury> jury;
  if (!arguments.vote) {
    asked.request.judge = entry_of_jury(judges, arguments.jury.rule());
    asked.programs = {judges.front().program()};
    jury.emplace(judges, arguments.asked.judge_options(), arguments.jury.rule(),
                 asked.request.seed);
  }
  const InterruptGuard guard(arguments.vote ? InterruptGuard::First::stops
                                            : InterruptGuard::First::drains);
  auto opened = open_interview(asked, context);
  // What an experiment calls its policy is the learner here.
  if (!opened.ok() && opened.error().field == "policy") {
    return usage_error("--learner", opened.error());
  }
  DUEL_ASSIGN(Interview interview, std::move(opened));
  const bool was_certified = interview.certified();
  auto run = ask(arguments, interview, jury ? &*jury : nullptr, guard, context);
  if (!run.ok()) {
    if (interview.ledger().served() > 0) {
      context.note_command(fmt::format("{} has the {} so far; to continue:", interview.log_file(),
                                       counted(interview.ledger().served(), "duel")),
                           same_command(command));
    }
    return jury ? ended_by(run.error(), *jury, command) : Result<int>(run.error());
  }
  DUEL_ASSIGN(const int code, report_ending(run->ending, asked, interview, context, run->judge));
  if (was_certified) {
    context.note("{} was already certified; nothing was asked", interview.log_file());
  }
  if (run->ending == RunEnding::certified) return code;
  if (run->ending == RunEnding::interrupted || run->stopped) {
    context.note_command(fmt::format("{} has every answer. To continue:", interview.log_file()),
                         same_command(command));
    return run->ending == RunEnding::interrupted ? guard.exit_code() : code;
  }
  if (!run->money_is_out) context.note(why_not_found(interview, run->ending));
  return code;
}

}  // namespace

void add_tune_command(Command& program) {
  Command& command = program.add_command(
      "tune",
      "Finds a good point of a space by comparisons, then proves that it beats the one in use.\n"
      "The space is a TOML file with a table for each number: [weight] low = 0.0, high = 1.0, "
      "default = 0.5, and if you like scale = \"log\" and step = 0.01; the defaults are the point "
      "in use today. A learner chooses two points at a time, and your judge, or you, says which is "
      "better. Its best guess is then frozen and tested against the point in use, by new answers "
      "alone; the run stops by itself once that is certified, or says that nothing better "
      "was found within "
      "--max-duels. Until then a best guess is no more than that. Every duel is in the log before "
      "it counts: after a kill the same command continues.\nExit codes: 0 certified, 3 nothing "
      "better was found, 4 certified, but a health check failed, 1 failure, 75 the judge "
      "stayed busy, 130 interrupted.");
  TuneArguments& arguments = command.runs(tune);
  InterviewRequest& request = arguments.interview.request;
  request.max_duels = 2000;
  command.add("--space FILE", not_empty(&arguments.space), "The space, in TOML.");
  command.add("--judge COMMAND", not_empty(&arguments.jury.judges),
              "The judge, as for 'duel run': {first} and {second} are the points as JSON, as in "
              "{\"weight\":0.62}.");
  command.add("--vote", &arguments.vote, "You answer yourself, as in 'duel vote'.");
  command.add("--voter ID", not_empty(&arguments.voter),
              "With --vote: name of the voter, recorded in the log.");
  command.add("--tasks FILE", not_empty(&request.tasks),
              "JSON Lines: each duel is about one task. Half of the tasks are kept for proofs, "
              "where each counts once.");
  command.add("--about WHAT", one_of(&request.about, {"tasks-like-these", "these-tasks"}),
              "With --tasks: what the certificate covers, tasks like these (default) or exactly "
              "these, drawn again for every duel.");
  command.add_configurable("--learner LEARNER", not_empty(&request.policy),
                           "kernel-ts (default up to 8 dimensions), dbgd (beyond), halving or "
                           "random. None is good everywhere.");
  command.add("--warmup N", count(&request.warmup, 1, 1'000'000),
              "Duels of the search before a point may be tested (default 20 for every dimension).");
  command.add("--order ORDER", one_of(&request.order, {"random", "both", "fixed"}),
              "Which point is shown first: random (default), both (each duel is judged in both "
              "orders; a flip is a tie), or fixed.");
  command.add_configurable("--alpha NUMBER", error_level(&request.alpha),
                           "Largest probability that the certificate is wrong (default 0.05).");
  command.add_configurable("--max-duels N", count(&request.max_duels, 1, 1'000'000'000),
                           "Stop after N duels, counting those of earlier runs (default 2000).");
  add_judge_options(command, arguments.asked);
  add_budget_option(command, arguments.jury);
  add_cache_option(command, arguments.jury);
  command.add("--allow-new-judge", &request.allows_new_judge,
              "Continue a log that another judge started.");
  command.add_seed(&request.seed);
  command.add("--name ID", not_empty(&request.name),
              "The experiment's id (default: the name of the space's file).");
  command.add("--log FILE", not_empty(&request.log),
              "Where every duel is recorded (default NAME.duel.jsonl). If it exists, the "
              "experiment continues.");
  command.add("--certificate FILE", not_empty(&arguments.interview.certificate),
              "Where the certificate goes (default: beside the log).");
  command.add("--json", &arguments.interview.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel tune --space space.toml --judge ./compare.sh\n"
      "  duel tune --space space.toml --judge './compare.py {first} {second} {task}' --tasks "
      "queries.jsonl --parallel 4\n"
      "  duel tune --space colours.toml --vote --voter ann --max-duels 300";
}

}  // namespace duel::cli
