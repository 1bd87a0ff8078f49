// Comma-separated values by RFC 4180, with lines ended by \n (\r\n is read as well).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// The text as one field: in quotes, with inner quotes doubled, where it holds a comma, a quote or a
// line break. What a spreadsheet would run as a formula gets an apostrophe in front, which the
// readers here take off again; numbers stay as they are.
std::string csv_field(std::string_view text);
// With its line end.
std::string csv_line(const std::vector<std::string>& fields);
// What stands between the commas of a line that has no quotes, such as the names of columns.
std::vector<std::string> split_at_commas(std::string_view line);

struct CsvRecord {
  std::size_t line = 0;  // where it begins, 1-based
  std::vector<std::string> fields;
};

// Reads records one by one; empty lines are passed over. `source` names the text in errors, and
// `separator` may be a tab or a semicolon.
class CsvReader {
 public:
  // The text must outlive the reader.
  CsvReader(std::string_view text, std::string source, char separator = ',')
      : rest_(text), source_(std::move(source)), separator_(separator) {}

  // nullopt at the end. An error where quotes do not match or stand in the middle of a field.
  Result<std::optional<CsvRecord>> next();

  std::string where(std::size_t line) const { return source_ + ":" + std::to_string(line); }

 private:
  Result<std::string> field();
  Result<std::string> written_field();  // with the mark that keeps a spreadsheet from running it
  bool at_line_end() const;
  void skip_line_end();

  std::string_view rest_;
  std::string source_;
  char separator_;
  std::size_t line_ = 1;
};

// A table read row by row. A cell is asked for by the name of its column; errors name line and
// column.
class CsvTable {
 public:
  // The first line must be `columns`. The text must outlive the table.
  static Result<CsvTable> open(std::string_view text, std::string source, std::string_view columns);

  // Goes to the next row; false at the end.
  Result<bool> next();

  // A cell of the present row. REQUIRES: the table has the column.
  const std::string& text(std::string_view column) const;
  Result<double> number(std::string_view column) const;
  Result<double> number_or_undefined(std::string_view column) const;  // NaN where it is empty
  Result<std::uint64_t> count(std::string_view column, std::uint64_t least,
                              std::uint64_t most) const;

  Error error(std::string message) const;
  Error error_in(std::string_view column, const Error& cause) const;

 private:
  CsvTable(CsvReader reader, std::vector<std::string> columns)
      : reader_(std::move(reader)), columns_(std::move(columns)) {}

  CsvReader reader_;
  std::vector<std::string> columns_;
  CsvRecord record_;
};

}  // namespace duel
