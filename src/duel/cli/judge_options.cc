#include "duel/cli/judge_options.h"

#include <fmt/format.h>

#include "duel/judging/child_process.h"

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
