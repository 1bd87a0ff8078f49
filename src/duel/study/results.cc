#include "duel/study/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/study/spec.h"
#include "duel/study/study_files.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr std::size_t kMaxResultsBytes = 1'000'000'000;

constexpr std::array<std::string_view, 16> kResultColumns = {
    "matrix", "policy", "round", "regret", "mean",     "se",          "median",      "q10",
    "q90",    "min",    "max",   "trials", "accuracy", "accuracy_se", "informative", "seed"};

constexpr std::array<std::string_view, 5> kMatrixColumns = {
    "matrix", "num_arms", "condorcet_winner", "lower_bound", "lower_bound_condorcet_target"};

std::string csv_number(double value) { return std::isnan(value) ? "" : format_number(value); }

// The records of a table whose first line must be `columns`.
class TableReader {
 public:
  static Result<TableReader> open(std::string_view text, const std::string& source,
                                  std::span<const std::string_view> columns) {
    TableReader table(CsvReader(text, source), columns);
    DUEL_ASSIGN(const auto header, table.reader_.next());
    if (!header) {
      return Error::invalid_data("the file is empty", source);
    }
    for (std::size_t i = 0; i < std::max(columns.size(), header->fields.size()); ++i) {
      if (i < columns.size() && i < header->fields.size() && header->fields[i] == columns[i]) {
        continue;
      }
      return Error::invalid_data(i < header->fields.size()
                                     ? fmt::format("unexpected column '{}'", header->fields[i])
                                     : fmt::format("the column '{}' is missing", columns[i]),
                                 table.reader_.where(header->line),
                                 fmt::format("the columns are {}", fmt::join(columns, ",")));
    }
    return table;
  }

  // False at the end.
  Result<bool> next() {
    DUEL_ASSIGN(auto record, reader_.next());
    if (!record) return false;
    record_ = *std::move(record);
    if (record_.fields.size() != columns_.size()) {
      return error(fmt::format("{} fields instead of {}", record_.fields.size(), columns_.size()));
    }
    return true;
  }

  Error error(std::string message) const {
    return Error::invalid_data(std::move(message), reader_.where(record_.line));
  }

  const std::string& text(std::size_t column) const { return record_.fields[column]; }
  // A missing number is NaN where that is allowed.
  Result<double> number(std::size_t column, bool may_be_empty = false) const {
    if (may_be_empty && text(column).empty()) return kUndefined;
    const auto value = parse_number(text(column));
    if (!value.ok()) return in_column(column, value.error());
    return *value;
  }
  Result<std::uint64_t> count(std::size_t column, std::uint64_t least, std::uint64_t most) const {
    const auto value = parse_count(text(column));
    if (!value.ok()) return in_column(column, value.error());
    if (*value < least || *value > most) {
      return in_column(column,
                       Error::invalid_data(fmt::format("'{}' is out of range", text(column)))
                           .with_hint(fmt::format("{} .. {}", least, most)));
    }
    return *value;
  }
  Error in_column(std::size_t column, const Error& cause) const {
    Error located = error(fmt::format("column '{}': {}", columns_[column], cause.message));
    located.hint = cause.hint;
    return located;
  }

 private:
  TableReader(CsvReader reader, std::span<const std::string_view> columns)
      : reader_(std::move(reader)), columns_(columns) {}

  CsvReader reader_;
  std::span<const std::string_view> columns_;
  CsvRecord record_;
};

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

// Empty throughout where the regret is undefined: nobody knows the truth.
Result<Summary> read_summary(const TableReader& table) {
  Summary s;
  bool all_empty = true;
  for (std::size_t column = 4; column <= 10; ++column) {
    all_empty = all_empty && table.text(column).empty();
  }
  if (all_empty) return s;
  DUEL_ASSIGN(s.mean, table.number(4));
  DUEL_ASSIGN(s.se, table.number(5, true));
  DUEL_ASSIGN(s.median, table.number(6));
  DUEL_ASSIGN(s.q10, table.number(7));
  DUEL_ASSIGN(s.q90, table.number(8));
  DUEL_ASSIGN(s.min, table.number(9));
  DUEL_ASSIGN(s.max, table.number(10));
  if (!(s.min <= s.q10 && s.q10 <= s.median && s.median <= s.q90 && s.q90 <= s.max)) {
    return table.error("min, q10, median, q90 and max are not in ascending order");
  }
  if (!(s.min <= s.mean && s.mean <= s.max)) return table.error("the mean is not in [min, max]");
  if (s.se < 0) return table.error("column 'se': a standard error is not negative");
  return s;
}

Result<ResultRow> read_row(const TableReader& table) {
  ResultRow row;
  row.matrix = table.text(0);
  row.policy = table.text(1);
  if (row.matrix.empty()) return table.error("column 'matrix' is empty");
  if (row.policy.empty()) return table.error("column 'policy' is empty");
  DUEL_ASSIGN(row.rest.round, table.count(2, 1, kMaxRounds));
  const auto regret = parse_regret_notion(table.text(3));
  if (!regret.ok()) return table.in_column(3, regret.error());
  row.regret = *regret;
  DUEL_ASSIGN(row.summary, read_summary(table));
  DUEL_ASSIGN(const std::uint64_t trials, table.count(11, 1, kMaxTrials));
  row.trials = static_cast<std::uint32_t>(trials);
  DUEL_ASSIGN(row.rest.accuracy, table.number(12));
  if (row.rest.accuracy < 0 || row.rest.accuracy > 1) {
    return table.error("column 'accuracy': not in [0, 1]");
  }
  DUEL_ASSIGN(row.rest.accuracy_se, table.number(13, true));
  if (row.rest.accuracy_se < 0) {
    return table.error("column 'accuracy_se': a standard error is not negative");
  }
  DUEL_ASSIGN(row.rest.informative, table.number(14));
  if (row.rest.informative < 0) return table.error("column 'informative': less than 0");
  DUEL_ASSIGN(row.seed, table.count(15, 0, kMaxSeed));
  return row;
}

// Puts rows back into their nest: matrix, policy, checkpoint, regret.
class Assembler {
 public:
  Status add(const TableReader& table, const ResultRow& row) {
    if (results_.runs.empty()) {
      results_.seed = row.seed;
      regrets_known_ = false;
    }
    if (row.seed != results_.seed) return table.error("the seed differs from the line before");
    if (results_.runs.empty() || results_.runs.back().facts.matrix != row.matrix) {
      if (!complete_checkpoint()) return incomplete(table);
      for (const MatrixResult& run : results_.runs) {
        if (run.facts.matrix == row.matrix) return scattered(table, "matrix", row.matrix);
      }
      results_.runs.emplace_back();
      results_.runs.back().facts.matrix = row.matrix;
    }
    std::vector<PolicyResult>& policies = results_.runs.back().policies;
    if (policies.empty() || policies.back().policy != row.policy) {
      if (!complete_checkpoint()) return incomplete(table);
      for (const PolicyResult& policy : policies) {
        if (policy.policy == row.policy) return scattered(table, "policy", row.policy);
      }
      policies.emplace_back();
      policies.back().policy = row.policy;
      policies.back().trials = row.trials;
    }
    PolicyResult& policy = policies.back();
    if (policy.trials != row.trials) {
      return table.error("the number of trials differs from the line before");
    }
    if (policy.checkpoints.empty() || policy.checkpoints.back().round != row.rest.round) {
      if (!complete_checkpoint()) return incomplete(table);
      if (!policy.checkpoints.empty()) {
        regrets_known_ = true;
        if (policy.checkpoints.back().round > row.rest.round) {
          return table.error("the rounds of a policy are not in ascending order");
        }
      }
      policy.checkpoints.push_back(row.rest);
    }
    CheckpointResult& checkpoint = policy.checkpoints.back();
    const std::size_t index = checkpoint.regrets.size();
    if (!regrets_known_) {
      // The first checkpoint of the file says which notions there are.
      for (const RegretNotion known : results_.regrets) {
        if (known == row.regret) return table.error("this regret stands here twice");
      }
      results_.regrets.push_back(row.regret);
    } else if (index >= results_.regrets.size() || results_.regrets[index] != row.regret) {
      return table.error("the regrets of a checkpoint differ from those of the first one");
    }
    checkpoint.regrets.push_back(row.summary);
    results_.rounds = std::max(results_.rounds, row.rest.round);
    results_.trials = std::max(results_.trials, row.trials);
    return Done{};
  }

  bool complete_checkpoint() {
    if (results_.runs.empty() || results_.runs.back().policies.empty()) return true;
    const PolicyResult& policy = results_.runs.back().policies.back();
    if (policy.checkpoints.empty()) return true;
    regrets_known_ = true;
    return policy.checkpoints.back().regrets.size() == results_.regrets.size();
  }

  StudyResults& results() { return results_; }

 private:
  static Error incomplete(const TableReader& table) {
    return table.error("the checkpoint before this line lacks a regret that others have");
  }
  static Error scattered(const TableReader& table, const char* what, const std::string& name) {
    return table.error(fmt::format("the lines of {} '{}' do not stand together", what, name));
  }

  StudyResults results_;
  bool regrets_known_ = false;
};

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
        const Summary& summary = checkpoint.regrets[r];
        regrets[to_string(results.regrets[r])] = {
            {"mean", finite_or_null(summary.mean)},     {"se", finite_or_null(summary.se)},
            {"median", finite_or_null(summary.median)}, {"q10", finite_or_null(summary.q10)},
            {"q90", finite_or_null(summary.q90)},       {"min", finite_or_null(summary.min)},
            {"max", finite_or_null(summary.max)}};
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

PolicyResult summarize_policy(const PolicyRecord& record, const std::vector<Round>& checkpoints) {
  const TrialTable& table = record.trials;
  PolicyResult result;
  result.policy = record.policy;
  result.trials = table.num_finished();
  result.seconds = record.seconds;
  result.cpu_seconds = record.cpu_seconds;
  if (result.trials == 0) return result;
  const double n = result.trials;
  std::vector<double> values;
  values.reserve(result.trials);
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    CheckpointResult checkpoint;
    checkpoint.round = checkpoints[c];
    for (std::size_t r = 0; r < table.num_regrets(); ++r) {
      values.clear();
      for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
        if (table.finished(trial)) values.push_back(table.value(trial, c, r));
      }
      checkpoint.regrets.push_back(summarize(values));
    }
    std::size_t right = 0;
    values.clear();
    for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
      if (!table.finished(trial)) continue;
      right += table.correct(trial, c) ? 1 : 0;
      values.push_back(static_cast<double>(table.informative(trial, c)));
    }
    checkpoint.accuracy = static_cast<double>(right) / n;
    checkpoint.accuracy_se = share_standard_error(right, result.trials);
    checkpoint.informative = mean(values);
    result.checkpoints.push_back(std::move(checkpoint));
  }
  return result;
}

std::string to_results_csv(const StudyResults& results) {
  std::string text = fmt::format("{}\n", fmt::join(kResultColumns, ","));
  for (const MatrixResult& run : results.runs) {
    for (const PolicyResult& policy : run.policies) {
      const std::string names = csv_field(run.facts.matrix) + "," + csv_field(policy.policy);
      for (const CheckpointResult& checkpoint : policy.checkpoints) {
        for (std::size_t r = 0; r < checkpoint.regrets.size(); ++r) {
          const Summary& s = checkpoint.regrets[r];
          text += fmt::format(
              "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", names, checkpoint.round,
              to_string(results.regrets[r]), csv_number(s.mean), csv_number(s.se),
              csv_number(s.median), csv_number(s.q10), csv_number(s.q90), csv_number(s.min),
              csv_number(s.max), policy.trials, csv_number(checkpoint.accuracy),
              csv_number(checkpoint.accuracy_se), csv_number(checkpoint.informative), results.seed);
        }
      }
    }
  }
  return text;
}

std::string to_matrices_csv(const StudyResults& results) {
  std::string text = fmt::format("{}\n", fmt::join(kMatrixColumns, ","));
  for (const MatrixResult& run : results.runs) {
    const MatrixFacts& facts = run.facts;
    text += fmt::format("{},{},{},{},{}\n", csv_field(facts.matrix), facts.num_arms,
                        csv_field(facts.condorcet_winner), csv_number(facts.lower_bound),
                        csv_number(facts.lower_bound_condorcet_target));
  }
  return text;
}

Result<StudyResults> parse_results_csv(std::string_view text, const std::string& source) {
  DUEL_ASSIGN(TableReader table, TableReader::open(text, source, kResultColumns));
  Assembler assembler;
  while (true) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) break;
    DUEL_ASSIGN(const ResultRow row, read_row(table));
    DUEL_RETURN_IF_ERROR(assembler.add(table, row));
  }
  if (assembler.results().runs.empty()) {
    return Error::invalid_data("the file has no results", source);
  }
  if (!assembler.complete_checkpoint()) {
    return table.error("the last checkpoint lacks a regret that others have");
  }
  return std::move(assembler.results());
}

Result<std::vector<MatrixFacts>> parse_matrices_csv(std::string_view text,
                                                    const std::string& source) {
  DUEL_ASSIGN(TableReader table, TableReader::open(text, source, kMatrixColumns));
  std::vector<MatrixFacts> all;
  while (true) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) return all;
    MatrixFacts facts;
    facts.matrix = table.text(0);
    DUEL_ASSIGN(facts.num_arms, table.count(1, 1, std::uint64_t{1} << 32));
    facts.condorcet_winner = table.text(2);
    DUEL_ASSIGN(facts.lower_bound, table.number(3, true));
    DUEL_ASSIGN(facts.lower_bound_condorcet_target, table.number(4, true));
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

std::string to_json_text(const StudyResults& results) { return to_json(results).dump_pretty(); }

}  // namespace duel
