#include "duel/cli/interview_options.h"

#include <fmt/ranges.h>

#include "duel/cli/goal_options.h"
#include "duel/core/numbers.h"
#include "duel/judging/child_process.h"
#include "duel/verdict/certificate_file.h"

namespace duel::cli {

std::string InterviewOptions::certificate_for(const std::string& log) const {
  return certificate.empty() ? certificate_beside(log) : certificate;
}

void add_interview_options(Command& command, InterviewOptions& options,
                           const std::vector<std::string>& orders) {
  command.add("--arms ARMS", not_empty(&options.request.arms),
              "What to compare: files, globs in quotes ('prompts/*.txt') or names (a,b,c); may be "
              "repeated. A file with exactly that name takes precedence over a glob.");
  command.add("ARM", &options.more_arms, "More arms, as --arms.");
  command.add(
      "--arms-file FILE", not_empty(&options.request.arms_file),
      R"(A file with one arm per line: a file's path, a name, or {"arm_id":"b","payload":..}.)");
  command.add(
      "--features FILE", not_empty(&options.request.features),
      "A CSV file with the features of the arms, a line of numbers for each in the order of "
      "the arms, for --policy lin-ts, lin-maxinp, lin-maxpairucb or colstim.");
  command.add("--open-arms", &options.request.open_arms,
              "Start a log to which you can add and retire arms later. A certificate then needs "
              "somewhat more evidence. Not with --goal set, order, ranking, copeland or borda.");
  command.add("--add-arm ARM", not_empty(&options.request.add_arm),
              "Add an arm to a log that was started with --open-arms: a file, a glob or a name; "
              "may be repeated.");
  command.add("--retire-arm ID", not_empty(&options.request.retire_arm),
              "Retire an arm from such a log: Duel stops asking about it, and the certificate does "
              "not cover it; may be repeated.");
  command.add("--tasks FILE", not_empty(&options.request.tasks),
              "JSON Lines: each duel is about one task.");
  command.add(
      "--about WHAT",
      one_of(&options.request.about,
             {"people-like-these", "tasks-like-these", "these-tasks", "these-people"}),
      "What the certificate is about. With --tasks: tasks like these (default; a task counts once "
      "for each pair, so you need enough of them), or exactly these (drawn again for every duel). "
      "Without: people like these (default), or these-people, a panel: each of them is asked about "
      "a pair once, and what they prefer is counted, so that the verdict is certain.");
  command.add_configurable("--policy POLICY", not_empty(&options.request.policy),
                           "Policy that chooses the pairs (default auto). See 'duel policies'.");
  add_goal_options(command, {&options.request.goal, &options.request.top, &options.request.epsilon,
                             &options.request.assume});
  command.add("--order ORDER", one_of(&options.request.order, orders),
              orders.size() == 3 ? "Which arm is shown first: random (default), both (each duel is "
                                   "judged in both orders; a flip is a tie), or fixed."
                                 : "Which arm is shown first: random (default) or fixed.");
  command.add_configurable("--alpha NUMBER", error_level(&options.request.alpha),
                           "Largest probability that the certificate is wrong (default 0.05).");
  command.add_configurable(
      "--max-duels N", count(&options.request.max_duels, 1, 1'000'000'000),
      "Stop undecided after N duels, counting those of earlier runs (default 10000).");
  command.add_seed(&options.request.seed);
  command.add("--name ID", not_empty(&options.request.name),
              "The experiment's id (default: the folder of the files, or 'duel').");
  command.add("--log FILE", not_empty(&options.request.log),
              "Where every duel is recorded (default NAME.duel.jsonl). If it exists, the "
              "experiment continues.");
  command.add("--certificate FILE", not_empty(&options.certificate),
              "Where the certificate goes (default: beside the log).");
  command.add("--json", &options.json, "Print JSON.");
}

void add_panel_options(Command& command, InterviewOptions& options) {
  command.add("--panel WHO", not_empty(&options.request.panel),
              "With --about these-people: how many people the panel has, or their names "
              "(ann,bob,cem). Without it the panel is who has answered when you close it.");
  command.add("--early", &options.request.early,
              "With at least 25 names: allow a verdict before counting is certain, at --alpha.");
  command.add("--close-panel", &options.close_panel,
              "Close the panel and show the result: nobody joins any more.");
  command.add("--question TEXT", not_empty(&options.request.voting.question),
              "What voters are asked, in place of 'Which one is better?'.");
  command.add("--instructions TEXT", not_empty(&options.request.voting.instructions),
              "Shown above each pair.");
}

Result<Interview> open_interview(const InterviewOptions& options, const CommandContext& context) {
  InterviewRequest request = options.request;
  request.arms.insert(request.arms.end(), options.more_arms.begin(), options.more_arms.end());
  DUEL_ASSIGN(InterviewPlan plan, plan_interview(request));
  const std::string target = options.certificate_for(plan.log);
  if (target == plan.log) {
    return Error::invalid_argument("the log and the certificate are the same file")
        .with_hint("give another name")
        .in_field("certificate");
  }
  DUEL_RETURN_IF_ERROR(check_output(target));
  for (const std::string& program : options.programs) {
    DUEL_RETURN_IF_ERROR(ChildProcess::check_program(program));
  }
  DUEL_ASSIGN(Interview interview, Interview::open(std::move(plan)));
  if (interview.cut_bytes() > 0) {
    context.note("{}: the last line was cut off and never counts ({} bytes)", interview.log_file(),
                 interview.cut_bytes());
  }
  if (interview.resumed()) {
    context.note(
        "continuing {}: {} so far{}", interview.log_file(),
        counted(interview.ledger().served(), "duel"),
        interview.given_up() == 0
            ? ""
            : fmt::format(", {} of them without an answer, which is final", interview.given_up()));
  }
  if (!interview.joined().empty()) {
    context.note("joined: {}", fmt::join(interview.joined(), ", "));
  }
  if (!interview.left().empty()) {
    context.note("retired: {}", fmt::join(interview.left(), ", "));
  }
  return interview;
}

std::string why_undecided(const Interview& interview, RunEnding ending) {
  if (ending == RunEnding::asked_all) {
    return interview.ledger().panel()->size()
               ? "thank you: you have answered everything that can matter; the next member runs "
                 "the same command with another --voter"
               : "thank you: you have answered everything; the next person runs the same command "
                 "with another --voter, and --close-panel ends it";
  }
  if (ending == RunEnding::tasks_used_up) {
    return "an open pair has used every task: add tasks at the end of the file and run the command "
           "again; or start another --log with --about these-tasks, for a statement about exactly "
           "these";
  }
  return fmt::format(
      "reached --max-duels {}; to continue, run the same command with a larger limit",
      interview.max_duels());
}

std::string same_command(const Command& command) {
  std::string text = command.path();
  std::string positional;
  for (const Option& option : command.options) {
    if (!option.given()) continue;
    if (!option.takes_value()) text += " " + option.name();
    for (const std::string& value : option.texts) {
      if (option.is_argument()) {
        positional += " " + shell_word(value);
      } else if (option.takes_value()) {
        text += fmt::format(" {} {}", option.name(), shell_word(value));
      }
    }
  }
  return text + positional;
}

}  // namespace duel::cli
