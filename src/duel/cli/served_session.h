// `duel run` and `duel vote` on an experiment that a server holds: the options, the questions, and
// the report at the end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duel/cli/client_options.h"
#include "duel/client/patient_client.h"
#include "duel/client/remote_questions.h"
#include "duel/core/result.h"
#include "duel/judging/judge_loop.h"

namespace duel::cli {

// Which experiment, where, and for how long to try.
struct ServedOptions {
  ClientOptions client;
  std::string experiment;
  double patience = 60;
  const Option* experiment_option = nullptr;

  // Whether the command is to work on an experiment of a server or store: by --server or
  // --experiment.
  bool asked_for() const;
  // Its id: --experiment, or the one argument.
  Result<std::string> experiment_id(const std::vector<std::string>& arguments) const;
};
void add_served_options(Command& command, ServedOptions& options);
// An error for an option that the experiment has decided already. `allowed` are the names of those
// that have their use.
Status check_served_options(const Command& command, const std::vector<std::string>& allowed);

class ServedSession {
 public:
  // Connects and gets the first duel. REQUIRES: `guard` and `context` live longer.
  static Result<std::unique_ptr<ServedSession>> open(const ServedOptions& options,
                                                     const std::string& experiment_id,
                                                     const std::string& subject,
                                                     const InterruptGuard& guard,
                                                     CommandContext& context);

  RemoteQuestions& questions() { return questions_; }
  // Duels that got no answer, or one that the server refused.
  std::uint64_t failed(const JudgeLoop& loop) const;

  // The result as it stands, and what this command did. Gives the exit code. `stopped`: by the
  // person who answers.
  Result<int> report(RunEnding ending, const JudgeLoop& loop, bool json, bool stopped = false);

 private:
  ServedSession(std::unique_ptr<ApiClient> connection, const ServedOptions& options,
                const std::string& experiment_id, const std::string& subject,
                const InterruptGuard& guard, CommandContext& context);

  std::unique_ptr<ApiClient> connection_;
  PatientClient client_;
  std::string experiment_id_;
  RemoteQuestions questions_;
  const InterruptGuard& guard_;
  CommandContext& context_;
};

}  // namespace duel::cli
