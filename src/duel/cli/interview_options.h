// What `duel run` and `duel vote` share: the options that say what is compared and when to stop,
// and the report at the end.
#pragma once

#include <string>
#include <vector>

#include "duel/cli/options.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/judging/interview_request.h"

namespace duel::cli {

struct InterviewOptions {
  InterviewRequest request;
  std::vector<std::string> more_arms;  // what a shell made of a glob without quotes
  std::string certificate;
  std::vector<std::string> programs;  // that answer: they must be there before a log is begun
  bool json = false;
  bool close_panel = false;

  // Where the certificate goes: --certificate, or beside the log.
  std::string certificate_for(const std::string& log) const;
};

// Adds the options. `orders` are those that make sense for the command.
void add_interview_options(Command& command, InterviewOptions& options,
                           const std::vector<std::string>& orders);

// Those of a panel, whose members are people.
void add_panel_options(Command& command, InterviewOptions& options);

// Reads what the options name and opens the log, or goes on with it and says so.
Result<Interview> open_interview(const InterviewOptions& options, const CommandContext& context);

// Writes the certificate and prints the report, as text or JSON. `extra` goes into the JSON. Gives
// the exit code of a command that was not interrupted.
Result<int> report_ending(RunEnding ending, const InterviewOptions& options,
                          const Interview& interview, CommandContext& context, const Json& extra);

// What an undecided interview lacks: duels, or tasks.
std::string why_undecided(const Interview& interview, RunEnding ending);

// The command as it was given, to be given again.
std::string same_command(const Command& command);

}  // namespace duel::cli
