#include "duel/experiment/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/dated_text.h"
#include "duel/core/json.h"
#include "duel/core/json_line.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/text_lines.h"
#include "duel/core/timestamp.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/win_counts.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record_reader.h"
#include "duel/store/log_file.h"

namespace duel {
namespace {

constexpr std::size_t kMostBytes = 2'000'000'000;

Error bad(const std::string& where, std::string message, std::string hint = {}) {
  return Error::invalid_data(std::move(message), where, std::move(hint));
}

constexpr std::array<std::string_view, 3> kFirst = {"first", "model_a", "arm_a"};
constexpr std::array<std::string_view, 3> kSecond = {"second", "model_b", "arm_b"};
constexpr std::array<std::string_view, 2> kAnswer = {"winner", "result"};
constexpr std::string_view kScore = "score";
constexpr std::array<std::string_view, 4> kJudge = {"judge", "source_id", "observer", "voter"};
constexpr std::array<std::string_view, 1> kSourceType = {"source_type"};
constexpr std::array<std::string_view, 3> kTime = {"tstamp", "made_at", "time"};

// Of answers about several arms.
constexpr std::array<std::string_view, 2> kOrder = {"order", "ranking"};
constexpr std::array<std::string_view, 1> kChosen = {"chosen"};
constexpr std::array<std::string_view, 2> kAmong = {"among", "shown"};
constexpr std::size_t kMostAtOnce = 100;

// Of rows whose arms had no first and second place.
constexpr const char* kPresentation = "presentation";
constexpr std::string_view kInterleaved = "interleaved";

// What a column may say, for messages, and the names it has then.
struct Meaning {
  std::string_view what;
  std::span<const std::string_view> names;
};
constexpr std::array<Meaning, 7> kMeanings = {{{"the first arm", kFirst},
                                               {"the second arm", kSecond},
                                               {"the winner", std::span(kAnswer).first(1)},
                                               {"the result", std::span(kAnswer).last(1)},
                                               {"who answered", kJudge},
                                               {"the kind of source", kSourceType},
                                               {"when", kTime}}};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Error no_column(const std::string& where, bool has_first, bool has_second, const char* hint) {
  return bad(where,
             fmt::format("there is no column for the {}", !has_first    ? "first arm"
                                                          : !has_second ? "second arm"
                                                                        : "winner"),
             hint);
}

// One row by the names of its columns.
using Row = std::vector<std::pair<std::string, Json>>;

// A scalar as its text; anything nested as its JSON.
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

// A new arm of that name; its id.
std::string append_arm(std::vector<ArmEntry>& arms, const std::string& name) {
  std::string id = id_from(name);
  const auto is_taken = [&] { return std::ranges::find(arms, id, &ArmEntry::id) != arms.end(); };
  for (int k = 2; is_taken(); ++k) id = fmt::format("{}-{}", id_from(name).substr(0, 90), k);
  arms.push_back({id, id == name ? "" : name, ""});
  return id;
}

// Names in one cell: an array, or text between separators.
std::vector<std::string> names_in(const Json& cell, std::string_view separators) {
  std::vector<std::string> names;
  if (cell.is_array()) {
    for (const Json& name : cell.items()) names.push_back(text_of(name));
    return names;
  }
  const std::string text = text_of(cell);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    names.emplace_back(trimmed(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return names;
}

class TableBuilder {
 public:
  // An answer about several arms, as its pairs. In an order every arm beats those after it; of a
  // choice only the chosen one beats others.
  Status add_several(const Row& row, const std::string& where) {
    std::vector<std::string> names;
    std::string chosen;
    Row rest;  // in every pair: what was read, which stays as extra columns
    for (const auto& [name, value] : row) {
      if (name == kPresentation) continue;
      if (is_one_of(name, kOrder)) names = names_in(value, ">");
      if (is_one_of(name, kAmong)) names = names_in(value, ";|");
      if (is_one_of(name, kChosen)) chosen = text_of(value);
      rest.emplace_back(name, value.is_array() ? Json(value.dump()) : value);
    }
    if (names.size() < 2) {
      return bad(where, "fewer than two arms are compared",
                 chosen.empty() ? "an order is written a > b > c" : "a choice is among a;b;c");
    }
    if (names.size() > kMostAtOnce) {
      return bad(where, fmt::format("more than {} arms are compared at once", kMostAtOnce));
    }
    for (auto name = names.begin(); name != names.end(); ++name) {
      if (std::find(std::next(name), names.end(), *name) == names.end()) continue;
      return bad(where, fmt::format("'{}' stands there twice", *name));
    }
    if (!chosen.empty()) {
      const auto found = std::ranges::find(names, chosen);
      if (found == names.end()) {
        return bad(where, fmt::format("'{}' is not among those shown", chosen));
      }
      std::rotate(names.begin(), found, std::next(found));
    }
    const std::size_t winners = chosen.empty() ? names.size() : 1;
    for (std::size_t i = 0; i < winners; ++i) {
      for (std::size_t j = i + 1; j < names.size(); ++j) {
        // Who comes first here was not shown first: it is the better one.
        Row pair = rest;
        pair.emplace_back("first", names[i]);
        pair.emplace_back("second", names[j]);
        pair.emplace_back("winner", names[i]);
        pair.emplace_back(kPresentation, std::string(kInterleaved));
        DUEL_RETURN_IF_ERROR(add(pair, where));
      }
    }
    table_.several_at_once = true;
    return Done{};
  }

  Status add(const Row& row, const std::string& where) {
    ComparisonRecord record;
    std::array<std::optional<Column>, kMeanings.size()> columns;
    std::optional<std::size_t> score;  // its place among the other columns
    for (const auto& [name, value] : row) {
      const std::string text = text_of(value);
      if (name == kScore) score = record.extra.size();
      if (!is_utf8(name) || !is_utf8(text)) return bad(where, "the text is not UTF-8");
      std::size_t k = 0;
      while (k < kMeanings.size() && !is_one_of(name, kMeanings[k].names)) ++k;
      if (k == kMeanings.size()) {
        if (name == "evidence") record.evidence = text != "false";
        record.extra.emplace_back(name, value);
        continue;
      }
      // A second column for the same thing would have to be dropped, or written under a name that
      // is taken.
      if (columns[k]) {
        return bad(where,
                   fmt::format("two columns for {}: '{}' and '{}'", kMeanings[k].what,
                               columns[k]->name, name),
                   "rename or remove one of them");
      }
      columns[k] = {name, text};
    }
    const auto& [first, second, winner, result, judge, source_type, time] = columns;
    if (!first || !second || (!winner && !result && !score)) {
      return no_column(where, first.has_value(), second.has_value(),
                       "columns: model_a or first, model_b or second, winner");
    }
    if (first->text.empty() || second->text.empty()) return bad(where, "an arm has no name");
    if (first->text == second->text) {
      return bad(where, fmt::format("'{}' is compared with itself", first->text));
    }
    if (judge) record.source.id = judge->text;
    if (time) record.made_at = time->text;
    record.source.type = source_type ? source_type->text : record.source.id.empty() ? "" : "voter";
    record.first = arm(first->text);
    record.second = arm(second->text);
    const std::string won = winner ? winner->text : "", said = result ? result->text : "";
    // Where a row names a winner, a score beside it is a column of its own.
    if (score && won.empty() && (said.empty() || said == to_word(Answered::graded))) {
      DUEL_ASSIGN(record.answer, answer_by_score(record, *score, where));
      record.extra.erase(record.extra.begin() + static_cast<std::ptrdiff_t>(*score));
    } else {
      DUEL_ASSIGN(record.answer, answer(*first, *second, record, won, said, where));
    }
    table_.rows.push_back(std::move(record));
    return Done{};
  }

  Result<ComparisonTable> finish(const std::string& name) {
    if (table_.rows.empty()) return bad(name, "the file holds no comparison");
    table_.interleaved = std::ranges::all_of(table_.rows, [](const ComparisonRecord& row) {
      return extra_of(row, kPresentation) == kInterleaved;
    });
    return std::move(table_);
  }

 private:
  struct Column {
    std::string name, text;
  };

  std::string arm(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    return ids_.emplace(name, append_arm(table_.arms, name)).first->second;
  }

  static Result<Answer> answer_by_score(const ComparisonRecord& record, std::size_t place,
                                        const std::string& where) {
    const std::string text = text_of(record.extra[place].second);
    const auto score = parse_number(text);
    if (score.ok() && *score >= 0 && *score <= 1) {
      return answer_of_score(*score, record.first, record.second);
    }
    return bad(where, fmt::format("the score '{}' is no number from 0 to 1", text),
               "1 where the first is as much better as can be, 0.5 for a tie");
  }

  static Result<Answer> answer(const Column& first, const Column& second,
                               const ComparisonRecord& record, const std::string& winner,
                               const std::string& result, const std::string& where) {
    const std::string& word = result.empty() || result == "win" ? winner : result;
    const auto side = [&](const std::string& one, const std::string& other) {
      return word == one ? record.first : word == other ? record.second : std::string();
    };
    const std::string by_arm = side(first.text, second.text);
    const std::string by_column = side(first.name, second.name);
    // Who says `win` in another column names the arm; else an arm called like a column is a riddle.
    if (result != "win" && !by_arm.empty() && !by_column.empty() && by_arm != by_column) {
      return bad(where, fmt::format("the winner '{}' is an arm and also a column", word),
                 "rename the arm, or add a column 'result' with 'win'");
    }
    if (!by_arm.empty()) return Answer{Answered::win, by_arm};
    if (!by_column.empty()) return Answer{Answered::win, by_column};
    if (result != "win") {
      if (word == "tie (bothbad)" || word == "bothbad") return Answer{Answered::both_bad, ""};
      const auto answered = parse_answered(word);
      if (answered.ok() && *answered != Answered::win && *answered != Answered::graded) {
        return Answer{*answered, ""};
      }
    }
    const std::vector<std::string> known = {first.text,  second.text, first.name,
                                            second.name, "tie",       "tie (bothbad)",
                                            "both_bad",  "skip",      "invalid"};
    return bad(where,
               fmt::format("the winner '{}' is neither of the two arms nor another answer", word),
               spelling_hint(word, known));
  }

  ComparisonTable table_;
  std::unordered_map<std::string, std::string> ids_;  // by name
};

constexpr const char* kExpected =
    "expected: CSV or TSV whose first line names the columns model_a (or first), model_b (or "
    "second) and winner (or score); or JSON Lines or a JSON array with these names";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

bool has_any(const std::vector<std::string>& columns, std::span<const std::string_view> names) {
  return std::ranges::any_of(columns,
                             [&](const std::string& column) { return is_one_of(column, names); });
}

bool has_arms_and_answer(const std::vector<std::string>& columns) {
  if (!has_any(columns, kFirst) || !has_any(columns, kSecond)) return false;
  if (has_any(columns, kAnswer)) return true;
  // A table with a vote may have scores of another kind.
  return std::ranges::find(columns, kScore) != columns.end() &&
         std::ranges::none_of(columns, names_winner);
}

// The columns of answers about several arms.
bool has_several(const std::vector<std::string>& columns) {
  return !has_arms_and_answer(columns) &&
         (has_any(columns, kOrder) || (has_any(columns, kChosen) && has_any(columns, kAmong)));
}

// The same by the first row, too: a number in a column `order` is something else.
bool has_several(const Row& row) {
  std::vector<std::string> columns;
  bool is_order = false;
  for (const auto& [name, value] : row) {
    columns.push_back(name);
    is_order |= is_one_of(name, kOrder) &&
                (value.is_array() || text_of(value).find('>') != std::string::npos);
  }
  return has_several(columns) && (is_order || has_any(columns, kAmong));
}

// Of the characters that separate fields in practice, the one that makes columns of the first line
// that a comparison needs. A comma where none does.
char separator_of(std::string_view text) {
  for (const char separator : {',', '\t', ';'}) {
    CsvReader reader(text, "", separator);
    const auto header = reader.next();
    if (!header.ok() || !*header) continue;
    if (has_arms_and_answer((*header)->fields) || has_several((*header)->fields)) return separator;
  }
  return ',';
}

bool is_graded(const ComparisonRecord& row) { return row.answer.result == Answered::graded; }

// All names of extra columns, in the order in which they first appear. `with_scores`: one for the
// scores of graded answers, too.
std::vector<std::string> extra_columns(const ComparisonTable& table, bool with_scores) {
  std::vector<std::string> columns;
  std::unordered_map<std::string_view, bool> seen;
  for (const ComparisonRecord& row : table.rows) {
    for (const auto& [name, value] : row.extra) {
      if (seen.emplace(name, true).second) columns.push_back(name);
    }
    if (with_scores && is_graded(row) && seen.emplace(kScore, true).second) {
      columns.emplace_back(kScore);
    }
  }
  return columns;
}

class TableWriter {
 public:
  TableWriter(const ComparisonTable& table, ComparisonFormat format)
      : table_(table), extra_(extra_columns(table, format != ComparisonFormat::arena)) {
    for (const ArmEntry& arm : table.arms) names_.emplace(arm.id, original_name(arm));
  }

  bool arena(const TableSink& sink) const {
    return lines({"model_a", "model_b", "winner", "judge", "tstamp"}, sink,
                 [&](const ComparisonRecord& row) -> std::vector<std::string> {
                   if (!fits_arena(row)) return {};
                   return {names_.at(row.first), names_.at(row.second), word(row), row.source.id,
                           row.made_at};
                 });
  }

  bool csv(const TableSink& sink) const {
    return lines(
        {"first", "second", "result", "winner", "source_type", "source_id", "made_at"}, sink,
        [&](const ComparisonRecord& row) -> std::vector<std::string> {
          return {
              names_.at(row.first), names_.at(row.second), std::string(to_word(row.answer.result)),
              winner(row),          row.source.type,       row.source.id,
              row.made_at};
        });
  }

  bool jsonl(const TableSink& sink) const {
    std::string text;
    const auto field = [&](std::string_view name, const Json& value) {
      text += text.back() == '{' ? "" : ",";
      append_json_string(text, name);
      text += ':';
      append_json(text, value);
    };
    for (const ComparisonRecord& row : table_.rows) {
      text = "{";
      field("first", names_.at(row.first));
      field("second", names_.at(row.second));
      field("result", to_word(row.answer.result));
      if (row.answer.result == Answered::win) field("winner", winner(row));
      if (is_graded(row)) field(kScore, *row.answer.score);
      if (!row.source.type.empty()) field("source_type", row.source.type);
      if (!row.source.id.empty()) field("source_id", row.source.id);
      if (!row.made_at.empty()) field("made_at", row.made_at);
      for (const auto& [name, value] : row.extra) field(name, value);
      text += "}\n";
      if (!sink(text)) return false;
    }
    return true;
  }

 private:
  // A line for each row with fields; the other columns follow those of the format.
  bool lines(std::vector<std::string> header, const TableSink& sink, const auto& fields_of) const {
    header.insert(header.end(), extra_.begin(), extra_.end());
    if (!sink(csv_line(header))) return false;
    for (const ComparisonRecord& row : table_.rows) {
      std::vector<std::string> fields = fields_of(row);
      if (fields.empty()) continue;
      for (const std::string& column : extra_) {
        fields.emplace_back(is_graded(row) && column == kScore ? format_number(*row.answer.score)
                                                               : extra_of(row, column));
      }
      if (!sink(csv_line(fields))) return false;
    }
    return true;
  }
  std::string winner(const ComparisonRecord& row) const {
    return row.answer.result == Answered::win ? names_.at(row.answer.winner) : "";
  }
  // REQUIRES: fits_arena(row).
  static std::string word(const ComparisonRecord& row) {
    if (row.answer.result == Answered::win) {
      return row.answer.winner == row.first ? "model_a" : "model_b";
    }
    return row.answer.result == Answered::both_bad ? "tie (bothbad)" : "tie";
  }

  const ComparisonTable& table_;
  std::vector<std::string> extra_;
  std::map<std::string, std::string> names_;
};

}  // namespace

Result<ComparisonFormat> parse_comparison_format(std::string_view word) {
  if (word == "jsonl") return ComparisonFormat::jsonl;
  if (word == "csv") return ComparisonFormat::csv;
  if (word == "arena") return ComparisonFormat::arena;
  const std::vector<std::string> known = {"jsonl", "csv", "arena"};
  return Error::invalid_argument(fmt::format("'{}' is no format", word))
      .with_hint(spelling_hint(word, known));
}

// --- Tables whose columns have other names ------------------------------------------------------

namespace {

// A name that is free where Duel's own columns are written.
std::string free_name(const std::string& name) {
  const bool is_ours = std::ranges::any_of(
      kMeanings, [&](const Meaning& meaning) { return is_one_of(name, meaning.names); });
  return is_ours ? "original_" + name : name;
}

// Rows of other columns, as rows of ours.
class VotesReader {
 public:
  VotesReader(TableBuilder& builder, VoteColumns columns)
      : builder_(builder), columns_(std::move(columns)) {}

  Status add(const Row& row, const std::string& where) {
    const std::string first = text_in(row, columns_.a), second = text_in(row, columns_.b);
    bool is_first_vote = true;
    for (const std::string& column : columns_.winners) {
      const std::string word = text_in(row, column);
      auto vote = read_vote(word, first, second, columns_);
      if (!vote.ok()) return bad(where, vote.error().message, vote.error().hint);
      if (!*vote) {
        const std::vector<std::string> known = {first, second,     columns_.a, columns_.b,
                                                "tie", "both_bad", "skip"};
        return bad(
            where,
            fmt::format("the winner '{}' is neither of the two arms nor another answer", word),
            spelling_hint(word, known));
      }
      if ((*vote)->kind == ReadVote::Kind::none) {
        ++empty_;
        continue;
      }
      // The judges of a row answer one question. Only one answer to it may be evidence, and which
      // one must not depend on what it says: the first of the columns that has any.
      DUEL_RETURN_IF_ERROR(
          builder_.add(translated(row, first, second, **vote, column, is_first_vote), where));
      is_first_vote = false;
    }
    return Done{};
  }

  std::uint64_t num_empty() const { return empty_; }

 private:
  // An object that lacks the field has an empty text there.
  static std::string text_in(const Row& row, const std::string& column) {
    const auto found = std::ranges::find(row, column, &Row::value_type::first);
    return found == row.end() ? "" : text_of(found->second);
  }

  Row translated(const Row& row, const std::string& first, const std::string& second,
                 const ReadVote& vote, const std::string& column, bool is_first_vote) {
    Row ours = {{"first", Json(first)}, {"second", Json(second)}};
    const bool is_win = vote.kind == ReadVote::Kind::win;
    const std::string_view word = is_win                                  ? "win"
                                  : vote.kind == ReadVote::Kind::tie      ? "tie"
                                  : vote.kind == ReadVote::Kind::both_bad ? "both_bad"
                                                                          : "skip";
    ours.emplace_back("result", Json(std::string(word)));
    if (is_win) ours.emplace_back("winner", Json(vote.winner == Side::first ? first : second));
    const bool several = columns_.winners.size() > 1;
    const std::string judge = several ? column : text_in(row, columns_.judge);
    if (!judge.empty()) ours.emplace_back("judge", Json(judge));
    if (const std::string time = text_in(row, columns_.time); !time.empty()) {
      ours.emplace_back("tstamp", Json(with_date(time)));
    }
    for (const auto& [name, value] : row) {
      const bool is_known = name == columns_.a || name == columns_.b || name == columns_.judge ||
                            name == columns_.time ||
                            std::ranges::find(columns_.winners, name) != columns_.winners.end();
      if (!is_known) ours.emplace_back(free_name(name), value);
    }
    if (several && !is_first_vote) {
      std::erase_if(ours, [](const auto& one) { return one.first == "evidence"; });
      ours.emplace_back("evidence", Json(std::string("false")));
    }
    return ours;
  }

  TableBuilder& builder_;
  const VoteColumns columns_;
  std::uint64_t empty_ = 0;
};

constexpr std::size_t kRowsToGuessBy = 1000;

// What separates the fields of a table with unknown columns: the character that makes most of them.
char most_frequent_separator(std::string_view text, const VoteColumns* columns) {
  char best = ',';
  std::size_t most = 0;
  for (const char separator : {',', '\t', ';', '|'}) {
    CsvReader reader(text, "", separator);
    const auto header = reader.next();
    if (!header.ok() || !*header) continue;
    const auto& fields = (*header)->fields;
    const bool has_stated =
        columns != nullptr && std::ranges::find(fields, columns->a) != fields.end();
    const std::size_t score = fields.size() + (has_stated ? 1'000'000 : 0);
    if (score > most) {
      most = score;
      best = separator;
    }
  }
  return best;
}

// All rows by the columns that are stated, or by a guess. `where_of(k)` says where row k is, and
// `place` where the names of the columns are.
Result<ComparisonTable> table_of_votes(const std::vector<std::string>& names,
                                       const std::vector<Row>& rows, const auto& where_of,
                                       const std::string& name, const std::string& place,
                                       const VoteColumns* stated) {
  VoteColumns columns;
  if (stated != nullptr) {
    columns = *stated;
    std::vector<std::string> needed = {columns.a, columns.b};
    needed.insert(needed.end(), columns.winners.begin(), columns.winners.end());
    for (const std::string& column : {columns.judge, columns.time}) {
      if (!column.empty()) needed.push_back(column);
    }
    for (const std::string& column : needed) {
      if (std::ranges::find(names, column) != names.end()) continue;
      return bad(name, fmt::format("there is no column '{}'", column), spelling_hint(column, names))
          .in_field("columns");
    }
  } else {
    std::vector<std::vector<std::string>> sample;
    for (std::size_t k = 0; k < std::min(rows.size(), kRowsToGuessBy); ++k) {
      std::vector<std::string>& cells = sample.emplace_back(names.size());
      for (const auto& [column, value] : rows[k]) {
        const auto at = std::ranges::find(names, column);
        if (at != names.end()) cells[static_cast<std::size_t>(at - names.begin())] = text_of(value);
      }
    }
    DUEL_ASSIGN(columns, guess_vote_columns(names, sample, place, kExpected));
  }
  TableBuilder builder;
  VotesReader reader(builder, columns);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    DUEL_RETURN_IF_ERROR(reader.add(rows[k], where_of(k)));
  }
  DUEL_ASSIGN(ComparisonTable table, builder.finish(name));
  if (stated == nullptr) table.read_as = "columns " + to_text(columns);
  if (reader.num_empty() > 0) {
    table.left_out.push_back(counted(reader.num_empty(), "row") + " without a vote");
  }
  return table;
}

// The names of the fields of all objects, in the order in which they first appear.
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, bool> seen;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row) {
      if (seen.emplace(name, true).second) names.push_back(name);
    }
  }
  return names;
}

Row row_of(const Json& object) {
  Row row;
  for (const auto& [key, value] : object.members()) row.emplace_back(key, value);
  return row;
}

bool has_our_columns(const Row& row) {
  std::vector<std::string> names;
  for (const auto& [name, value] : row) names.push_back(name);
  return has_arms_and_answer(names);
}

}  // namespace

Status ComparisonTable::add_arm(const std::string& name, const std::string& where) {
  if (name.empty()) return bad(where, "an arm has no name");
  if (!is_utf8(name)) return bad(where, "the text is not UTF-8");
  if (std::ranges::find(arms, name, original_name) != arms.end()) {
    return bad(where, fmt::format("two arms are called '{}'", name));
  }
  append_arm(arms, name);
  return Done{};
}

namespace {

// As many as both have.
Row named_fields(const std::vector<std::string>& names, const std::vector<std::string>& fields) {
  Row row;
  for (std::size_t k = 0; k < std::min(names.size(), fields.size()); ++k) {
    row.emplace_back(names[k], fields[k]);
  }
  return row;
}

}  // namespace

Result<ComparisonTable> parse_comparisons_csv(std::string_view text, const std::string& name,
                                              const VoteColumns* columns) {
  text = without_mark(text);
  char separator = separator_of(text);
  CsvReader first(text, name, separator);
  DUEL_ASSIGN(const auto known, first.next());
  if (!known) return bad(name, "the file is empty", kExpected);
  bool several = columns == nullptr && has_several(known->fields);
  if (several) {
    const auto row = first.next();
    several = row.ok() && *row && has_several(named_fields(known->fields, (*row)->fields));
  }
  const bool is_ours = several || (columns == nullptr && has_arms_and_answer(known->fields));
  if (!is_ours) separator = most_frequent_separator(text, columns);
  if (!is_ours && columns == nullptr && looks_like_win_counts(text, separator)) {
    return parse_win_counts(text, separator, name);
  }
  CsvReader reader(text, name, separator);
  DUEL_ASSIGN(const auto header, reader.next());
  const CsvRecord names = header.value_or(CsvRecord{});
  for (const std::string& column : names.fields) {
    if (std::ranges::count(names.fields, column) > 1) {
      return bad(reader.where(names.line), fmt::format("two columns are called '{}'", column));
    }
  }
  TableBuilder builder;
  std::vector<Row> rows;  // of a table with other columns
  std::vector<std::size_t> lines;
  Row row;
  for (;;) {
    DUEL_ASSIGN(const auto record, reader.next());
    if (!record) break;
    if (record->fields.size() != names.fields.size()) {
      return bad(reader.where(record->line),
                 fmt::format("{} where the header has {}", counted(record->fields.size(), "field"),
                             names.fields.size()));
    }
    row = named_fields(names.fields, record->fields);
    if (several) {
      DUEL_RETURN_IF_ERROR(builder.add_several(row, reader.where(record->line)));
    } else if (is_ours) {
      DUEL_RETURN_IF_ERROR(builder.add(row, reader.where(record->line)));
    } else {
      rows.push_back(row);
      lines.push_back(record->line);
    }
  }
  if (is_ours) return builder.finish(name);
  const bool names_arm = has_any(names.fields, kFirst) || has_any(names.fields, kSecond);
  const std::string place = reader.where(names.line);
  auto table = table_of_votes(
      names.fields, rows, [&](std::size_t k) { return reader.where(lines[k]); }, name, place,
      columns);
  if (!table.ok() && table.error().where == place && names_arm && columns == nullptr) {
    return no_column(place, has_any(names.fields, kFirst), has_any(names.fields, kSecond),
                     kExpected);
  }
  return table;
}

namespace {

// Objects are read by our names where the first one has them, otherwise by a guess at the names of
// all.
Result<ComparisonTable> table_of_objects(const std::vector<Row>& rows, const auto& where_of,
                                         const std::string& name, const VoteColumns* columns) {
  const bool several = columns == nullptr && !rows.empty() && has_several(rows.front());
  if (rows.empty() || several || (columns == nullptr && has_our_columns(rows.front()))) {
    TableBuilder builder;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      DUEL_RETURN_IF_ERROR(several ? builder.add_several(rows[k], where_of(k))
                                   : builder.add(rows[k], where_of(k)));
    }
    return builder.finish(name);
  }
  return table_of_votes(names_of(rows), rows, where_of, name, name, columns);
}

}  // namespace

Result<ComparisonTable> parse_comparisons_json(std::string_view text, const std::string& name,
                                               const VoteColumns* columns) {
  const auto json = Json::parse(without_mark(text));
  if (!json || !json->is_array()) return bad(name, "this is not a JSON array", kExpected);
  const auto where_of = [&](std::size_t k) { return fmt::format("{}: item {}", name, k + 1); };
  std::vector<Row> rows;
  for (const Json& item : json->items()) {
    if (!item.is_object())
      return bad(where_of(rows.size()), "this is not a JSON object", kExpected);
    rows.push_back(row_of(item));
  }
  return table_of_objects(rows, where_of, name, columns);
}

Result<ComparisonTable> parse_comparisons_jsonl(std::string_view text, const std::string& name,
                                                const VoteColumns* columns) {
  TextLines lines = TextLines::of_text(name, text);
  std::vector<Row> rows;
  std::vector<std::uint64_t> numbers;
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) break;
    if (line->empty()) continue;
    const auto json = Json::parse(*line);
    if (!json || !json->is_object()) {
      return bad(lines.here(), "the line is not a JSON object", kExpected);
    }
    rows.push_back(row_of(*json));
    numbers.push_back(lines.line_number());
  }
  return table_of_objects(
      rows, [&](std::size_t k) { return lines.at_line(numbers[k]); }, name, columns);
}

Result<ComparisonTable> read_comparisons(const std::filesystem::path& file,
                                         const VoteColumns* columns) {
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytes));
  return parse_comparisons(text, file.string(), columns);
}

Result<ComparisonTable> parse_comparisons(std::string_view text, const std::string& name,
                                          const VoteColumns* columns) {
  const std::string_view content = without_mark(text);
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return bad(name, "the file is empty", kExpected);
  if (content[begin] == '[') return parse_comparisons_json(text, name, columns);
  return content[begin] == '{' ? parse_comparisons_jsonl(text, name, columns)
                               : parse_comparisons_csv(text, name, columns);
}

std::string extra_of(const ComparisonRecord& row, const std::string& column) {
  for (const auto& [name, value] : row.extra) {
    if (name == column) return text_of(value);
  }
  return "";
}

Result<ComparisonTable> comparisons_of_log(const std::filesystem::path& file) {
  LogFiles files;
  return comparisons_of_log(files, file.string());
}

Result<ComparisonTable> comparisons_of_log(Store& store, const std::string& experiment) {
  ComparisonTable table;
  std::optional<Ledger> ledger;
  std::vector<std::optional<ComparisonRecord>> rows;     // in the order of serving
  std::unordered_map<std::string, std::size_t> by_duel;  // row of a duel that may be answered
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*first));
      return Done{};
    }
    DUEL_ASSIGN(const Effect effect, ledger->apply(entry));
    if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
      if (serve->first == serve->second) return Done{};
      ComparisonRecord row{.first = serve->first, .second = serve->second};
      row.extra.emplace_back("duel_id", serve->duel_id);
      row.extra.emplace_back("serving", std::string(to_word(serve->serving)));
      if (!serve->task.empty()) row.extra.emplace_back("task", serve->task);
      if (!serve->evidence) row.extra.emplace_back("evidence", "false");
      row.evidence = serve->evidence;
      row.made_at = format_timestamp(entry.time_ms);  // evidence goes by the order of serving
      by_duel.emplace(serve->duel_id, rows.size());
      rows.emplace_back(std::move(row));
    } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
      const auto found = by_duel.find(outcome->duel_id);
      if (effect != Effect::applied || found == by_duel.end()) return Done{};
      ComparisonRecord& row = *rows[found->second];
      by_duel.erase(found);
      row.answer = outcome->answer;
      row.source = outcome->source;
      if (outcome->response_ms) {
        row.extra.emplace_back("response_ms", *outcome->response_ms);
      }
      if (!outcome->note.empty()) row.extra.emplace_back("note", outcome->note);
      for (const auto& [place, numbers] : outcome->features.members()) {
        for (const auto& [name, value] : numbers.members()) {
          row.extra.emplace_back(fmt::format("{}_{}", place, name), value);
        }
      }
    } else if (const auto* comparison = std::get_if<ComparisonRecord>(&entry.record)) {
      rows.emplace_back(*comparison);
    }
    return Done{};
  };
  const auto extent = read_log(store, experiment, sink);
  if (!extent.ok()) return extent.error();
  if (!ledger) return bad(experiment, "the log holds no experiment");
  for (const auto& [duel_id, row] : by_duel) rows[row].reset();  // never answered
  for (const LedgerArm& arm : ledger->arms()) table.arms.push_back(arm.entry);
  for (auto& row : rows) {
    if (row) table.rows.push_back(std::move(*row));
  }
  if (!by_duel.empty()) {
    table.left_out.push_back(counted(by_duel.size(), "duel") + " without an answer");
  }
  if (ledger->aa().served > 0) {
    table.left_out.push_back(counted(ledger->aa().served, "duel") + " that showed one arm twice");
  }
  return table;
}

std::vector<std::string> notes_of(const ComparisonTable& table) {
  std::vector<std::string> notes;
  if (!table.read_as.empty()) {
    notes.push_back(fmt::format("read as {}: {} of {}", table.read_as,
                                counted(table.rows.size(), "comparison"),
                                counted(table.arms.size(), "arm")));
  }
  if (table.several_at_once) {
    notes.push_back(
        fmt::format("answers about several arms read as {}: it is assumed that who else is shown "
                    "does not change which of two is preferred",
                    counted(table.rows.size(), "comparison")));
  }
  for (const std::string& one : table.left_out) notes.push_back(one + " left out");
  return notes;
}

bool fits_arena(const ComparisonRecord& row) {
  return row.answer.result != Answered::skip && row.answer.result != Answered::invalid &&
         !is_graded(row);
}

std::vector<std::string> left_out_of(const ComparisonTable& table, ComparisonFormat format) {
  std::vector<std::string> left_out = table.left_out;
  if (format != ComparisonFormat::arena) return left_out;
  const auto graded = std::ranges::count_if(table.rows, is_graded);
  const auto skipped = std::ranges::count_if(table.rows, std::not_fn(fits_arena)) - graded;
  if (graded > 0) {
    left_out.push_back(counted(static_cast<std::uint64_t>(graded), "graded comparison"));
  }
  if (skipped > 0) {
    left_out.push_back(counted(static_cast<std::uint64_t>(skipped), "comparison") +
                       " skipped or invalid");
  }
  return left_out;
}

bool write_text(const ComparisonTable& table, ComparisonFormat format, const TableSink& sink) {
  const TableWriter writer(table, format);
  if (format == ComparisonFormat::jsonl) return writer.jsonl(sink);
  return format == ComparisonFormat::csv ? writer.csv(sink) : writer.arena(sink);
}

std::string to_text(const ComparisonTable& table, ComparisonFormat format) {
  std::string text;
  write_text(table, format, [&](std::string_view line) {
    text += line;
    return true;
  });
  return text;
}

namespace {

// The numbers of the rows, in order, each with the place of its row. Nothing where a row has none
// or two have the same.
std::optional<std::vector<std::pair<std::uint64_t, std::size_t>>> serving_order_of(
    const ComparisonTable& table) {
  std::vector<std::pair<std::uint64_t, std::size_t>> numbers;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const auto number = parse_count(extra_of(table.rows[k], "serving_order"));
    if (!number.ok()) return std::nullopt;
    numbers.emplace_back(*number, k);
  }
  std::sort(numbers.begin(), numbers.end());
  const auto same = [](const auto& one, const auto& next) { return one.first == next.first; };
  if (std::ranges::adjacent_find(numbers, same) != numbers.end()) return std::nullopt;
  return numbers;
}

// `order`: pairs whose second parts are the places of the rows.
void put_in_order(ComparisonTable& table, const auto& order) {
  std::vector<ComparisonRecord> sorted;
  sorted.reserve(order.size());
  for (const auto& [key, k] : order) sorted.push_back(std::move(table.rows[k]));
  table.rows = std::move(sorted);
}

}  // namespace

bool sort_by_time(ComparisonTable& table) {
  if (const auto order = serving_order_of(table)) {
    put_in_order(table, *order);
    return true;
  }
  std::vector<std::pair<WrittenTime, std::size_t>> times;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const auto time = parse_written_time(table.rows[k].made_at);
    if (!time || (!times.empty() && time->form != times.front().first.form)) return false;
    times.emplace_back(*time, k);
  }
  std::stable_sort(times.begin(), times.end(), [](const auto& one, const auto& other) {
    return one.first.seconds < other.first.seconds;
  });
  // The order of a pair's answers is what counts, and two of one time have none.
  std::map<std::pair<std::string_view, std::string_view>, double> last;
  for (const auto& [time, k] : times) {
    const std::string_view first = table.rows[k].first, second = table.rows[k].second;
    const auto [at, is_new] = last.try_emplace(std::minmax(first, second), time.seconds);
    if (!is_new && at->second == time.seconds) return false;
    at->second = time.seconds;
  }
  put_in_order(table, times);
  return true;
}

ExperimentRecord experiment_of(const ComparisonTable& table, const std::string& experiment_id,
                               double alpha, bool in_order, const Goal& goal) {
  ExperimentRecord record;
  record.goal = goal;
  record.experiment_id = experiment_id;
  record.arms = table.arms;
  record.stopping.alpha = alpha;
  record.comparisons_count = true;
  record.one_look_after = in_order ? 0 : table.rows.size();
  // Nobody says that a person or a question did not reach several pairs.
  record.stopping.shared_causes = true;
  if (table.interleaved) record.order = Placement::fixed;
  return record;
}

}  // namespace duel
