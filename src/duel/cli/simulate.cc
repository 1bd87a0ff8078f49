#include <filesystem>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/cli/study_runner.h"
#include "duel/study/spec.h"
#include "duel/study/study.h"

namespace duel::cli {
namespace {

// An option that is a key of the study: `--policy` is `policies`.
struct StudyOption {
  std::string key;
  const Option* option = nullptr;
  std::vector<std::string> texts;
  std::optional<bool> flag;  // of an option without a value
};

struct SimulateArguments {
  std::string study;
  std::list<StudyOption> study_options;
  std::string output;
  std::string resume;
  std::string shard;
  bool force = false;
  bool json = false;
};

// What is wrong with `text` as a value of the key, or "".
std::string complaint_about(const std::string& key, const std::string& text) {
  StudyDraft scratch;
  const Status status = scratch.set(key, text);
  if (status.ok()) return "";
  Error error = status.error();
  // The option's name stands before it already.
  if (error.message.starts_with(key + ": ")) error.message.erase(0, key.size() + 2);
  return error.to_string();
}

// `--matrix 'a,b'` is a list, unless a file has that very name.
Status add_to_draft(StudyDraft& draft, const StudyOption& option) {
  if (option.flag) return draft.set(option.key, *option.flag ? "true" : "false");
  std::string joined;
  std::vector<std::string> files;
  for (const std::string& text : option.texts) {
    std::error_code ignored;
    if (option.key == "matrices" && text.find(',') != std::string::npos &&
        std::filesystem::is_regular_file(text, ignored)) {
      files.push_back(text);
      continue;
    }
    joined += (joined.empty() ? "" : ",") + text;
  }
  if (!joined.empty() || files.empty()) DUEL_RETURN_IF_ERROR(draft.set(option.key, joined));
  if (!files.empty()) {
    if (!draft.matrices) draft.matrices.emplace();
    draft.matrices->insert(draft.matrices->end(), files.begin(), files.end());
  }
  return Done{};
}

Error missing(const std::string& what, const std::string& example) {
  return Error::invalid_argument(fmt::format("no {} is given", what)).with_hint("write " + example);
}

Result<StudySpec> spec_of(const SimulateArguments& arguments) {
  StudyDraft flags;
  StudyDraft configured;
  StudyDraft file;
  for (const StudyOption& option : arguments.study_options) {
    if (!option.option->given()) continue;
    StudyDraft& draft = option.option->configured ? configured : flags;
    DUEL_RETURN_IF_ERROR(add_to_draft(draft, option));
  }
  if (!arguments.study.empty()) {
    DUEL_ASSIGN(file, read_study_file(arguments.study));
  }
  // What the named file says is as good as written on the command line, so it stands above the
  // variables and duel.toml.
  const StudyDraft draft = over(flags, over(file, configured));
  if (!draft.policies || draft.policies->empty()) {
    return missing("policy", "--policy rucb,rmed1; 'duel policies' lists them");
  }
  if (!draft.matrices || draft.matrices->empty()) {
    return missing("matrix",
                   "--matrix arxiv or --matrix my.csv; 'duel matrix generate --list' "
                   "lists the built-in ones");
  }
  return complete(draft);
}

Result<StudyOutcome> resume(const SimulateArguments& arguments, const StudyOptions& options) {
  std::string extra = arguments.study.empty() ? "" : "a study file";
  if (!arguments.output.empty()) extra = "--output";
  if (arguments.force) extra = "--force";
  if (!arguments.shard.empty()) extra = "--shard";
  unsigned threads = 0;
  for (const StudyOption& option : arguments.study_options) {
    if (!option.option->given()) continue;
    if (option.key == "threads") {
      StudyDraft draft;
      DUEL_RETURN_IF_ERROR(add_to_draft(draft, option));
      threads = draft.threads.value_or(0);
    } else if (!option.option->configured) {
      extra = option.option->name();
    }
  }
  if (!extra.empty()) {
    return Error::invalid_argument(fmt::format("{} cannot be given with it", extra), "--resume",
                                   "the directory defines the study");
  }
  return resume_study(arguments.resume, options, threads);
}

Result<int> run_simulate(const SimulateArguments& arguments, CommandContext& context) {
  const std::string directory = arguments.resume.empty() ? arguments.output : arguments.resume;
  if (!arguments.study.empty() && arguments.resume.empty()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(arguments.study, ignored)) {
      return Error::invalid_argument(
                 fmt::format("'{}' is a directory, not a study file", arguments.study))
          .with_hint(fmt::format("to continue it: duel simulate --resume {}",
                                 shell_word(arguments.study)));
    }
  }
  if (directory.empty()) {
    for (const StudyOption& option : arguments.study_options) {
      if (option.key == "trials_csv" && option.option->on_command_line() && *option.flag) {
        return Error::invalid_argument("there is no directory to write to", "--trials-csv",
                                       "add -o DIR");
      }
    }
    if (arguments.force) {
      return Error::invalid_argument("there is nothing to replace", "--force", "add -o DIR");
    }
  }
  std::optional<StudySpec> spec;
  if (arguments.resume.empty()) {
    DUEL_ASSIGN(spec, spec_of(arguments));
  }
  std::optional<Shard> shard;
  if (!arguments.shard.empty()) {
    DUEL_ASSIGN(shard, parse_shard(arguments.shard));
    if (directory.empty()) {
      return Error::invalid_argument("there is no directory for the trials", "--shard",
                                     "add -o DIR, the same for all shards");
    }
  }
  StudyRun study(context);
  DUEL_ASSIGN(const StudyOutcome outcome, study.run([&](StudyOptions& options) {
    if (!spec) return resume(arguments, options);
    options.output = arguments.output;
    options.force = arguments.force;
    options.shard = shard;
    return run_study(*spec, options);
  }));
  if (shard && !outcome.results.interrupted) {
    context.note("shard {} is done; once all {} are: duel merge {}", arguments.shard, shard->count,
                 shell_word(directory));
    return kExitDone;
  }

  print_results(outcome.results, arguments.json, context);
  if (outcome.results.interrupted) {
    study.explain_interruption(outcome, directory);
    return study.exit_code();
  }
  if (outcome.already_complete) {
    context.note("{} was already complete; nothing was run", directory);
  } else if (!directory.empty()) {
    note_results(directory, context);
  }
  return kExitDone;
}

}  // namespace

void add_simulate_command(Command& program) {
  Command& command = program.add_command(
      "simulate",
      "Plays policies against known preference matrices, many trials each, and compares their "
      "regret.\nPolicies meet the same outcomes in the same trial, so differences between them "
      "have small error. Results depend on the seed alone, never on the number of threads. A study "
      "file can set everything that the options set; options take precedence. Numbers may be "
      "written 1e6. An interrupted run (Ctrl-C) prints the statistics of the finished trials.");
  SimulateArguments& arguments = command.runs(run_simulate);
  command.add("STUDY FILE", &arguments.study,
              "Study file in TOML: policies, matrices, rounds, trials, ...");

  const auto add_option = [&](std::string_view declared, const std::string& key,
                              const std::string& doc) {
    StudyOption& entry = arguments.study_options.emplace_back();
    entry.key = key;
    const Check check = [key](const std::string& text) { return complaint_about(key, text); };
    Option& option = command.add_configurable(declared, checked(&entry.texts, check), doc);
    option.once = !declared.ends_with("LIST");
    entry.option = &option;
  };
  const auto add_flag = [&](std::string_view declared, const std::string& key,
                            const std::string& doc) {
    StudyOption& entry = arguments.study_options.emplace_back();
    entry.key = key;
    entry.flag = false;
    entry.option = &command.add_configurable(declared, &*entry.flag, doc);
  };
  add_option("--policy POLICY-LIST", "policies",
             "Policies to compare, separated by commas; may be repeated. See 'duel policies'.");
  add_option(
      "--matrix,--environment MATRIX-LIST", "matrices",
      "Built-in matrices such as arxiv or bradley-terry(k=64,seed=1,spread=1), or files; "
      "matrices that change, changing(1=arxiv,10000=slides), switching(base=arxiv,changes=5) or "
      "drifting(from=arxiv,to=slides); strengths(k=10000,seed=1,spread=1) "
      "for more than 2000 arms; or rankers compared by clicks, "
      "clicks(data=train.txt,interleave=team-draft,user=navigational). Separated by commas; "
      "may be repeated. See 'duel matrix' and docs/estimation.md.");
  add_option("--rounds N", "rounds", "Rounds of every trial (default 1e5).");
  add_option("--trials N", "trials", "Trials of every policy on every matrix (default 100).");
  add_option("--seed N", "seed", "Seed of all randomness (default 0).");
  add_option("--checkpoints N-LIST", "checkpoints",
             "Rounds at which regret is recorded, such as 1e3,1e4 (default 1, 2, 5, 10, ...).");
  add_option(
      "--regret REGRET-LIST", "regrets",
      "Regret notions: average, strong, weak, copeland, borda, von-neumann (default average).");
  add_flag("--horizon-per-checkpoint", "horizon_per_checkpoint",
           "Run policies that need a horizon afresh for every checkpoint, as the papers do.");
  add_option("--batch N", "batch",
             "Duels that are asked before any of their answers is heard (default 1).");
  add_option("--delay N", "delay", "Rounds by which answers come later than that (default 0).");
  add_option("--threads N", "threads",
             "Threads (default: one per core; under mpirun one per rank).");
  add_flag("--trials-csv", "trials_csv", "Also write trials.csv, one row per trial (with -o).");
  command.add("-o,--output DIR", not_empty(&arguments.output),
              "Directory for spec.toml, results.csv and more; created if missing.");
  command.add("--resume DIR", not_empty(&arguments.resume),
              "Continue the interrupted study in this directory.");
  command.add("--shard K/N", not_empty(&arguments.shard),
              "Run only part K of N, as a task of a Slurm array or a job of a cluster does, and "
              "leave its trials in DIR; 'duel merge DIR' makes the results of all parts.");
  command.add("--force", &arguments.force, "Replace the results of another study in DIR.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel simulate --policy rucb,rmed1 --matrix arxiv --rounds 1e6 --trials 100 --seed 1\n"
      "  duel simulate --policy 'rucb(alpha=0.6)' --matrix my.csv --regret average,weak --json\n"
      "  duel simulate study.toml -o out && duel plot out -o regret.svg\n"
      "  duel simulate study.toml -o out --shard 3/64          one of 64 jobs; then: duel merge out"
      "\n"
      "  mpirun -n 64 duel simulate study.toml -o out          64 ranks share the trials";
}

}  // namespace duel::cli
