#include "duel/study/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/study/problem.h"
#include "duel/study/spec.h"
#include "duel/study/study_files.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr std::size_t kMaxResultsBytes = 1'000'000'000;

constexpr std::string_view kResultColumns =
    "matrix,policy,round,regret,mean,se,median,q10,q90,min,max,trials,accuracy,accuracy_se,"
    "informative,seed";
constexpr std::string_view kMatrixColumns =
    "matrix,num_arms,condorcet_winner,lower_bound,lower_bound_condorcet_target";

struct SummaryField {
  std::string_view name;
  double Summary::* value;
};
constexpr std::array<SummaryField, 7> kSummaryFields = {{{"mean", &Summary::mean},
                                                         {"se", &Summary::se},
                                                         {"median", &Summary::median},
                                                         {"q10", &Summary::q10},
                                                         {"q90", &Summary::q90},
                                                         {"min", &Summary::min},
                                                         {"max", &Summary::max}}};

// One line of results.csv.
struct ResultRow {
  std::string matrix;
  std::string policy;
  RegretNotion regret = RegretNotion::average;
  Summary summary;
  std::uint32_t trials = 0;
  std::uint64_t seed = 0;
  CheckpointResult rest;  // round, accuracy, informative; no regrets
};

// All fields are empty if the regret is undefined because the truth is unknown.
Result<Summary> read_summary(const CsvTable& table) {
  Summary s;
  if (std::ranges::all_of(kSummaryFields,
                          [&](const auto& field) { return table.text(field.name).empty(); })) {
    return s;
  }
  for (const auto& [name, value] : kSummaryFields) {
    DUEL_ASSIGN(s.*value, name == "se" ? table.number_or_undefined(name) : table.number(name));
  }
  if (!(s.min <= s.q10 && s.q10 <= s.median && s.median <= s.q90 && s.q90 <= s.max)) {
    return table.error("min, q10, median, q90 and max are not in ascending order");
  }
  if (!(s.min <= s.mean && s.mean <= s.max)) return table.error("the mean is not in [min, max]");
  if (s.se < 0) return table.error("column 'se': a standard error is not negative");
  return s;
}

Result<ResultRow> read_row(const CsvTable& table) {
  ResultRow row;
  row.matrix = table.text("matrix");
  row.policy = table.text("policy");
  if (row.matrix.empty()) return table.error("column 'matrix' is empty");
  if (row.policy.empty()) return table.error("column 'policy' is empty");
  DUEL_ASSIGN(row.rest.round, table.count("round", 1, kMaxRounds));
  const auto regret = parse_regret_notion(table.text("regret"));
  if (!regret.ok()) return table.error_in("regret", regret.error());
  row.regret = *regret;
  DUEL_ASSIGN(row.summary, read_summary(table));
  DUEL_ASSIGN(const std::uint64_t trials, table.count("trials", 1, kMaxTrials));
  row.trials = static_cast<std::uint32_t>(trials);
  DUEL_ASSIGN(row.rest.accuracy, table.number("accuracy"));
  if (row.rest.accuracy < 0 || row.rest.accuracy > 1) {
    return table.error("column 'accuracy': not in [0, 1]");
  }
  DUEL_ASSIGN(row.rest.accuracy_se, table.number_or_undefined("accuracy_se"));
  if (row.rest.accuracy_se < 0) {
    return table.error("column 'accuracy_se': a standard error is not negative");
  }
  DUEL_ASSIGN(row.rest.informative, table.number("informative"));
  if (row.rest.informative < 0) return table.error("column 'informative': less than 0");
  DUEL_ASSIGN(row.seed, table.count("seed", 0, kMaxSeed));
  return row;
}

bool last_checkpoint_is_complete(const StudyResults& results) {
  return results.runs.empty() ||
         results.runs.back().policies.back().checkpoints.back().regrets.size() ==
             results.regrets.size();
}

// Puts a row back into its nest: matrix, policy, checkpoint, regret.
Status add_row(const CsvTable& table, const ResultRow& row, StudyResults& results) {
  const auto scattered = [&](const char* what, const std::string& name) {
    return table.error(fmt::format("the lines of {} '{}' are not consecutive", what, name));
  };
  auto& runs = results.runs;
  if (!runs.empty() && row.seed != results.seed) {
    return table.error("the seed differs from the line before");
  }
  results.seed = row.seed;
  const bool new_matrix = runs.empty() || runs.back().facts.matrix != row.matrix;
  const bool new_policy = new_matrix || runs.back().policies.back().policy != row.policy;
  if (!new_policy && runs.back().policies.back().trials != row.trials) {
    return table.error("the number of trials differs from the line before");
  }
  const bool new_checkpoint =
      new_policy || runs.back().policies.back().checkpoints.back().round != row.rest.round;
  if (new_checkpoint && !last_checkpoint_is_complete(results)) {
    return table.error("the checkpoint before this line lacks a regret that others have");
  }
  if (new_matrix) {
    for (const MatrixResult& run : runs) {
      if (run.facts.matrix == row.matrix) return scattered("matrix", row.matrix);
    }
    runs.emplace_back().facts.matrix = row.matrix;
  }
  auto& policies = runs.back().policies;
  if (new_policy) {
    for (const PolicyResult& policy : policies) {
      if (policy.policy == row.policy) return scattered("policy", row.policy);
    }
    policies.push_back({row.policy, row.trials, {}});
  }
  auto& checkpoints = policies.back().checkpoints;
  if (new_checkpoint) {
    if (!checkpoints.empty() && checkpoints.back().round > row.rest.round) {
      return table.error("the rounds of a policy are not in ascending order");
    }
    checkpoints.push_back(row.rest);
  }
  auto& regrets = checkpoints.back().regrets;
  if (runs.size() == 1 && policies.size() == 1 && checkpoints.size() == 1) {
    // The first checkpoint of the file says which notions there are.
    if (std::ranges::find(results.regrets, row.regret) != results.regrets.end()) {
      return table.error("this regret appears twice");
    }
    results.regrets.push_back(row.regret);
  } else if (regrets.size() >= results.regrets.size() ||
             results.regrets[regrets.size()] != row.regret) {
    return table.error("the regrets of a checkpoint differ from those of the first one");
  }
  regrets.push_back(row.summary);
  results.rounds = std::max(results.rounds, row.rest.round);
  results.trials = std::max(results.trials, row.trials);
  return Done{};
}

Json json_of(const MatrixResult& run, const StudyResults& results) {
  Json json;
  std::uint32_t fewest = results.trials;
  bool unfinished = !run.not_run.empty();
  for (const PolicyResult& policy : run.policies) {
    fewest = std::min(fewest, policy.trials);
    unfinished = unfinished || policy.trials < results.trials;
  }
  if (run.policies.empty()) fewest = 0;
  json["matrix"] = run.facts.matrix;
  json["rounds"] = results.rounds;
  json["trials"] = fewest;
  json["seed"] = results.seed;
  if (unfinished) {
    json["interrupted"] = true;
    json["trials_asked"] = results.trials;
    json["not_run"] = run.not_run;
  }
  json["lower_bound"] = finite_or_null(run.facts.lower_bound);
  json["policies"] = Json::array();
  for (const PolicyResult& policy : run.policies) {
    Json entry;
    entry["policy"] = policy.policy;
    if (unfinished) entry["trials"] = policy.trials;
    entry["checkpoints"] = Json::array();
    for (const CheckpointResult& checkpoint : policy.checkpoints) {
      Json regrets;
      for (std::size_t r = 0; r < results.regrets.size(); ++r) {
        Json& regret = regrets[to_string(results.regrets[r])];
        for (const auto& [name, value] : kSummaryFields) {
          regret[name] = finite_or_null(checkpoint.regrets[r].*value);
        }
      }
      entry["checkpoints"].push_back({{"round", checkpoint.round},
                                      {"regret", std::move(regrets)},
                                      {"accuracy", finite_or_null(checkpoint.accuracy)},
                                      {"informative", finite_or_null(checkpoint.informative)}});
    }
    entry["seconds"] = finite_or_null(policy.seconds);
    json["policies"].push_back(std::move(entry));
  }
  return json;
}

template <class Trials>
PolicyResult without_checkpoints(const TrialRecord<Trials>& record) {
  return {record.policy, record.trials.num_finished(), {}, record.seconds, record.cpu_seconds};
}

// `right` trials recommend a right arm.
void add_checkpoint(PolicyResult& result, Round round, std::vector<Summary> regrets,
                    std::size_t right, double informative) {
  result.checkpoints.push_back({round, std::move(regrets),
                                static_cast<double>(right) / result.trials,
                                share_standard_error(right, result.trials), informative});
}

}  // namespace

MatrixFacts facts_of(const PreferenceMatrix& matrix, std::string label) {
  MatrixFacts facts;
  facts.matrix = std::move(label);
  facts.num_arms = matrix.num_arms();
  if (const auto winner = condorcet_winner(matrix)) {
    facts.condorcet_winner = matrix.arm_name(*winner);
  }
  if (const auto bound = regret_lower_bound(matrix); bound.ok()) {
    facts.lower_bound = bound->value;
    facts.lower_bound_condorcet_target = bound->condorcet_target;
  }
  return facts;
}

MatrixFacts facts_of(const Strengths& strengths, std::string label) {
  return {.matrix = std::move(label),
          .num_arms = strengths.num_arms(),
          .condorcet_winner = strengths.arm_name(strengths.winner())};
}

MatrixFacts facts_of(const Problem& problem, const std::string& label) {
  if (problem.strengths) return facts_of(*problem.strengths, label);
  if (problem.by_round) {
    MatrixFacts facts{.matrix = label, .num_arms = problem.by_round->num_arms()};
    if (const PreferenceMatrix* matrix = problem.by_round->matrix()) {
      facts.condorcet_winner = facts_of(*matrix, "").condorcet_winner;
    }
    return facts;
  }
  const auto& segments = problem.schedule.segments;
  MatrixFacts facts = facts_of(segments.front().matrix, label);
  if (segments.size() == 1) return facts;
  // The winners in turn; a bound of the first matrix says nothing about the others.
  for (std::size_t k = 1; k < segments.size(); ++k) {
    const std::string next = facts_of(segments[k].matrix, "").condorcet_winner;
    if (facts.condorcet_winner.empty() || next.empty()) {
      facts.condorcet_winner.clear();
      break;
    }
    facts.condorcet_winner += " then " + next;
  }
  facts.lower_bound = facts.lower_bound_condorcet_target = kUndefined;
  return facts;
}

PolicyResult summarize_policy(const PolicyRecord& record, const std::vector<Round>& checkpoints) {
  const TrialTable& table = record.trials;
  PolicyResult result = without_checkpoints(record);
  if (result.trials == 0) return result;
  const auto values_of = [&](auto value_of) {
    std::vector<double> values;
    values.reserve(result.trials);
    for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
      if (table.finished(trial)) values.push_back(static_cast<double>(value_of(trial)));
    }
    return values;
  };
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    std::vector<Summary> regrets;
    for (std::size_t r = 0; r < table.num_regrets(); ++r) {
      regrets.push_back(
          summarize(values_of([&](std::uint32_t trial) { return table.value(trial, c, r); })));
    }
    std::size_t right = 0;
    const std::vector<double> informative = values_of([&](std::uint32_t trial) {
      right += table.correct(trial, c) ? 1 : 0;
      return table.informative(trial, c);
    });
    add_checkpoint(result, checkpoints[c], std::move(regrets), right, mean(informative));
  }
  return result;
}

PolicyResult summarize_policy(const DigestRecord& record, const std::vector<Round>& checkpoints) {
  PolicyResult result = without_checkpoints(record);
  if (result.trials == 0) return result;
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    const TrialDigest::Checkpoint& digest = record.trials.checkpoints()[c];
    std::vector<Summary> regrets;
    for (const ValueDigest& regret : digest.regrets) regrets.push_back(regret.summary());
    add_checkpoint(result, checkpoints[c], std::move(regrets), digest.correct,
                   digest.informative.value().high / result.trials);
  }
  return result;
}

std::string to_results_csv(const StudyResults& results) {
  Table table(kResultColumns);
  for (const MatrixResult& run : results.runs) {
    for (const PolicyResult& policy : run.policies) {
      for (const CheckpointResult& checkpoint : policy.checkpoints) {
        for (std::size_t r = 0; r < checkpoint.regrets.size(); ++r) {
          Json row{{"matrix", run.facts.matrix},
                   {"policy", policy.policy},
                   {"round", checkpoint.round},
                   {"regret", to_string(results.regrets[r])},
                   {"trials", policy.trials},
                   {"accuracy", checkpoint.accuracy},
                   {"accuracy_se", checkpoint.accuracy_se},
                   {"informative", checkpoint.informative},
                   {"seed", results.seed}};
          for (const auto& [name, value] : kSummaryFields) row[name] = checkpoint.regrets[r].*value;
          table.row_of({&row});
        }
      }
    }
  }
  return table.to_csv();
}

std::string to_matrices_csv(const StudyResults& results) {
  Table table(kMatrixColumns);
  for (const MatrixResult& run : results.runs) {
    const MatrixFacts& facts = run.facts;
    table.row({facts.matrix, facts.num_arms, facts.condorcet_winner, facts.lower_bound,
               facts.lower_bound_condorcet_target});
  }
  return table.to_csv();
}

Result<StudyResults> parse_results_csv(std::string_view text, const std::string& source) {
  DUEL_ASSIGN(CsvTable table, CsvTable::open(text, source, kResultColumns));
  StudyResults results;
  while (true) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) break;
    DUEL_ASSIGN(const ResultRow row, read_row(table));
    DUEL_RETURN_IF_ERROR(add_row(table, row, results));
  }
  if (results.runs.empty()) return Error::invalid_data("the file has no results", source);
  if (!last_checkpoint_is_complete(results)) {
    return table.error("the last checkpoint lacks a regret that others have");
  }
  return results;
}

Result<std::vector<MatrixFacts>> parse_matrices_csv(std::string_view text,
                                                    const std::string& source) {
  DUEL_ASSIGN(CsvTable table, CsvTable::open(text, source, kMatrixColumns));
  std::vector<MatrixFacts> all;
  while (true) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) return all;
    MatrixFacts facts;
    facts.matrix = table.text("matrix");
    DUEL_ASSIGN(facts.num_arms, table.count("num_arms", 1, std::uint64_t{1} << 32));
    facts.condorcet_winner = table.text("condorcet_winner");
    DUEL_ASSIGN(facts.lower_bound, table.number_or_undefined("lower_bound"));
    DUEL_ASSIGN(facts.lower_bound_condorcet_target,
                table.number_or_undefined("lower_bound_condorcet_target"));
    all.push_back(std::move(facts));
  }
}

Result<StudyResults> read_results(const std::filesystem::path& directory_or_file) {
  std::error_code ignored;
  const bool is_directory = std::filesystem::is_directory(directory_or_file, ignored);
  const StudyFiles files(is_directory ? directory_or_file : directory_or_file.parent_path());
  const std::filesystem::path file = is_directory ? files.results() : directory_or_file;
  if (is_directory && !std::filesystem::exists(file, ignored)) {
    const bool unfinished = std::filesystem::exists(files.progress(), ignored);
    return Error::not_found(unfinished ? "the study in this directory is not finished"
                                       : "there is no results.csv in this directory",
                            directory_or_file.string(), unfinished ? "resume it first" : "");
  }
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMaxResultsBytes));
  DUEL_ASSIGN(StudyResults results, parse_results_csv(text, file.string()));
  if (!std::filesystem::exists(files.matrices(), ignored)) return results;
  DUEL_ASSIGN(const std::string matrices, read_whole_file(files.matrices(), kMaxResultsBytes));
  DUEL_ASSIGN(const auto all, parse_matrices_csv(matrices, files.matrices().string()));
  for (MatrixResult& run : results.runs) {
    for (const MatrixFacts& facts : all) {
      if (facts.matrix == run.facts.matrix) run.facts = facts;
    }
  }
  return results;
}

Json to_json(const StudyResults& results) {
  if (results.runs.size() == 1) return json_of(results.runs.front(), results);
  Json runs = Json::array();
  for (const MatrixResult& run : results.runs) runs.push_back(json_of(run, results));
  return {{"runs", std::move(runs)}};
}

}  // namespace duel
