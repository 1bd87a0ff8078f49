#include "duel/cli/study_runner.h"

#include <memory>

#include "duel/cli/progress.h"
#include "duel/cli/result_table.h"

namespace duel::cli {

Result<StudyOutcome> StudyRun::run(const std::function<Result<StudyOutcome>(StudyOptions&)>& work) {
  const InterruptGuard guard;
  std::unique_ptr<Progress> progress;
  StudyOptions options;
  options.stop = &guard.stop();
  options.progress = [&](const StudyProgress& now) {
    if (!progress) {
      progress = std::make_unique<Progress>("trials", now.trials_total, context_.quiet);
      progress->start_at(now.trials_resumed);
    }
    progress->update(now.trials_done, now.matrix + " " + now.policy);
  };
  auto outcome = work(options);
  if (progress) progress->finish();
  exit_code_ = guard.exit_code();
  return outcome;
}

void StudyRun::explain_interruption(const StudyOutcome& outcome,
                                    const std::string& directory) const {
  std::uint64_t finished = 0;
  std::uint64_t asked = 0;
  for (const MatrixResult& run : outcome.results.runs) {
    for (const PolicyResult& policy : run.policies) finished += policy.trials;
    asked += outcome.results.trials * (run.policies.size() + run.not_run.size());
  }
  std::string text = finished == 0 ? std::string("interrupted before the first trial was finished")
                                   : fmt::format(
                                         "interrupted: these are the statistics of the {} finished "
                                         "trials of {}",
                                         finished, asked);
  if (!directory.empty()) {
    text += fmt::format("; to continue: duel simulate --resume {}", shell_word(directory));
  }
  context_.warn(text);
}

void print_results(const StudyResults& results, bool json, CommandContext& context) {
  context.print(json ? to_json(results).dump_pretty()
                     : results_text(results, report_width(), stdout_paint()));
}

void note_results(const std::string& directory, const CommandContext& context) {
  context.note("results are in {}; draw them: duel plot {} -o regret.svg", directory,
               shell_word(directory));
}

}  // namespace duel::cli
