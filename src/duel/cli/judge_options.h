// What `duel run`, `tune`, `gate` and `judge check` share: the options of a judge program, how it
// is asked, and when asking ends.
#pragma once

#include <cstdint>
#include <string>

#include "duel/cli/options.h"
#include "duel/core/result.h"
#include "duel/judging/judge_command.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/judge_pool.h"

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

// The first Ctrl-C drains, the second stops.
Stopping stopping(const InterruptGuard& guard);

// How a run ends that an error has ended. A judge that stayed busy may answer later, and the exit
// code says so to the script that runs the command again.
Result<int> ended_by(const Error& error, bool stayed_busy, const Command& command);

}  // namespace duel::cli
