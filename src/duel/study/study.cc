#include "duel/study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/rng.h"
#include "duel/core/whole_file.h"
#include "duel/jobs/ranks.h"
#include "duel/simulation/simulation.h"
#include "duel/simulation/trial_digest.h"
#include "duel/study/problem.h"
#include "duel/study/progress_log.h"
#include "duel/study/study_files.h"
#include "duel/version_info.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Whether the trials of a policy are all in memory until they are summarised.
bool keeps_trials(const StudySpec& spec) {
  return spec.trials <= kMostKeptTrials || spec.trials_csv;
}

// A study whose parts all exist and fit together.
struct PreparedStudy {
  StudySpec spec;  // with canonical policies
  std::vector<Round> checkpoints;
  std::vector<std::unique_ptr<const Problem>> matrices;
  std::vector<std::string> matrix_labels;
  std::vector<Simulation> simulations;  // one per matrix
  std::string identity;                 // of everything that decides the values
};

// A hash of the study's values: its spec, the matrices themselves and the version of the program.
std::string identity_of(const PreparedStudy& study) {
  std::string text = fmt::format("{}\n{}", kVersion, to_toml(essence_of(study.spec)));
  for (const auto& problem : study.matrices) {
    if (problem->strengths) text += problem->strengths->name() + "\n";
    if (problem->corruption) text += problem->corruption->name() + "\n";
    if (problem->by_round) text += problem->by_round->name() + "\n";
    if (problem->features && problem->strengths) {
      for (const double value : problem->features->values()) {
        text += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(value));
      }
      for (const double gap : problem->strengths->utility_gaps()) {
        text += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(gap));
      }
      text += '\n';
    }
    if (problem->clicks) text += fmt::format("{:016x}\n", problem->clicks->fingerprint());
    for (const auto& [from, matrix] : problem->schedule.segments) {
      if (from > 1) text += fmt::format("{}:", from);
      for (Arm i = 0; i < matrix.num_arms(); ++i) {
        text += fmt::format("{}:{}", matrix.arm_name(i).size(), matrix.arm_name(i));
        for (const double p : matrix.row(i)) {
          text += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(p));
        }
      }
      text += '\n';
    }
  }
  return fmt::format("{:016x}", hash_text(text));
}

// Matrices are called by their own names, or as the spec has them where names would be equal.
std::vector<std::string> matrix_labels(const PreparedStudy& study) {
  std::vector<std::string> labels;
  for (std::size_t m = 0; m < study.matrices.size(); ++m) {
    const std::string& name = study.matrices[m]->schedule.name;
    const auto namesakes =
        std::count_if(study.matrices.begin(), study.matrices.end(),
                      [&](const auto& other) { return other->schedule.name == name; });
    labels.push_back(namesakes > 1 ? study.spec.matrices[m] : name);
  }
  return labels;
}

// `threads` may differ from what the spec says, since it changes no result.
Result<PreparedStudy> prepare(const StudySpec& given, unsigned threads, bool has_output) {
  PreparedStudy study;
  DUEL_ASSIGN(study.spec, checked(given));  // it may have been filled in by hand
  DUEL_ASSIGN(study.checkpoints, complete_checkpoints(given.checkpoints, given.rounds));

  SimulationPlan plan;
  plan.checkpoints = study.checkpoints;
  plan.trials = given.trials;
  plan.seed = given.seed;
  plan.regrets = given.regrets;
  plan.threads = threads;
  plan.horizon_per_checkpoint = given.horizon_per_checkpoint;
  plan.feedback = {.batch = given.batch, .delay = given.delay};
  plan.keeps_trials = keeps_trials(given);
  for (const std::string& policy : given.policies) {
    DUEL_ASSIGN(CallSpec call, parse_call(policy));
    DUEL_RETURN_IF_ERROR(find_policy(call.name));
    plan.policies.push_back(std::move(call));
  }
  for (const std::string& text : given.matrices) {
    if (text == "-" && has_output) {
      return Error::unsupported(
                 "a study with an output directory cannot read a matrix from standard input")
          .with_hint("it could not be resumed; write the matrix to a file first");
    }
    DUEL_ASSIGN(Problem resolved, resolve_problem(text, threads));
    study.matrices.push_back(std::make_unique<const Problem>(std::move(resolved)));
    const Problem& problem = *study.matrices.back();
    set_problem_of(plan, problem);
    auto simulation = Simulation::create(plan);
    if (!simulation.ok()) {
      Error error = simulation.error();
      // A policy's wrong option is as wrong on any other matrix.
      if (error.code == ErrorCode::invalid_argument) return error;
      error.where =
          fmt::format("matrix '{}'{}{}", text, error.where.empty() ? "" : ", ", error.where);
      return error;
    }
    study.simulations.push_back(*std::move(simulation));
  }
  study.matrix_labels = matrix_labels(study);

  const Simulation& first = study.simulations.front();
  for (std::size_t p = 0; p < first.num_policies(); ++p) {
    const std::string& label = first.label(p);
    for (std::size_t q = 0; q < p; ++q) {
      if (first.label(q) != label) continue;
      return Error::invalid_argument(fmt::format("policy '{}' is given twice", label))
          .with_hint(
              fmt::format("'{}' and '{}' are the same", given.policies[q], given.policies[p]));
    }
    // A string that depended on the matrix would not do for all of them.
    const bool holds_for_all =
        std::all_of(study.simulations.begin(), study.simulations.end(),
                    [&](const Simulation& other) { return other.label(p) == label; });
    if (holds_for_all) study.spec.policies[p] = label;
  }
  study.identity = identity_of(study);
  return study;
}

// --- the output directory ------------------------------------------------------------------------

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_same(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

Result<StudySpec> read_spec(const StudyFiles& files) {
  DUEL_ASSIGN(const StudyDraft draft, read_study_file(files.spec()));
  auto spec = complete(draft);
  if (spec.ok()) return spec;
  Error error = spec.error();
  error.where = files.spec().string();
  return error;
}

Error belongs_to_another(const StudyFiles& files, const std::string& what) {
  return Error::unsupported(what, files.directory.string(),
                            "choose another directory, or `force` to replace it");
}

// Whether the directory may be written to without `force`.
Status check_free(const StudyFiles& files, const StudySpec& spec) {
  const bool has_results = is_there(files.results()) || is_there(files.trials());
  if (!is_there(files.spec())) {
    if (has_results) return belongs_to_another(files, "the directory holds results without a spec");
    return Done{};
  }
  const auto there = read_spec(files);
  if (!there.ok()) {
    return belongs_to_another(files, fmt::format("the directory holds a spec that cannot be read "
                                                 "({})",
                                                 there.error().to_string()));
  }
  if (essence_of(*there) != essence_of(spec)) {
    return belongs_to_another(files, "the directory holds a different study");
  }
  return Done{};
}

Status remove_file(const std::filesystem::path& file) {
  std::error_code code;
  std::filesystem::remove(file, code);
  if (code) return system_error("cannot be removed", file, code.value());
  return Done{};
}

// The logs from which a run knows finished trials, and the one to which it writes its own.
struct TrialLogs {
  std::optional<ProgressLog> own;
  std::vector<ProgressLog> shards;  // those of other shards

  // As ProgressLog::load.
  Status load(std::size_t matrix, std::size_t policy, TrialTable& row,
              const std::function<void(std::uint32_t trial)>& take) const {
    if (own) DUEL_RETURN_IF_ERROR(own->load(matrix, policy, row, take));
    for (const ProgressLog& shard : shards) {
      DUEL_RETURN_IF_ERROR(shard.load(matrix, policy, row, take));
    }
    return Done{};
  }
};

Result<ProgressLog> open_log(const PreparedStudy& study, const std::filesystem::path& file,
                             ProgressLog::Opening opening) {
  return ProgressLog::open(file, study.identity, study.matrices.size(), study.spec.policies.size(),
                           opening);
}

Result<std::vector<ProgressLog>> open_shards(const PreparedStudy& study, const StudyFiles& files) {
  std::vector<ProgressLog> logs;
  for (const auto& file : files.shards()) {
    DUEL_ASSIGN(ProgressLog log, open_log(study, file, ProgressLog::Opening::continued));
    logs.push_back(std::move(log));
  }
  return logs;
}

// Opens the log before anything else is touched: it holds the lock, and where it is, the directory
// is known to be unfinished.
Result<TrialLogs> open_output(const PreparedStudy& study, const StudyFiles& files,
                              ProgressLog::Opening opening) {
  DUEL_RETURN_IF_ERROR(make_directory(files.directory));
  const bool was_unfinished = is_there(files.progress());
  DUEL_ASSIGN(ProgressLog log, open_log(study, files.progress(), opening));
  TrialLogs logs;
  if (opening == ProgressLog::Opening::continued) {
    DUEL_ASSIGN(logs.shards, open_shards(study, files));
  } else {
    for (const auto& file : files.shards()) DUEL_RETURN_IF_ERROR(remove_file(file));
  }
  const auto clear = [&]() -> Status {
    for (const auto& file : {files.results(), files.trials(), files.matrices(), files.timing()}) {
      DUEL_RETURN_IF_ERROR(remove_file(file));
    }
    return write_whole_file(files.spec(), to_toml(study.spec));
  };
  if (const Status cleared = clear(); !cleared.ok()) {
    if (!was_unfinished) log.remove().ok();  // leave as found; the first error counts
    return cleared.error();
  }
  logs.own.emplace(std::move(log));
  return logs;
}

// A shard's log. Several shards may begin in the same directory at once, so nothing but the spec,
// which is the same for all, is written beside it.
Result<TrialLogs> open_shard(const PreparedStudy& study, const StudyFiles& files,
                             const StudyOptions& options) {
  if (is_there(files.results())) {
    return Error::unsupported("the study in this directory is complete", files.directory.string(),
                              "choose another directory for the shards");
  }
  DUEL_RETURN_IF_ERROR(make_directory(files.directory));
  TrialLogs logs;
  DUEL_ASSIGN(ProgressLog log, open_log(study, files.shard(*options.shard),
                                        options.force ? ProgressLog::Opening::fresh
                                                      : ProgressLog::Opening::continued));
  if (!is_there(files.spec())) {
    // Under a name of its own first: two that write one file at once would take it from each other.
    std::filesystem::path own_copy = files.shard(*options.shard);
    own_copy.replace_extension(".toml");
    DUEL_RETURN_IF_ERROR(write_whole_file(own_copy, to_toml(study.spec)));
    std::error_code code;
    std::filesystem::rename(own_copy, files.spec(), code);
    if (code) return system_error("cannot be written", files.spec(), code.value());
  }
  logs.own.emplace(std::move(log));
  return logs;
}

// Adds the trials of a policy to trials.csv.
Status write_trials(AtomicFile& output, const std::string& matrix, const PolicyRecord& record,
                    const std::vector<Round>& checkpoints,
                    const std::vector<RegretNotion>& regrets) {
  const std::string names = csv_field(matrix) + "," + csv_field(record.policy);
  const TrialTable& table = record.trials;
  std::string text;
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
    for (std::size_t c = 0; c < checkpoints.size(); ++c) {
      for (std::size_t r = 0; r < regrets.size(); ++r) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", names, trial,
                       checkpoints[c], to_string(regrets[r]),
                       format_number(table.value(trial, c, r)), table.correct(trial, c) ? 1 : 0,
                       table.informative(trial, c));
      }
    }
    if (text.size() > (1 << 20) || trial + 1 == table.num_trials()) {
      DUEL_RETURN_IF_ERROR(output.write(text));
      text.clear();
    }
  }
  return Done{};
}

std::string to_timing_json(const StudyOutcome& outcome) {
  Json json;
  json["version"] = kVersion;
  json["threads"] = outcome.threads;
  if (outcome.ranks > 1) json["ranks"] = outcome.ranks;
  json["seconds"] = outcome.seconds;
  json["trials_resumed"] = outcome.trials_resumed;
  json["policies"] = Json::array();
  for (const MatrixResult& run : outcome.results.runs) {
    for (const PolicyResult& policy : run.policies) {
      json["policies"].push_back({{"matrix", run.facts.matrix},
                                  {"policy", policy.policy},
                                  {"seconds", policy.seconds},
                                  {"cpu_seconds", policy.cpu_seconds}});
    }
  }
  return json.dump_pretty();
}

// --- the run -------------------------------------------------------------------------------------

// Tells how far the run is, from the trials of the policy that runs now.
class ProgressTeller {
 public:
  ProgressTeller(const StudyOptions& options, std::uint64_t total)
      : tell_(options.progress), start_(Clock::now()) {
    progress_.trials_total = total;
  }

  void begin(const std::string& matrix, const std::string& policy, std::uint32_t resumed) {
    progress_.matrix = matrix;
    progress_.policy = policy;
    progress_.trials_resumed += resumed;
  }
  void trials(std::uint32_t finished) {
    if (!tell_) return;
    progress_.trials_done = before_ + finished;
    progress_.seconds = seconds_since(start_);
    const std::uint64_t mine = progress_.trials_done - progress_.trials_resumed;
    const auto left = static_cast<double>(progress_.trials_total - progress_.trials_done);
    progress_.trials_per_second =
        progress_.seconds > 0 ? static_cast<double>(mine) / progress_.seconds : 0;
    progress_.seconds_left = mine > 0 ? left / progress_.trials_per_second : kUndefined;
    tell_(progress_);
  }
  void end(std::uint32_t finished) { before_ += finished; }

 private:
  const std::function<void(const StudyProgress&)>& tell_;
  Clock::time_point start_;
  StudyProgress progress_;
  std::uint64_t before_ = 0;  // of the policies that are done
};

// A policy's trials are held in one of two ways: all of them in a table, or as a digest where they
// would not fit into memory. These two functions are what differs.
auto play(const Simulation& simulation, std::size_t p, const RunHooks& hooks, TrialTable known) {
  return simulation.run(p, hooks, std::move(known));
}
auto play(const Simulation& simulation, std::size_t p, const RunHooks& hooks, TrialDigest known) {
  return run_digest(simulation, p, hooks, std::move(known));
}

class StudyRun {
 public:
  StudyRun(const PreparedStudy& study, const StudyOptions& options, const StudyFiles& files,
           TrialLogs logs)
      : study_(study),
        options_(options),
        files_(files),
        logs_(std::move(logs)),
        teller_(options, num_trials(study, options)) {}

  Result<StudyOutcome> run() {
    const StudySpec& spec = study_.spec;
    const auto start = Clock::now();
    outcome_.spec = spec;
    outcome_.threads = study_.simulations.front().threads();
    if (const Ranks* ranks = current_ranks()) outcome_.ranks = ranks->size();
    StudyResults& results = outcome_.results;
    results = {spec.name,
               spec.rounds,
               spec.trials,
               spec.seed,
               spec.regrets,
               {},
               {.batch = spec.batch, .delay = spec.delay}};
    const bool writes_results = !files_.directory.empty() && !options_.shard;
    if (writes_results && spec.trials_csv) {
      DUEL_ASSIGN(AtomicFile created, AtomicFile::create(files_.trials()));
      DUEL_RETURN_IF_ERROR(
          created.write("matrix,policy,trial,round,regret,value,correct,informative\n"));
      trials_csv_.emplace(std::move(created));
    }
    for (std::size_t m = 0; m < study_.matrices.size(); ++m) {
      results.runs.push_back({facts_of(*study_.matrices[m], study_.matrix_labels[m]), {}, {}});
      for (std::size_t p = 0; p < study_.simulations[m].num_policies(); ++p) {
        DUEL_RETURN_IF_ERROR(keeps_trials(spec)
                                 ? run_policy(m, p, study_.simulations[m].empty_table())
                                 : run_policy(m, p,
                                              TrialDigest(spec.trials, study_.checkpoints.size(),
                                                          spec.regrets.size())));
      }
    }
    outcome_.seconds = seconds_since(start);
    if (writes_results && !results.interrupted) DUEL_RETURN_IF_ERROR(write());
    return std::move(outcome_);
  }

 private:
  static std::uint64_t num_trials(const PreparedStudy& study, const StudyOptions& options) {
    return options.shard.value_or(Shard{}).share_of(
        std::uint64_t{study.spec.trials} * study.spec.policies.size() * study.matrices.size());
  }

  // Runs the trials that the logs do not know.
  template <class Trials>
  Status run_policy(std::size_t m, std::size_t p, Trials known) {
    MatrixResult& run = outcome_.results.runs[m];
    const Simulation& simulation = study_.simulations[m];
    TrialTable row(1, study_.checkpoints.size(), study_.spec.regrets.size());
    DUEL_RETURN_IF_ERROR(logs_.load(m, p, row, [&](std::uint32_t trial) {
      if (trial < known.num_trials()) known.add(trial, row);
    }));
    const std::uint32_t resumed = known.num_finished();
    outcome_.trials_resumed += resumed;
    teller_.begin(run.facts.matrix, simulation.label(p), resumed);
    const auto ran = play(simulation, p, hooks_of(m, p), std::move(known));
    if (!ran.ok()) {
      if (logs_.own) logs_.own->flush().ok();  // finished trials stay resumable; this error counts
      return ran.error();
    }
    teller_.end(ran->trials.num_finished());
    outcome_.results.interrupted = outcome_.results.interrupted || ran->interrupted;
    PolicyResult result;
    if constexpr (std::is_same_v<Trials, TrialTable>) {
      // Above the limit the results are the same whether or not trials.csv is wanted.
      result = study_.spec.trials > kMostKeptTrials
                   ? summarize_policy(digest_of(*ran), study_.checkpoints)
                   : summarize_policy(*ran, study_.checkpoints);
      if (trials_csv_ && !ran->interrupted && result.trials > 0) {
        DUEL_RETURN_IF_ERROR(write_trials(*trials_csv_, run.facts.matrix, *ran, study_.checkpoints,
                                          study_.spec.regrets));
      }
    } else {
      result = summarize_policy(*ran, study_.checkpoints);
    }
    // The time of the earlier trials is not known.
    if (resumed > 0) result.seconds = result.cpu_seconds = kUndefined;
    if (result.trials == 0) {
      run.not_run.push_back(ran->policy);
    } else {
      run.policies.push_back(std::move(result));
    }
    return Done{};
  }

  RunHooks hooks_of(std::size_t m, std::size_t p) {
    RunHooks hooks;
    hooks.stop = options_.stop;
    if (options_.shard) {
      const std::uint64_t first =
          (m * study_.simulations[m].num_policies() + p) * study_.spec.trials;
      hooks.wanted = [first, shard = *options_.shard](std::uint32_t trial) {
        return shard.has(first + trial);
      };
    }
    hooks.on_progress = [this](std::uint32_t finished) { teller_.trials(finished); };
    if (logs_.own) {
      hooks.on_tick = [this] { return logs_.own->flush(); };
      hooks.on_trial = [this, m, p](const TrialTable& table, std::uint32_t row,
                                    std::uint32_t trial) {
        logs_.own->append(m, p, table, row, trial);
      };
    }
    return hooks;
  }

  // results.csv comes last of the results: where it is, the study is complete.
  Status write() {
    if (trials_csv_) DUEL_RETURN_IF_ERROR(trials_csv_->commit());
    DUEL_RETURN_IF_ERROR(write_whole_file(files_.matrices(), to_matrices_csv(outcome_.results)));
    DUEL_RETURN_IF_ERROR(write_whole_file(files_.timing(), to_timing_json(outcome_)));
    DUEL_RETURN_IF_ERROR(write_whole_file(files_.results(), to_results_csv(outcome_.results)));
    if (logs_.own) DUEL_RETURN_IF_ERROR(logs_.own->remove());
    for (ProgressLog& shard : logs_.shards) {
      if (is_same(shard.file().parent_path(), files_.directory)) {
        DUEL_RETURN_IF_ERROR(shard.remove());
      }
    }
    return Done{};
  }

  const PreparedStudy& study_;
  const StudyOptions& options_;
  const StudyFiles& files_;
  TrialLogs logs_;
  ProgressTeller teller_;
  std::optional<AtomicFile> trials_csv_;
  StudyOutcome outcome_;
};

// Names the shards that are not there or not finished, where all are of one count.
Status check_complete(const PreparedStudy& study, const TrialLogs& logs) {
  std::optional<std::uint32_t> count;
  for (const ProgressLog& log : logs.shards) {
    const auto shard = StudyFiles::shard_of(log.file());
    if (!shard || shard->count != count.value_or(shard->count)) {
      count = 0;
      break;
    }
    count = shard->count;
  }
  std::set<std::uint32_t> unfinished;
  std::uint64_t missing = 0;
  std::uint64_t number = 0;
  for (std::size_t m = 0; m < study.matrices.size(); ++m) {
    for (std::size_t p = 0; p < study.simulations[m].num_policies(); ++p) {
      TrialTable row(1, study.checkpoints.size(), study.spec.regrets.size());
      std::vector<bool> finished(study.spec.trials);
      DUEL_RETURN_IF_ERROR(logs.load(m, p, row, [&](std::uint32_t trial) {
        if (trial < finished.size()) finished[trial] = true;
      }));
      for (std::uint32_t trial = 0; trial < finished.size(); ++trial, ++number) {
        if (finished[trial]) continue;
        ++missing;
        if (count.value_or(0) > 0) {
          unfinished.insert(static_cast<std::uint32_t>(number % *count) + 1);
        }
      }
    }
  }
  if (missing == 0) return Done{};
  std::string text = fmt::format("{} of {} trials are missing", missing, number);
  if (!unfinished.empty()) {
    constexpr std::size_t kNamed = 10;
    std::vector<std::string> names;
    for (const std::uint32_t shard : unfinished | std::views::take(kNamed)) {
      names.push_back(fmt::format("{}/{}", shard, *count));
    }
    text += fmt::format("; not finished: {} {}", unfinished.size() == 1 ? "shard" : "shards",
                        fmt::join(names, ", "));
    if (unfinished.size() > kNamed) {
      text += fmt::format(" and {} more", unfinished.size() - kNamed);
    }
  }
  return Error::unsupported(text).with_hint(
      "run these shards again, each goes on where it ended; or resume the study here");
}

}  // namespace

Result<StudyOutcome> run_study(const StudySpec& spec, const StudyOptions& options) {
  const bool has_output = !options.output.empty();
  DUEL_ASSIGN(const PreparedStudy study, prepare(spec, spec.threads, has_output));
  if (!has_output && options.shard) {
    return Error::invalid_argument("a shard needs a directory for its trials", "shard");
  }
  if (!has_output || !is_first_rank()) return StudyRun(study, options, StudyFiles(""), {}).run();
  const StudyFiles files(options.output);
  if (!options.force || options.shard) DUEL_RETURN_IF_ERROR(check_free(files, study.spec));
  if (options.shard) {
    DUEL_ASSIGN(TrialLogs logs, open_shard(study, files, options));
    return StudyRun(study, options, files, std::move(logs)).run();
  }
  // A log without a spec was left by a run that was killed before its first trial.
  const bool continued = !options.force && is_there(files.spec());
  DUEL_ASSIGN(TrialLogs logs, open_output(study, files,
                                          continued ? ProgressLog::Opening::continued
                                                    : ProgressLog::Opening::fresh));
  return StudyRun(study, options, files, std::move(logs)).run();
}

Result<StudyOutcome> resume_study(const std::filesystem::path& directory,
                                  const StudyOptions& options, unsigned threads) {
  StudyOptions whole = options;
  whole.shard.reset();
  const StudyFiles files(directory);
  if (!is_there(files.spec())) {
    return Error::not_found("there is no study to resume: spec.toml is missing",
                            directory.string());
  }
  DUEL_ASSIGN(StudySpec spec, read_spec(files));
  if (!is_there(files.progress()) && is_there(files.results())) {
    StudyOutcome outcome;
    outcome.spec = std::move(spec);
    outcome.already_complete = true;
    DUEL_ASSIGN(outcome.results, read_results(directory));
    outcome.results.name = outcome.spec.name;
    return outcome;
  }
  DUEL_ASSIGN(const PreparedStudy study,
              prepare(spec, threads != 0 ? threads : spec.threads, true));
  if (!is_first_rank()) return StudyRun(study, whole, StudyFiles(""), {}).run();
  DUEL_ASSIGN(TrialLogs logs, open_output(study, files, ProgressLog::Opening::continued));
  return StudyRun(study, whole, files, std::move(logs)).run();
}

Result<StudyOutcome> merge_study(const std::vector<std::filesystem::path>& directories,
                                 const std::filesystem::path& output) {
  if (directories.empty()) return Error::invalid_argument("no directory is given");
  std::optional<StudySpec> spec;
  for (const auto& directory : directories) {
    const StudyFiles files(directory);
    if (!is_there(files.spec())) {
      return Error::not_found("there is no study here: spec.toml is missing", directory.string());
    }
    DUEL_ASSIGN(StudySpec there, read_spec(files));
    if (spec && essence_of(*spec) != essence_of(there)) {
      return Error::unsupported(
          fmt::format("this is not the study of {}", directories.front().string()),
          directory.string(), "merge the shards of one study");
    }
    if (!spec) spec = std::move(there);
  }
  DUEL_ASSIGN(const PreparedStudy study, prepare(*spec, spec->threads, true));
  TrialLogs logs;
  for (const auto& directory : directories) {
    DUEL_ASSIGN(auto shards, open_shards(study, StudyFiles(directory)));
    if (shards.empty()) {
      return Error::not_found("there is no shard of a study here", directory.string(),
                              is_there(StudyFiles(directory).results())
                                  ? "its results are complete already"
                                  : "shards are left by a run with a shard such as 3/64");
    }
    std::move(shards.begin(), shards.end(), std::back_inserter(logs.shards));
    if (const auto file = StudyFiles(directory).progress(); is_there(file)) {
      DUEL_ASSIGN(ProgressLog log, open_log(study, file, ProgressLog::Opening::continued));
      logs.shards.push_back(std::move(log));
    }
  }
  DUEL_RETURN_IF_ERROR(check_complete(study, logs));
  const StudyFiles files(output.empty() ? directories.front() : output);
  const bool is_input =
      std::any_of(directories.begin(), directories.end(),
                  [&](const auto& directory) { return is_same(directory, files.directory); });
  if (!is_input) {
    DUEL_RETURN_IF_ERROR(check_free(files, study.spec));
    DUEL_ASSIGN(TrialLogs own, open_output(study, files, ProgressLog::Opening::fresh));
    logs.own.emplace(std::move(*own.own));
  }
  return StudyRun(study, {}, files, std::move(logs)).run();
}

}  // namespace duel
