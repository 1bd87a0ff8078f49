// A study run for a person at a terminal: progress on stderr, and Ctrl-C ends it with what there
// is.
#pragma once

#include <functional>
#include <string>

#include "duel/cli/command.h"
#include "duel/study/study.h"

namespace duel::cli {

class StudyRun {
 public:
  explicit StudyRun(CommandContext& context) : context_(context) {}

  // Calls `work` with the hooks set.
  Result<StudyOutcome> run(const std::function<Result<StudyOutcome>(StudyOptions&)>& work);

  // Says on stderr what the numbers of an interrupted study are, also with --quiet: they are not
  // what was asked for. `directory` is where it can be resumed, or empty.
  void explain_interruption(const StudyOutcome& outcome, const std::string& directory) const;
  // The exit code of an interrupted study.
  int exit_code() const { return exit_code_; }

 private:
  CommandContext& context_;
  int exit_code_ = kExitInterrupted;
};

// The results as JSON or as tables.
void print_results(const StudyResults& results, bool json, CommandContext& context);
// Where they are, and how to draw them.
void note_results(const std::string& directory, const CommandContext& context);

}  // namespace duel::cli
