#include "duel/verdict/judge_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duel/core/csv.h"
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

}  // namespace

Result<JudgedVotes> read_judged_votes(std::string_view text, const std::string& name,
                                      const std::string& people,
                                      const std::vector<std::string>& judges) {
  JudgedVotes votes{.rows = {}, .judges = judges, .sha256 = sha256_hex(text)};
  CsvReader reader(text, name);
  DUEL_ASSIGN(const auto header, reader.next());
  if (!header) return Error::invalid_data("the file is empty", name);
  const std::vector<std::string>& columns = header->fields;
  const std::string at = reader.where(header->line);
  const auto named = [&](const std::string& column) -> Result<std::size_t> {
    const auto found = column_of(columns, std::array{std::string_view(column)});
    if (found) return *found;
    return Error::invalid_data(fmt::format("there is no column '{}'", column), at,
                               spelling_hint(column, columns));
  };
  const auto first = column_of(columns, kFirst), second = column_of(columns, kSecond);
  if (!first || !second) {
    return Error::invalid_data(
        fmt::format("there is no column for the {} of the two", first ? "second" : "first"), at,
        "columns: model_a, model_b and one with what people said");
  }
  DUEL_ASSIGN(const std::size_t said, named(people));
  std::vector<std::size_t> by_judges;
  for (const std::string& judge : judges) {
    DUEL_ASSIGN(const std::size_t column, named(judge));
    by_judges.push_back(column);
  }
  const auto first_text = column_of(columns, kFirstText);
  const auto second_text = column_of(columns, kSecondText);
  std::vector<bool> is_known(columns.size(), false);
  for (const auto& column : {first, second, std::optional(said), first_text, second_text}) {
    if (column) is_known[*column] = true;
  }
  for (const std::size_t column : by_judges) is_known[column] = true;
  for (;;) {
    DUEL_ASSIGN(auto record, reader.next());
    if (!record) break;
    const std::string where = reader.where(record->line);
    if (record->fields.size() != columns.size()) {
      return Error::invalid_data(
          fmt::format("{} fields in a table of {} columns", record->fields.size(), columns.size()),
          where);
    }
    std::vector<std::string>& fields = record->fields;
    JudgedRow row{.first = fields[*first], .second = fields[*second]};
    if (row.first.empty() || row.second.empty() || row.first == row.second) {
      return Error::invalid_data(
          fmt::format("'{}' against '{}' is no comparison", row.first, row.second), where);
    }
    DUEL_ASSIGN(row.people, answer_in(fields[said], row, where));
    for (const std::size_t column : by_judges) {
      DUEL_ASSIGN(const Outcome answer, answer_in(fields[column], row, where));
      row.judges.push_back(answer);
    }
    if (first_text) row.first_text = std::move(fields[*first_text]);
    if (second_text) row.second_text = std::move(fields[*second_text]);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (!is_known[k]) row.task[columns[k]] = fields[k];
    }
    votes.rows.push_back(std::move(row));
  }
  if (votes.rows.empty()) return Error::invalid_data("the file holds no answer", name);
  return votes;
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

void JudgeCheck::add_repeat(Outcome answer, Outcome again) {
  if (answer == Outcome::none || again == Outcome::none) return;
  ++figures_.repeats;
  if (answer != again) ++figures_.repeated_otherwise;
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

}  // namespace duel
