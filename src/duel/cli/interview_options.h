// What `duel run` and `duel vote` share: the options that say what is compared and when to stop,
// and the report at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/cli/options.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/judging/interview.h"

namespace duel::cli {

struct InterviewOptions {
  std::vector<std::string> arms;
  std::vector<std::string> more_arms;  // what a shell made of a glob without quotes
  std::string arms_file;
  std::string tasks;
  std::string name;
  std::string log;
  std::string certificate;
  std::string policy;
  std::string goal = "condorcet";
  std::string order = "random";
  double alpha = 0.05;
  std::uint64_t max_duels = 10'000;
  std::uint64_t seed = 0;
  bool json = false;
};

// Adds the options. `orders` are those that make sense for the command.
void add_interview_options(Command& command, InterviewOptions& options,
                           const std::vector<std::string>& orders);

// Reads what the options name and opens the log, or goes on with it and says so.
Result<Interview> open_interview(const InterviewOptions& options, const CommandContext& context);

// Where the certificate goes: --certificate, or beside the log.
std::string certificate_file(const InterviewOptions& options, const Interview& interview);

// How it ended: `certified`, `undecided` or `interrupted`.
enum class Ending { certified, undecided, interrupted };

// Writes the certificate and prints the report, as text or JSON. `extra` goes into the JSON. Gives
// the exit code of a command that was not interrupted.
Result<int> report_ending(Ending ending, const InterviewOptions& options,
                          const Interview& interview, CommandContext& context, const Json& extra);

// The command as it was given, to be given again.
std::string same_command(const Command& command);

}  // namespace duel::cli
