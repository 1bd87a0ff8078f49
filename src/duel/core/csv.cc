#include "duel/core/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/core/undefined.h"

namespace duel {

namespace {

// Whether a spreadsheet would take the text for a formula and run it: "=HYPERLINK(..)". It does not
// care for quotes around the field. A text that was marked already counts, too, so that each mark
// can be taken off again.
bool would_run(std::string_view text) {
  const std::string_view beginning = text.substr(0, text.find_first_not_of('\''));
  text.remove_prefix(beginning.size());
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
}

bool is_a_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return text == "-inf" || parse_number(text).ok();
}

}  // namespace

std::string csv_field(std::string_view given) {
  // Spreadsheets show what follows an apostrophe as text.
  const bool marked = would_run(given) && !is_a_number(given);
  const std::string text = (marked ? "'" : "") + std::string(given);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += ',';
    line += csv_field(field);
  }
  return line + "\n";
}

std::vector<std::string> split_at_commas(std::string_view line) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= line.size(); begin += parts.back().size() + 1) {
    parts.emplace_back(line.substr(begin, line.find(',', begin) - begin));
  }
  return parts;
}

bool CsvReader::at_line_end() const {
  return rest_.empty() || rest_.starts_with('\n') || rest_.starts_with("\r\n");
}

void CsvReader::skip_line_end() {
  if (rest_.empty()) return;
  rest_.remove_prefix(rest_.front() == '\r' ? 2 : 1);
  ++line_;
}

Result<std::string> CsvReader::field() {
  Result<std::string> text = written_field();
  if (text.ok() && !text->empty() && text->front() == '\'' && would_run(*text)) text->erase(0, 1);
  return text;
}

Result<std::string> CsvReader::written_field() {
  const auto malformed = [&](std::size_t line, std::string message) {
    return Error::invalid_data(std::move(message), where(line));
  };
  std::string text;
  if (!rest_.starts_with('"')) {
    while (!at_line_end() && rest_.front() != separator_) {
      if (rest_.front() == '"') return malformed(line_, "a quote inside an unquoted field");
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return text;
  }
  const std::size_t begin = line_;
  rest_.remove_prefix(1);
  while (true) {
    if (rest_.empty()) return malformed(begin, "a quoted field is not closed");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"') {
      if (!rest_.starts_with('"')) break;
      rest_.remove_prefix(1);
    }
    if (c == '\n') ++line_;
    text += c;
  }
  if (!at_line_end() && rest_.front() != separator_) {
    return malformed(line_, "text after the closing quote of a field");
  }
  return text;
}

Result<std::optional<CsvRecord>> CsvReader::next() {
  while (!rest_.empty() && at_line_end()) skip_line_end();
  if (rest_.empty()) return std::optional<CsvRecord>();
  CsvRecord record{line_, {}};
  while (true) {
    DUEL_ASSIGN(std::string text, field());
    record.fields.push_back(std::move(text));
    if (at_line_end()) break;
    rest_.remove_prefix(1);  // the separator
  }
  skip_line_end();
  return std::optional(std::move(record));
}

Result<CsvTable> CsvTable::open(std::string_view text, std::string source,
                                std::string_view columns) {
  CsvTable table(CsvReader(text, source), split_at_commas(columns));
  DUEL_ASSIGN(const auto header, table.reader_.next());
  if (!header) return Error::invalid_data("the file is empty", std::move(source));
  const auto [name, column] = std::ranges::mismatch(header->fields, table.columns_);
  if (name == header->fields.end() && column == table.columns_.end()) return table;
  return Error::invalid_data(
      name != header->fields.end() ? fmt::format("unexpected column '{}'", *name)
                                   : fmt::format("the column '{}' is missing", *column),
      table.reader_.where(header->line), fmt::format("the columns are {}", columns));
}

Result<bool> CsvTable::next() {
  DUEL_ASSIGN(auto record, reader_.next());
  if (!record) return false;
  record_ = *std::move(record);
  if (record_.fields.size() != columns_.size()) {
    return error(
        fmt::format("{} instead of {}", counted(record_.fields.size(), "field"), columns_.size()));
  }
  return true;
}

const std::string& CsvTable::text(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  DUEL_CHECK(found != columns_.end());
  return record_.fields[static_cast<std::size_t>(found - columns_.begin())];
}

Result<double> CsvTable::number(std::string_view column) const {
  const auto value = parse_number(text(column));
  if (!value.ok()) return error_in(column, value.error());
  return *value;
}

Result<double> CsvTable::number_or_undefined(std::string_view column) const {
  if (text(column).empty()) return kUndefined;
  return number(column);
}

Result<std::uint64_t> CsvTable::count(std::string_view column, std::uint64_t least,
                                      std::uint64_t most) const {
  const auto value = parse_count(text(column));
  if (!value.ok()) return error_in(column, value.error());
  if (*value >= least && *value <= most) return *value;
  return error_in(column, Error::invalid_data(fmt::format("'{}' is out of range", text(column)))
                              .with_hint(fmt::format("{} .. {}", least, most)));
}

Error CsvTable::error(std::string message) const {
  return Error::invalid_data(std::move(message), reader_.where(record_.line));
}

Error CsvTable::error_in(std::string_view column, const Error& cause) const {
  return error(fmt::format("column '{}': {}", column, cause.message)).with_hint(cause.hint);
}

}  // namespace duel
