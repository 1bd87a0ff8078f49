#include "duel/truth/matrix_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"

namespace duel {
namespace {

constexpr std::string_view kBlanks = " \t";

struct Field {
  std::string text;
  bool quoted = false;
};

bool is_number(std::string_view text) { return parse_number(text).ok(); }

std::vector<Field> cut_at_blanks(std::string_view line) {
  std::vector<Field> fields;
  for (;;) {
    const auto begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return fields;
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    fields.push_back({std::string(line.substr(begin, end - begin)), false});
    line.remove_prefix(end);
  }
}

// Takes a field that begins with a quote from the front of `rest`; nullopt where it does not end.
std::optional<Field> take_quoted(std::string_view& rest) {
  Field field{"", true};
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      field.text.push_back(rest[at]);
    } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
      field.text.push_back('"');
      ++at;
    } else {
      rest.remove_prefix(at + 1);
      return field;
    }
  }
  return std::nullopt;
}

// RFC 4180, except that a field ends on its line, and blanks around a field are not part of it.
Result<std::vector<Field>> cut_at_commas(std::string_view rest, const std::string& where) {
  std::vector<Field> fields;
  const auto malformed = [&](const char* message) {
    return Error::invalid_data(message, fmt::format("{}, column {}", where, fields.size() + 1),
                               "inside quotes, a quote is written twice");
  };
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (rest.starts_with('"')) {
      auto field = take_quoted(rest);
      if (!field) return malformed("a quote is not closed on its line");
      rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
      if (!rest.empty() && rest.front() != ',') return malformed("text after the closing quote");
      fields.push_back(std::move(*field));
    } else {
      const auto end = std::min(rest.find(','), rest.size());
      fields.push_back({std::string(trimmed(rest.substr(0, end))), false});
      rest.remove_prefix(end);
    }
    if (rest.empty()) return fields;
    rest.remove_prefix(1);  // the comma
  }
}

class MatrixParser {
 public:
  MatrixParser(TextLines lines, std::string matrix_name)
      : lines_(std::move(lines)), matrix_name_(std::move(matrix_name)) {}

  Result<PreferenceMatrix> parse() {
    DUEL_RETURN_IF_ERROR(read_opening());
    DUEL_RETURN_IF_ERROR(read_rows());
    if (first_line_is_names()) {
      names_ = first_fields_;
      line_of_names_ = line_of_row_.front();
      line_of_row_.erase(line_of_row_.begin());
      values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(columns_));
    }
    if (names_.empty()) {
      for (std::size_t i = 1; i <= columns_; ++i) names_.push_back(fmt::format("arm{}", i));
    }
    if (line_of_row_.size() != names_.size()) {
      return Error::invalid_data(
          fmt::format("{} rows of numbers for {} arms", line_of_row_.size(), names_.size()),
          lines_.name(), "a preference matrix is square");
    }
    if (const auto fault = PreferenceMatrix::find_fault(names_, values_)) return located(*fault);
    return PreferenceMatrix::create(matrix_name_, std::move(names_), std::move(values_));
  }

 private:
  // Reads up to the first line of numbers or names, and settles the form.
  Status read_opening() {
    std::optional<std::string> hash_line;  // a comment, or a header whose first name begins with #
    std::uint64_t hash_line_number = 0;
    std::uint64_t second_hash_line_number = 0;
    for (;;) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) {
        return Error::invalid_data(
            hash_line ? "there is no row of numbers" : "the file is empty", lines_.name(),
            "a matrix file has a line of arm names, then a line of numbers for each arm");
      }
      if (trimmed(*line).empty()) continue;
      if (!line->starts_with('#')) {
        const auto words = cut_at_blanks(*line);
        blank_separated_ = std::all_of(words.begin(), words.end(),
                                       [](const Field& word) { return is_number(word.text); });
        if (blank_separated_ || !hash_line) return take_first_line(*line, lines_.line_number());
        // A header that begins with # stands alone and has numbers below it.
        if (second_hash_line_number != 0) return comment_in_csv(second_hash_line_number);
        const std::string first_row(*line);
        if (!is_number(first_row.substr(0, first_row.find(',')))) {
          return comment_in_csv(hash_line_number);
        }
        DUEL_RETURN_IF_ERROR(take_first_line(*hash_line, hash_line_number));
        return take_row(first_row);
      }
      if (!hash_line) {
        hash_line = std::string(*line);
        hash_line_number = lines_.line_number();
      } else if (second_hash_line_number == 0) {
        second_hash_line_number = lines_.line_number();
      }
    }
  }

  Status take_first_line(std::string_view line, std::uint64_t line_number) {
    DUEL_ASSIGN(const auto fields, cut(line, line_number));
    columns_ = fields.size();
    if (columns_ > kMostMatrixColumns) {
      return Error::invalid_data(fmt::format("{} columns are too many", columns_),
                                 lines_.at_line(line_number),
                                 fmt::format("at most {} arms", kMostMatrixColumns));
    }
    for (const Field& field : fields) first_fields_.push_back(field.text);
    const bool only_numbers = std::all_of(fields.begin(), fields.end(), [](const Field& field) {
      return !field.quoted && is_number(field.text);
    });
    if (only_numbers) return add_row(fields, line_number);
    names_ = first_fields_;
    line_of_names_ = line_number;
    // Said at once, rather than after gigabytes of rows.
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].empty()) {
        return located({fmt::format("the name of arm {} is empty", i + 1),
                        "the first line names every arm; there is no column of row names",
                        std::nullopt, i});
      }
    }
    return Done{};
  }

  Status read_rows() {
    bool ended = false;
    for (;;) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) return Done{};
      if (trimmed(*line).empty()) {
        ended = true;
        continue;
      }
      if (ended) {
        return Error::invalid_data("a row after a blank line", lines_.here(),
                                   "blank lines are allowed only at the ends of the file");
      }
      DUEL_RETURN_IF_ERROR(take_row(*line));
    }
  }

  Status take_row(std::string_view line) {
    DUEL_ASSIGN(const auto fields, cut(line, lines_.line_number()));
    return add_row(fields, lines_.line_number());
  }

  Result<std::vector<Field>> cut(std::string_view line, std::uint64_t line_number) const {
    if (blank_separated_) return cut_at_blanks(line);
    return cut_at_commas(line, lines_.at_line(line_number));
  }

  Status add_row(const std::vector<Field>& fields, std::uint64_t line_number) {
    if (line_of_row_.size() > columns_) {  // one more than K may still turn out to be a header
      return Error::invalid_data(fmt::format("more rows than the {} arms", columns_),
                                 lines_.at_line(line_number), "a preference matrix is square");
    }
    for (std::size_t j = 0; j < std::min(fields.size(), columns_); ++j) {
      const auto number = parse_number(fields[j].text);
      if (!number.ok()) return bad_number(fields[j].text, number.error(), line_number, j);
      values_.push_back(*number);
    }
    if (fields.size() != columns_) {
      return Error::invalid_data(fmt::format("the row has {}, the first line {}",
                                             counted(fields.size(), "field"), columns_),
                                 lines_.at_line(line_number),
                                 "every row has a number for each arm");
    }
    line_of_row_.push_back(line_number);
    return Done{};
  }

  // A first line of numbers only, with K more below it: names such as 200, 203, 206, unless it
  // starts with the diagonal's 0.5 where the line below it does not.
  bool first_line_is_names() const {
    const bool may_have_names = names_.empty() && (!blank_separated_ || columns_ == 1);
    if (!may_have_names || line_of_row_.size() != columns_ + 1) return false;
    return values_[columns_] == 0.5 || values_[0] != 0.5;
  }

  Error bad_number(const std::string& text, const Error& reason, std::uint64_t line_number,
                   std::size_t column) const {
    const bool other_separator = columns_ == 1 && text.find_first_of(" \t;") != std::string::npos;
    return Error::invalid_data(
        text.empty() ? "a number is missing" : reason.message,
        fmt::format("{}, column {}", lines_.at_line(line_number), column + 1),
        other_separator ? "names and numbers are separated by commas" : "");
  }

  Error comment_in_csv(std::uint64_t line_number) const {
    return Error::invalid_data("a comment line in a CSV file", lines_.at_line(line_number),
                               "only text separated by blanks has comments");
  }

  // A fault of the matrix, with the line of the file where it stands.
  Error located(const MatrixFault& fault) const {
    std::string where = lines_.name();
    if (fault.row) {
      where = lines_.at_line(line_of_row_[*fault.row]);
    } else if (fault.column && line_of_names_ != 0) {
      where = lines_.at_line(line_of_names_);
    }
    if (fault.column) where += fmt::format(", column {}", *fault.column + 1);
    return Error::invalid_data(fault.message, where, fault.hint);
  }

  TextLines lines_;
  std::string matrix_name_;
  bool blank_separated_ = false;
  std::size_t columns_ = 0;
  std::vector<std::string> first_fields_;
  std::vector<std::string> names_;
  std::uint64_t line_of_names_ = 0;  // 0: the file has no names
  std::vector<double> values_;
  std::vector<std::uint64_t> line_of_row_;
};

bool needs_quotes(std::string_view name) {
  return name.find_first_of(",\"") != std::string_view::npos ||
         trimmed(name).size() != name.size() || name.starts_with("\xef\xbb\xbf");
}

std::string in_quotes(std::string_view name) {
  std::string field = "\"";
  for (const char c : name) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace

std::string file_stem(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::filesystem::path file = std::filesystem::path(path).filename();
  const std::string extension = file.extension().string();
  const bool known = std::find(endings.begin(), endings.end(), extension) != endings.end();
  return known ? file.stem().string() : file.string();
}

Result<PreferenceMatrix> read_matrix_file(const std::string& path) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  return MatrixParser(std::move(lines), path == "-" ? "stdin" : file_stem(path, {".csv", ".txt"}))
      .parse();
}

Result<PreferenceMatrix> read_matrix_text(const std::string& name, std::string_view text) {
  return MatrixParser(TextLines::of_text(name, text), file_stem(name, {".csv", ".txt"})).parse();
}

std::string matrix_csv_header(const std::vector<std::string>& arm_names) {
  std::string line;
  // A line without a comma might be read as numbers separated by blanks, or as a comment.
  const bool always = arm_names.size() == 1;
  for (const std::string& name : arm_names) {
    if (!line.empty()) line += ',';
    line += always || needs_quotes(name) ? in_quotes(name) : name;
  }
  return line + '\n';
}

void write_matrix_csv(const PreferenceMatrix& matrix, std::ostream& out) {
  out << matrix_csv_header(matrix.arm_names());
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      out << (j == 0 ? "" : ",") << format_number(matrix(i, j));
    }
    out << '\n';
  }
}

}  // namespace duel
