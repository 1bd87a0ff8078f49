// What `duel run`, `tune`, `gate` and `judge check` share: the options of a judge program, how it
// is asked, and when asking ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "duel/cli/options.h"
#include "duel/core/result.h"
#include "duel/judging/interview.h"
#include "duel/judging/interview_request.h"
#include "duel/judging/judge_command.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/judge_pool.h"
#include "duel/judging/jury.h"

namespace duel::cli {

struct JudgeArguments {
  std::string protocol = "call";
  JudgeOptions options;
  std::uint64_t max_failures = JudgeLoopOptions{}.max_failures;

  // `text` is what the option `option` says. An error names the option.
  Result<JudgeCommand> command(const std::string& option, const std::string& text,
                               bool has_tasks) const;
  JudgeOptions judge_options() const;
  // `judge` answers, by the log. `hint`: what to do when it is broken.
  JudgeLoopOptions loop_options(const std::string& judge, const std::string& hint) const;
};

// --judge-protocol, --parallel, --timeout, --retries, --retry-delay, --busy-patience and
// --max-failures.
void add_judge_options(Command& command, JudgeArguments& arguments);

// Who judges a log of this machine: one program or several, how often each is asked, and at what
// cost.
struct JuryArguments {
  std::vector<std::string> judges;
  std::string jury = "mean";
  std::uint64_t votes = 1;
  double budget = 0;  // 0: no limit
  std::string cache;  // a directory; "": nothing is remembered

  JuryRule rule() const { return jury == "drawn" ? JuryRule::drawn : JuryRule::mean; }
  // At least one, no two of one name.
  Result<std::vector<JudgeCommand>> commands(const JudgeArguments& asked, bool has_tasks) const;
  // A remembered answer is no evidence, so that it must not be all that a pair has to be asked, and
  // what is asked must be a sample with or without it.
  Status check_cache(const InterviewRequest& request) const;
  // With votes and budget, and with what the answers in the log have cost.
  JudgeLoopOptions loop_options(JudgeLoopOptions options, const Interview& interview) const;
};

// --judge and --jury.
void add_jury_options(Command& command, JuryArguments& arguments);
void add_votes_option(Command& command, JuryArguments& arguments);
// Over all runs `of` something.
void add_budget_option(Command& command, JuryArguments& arguments, std::string_view of = "the log");
void add_cache_option(Command& command, JuryArguments& arguments);

// At the end of a run each of these tells one thing (failed tries, costs, the budget, answers from
// the cache), and nothing where there is nothing to tell.
void warn_of_troubles(const Jury& jury, std::uint64_t failed, const std::string& last,
                      const CommandContext& context);
void note_costs(const JudgeLoop& loop, const AnswerCosts& spent, const CommandContext& context);
void note_budget(const JudgeLoop& loop, const JuryArguments& arguments,
                 const CommandContext& context);
void note_remembered(const Jury& jury, const JuryArguments& arguments,
                     const CommandContext& context);

// How the run ends that an error has ended. A judge that stayed busy may answer later, and the exit
// code says so to the script that runs the command again.
Result<int> ended_by(const Error& error, const Jury& jury, const Command& command);

// The first Ctrl-C drains, the second stops.
Stopping stopping(const InterruptGuard& guard);

// How a run ends that an error has ended. A judge that stayed busy may answer later, and the exit
// code says so to the script that runs the command again.
Result<int> ended_by(const Error& error, bool stayed_busy, const Command& command);

}  // namespace duel::cli
