#include "duel/cli/demo_policies.h"

#include <filesystem>

#include "duel/cli/gnuplot.h"
#include "duel/cli/study_runner.h"
#include "duel/pictures/plot.h"
#include "duel/study/spec.h"
#include "duel/study/study.h"

namespace duel::cli {
namespace {

constexpr const char* kDemoName = "duel demo";

StudySpec demo_spec() {
  StudySpec spec;
  spec.name = kDemoName;
  spec.policies = {"rucb", "rmed1", "if2", "btm", "savage-condorcet", "uniform"};
  spec.matrices = {"arxiv"};
  spec.rounds = 100'000;
  spec.trials = 100;
  spec.seed = 1;
  return spec;
}

// An earlier demonstration in the directory may be replaced; somebody's study may not.
bool holds_demo(const std::filesystem::path& directory) {
  const auto draft = read_study_file(directory / "spec.toml");
  return draft.ok() && draft->name == kDemoName;
}

}  // namespace

Result<int> demonstrate_policies(const std::string& directory, CommandContext& context) {
  context.print(
      "Six rankers of the arXiv search engine, and only clicks to tell which of two is better:\n"
      "which policy finds the best one while showing the worse ones least?\n\n");
  context.note("6 policies, 100 trials each, 1e5 rounds");
  StudyRun study(context);
  const auto ran = study.run([&](StudyOptions& options) {
    options.output = directory;
    options.force = holds_demo(directory);
    return run_study(demo_spec(), options);
  });
  if (!ran.ok()) {
    Error error = ran.error();
    if (error.code == ErrorCode::unsupported) error.hint = "choose another directory with -o";
    return error;
  }
  const StudyOutcome& outcome = *ran;
  print_results(outcome.results, false, context);
  if (outcome.results.interrupted) {
    study.explain_interruption(outcome, directory);
    return study.exit_code();
  }

  bool drawn = true;
  for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
    PlotOptions options;
    options.format = format;
    const std::string file =
        (std::filesystem::path(directory) / ("regret." + to_string(format))).string();
    const Result<int> picture = draw(outcome.results, options, file, context);
    if (!picture.ok() && picture.error().code == ErrorCode::not_found) {
      context.warn(picture.error().to_string());
      drawn = false;
      break;
    }
    if (!picture.ok()) return picture.error();
    if (*picture != kExitDone) return *picture;
  }

  std::string text = "\n";
  text +=
      "Regret counts how much worse the shown rankers were than the best one, summed over all\n"
      "rounds; ± is the standard error over the trials. 'informative' counts duels between two\n"
      "different rankers, 'accuracy' the share of trials that would recommend the best one.\n"
      "Uniform choice never stops paying; a good policy pays about ln T, and none can pay less\n"
      "than the lower bound in the long run.\n\n";
  if (drawn) text += fmt::format("Pictures   {0}/regret.svg, {0}/regret.png\n", directory);
  text += fmt::format("Numbers    {0}/results.csv, {0}/spec.toml\n\n", directory);
  text +=
      "Next:\n"
      "  duel policies                 what there is, with papers and guarantees\n"
      "  duel matrix show arxiv        this problem: winners, gaps, assumptions, lower bound\n"
      "  duel simulate --policy rmed1,rucb --matrix arxiv --rounds 1e7\n"
      "  duel simulate --policy rmed1,rucb --matrix my.csv     your own preference matrix\n";
  return context.done(text);
}

}  // namespace duel::cli
