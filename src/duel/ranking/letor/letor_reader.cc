#include "duel/ranking/letor/letor_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"
#include "duel/ranking/letor/byte_source.h"
#include "duel/ranking/letor/feature_matrix.h"
#include "duel/ranking/letor/feature_value.h"

namespace duel {
namespace {

using letor_internal::is_digit;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_content(const char* c) { return *c == '\n' || *c == '#' || (*c == '\r' && c[1] == '\n'); }
bool ends_token(const char* c) { return is_blank(*c) || ends_content(c); }

const char* skip_blanks(const char* c) {
  while (is_blank(*c)) ++c;
  return c;
}

// The word at `begin`, for messages: up to its end or to 40 characters.
std::string word_at(const char* begin) {
  constexpr std::ptrdiff_t kMost = 40;
  const char* end = begin;
  while (!ends_token(end) && end - begin < kMost) ++end;
  std::string word;
  for (const char* c = begin; c != end; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    word += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, *c);
  }
  return end - begin == kMost ? word + ".." : word;
}

// Takes lines one after the other. Every pointer into a line may run up to its newline, not beyond:
// the newline belongs to no word, blank or number.
class LetorParser {
 public:
  LetorParser(std::string name, const LetorLimits& limits)
      : name_(std::move(name)), limits_(limits) {}

  // REQUIRES: the block is empty or ends with a newline.
  Status take_lines(const char* begin, const char* end) {
    while (begin != end) {
      ++line_;
      const char* c = skip_blanks(begin);
      if (!ends_content(c)) c = take_document(c);
      if (c == nullptr) return std::move(error_);
      begin = static_cast<const char*>(std::memchr(c, '\n', static_cast<std::size_t>(end - c))) + 1;
    }
    return Done{};
  }

  std::uint64_t line() const { return line_; }
  std::uint64_t num_documents() const { return grades_.size(); }
  bool lacks_queries() const { return query_field_ == QueryField::absent; }

  // Error at the first line without a query.
  Error missing_query() const {
    return Error::invalid_data(
        "no query: 'qid:' and a number must follow the grade",
        fmt::format("{}:{}", name_, first_line_),
        fmt::format("or give the number of documents of each query, one per line, in {}.query",
                    name_));
  }

  void set_queries(std::vector<std::uint64_t> offsets) {
    offsets_ = std::move(offsets);
    qids_.clear();
    for (std::size_t q = 1; q < offsets_.size(); ++q) qids_.push_back(q);
  }

  Result<JudgedQueries> finish() && {
    if (grades_.empty()) {
      return Error::invalid_data("there are no documents", name_);
    }
    if (!lacks_queries()) offsets_.push_back(grades_.size());
    return JudgedQueries(std::move(rows_).finish(), std::move(grades_), std::move(offsets_),
                         std::move(qids_));
  }

 private:
  enum class QueryField { unknown, present, absent };

  // One document from `c`, its first character. Where it ended, or null with `error_` set.
  const char* take_document(const char* c) {
    c = take_grade(c);
    if (c == nullptr) return nullptr;
    c = take_query(skip_blanks(c));
    if (c == nullptr) return nullptr;
    if ((rows_.num_rows() + 1) * rows_.width() > limits_.matrix_bytes / sizeof(float)) {
      return fail("the matrix of features would be too large", too_much_memory());
    }
    rows_.begin_row();
    std::uint64_t previous = 0;
    for (c = skip_blanks(c); !ends_content(c); c = skip_blanks(c)) {
      c = take_feature(c, previous);
      if (c == nullptr) return nullptr;
    }
    return c;
  }

  // A whole number 0 .. 255, also written 2.0.
  const char* take_grade(const char* c) {
    const char* const word = c;
    unsigned grade = 0;
    while (is_digit(*c) && grade <= 255) grade = grade * 10 + static_cast<unsigned>(*c++ - '0');
    bool good = c != word && grade <= 255;
    if (good && *c == '.') {
      do ++c;
      while (*c == '0');
    }
    if (!good || !ends_token(c)) {
      return fail(fmt::format("'{}' is not a grade", word_at(word)), "a whole number, 0 to 255");
    }
    grades_.push_back(static_cast<Grade>(grade));
    return c;
  }

  const char* take_query(const char* c) {
    const bool present = std::strncmp(c, "qid:", 4) == 0;
    if (query_field_ == QueryField::unknown) {
      query_field_ = present ? QueryField::present : QueryField::absent;
      first_line_ = line_;
    }
    if (present != (query_field_ == QueryField::present)) {
      return present ? fail("a query after lines without one", "all lines have one, or none")
                     : fail("no query: 'qid:' and a number must follow the grade", "");
    }
    if (!present) return c;
    const char* const word = c + 4;
    std::uint64_t qid = 0;
    const char* end = word;
    while (is_digit(*end)) ++end;
    const auto parsed = std::from_chars(word, end, qid);
    if (parsed.ec != std::errc() || !ends_token(end)) {
      return fail(fmt::format("'{}' is not a query number", word_at(word)),
                  "a whole number, 0 to 2^64 - 1");
    }
    if (qids_.empty() || qid != qids_.back()) {
      const auto [known, added] = first_lines_.emplace(qid, line_);
      if (!added) {
        return fail(fmt::format("query {} appears again after another query", qid),
                    fmt::format("the documents of a query must be consecutive lines; its first is "
                                "line {}",
                                known->second));
      }
      qids_.push_back(qid);
      offsets_.push_back(grades_.size() - 1);
    }
    return end;
  }

  const char* take_feature(const char* c, std::uint64_t& previous) {
    const char* const word = c;
    std::uint64_t index = 0;
    while (is_digit(*c) && index <= limits_.features) {
      index = index * 10 + static_cast<std::uint64_t>(*c++ - '0');
    }
    index += from_zero_;
    if (c == word || *c != ':' || index <= previous || index > limits_.features) {
      return fail_index(word, c, index, previous);
    }
    const ParsedValue parsed = parse_feature_value(++c);
    if (parsed.fault != ValueFault::none || !ends_token(parsed.end)) {
      return fail_value(c, index - from_zero_, parsed.fault);
    }
    if (index > rows_.width() && rows_.num_rows() * index > limits_.matrix_bytes / sizeof(float)) {
      return fail(fmt::format("the matrix of features would be too large with feature {}", index),
                  too_much_memory());
    }
    rows_.set(static_cast<std::size_t>(index - 1), parsed.value);
    previous = index;
    return parsed.end;
  }

  const char* fail_index(const char* word, const char* c, std::uint64_t index,
                         std::uint64_t previous) {
    if (c != word && index > limits_.features) {
      return fail(fmt::format("feature index '{}' is too large", word_at(word)),
                  fmt::format("at most {}", limits_.features));
    }
    if (c == word || *c != ':') {
      return fail(fmt::format("'{}' is not a feature", word_at(word)),
                  "write index:value, as in 3:0.25");
    }
    if (index == 0) {
      return fail(
          "feature index 0",
          "features are numbered from 1; letor(file=FILE,zero-based=true) numbers them from "
          "0");
    }
    if (index == previous) {
      return fail(fmt::format("feature {} is given twice", index - from_zero_), "");
    }
    return fail(
        fmt::format("feature {} after feature {}", index - from_zero_, previous - from_zero_),
        "the indices of a line must ascend");
  }

  const char* fail_value(const char* value, std::uint64_t index, ValueFault fault) {
    if (ends_token(value)) return fail(fmt::format("feature {} has no value", index), "");
    const std::string word = word_at(value);
    if (fault == ValueFault::not_finite) {
      return fail(fmt::format("feature {} is '{}'", index, word), "features must be finite");
    }
    if (fault == ValueFault::too_large) {
      return fail(fmt::format("feature {} is '{}', too large for a float", index, word),
                  "at most 3.4e38 in size");
    }
    return fail(fmt::format("feature {} is '{}', which is not a number", index, word), "");
  }

  const char* fail(std::string message, std::string hint) {
    error_ = Error::invalid_data(std::move(message), fmt::format("{}:{}", name_, line_),
                                 std::move(hint));
    return nullptr;
  }

  std::string too_much_memory() const {
    return fmt::format("at most {} bytes as floats, rows times the highest feature index",
                       limits_.matrix_bytes);
  }

  std::string name_;
  LetorLimits limits_;
  const std::uint64_t from_zero_ = limits_.zero_based ? 1 : 0;  // added to every index
  std::uint64_t line_ = 0;
  std::uint64_t first_line_ = 0;  // of a document
  QueryField query_field_ = QueryField::unknown;
  FeatureMatrixBuilder rows_;
  std::vector<Grade> grades_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> qids_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_lines_;  // of each query
  Error error_;
};

Status feed(const ByteSource& source, const std::string& name, const LetorLimits& limits,
            LetorParser& parser) {
  std::vector<char> buffer(std::max<std::size_t>(limits.buffer_bytes, 8));
  std::size_t filled = 0;
  std::uint64_t total = 0;
  for (;;) {
    // One place is kept for the newline that the last line may lack.
    DUEL_ASSIGN(const std::size_t got, source(buffer.data() + filled, buffer.size() - 1 - filled));
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    std::size_t begin = 0;
    filled += got;
    if (total < kByteOrderMark.size() && total + got >= kByteOrderMark.size() &&
        std::string_view(buffer.data(), filled).starts_with(kByteOrderMark)) {
      begin = kByteOrderMark.size();
    }
    total += got;
    if (total > limits.text_bytes) {
      return Error::invalid_data(fmt::format("more than {} bytes", limits.text_bytes), name,
                                 "that is the most that is read");
    }
    if (got == 0) {
      if (filled == 0) return Done{};
      buffer[filled] = '\n';
      return parser.take_lines(buffer.data(), buffer.data() + filled + 1);
    }
    const std::string_view fresh(buffer.data() + filled - got, got);
    const std::size_t last = fresh.rfind('\n');
    if (last != std::string_view::npos) {
      const char* end = fresh.data() + last + 1;
      DUEL_RETURN_IF_ERROR(parser.take_lines(buffer.data() + begin, end));
      begin = static_cast<std::size_t>(end - buffer.data());
    }
    filled -= begin;
    std::memmove(buffer.data(), buffer.data() + begin, filled);
    if (filled > limits.line_bytes) {
      return Error::invalid_data(fmt::format("the line is longer than {} bytes", limits.line_bytes),
                                 fmt::format("{}:{}", name, parser.line() + 1));
    }
    if (filled + 1 >= buffer.size()) buffer.resize(2 * buffer.size());
  }
}

// The number of documents of each query, one a line, as offsets.
Result<std::vector<std::uint64_t>> read_query_sizes(const std::string& path,
                                                    std::uint64_t num_documents) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  std::vector<std::uint64_t> offsets{0};
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) break;
    if (trimmed(*line).empty()) continue;
    const auto size = parse_count(*line);
    if (!size.ok() || *size == 0) {
      return Error::invalid_data(fmt::format("'{}' is not a number of documents", trimmed(*line)),
                                 lines.here(), "a whole number, 1 or more");
    }
    if (*size > num_documents - offsets.back()) {
      return Error::invalid_data(
          fmt::format("the queries have more than the {} documents of the data", num_documents),
          lines.here());
    }
    offsets.push_back(offsets.back() + *size);
  }
  if (offsets.back() != num_documents) {
    return Error::invalid_data(
        fmt::format("the queries have {} documents, the data {}", offsets.back(), num_documents),
        path);
  }
  return offsets;
}

}  // namespace

Result<JudgedQueries> read_letor_file(const std::string& path, const LetorLimits& limits) {
  DUEL_ASSIGN(const auto source, open_byte_source(path));
  const std::string name = path == "-" ? "<stdin>" : path;
  LetorParser parser(name, limits);
  DUEL_RETURN_IF_ERROR(feed(source, name, limits, parser));
  if (parser.lacks_queries()) {
    const std::string sizes = path + ".query";
    std::error_code ignored;
    if (path == "-" || !std::filesystem::exists(sizes, ignored)) return parser.missing_query();
    DUEL_ASSIGN(auto offsets, read_query_sizes(sizes, parser.num_documents()));
    parser.set_queries(std::move(offsets));
  }
  return std::move(parser).finish();
}

Result<JudgedQueries> read_letor_text(std::string name, std::string_view text,
                                      const LetorLimits& limits) {
  const auto source = byte_source_of(text);
  LetorParser parser(name, limits);
  DUEL_RETURN_IF_ERROR(feed(source, name, limits, parser));
  if (parser.lacks_queries()) return parser.missing_query();
  return std::move(parser).finish();
}

void write_letor(const JudgedQueries& queries, std::ostream& out) {
  fmt::memory_buffer line;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    const auto grades = queries.grades(q);
    for (Document d = 0; d < grades.size(); ++d) {
      line.clear();
      fmt::format_to(std::back_inserter(line), "{} qid:{}", grades[d], queries.qid(q));
      const auto features = queries.features(q, d);
      for (std::size_t f = 0; f < features.size(); ++f) {
        fmt::format_to(std::back_inserter(line), " {}:{}", f + 1, features[f]);
      }
      line.push_back('\n');
      out.write(line.data(), static_cast<std::streamsize>(line.size()));
    }
  }
}

}  // namespace duel
