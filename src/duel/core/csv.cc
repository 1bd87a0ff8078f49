#include "duel/core/csv.h"

namespace duel {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
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
  const auto malformed = [&](std::size_t line, std::string message) {
    return Error::invalid_data(std::move(message), where(line));
  };
  std::string text;
  if (!rest_.starts_with('"')) {
    while (!at_line_end() && rest_.front() != ',') {
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
  if (!at_line_end() && rest_.front() != ',') {
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
    rest_.remove_prefix(1);  // the comma
  }
  skip_line_end();
  return std::optional(std::move(record));
}

}  // namespace duel
