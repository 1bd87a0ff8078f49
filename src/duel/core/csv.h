// Comma-separated values by RFC 4180, with lines ended by \n (\r\n is read as well).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// The text as one field: in quotes, with inner quotes doubled, where it holds a comma, a quote or a
// line break.
std::string csv_field(std::string_view text);

struct CsvRecord {
  std::size_t line = 0;  // where it begins, 1-based
  std::vector<std::string> fields;
};

// Reads records one by one; empty lines are passed over. `source` names the text in errors.
class CsvReader {
 public:
  // The text must outlive the reader.
  CsvReader(std::string_view text, std::string source) : rest_(text), source_(std::move(source)) {}

  // nullopt at the end. An error where quotes do not match or stand in the middle of a field.
  Result<std::optional<CsvRecord>> next();

  std::string where(std::size_t line) const { return source_ + ":" + std::to_string(line); }

 private:
  Result<std::string> field();
  bool at_line_end() const;
  void skip_line_end();

  std::string_view rest_;
  std::string source_;
  std::size_t line_ = 1;
};

}  // namespace duel
