#include "duel/verdict/by_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <variant>

#include "duel/log/experiment_log.h"
#include "duel/verdict/board.h"

namespace duel {
namespace {

// The arm that is certified, by its id; empty where none is, or more than one.
std::string certified_arm(const SliceResult& result) {
  return result.certificate && result.certificate->winner ? *result.certificate->winner : "";
}

SliceResult result_of_part(const Ledger& ledger, double alpha) {
  SliceResult result;
  static_cast<ExperimentResult&>(result) = result_of(ledger, board_of(ledger), IfWrong());
  result.alpha = alpha;
  return result;
}

// The values of a column in the order in which they appear, each with its rows.
using RowsByValue = std::vector<std::pair<std::string, std::vector<ComparisonRecord>>>;

RowsByValue rows_by_value(const ComparisonTable& table, const std::string& column) {
  RowsByValue rows;
  for (const ComparisonRecord& row : table.rows) {
    std::string value = extra_of(row, column);
    if (value.empty()) continue;
    auto found = std::ranges::find(rows, value, [](const auto& one) { return one.first; });
    if (found == rows.end()) {
      rows.emplace_back(std::move(value), std::vector<ComparisonRecord>());
      found = std::prev(rows.end());
    }
    found->second.push_back(row);
  }
  return rows;
}

Error no_column(const ComparisonTable& table, const std::string& column) {
  std::set<std::string> columns;
  for (const ComparisonRecord& row : table.rows) {
    for (const auto& [name, value] : row.extra) columns.insert(name);
  }
  return Error::invalid_argument(fmt::format("no comparison has a column '{}'", column), "",
                                 columns.empty()
                                     ? "the file has no column that Duel does not use otherwise"
                                     : fmt::format("known: {}", fmt::join(columns, ", ")));
}

}  // namespace

BySlice by_slice(const SliceLedgers& slices) {
  BySlice all;
  for (const SliceLedgers::Part& part : slices.parts()) {
    // The others stand behind the values of all slices.
    auto slice = std::ranges::find(all, part.slice, [](const auto& one) { return one.first; });
    if (slice == all.end()) {
      all.emplace_back(part.slice, std::vector<std::pair<std::string, SliceResult>>());
      slice = std::prev(all.end());
    }
    const bool other = part.value == kOtherValue;
    if (other && part.ledger.total().served == 0) continue;
    slice->second.emplace_back(
        part.value,
        result_of_part(part.ledger, other ? 0 : part.ledger.experiment().stopping.alpha));
  }
  return all;
}

Result<BySlice> by_slice_of_log(Store& store, const std::string& experiment_id) {
  std::optional<SliceLedgers> slices;
  const auto note = [&](const LogEntry& entry) -> Status {
    if (slices) {
      slices->note(entry);
    } else {
      DUEL_ASSIGN(slices, SliceLedgers::make(std::get<ExperimentRecord>(entry.record)));
    }
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(store, experiment_id, note));
  return slices ? by_slice(*slices) : BySlice();
}

Result<BySlice> by_slice_of_table(const ComparisonTable& table,
                                  const std::vector<std::string>& columns, double alpha,
                                  bool in_order, const Goal& goal) {
  std::vector<RowsByValue> rows;
  std::size_t values = 0;
  for (const std::string& column : columns) {
    rows.push_back(rows_by_value(table, column));
    if (rows.back().empty()) return no_column(table, column);
    values += rows.back().size();
  }
  if (values > kMostSliceValues) {
    return Error::invalid_argument(
        fmt::format("the columns have {} values together, and {} are "
                    "allowed",
                    values, kMostSliceValues));
  }
  BySlice all;
  const double each = alpha_of_each(alpha, values);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto& [slice, results] = all.emplace_back();
    slice = columns[k];
    for (auto& [value, some] : rows[k]) {
      ComparisonTable part;
      part.arms = table.arms;
      part.rows = std::move(some);
      part.interleaved = table.interleaved;
      DUEL_ASSIGN(const ReadAnswers read, answers_of(part, "part", each, in_order, goal));
      results.emplace_back(value, result_of_part(read.ledger, each));
    }
  }
  return all;
}

std::vector<std::string> slices_that_differ(const BySlice& by_slice) {
  std::vector<std::string> sentences;
  for (const auto& [slice, values] : by_slice) {
    std::set<std::string> arms;
    std::string named;
    for (const auto& [value, result] : values) {
      const std::string arm = certified_arm(result);
      if (arm.empty()) continue;
      arms.insert(arm);
      named += fmt::format("{}'{}' ({})", named.empty() ? "" : ", ", arm, value);
    }
    if (arms.size() > 1) {
      sentences.push_back(fmt::format("The winner differs by {}: {}.", slice, named));
    }
  }
  return sentences;
}

SlicedResult sliced(ExperimentResult whole, BySlice by_slice) {
  SlicedResult result;
  static_cast<ExperimentResult&>(result) = std::move(whole);
  result.slices_differ = slices_that_differ(by_slice);
  if (!by_slice.empty()) result.by_slice = std::move(by_slice);
  return result;
}

}  // namespace duel
