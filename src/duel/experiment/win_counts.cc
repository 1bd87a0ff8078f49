#include "duel/experiment/win_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/core/csv.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr std::uint64_t kMostWins = 20'000'000;

bool is_number(std::string_view text) { return parse_number(trimmed(text)).ok(); }

// The arms of the header; `labelled` where the rows begin with a name. None if it is another table.
std::vector<std::string> arms_of(const std::vector<std::string>& header,
                                 const std::vector<std::string>& row, bool& labelled) {
  if (row.size() < 2 || row.size() > header.size() + 1 || header.size() > row.size()) return {};
  labelled = row.size() == header.size() + 1 || !is_number(row.front());
  const auto cells = row.begin() + (labelled ? 1 : 0);
  if (!std::all_of(cells, row.end(), is_number)) return {};
  const bool has_corner = labelled && row.size() == header.size();
  return {header.begin() + (has_corner ? 1 : 0), header.end()};
}

}  // namespace

bool looks_like_win_counts(std::string_view text, char separator) {
  CsvReader reader(text, "", separator);
  const auto header = reader.next();
  if (!header.ok() || !*header) return false;
  std::size_t rows = 0, arms = 0;
  for (;;) {
    const auto row = reader.next();
    if (!row.ok()) return false;
    if (!*row) break;
    bool labelled = false;
    arms = arms_of((*header)->fields, (*row)->fields, labelled).size();
    if (arms < 2 || ++rows > arms) return false;
  }
  return rows >= 2 && rows == arms;
}

Result<ComparisonTable> parse_win_counts(std::string_view text, char separator,
                                         const std::string& name) {
  CsvReader reader(text, name, separator);
  DUEL_ASSIGN(const auto header, reader.next());
  const auto bad = [&](std::size_t line, std::string message, std::string hint = {}) {
    return Error::invalid_data(std::move(message), reader.where(line), std::move(hint));
  };
  ComparisonTable table;
  table.read_as = "a table of wins: row beats column";
  table.interleaved = true;  // nobody says which arm was shown first
  std::vector<bool> met;
  std::uint64_t wins = 0;
  for (std::size_t number = 0;; ++number) {
    DUEL_ASSIGN(const auto row, reader.next());
    if (!row) return table;
    bool labelled = false;
    const std::vector<std::string> arms = arms_of(header->fields, row->fields, labelled);
    if (arms.empty()) return bad(row->line, "the row is not one of a table of wins");
    if (table.arms.empty()) {
      for (const std::string& arm : arms) {
        DUEL_RETURN_IF_ERROR(table.add_arm(std::string(trimmed(arm)), reader.where(header->line)));
      }
      met.resize(arms.size());
    }
    std::size_t winner = number;
    if (labelled) {
      const auto known = std::ranges::find(arms, row->fields.front());
      if (known == arms.end()) {
        return bad(row->line, fmt::format("'{}' is no column", row->fields.front()));
      }
      winner = static_cast<std::size_t>(known - arms.begin());
    }
    if (met[winner]) return bad(row->line, fmt::format("two rows of '{}'", arms[winner]));
    met[winner] = true;
    for (std::size_t loser = 0; loser < arms.size(); ++loser) {
      const std::string_view cell = trimmed(row->fields[loser + (labelled ? 1 : 0)]);
      if (loser == winner) continue;
      const auto count = parse_count(cell);
      if (!count.ok()) {
        return bad(row->line, fmt::format("'{}' is no number of wins", cell),
                   "whole numbers; probabilities are a matrix for duel simulate");
      }
      wins += *count;
      if (wins > kMostWins) return bad(row->line, fmt::format("more than {} wins", kMostWins));
      ComparisonRecord record{.first = table.arms[winner].id, .second = table.arms[loser].id};
      record.answer = {Answered::win, record.first};
      table.rows.insert(table.rows.end(), *count, record);
    }
  }
}

}  // namespace duel
