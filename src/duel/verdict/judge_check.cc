#include "duel/verdict/judge_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "duel/core/csv.h"
#include "duel/core/described_json.h"
#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/spelling.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/evidence.h"
#include "duel/inference/position_bias.h"

namespace duel {
namespace {

constexpr double kIntervalDelta = 0.05;

constexpr std::array<std::string_view, 3> kFirst = {"model_a", "first", "arm_a"};
constexpr std::array<std::string_view, 3> kSecond = {"model_b", "second", "arm_b"};
constexpr std::array<std::string_view, 2> kFirstText = {"first_text", "text_a"};
constexpr std::array<std::string_view, 2> kSecondText = {"second_text", "text_b"};

struct Word {
  std::string_view word;
  Outcome outcome;
};
constexpr std::array<Word, 14> kWords = {{{"a", Outcome::first_wins},
                                          {"model_a", Outcome::first_wins},
                                          {"first", Outcome::first_wins},
                                          {"b", Outcome::second_wins},
                                          {"model_b", Outcome::second_wins},
                                          {"second", Outcome::second_wins},
                                          {"t", Outcome::tie},
                                          {"tie", Outcome::tie},
                                          {"tie (bothbad)", Outcome::both_bad},
                                          {"bothbad", Outcome::both_bad},
                                          {"both_bad", Outcome::both_bad},
                                          {"skip", Outcome::skip},
                                          {"invalid", Outcome::none},
                                          {"", Outcome::none}}};

// How far an answer leans to the first of the two: 1, 0 or -1.
int lean(Outcome outcome) {
  return outcome == Outcome::first_wins ? 1 : outcome == Outcome::second_wins ? -1 : 0;
}

Result<Outcome> answer_in(const std::string& text, const JudgedRow& row, const std::string& where) {
  if (text == row.first) return Outcome::first_wins;
  if (text == row.second) return Outcome::second_wins;
  const auto known = std::ranges::find(kWords, text, &Word::word);
  if (known != kWords.end()) return known->outcome;
  return Error::invalid_data(fmt::format("'{}' is no answer", text), where,
                             "a, b, t, tie, tie (bothbad), model_a, model_b, skip, or the name of "
                             "one of the two");
}

std::optional<std::size_t> column_of(const std::vector<std::string>& columns, auto names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(columns, name);
    if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  }
  return std::nullopt;
}

// A table of votes, row by row.
class VoteTable {
 public:
  static Result<VoteTable> open(std::string_view text, const std::string& name) {
    VoteTable table(CsvReader(text, name));
    DUEL_ASSIGN(auto header, table.reader_.next());
    if (!header) return Error::invalid_data("the file is empty", name);
    table.columns_ = std::move(header->fields);
    table.header_ = table.reader_.where(header->line);
    table.first_ = column_of(table.columns_, kFirst);
    table.second_ = column_of(table.columns_, kSecond);
    table.first_text_ = column_of(table.columns_, kFirstText);
    table.second_text_ = column_of(table.columns_, kSecondText);
    table.known_.resize(table.columns_.size());
    for (const auto& column :
         {table.first_, table.second_, table.first_text_, table.second_text_}) {
      if (column) table.known_[*column] = true;
    }
    return table;
  }

  const std::vector<std::string>& columns() const { return columns_; }
  const std::string& header() const { return header_; }  // file:line, for messages
  bool names_both() const { return first_ && second_; }
  bool names_first() const { return first_.has_value(); }

  // A column with answers, which is then no part of the task.
  Result<std::size_t> answers_in(const std::string& column) {
    const auto found = column_of(columns_, std::array{std::string_view(column)});
    if (!found) {
      return Error::invalid_data(fmt::format("there is no column '{}'", column), header_,
                                 spelling_hint(column, columns_));
    }
    known_[*found] = true;
    return *found;
  }
  // Those that are neither names nor texts nor answers.
  std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (!known_[k]) names.push_back(columns_[k]);
    }
    return names;
  }

  // The next row, which the members below are about; false at the end.
  Result<bool> next() {
    DUEL_ASSIGN(auto record, reader_.next());
    if (!record) return false;
    where_ = reader_.where(record->line);
    fields_ = std::move(record->fields);
    if (fields_.size() == columns_.size()) return true;
    return Error::invalid_data(
        fmt::format("{} fields in a table of {} columns", fields_.size(), columns_.size()), where_);
  }
  const std::string& where() const { return where_; }
  const std::string& field(std::size_t column) const { return fields_[column]; }
  const std::string& first() const { return fields_[*first_]; }
  const std::string& second() const { return fields_[*second_]; }
  std::string text_of_first() const { return first_text_ ? fields_[*first_text_] : ""; }
  std::string text_of_second() const { return second_text_ ? fields_[*second_text_] : ""; }
  Json task() const {
    Json task;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (!known_[k]) task[columns_[k]] = fields_[k];
    }
    return task;
  }

 private:
  explicit VoteTable(CsvReader reader) : reader_(std::move(reader)) {}

  CsvReader reader_;
  std::vector<std::string> columns_;
  std::string header_;
  std::optional<std::size_t> first_, second_, first_text_, second_text_;
  std::vector<bool> known_;
  std::vector<std::string> fields_;
  std::string where_;
};

// Which row of the votes a row of another file is about.
class RowsByKey {
 public:
  // `keys`: columns that both files have.
  static Result<RowsByKey> make(const JudgedVotes& votes, std::vector<std::string> keys,
                                const std::string& name) {
    RowsByKey rows(std::move(keys));
    for (std::size_t k = 0; k < votes.rows.size() && !rows.keys_.empty(); ++k) {
      std::string key;
      for (const std::string& column : rows.keys_) {
        key += votes.rows[k].task.find(column)->get<std::string>() + kEnd;
      }
      if (!rows.by_key_.emplace(std::move(key), k).second) {
        return Error::invalid_data(
            fmt::format("its rows cannot be found: the votes have two with the same {}",
                        fmt::join(rows.keys_, ", ")),
            name, "a column with a number or an id of the question in both files tells them apart");
      }
    }
    return rows;
  }

  const std::vector<std::string>& keys() const { return keys_; }
  // Without columns in common, the rows are those of the votes in their order.
  std::optional<std::size_t> find(const VoteTable& table) {
    if (keys_.empty()) return line_++;
    std::string key;
    for (const std::string& column : keys_) {
      key += table.field(*column_of(table.columns(), std::array{std::string_view(column)})) + kEnd;
    }
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return found->second;
  }

 private:
  static constexpr char kEnd = '\x1f';
  explicit RowsByKey(std::vector<std::string> keys) : keys_(std::move(keys)) {}

  std::vector<std::string> keys_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::size_t line_ = 0;
};

}  // namespace

Result<std::vector<std::string>> columns_of_votes(std::string_view text, const std::string& name) {
  DUEL_ASSIGN(const VoteTable table, VoteTable::open(text, name));
  return table.columns();
}

Result<JudgedVotes> read_judged_votes(std::string_view text, const std::string& name,
                                      const std::string& people,
                                      const std::vector<std::string>& judges) {
  JudgedVotes votes{.rows = {}, .judges = judges, .sha256 = sha256_hex(text)};
  DUEL_ASSIGN(VoteTable table, VoteTable::open(text, name));
  if (!table.names_both()) {
    return Error::invalid_data(fmt::format("there is no column for the {} of the two",
                                           table.names_first() ? "second" : "first"),
                               table.header(),
                               "columns: model_a, model_b and one with what people said");
  }
  DUEL_ASSIGN(const std::size_t said, table.answers_in(people));
  std::vector<std::size_t> by_judges;
  for (const std::string& judge : judges) {
    DUEL_ASSIGN(const std::size_t column, table.answers_in(judge));
    by_judges.push_back(column);
  }
  for (;;) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) break;
    JudgedRow row{.first = table.first(), .second = table.second()};
    if (row.first.empty() || row.second.empty() || row.first == row.second) {
      return Error::invalid_data(
          fmt::format("'{}' against '{}' is no comparison", row.first, row.second), table.where());
    }
    DUEL_ASSIGN(row.people, answer_in(table.field(said), row, table.where()));
    for (const std::size_t column : by_judges) {
      DUEL_ASSIGN(const Outcome answer, answer_in(table.field(column), row, table.where()));
      row.judges.push_back(answer);
    }
    row.first_text = table.text_of_first();
    row.second_text = table.text_of_second();
    row.task = table.task();
    votes.rows.push_back(std::move(row));
  }
  if (votes.rows.empty()) return Error::invalid_data("the file holds no answer", name);
  return votes;
}

Status add_judge_votes(JudgedVotes& votes, std::string_view text, const std::string& name,
                       const std::vector<std::string>& judges) {
  DUEL_ASSIGN(VoteTable table, VoteTable::open(text, name));
  const Json& task = votes.rows.front().task;
  const auto is_shared = [&](const std::string& column) {
    return task.is_object() && task.find(column) != nullptr;
  };
  std::vector<std::string> columns = judges;
  if (columns.empty()) {
    columns = table.others();
    std::erase_if(columns, is_shared);
    if (columns.size() != 1) {
      return Error::invalid_data(
          columns.empty()
              ? std::string("there is no column with what a judge said")
              : fmt::format("which column has what the judge said: {}?", fmt::join(columns, ", ")),
          table.header(), "--column names it");
    }
  }
  std::vector<std::size_t> by_judges;
  for (const std::string& judge : columns) {
    DUEL_ASSIGN(const std::size_t column, table.answers_in(judge));
    by_judges.push_back(column);
  }
  std::vector<std::string> keys = table.others();
  std::erase_if(keys, [&](const std::string& column) { return !is_shared(column); });
  DUEL_ASSIGN(RowsByKey rows, RowsByKey::make(votes, std::move(keys), name));
  std::vector<bool> is_found(votes.rows.size(), false);
  for (JudgedRow& row : votes.rows) {
    row.judges.resize(votes.judges.size() + columns.size(), Outcome::none);
  }
  std::uint64_t lines = 0;
  for (;; ++lines) {
    DUEL_ASSIGN(const bool more, table.next());
    if (!more) break;
    const auto place = rows.find(table);
    if (!place || *place >= votes.rows.size()) continue;
    JudgedRow& row = votes.rows[*place];
    if (is_found[*place]) {
      return Error::invalid_data(
          fmt::format("there is a second row with this {}", fmt::join(rows.keys(), ", ")),
          table.where());
    }
    is_found[*place] = true;
    JudgedRow shown{.first = row.first, .second = row.second};
    if (table.names_both()) shown = {.first = table.first(), .second = table.second()};
    const bool turned = shown.first == row.second && shown.second == row.first;
    if (!turned && (shown.first != row.first || shown.second != row.second)) {
      return Error::invalid_data(
          fmt::format("'{}' against '{}', where the votes have '{}' against '{}'", shown.first,
                      shown.second, row.first, row.second),
          table.where(), "both files must be about the same questions");
    }
    for (std::size_t k = 0; k < by_judges.size(); ++k) {
      DUEL_ASSIGN(const Outcome answer, answer_in(table.field(by_judges[k]), shown, table.where()));
      row.judges[votes.judges.size() + k] = turned ? mirrored(answer) : answer;
    }
  }
  if (rows.keys().empty() && lines != votes.rows.size()) {
    return Error::invalid_data(
        fmt::format("{} rows, where the votes have {}", lines, votes.rows.size()), name,
        "a column with a number or an id of the question in both files tells which belong "
        "together");
  }
  if (std::ranges::find(is_found, true) == is_found.end()) {
    return Error::invalid_data(
        fmt::format("no row has the {} of one of the votes", fmt::join(rows.keys(), ", ")), name);
  }
  votes.judges.insert(votes.judges.end(), columns.begin(), columns.end());
  return Done{};
}

void JudgeCheck::add(const JudgedRow& row, Outcome answer) {
  const int people = lean(row.people), judge = lean(answer);
  if (answer == Outcome::none) {
    ++figures_.missing;
  } else {
    ++figures_.answers;
    ++(judge > 0 ? figures_.first : judge < 0 ? figures_.second : figures_.ties);
    if (people * judge > 0) ++figures_.agree;
    if (people * judge < 0) ++figures_.differ;
  }
  const bool in_order = row.first < row.second;
  PairSums& pair =
      pairs_[in_order ? std::pair(row.first, row.second) : std::pair(row.second, row.first)];
  ++pair.answers;
  if (people != 0) ++((people > 0) == in_order ? pair.people_low : pair.people_high);
  if (judge != 0) ++((judge > 0) == in_order ? pair.judge_low : pair.judge_high);
}

void JudgeCheck::add_turned(Outcome answer, Outcome turned) {
  if (answer == Outcome::none || turned == Outcome::none) return;
  ++figures_.both_orders;
  if (lean(answer) != lean(turned)) ++figures_.flips;
}

void JudgeCheck::add_repeats(Outcome answer, const std::vector<Outcome>& again) {
  if (answer == Outcome::none) return;
  const auto is_answer = [](Outcome one) { return one != Outcome::none; };
  const auto differs = [&](Outcome one) { return is_answer(one) && one != answer; };
  if (std::ranges::none_of(again, is_answer)) return;
  ++figures_.repeats;
  if (std::ranges::any_of(again, differs)) ++figures_.repeated_otherwise;
}

void JudgeCheck::add_price(double cost, std::uint64_t tokens, bool cached) {
  ++figures_.asked;
  if (cached) ++figures_.cached;
  figures_.cost += cost;
  figures_.tokens += tokens;
}

JudgeFigures JudgeCheck::figures() const {
  JudgeFigures figures = figures_;
  const auto share = [](std::uint64_t part, std::uint64_t rest) {
    return part + rest == 0 ? std::optional<double>()
                            : static_cast<double>(part) / static_cast<double>(part + rest);
  };
  figures.agreement = share(figures.agree, figures.differ);
  figures.agreement_interval =
      beta_binomial_sequence(figures.agree, figures.differ, kIntervalDelta);
  figures.first_share = share(figures.first, figures.second);
  figures.first_share_interval =
      estimate_position_bias(figures.first, figures.second, kIntervalDelta).interval;
  const auto of_all = [&](std::uint64_t part, std::uint64_t all, std::optional<double>& rate,
                          Interval& interval) {
    rate = share(part, all - part);
    interval = beta_binomial_sequence(part, all - part, kIntervalDelta);
  };
  of_all(figures.flips, figures.both_orders, figures.flip_rate, figures.flip_interval);
  of_all(figures.repeated_otherwise, figures.repeats, figures.repeat_rate, figures.repeat_interval);
  const PairEvidence evidence;
  for (const auto& [names, pair] : pairs_) {
    if (pair.answers < least_ || pair.people_low == pair.people_high ||
        pair.judge_low == pair.judge_high) {
      continue;
    }
    ++figures.pairs;
    const bool people = pair.people_low > pair.people_high;
    const bool judge = pair.judge_low > pair.judge_high;
    if (people == judge) continue;
    const auto sure = [&](std::uint64_t low, std::uint64_t high) {
      return evidence.log_evidence(std::max(low, high), std::min(low, high));
    };
    figures.reversed.push_back({names.first, names.second, pair.people_low, pair.people_high,
                                pair.judge_low, pair.judge_high,
                                sure(pair.people_low, pair.people_high),
                                sure(pair.judge_low, pair.judge_high)});
  }
  return figures;
}

Result<std::vector<JudgePassport>> read_passports(std::string_view text, const std::string& name) {
  const auto json = Json::parse(text);
  if (!json)
    return Error::invalid_data("is not JSON", name, "write it: duel judge check --passport");
  if (json->is_array()) return described_from<std::vector<JudgePassport>>(*json, name);
  DUEL_ASSIGN(JudgePassport one, described_from<JudgePassport>(*json, name));
  return std::vector<JudgePassport>{std::move(one)};
}

std::string passport_text(const JudgePassport& passport) {
  const JudgeFigures& figures = passport.figures;
  if (!figures.agreement) return "leans to one side nowhere where people do";
  return fmt::format(
      "agrees with people in {:.1f} % ({:.1f} to {:.1f}) of {} answers; {} of {} "
      "pairs {} reversed",
      100 * *figures.agreement, 100 * figures.agreement_interval.lower,
      100 * figures.agreement_interval.upper, figures.agree + figures.differ,
      figures.reversed.size(), figures.pairs, figures.reversed.size() == 1 ? "is" : "are");
}

}  // namespace duel
