#include "duel/experiment/vote_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

using NameWords = std::vector<std::string>;

// The words of a name in lower case: "Model A", "model_a", "modelA" and "model-a" are {model, a},
// and "option1" is {option, 1}.
NameWords words_in(std::string_view name) {
  NameWords words;
  char before = ' ';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = std::isalnum(byte) != 0 || byte >= 0x80;
    const bool begins =
        words.empty() || before == ' ' ||
        (std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before))) ||
        (std::isdigit(byte) != 0) != (std::isdigit(static_cast<unsigned char>(before)) != 0);
    if (is_word) {
      if (begins) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(byte));
    }
    before = is_word ? c : ' ';
  }
  return words;
}
std::string joined(const NameWords& words) { return fmt::format("{}", fmt::join(words, "_")); }
std::string plain(std::string_view name) { return joined(words_in(name)); }

template <std::size_t Count>
bool is_one_of(std::string_view word, const std::array<std::string_view, Count>& words) {
  return std::ranges::find(words, word) != words.end();
}

using SideWords = std::pair<std::string_view, std::string_view>;
// Those of the first four may stand for a side in any table.
constexpr std::size_t kSidesAnywhere = 4;
constexpr std::array<SideWords, 8> kSides = {{{"left", "right"},
                                              {"first", "second"},
                                              {"a", "b"},
                                              {"1", "2"},
                                              {"x", "y"},
                                              {"one", "two"},
                                              {"i", "j"},
                                              {"top", "bottom"}}};
// What an arm is called, in the order in which a pair of such columns is preferred.
constexpr std::array<std::string_view, 14> kArmWords = {
    "arm",     "model", "item",   "option", "system", "candidate", "variant",
    "version", "name",  "player", "team",   "method", "prompt",    "ranker"};
constexpr std::array<std::string_view, 17> kWinnerWords = {
    "winner",   "vote",     "choice",    "preference", "preferred", "chosen",
    "selected", "decision", "result",    "outcome",    "verdict",   "answer",
    "label",    "better",   "judgement", "judgment",   "winning"};
constexpr std::array<std::string_view, 14> kJudgeWords = {
    "judge",     "worker",      "annotator", "rater",    "observer",  "voter",    "user",
    "evaluator", "participant", "labeler",   "assessor", "performer", "reviewer", "source"};
constexpr std::array<std::string_view, 7> kTimeWords = {
    "tstamp", "timestamp", "time", "made_at", "date", "created_at", "submitted_at"};
constexpr std::array<std::string_view, 9> kTies = {
    "tie", "draw", "tied", "equal", "same", "equals", "no_preference", "t", "both_good"};
constexpr std::array<std::string_view, 6> kBothBad = {"tie_bothbad", "bothbad",      "both_bad",
                                                      "neither",     "tie_both_bad", "none"};
constexpr std::array<std::string_view, 5> kSkips = {"skip", "skipped", "invalid", "unsure",
                                                    "cant_decide"};

// The words by which the names of two columns differ, where that is one pair of sides.
std::optional<SideWords> sides_between(const NameWords& one, const NameWords& other) {
  if (one.size() != other.size()) return std::nullopt;
  std::optional<SideWords> found;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (one[k] == other[k]) continue;
    const auto known = std::ranges::find(kSides, SideWords(one[k], other[k]));
    if (found || known == kSides.end()) return std::nullopt;
    found = *known;
  }
  return found;
}

struct PairOfColumns {
  std::size_t a = 0, b = 0;
  std::size_t rank = 0;  // lower is likelier
};

// Pairs of columns whose names differ in nothing but the side.
std::vector<PairOfColumns> pairs_in(const std::vector<std::string>& names) {
  std::vector<NameWords> words;
  for (const std::string& name : names) words.push_back(words_in(name));
  std::vector<PairOfColumns> pairs;
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (a == b || !sides_between(words[a], words[b])) continue;
      // Sides alone, then names of arms, then anything else: response_a, conversation_a.
      std::size_t rank = words[a].size() == 1 ? 0 : 100;
      for (std::size_t k = 0; k < kArmWords.size(); ++k) {
        if (rank == 100 && std::ranges::find(words[a], kArmWords[k]) != words[a].end())
          rank = k + 1;
      }
      for (const std::string_view word : kWinnerWords) {
        if (std::ranges::find(words[a], word) != words[a].end()) rank = 1000;
      }
      pairs.push_back({a, b, rank});
    }
  }
  std::ranges::stable_sort(pairs, {}, &PairOfColumns::rank);
  return pairs;
}

}  // namespace

bool names_winner(std::string_view name) {
  for (const std::string& word : words_in(name)) {
    if (is_one_of(word, kWinnerWords)) return true;
  }
  return false;
}

namespace {

// How the cells of a column read as votes on a pair.
struct Reading {
  std::size_t unknown = 0;  // cells that are neither a vote nor empty
  std::size_t wins = 0;     // cells that name an arm or a side
  std::size_t by_name = 0;  // of these, by the name of an arm or of a column
};

Reading reading_of(std::size_t column, const PairOfColumns& pair,
                   const std::vector<std::string>& names,
                   const std::vector<std::vector<std::string>>& rows) {
  const VoteColumns columns{names[pair.a], names[pair.b], {names[column]}, "", ""};
  Reading reading;
  for (const auto& row : rows) {
    const auto vote = read_vote(row[column], row[pair.a], row[pair.b], columns);
    if (!vote.ok() || !*vote) {
      ++reading.unknown;
      continue;
    }
    if ((*vote)->kind != ReadVote::Kind::win) continue;
    ++reading.wins;
    const std::string word = plain(row[column]);
    if (row[column] == row[pair.a] || row[column] == row[pair.b] || word == plain(names[pair.a]) ||
        word == plain(names[pair.b])) {
      ++reading.by_name;
    }
  }
  return reading;
}

const std::vector<std::string> kKeys = {"a", "b", "winner", "judge", "time"};

template <std::size_t Count>
std::string column_called(const std::vector<std::string>& names,
                          const std::array<std::string_view, Count>& words,
                          const VoteColumns& taken) {
  for (const std::string_view wanted : words) {
    for (const std::string& name : names) {
      const NameWords found = words_in(name);
      const bool is_free = name != taken.a && name != taken.b &&
                           std::ranges::find(taken.winners, name) == taken.winners.end();
      if (is_free && !found.empty() &&
          (joined(found) == wanted || joined(found) == fmt::format("{}_id", wanted) ||
           joined(found) == fmt::format("{}_name", wanted))) {
        return name;
      }
    }
  }
  return {};
}

}  // namespace

Result<VoteColumns> parse_vote_columns(std::string_view text) {
  VoteColumns columns;
  for (const std::string& part : split_at_commas(text)) {
    const std::size_t sign = part.find('=');
    const std::string key(trimmed(std::string_view(part).substr(0, sign)));
    const std::string name(
        sign == std::string::npos ? "" : trimmed(std::string_view(part).substr(sign + 1)));
    if (name.empty()) {
      return Error::invalid_argument(fmt::format("'{}' names no column", part))
          .with_hint("a=left,b=right,winner=vote");
    }
    if (key == "winner") {
      columns.winners.push_back(name);
      continue;
    }
    std::string* const into = key == "a"       ? &columns.a
                              : key == "b"     ? &columns.b
                              : key == "judge" ? &columns.judge
                              : key == "time"  ? &columns.time
                                               : nullptr;
    if (into == nullptr) {
      return Error::invalid_argument(fmt::format("'{}' is nothing that a column says", key))
          .with_hint(spelling_hint(key, kKeys));
    }
    if (!into->empty()) return Error::invalid_argument(fmt::format("'{}' is given twice", key));
    *into = name;
  }
  if (columns.a.empty() || columns.b.empty() || columns.winners.empty()) {
    return Error::invalid_argument("a, b and winner are needed")
        .with_hint("a=left,b=right,winner=vote");
  }
  return columns;
}

std::string to_text(const VoteColumns& columns) {
  std::string text = "a=" + columns.a + ",b=" + columns.b;
  for (const std::string& winner : columns.winners) text += ",winner=" + winner;
  if (!columns.judge.empty()) text += ",judge=" + columns.judge;
  if (!columns.time.empty()) text += ",time=" + columns.time;
  return text;
}

Result<std::optional<ReadVote>> read_vote(std::string_view cell, std::string_view a,
                                          std::string_view b, const VoteColumns& columns) {
  using Kind = ReadVote::Kind;
  const std::string_view text = trimmed(cell);
  if (text.empty()) return std::optional(ReadVote{Kind::none});
  const std::string word = plain(text);
  const NameWords first = words_in(columns.a), second = words_in(columns.b);
  const auto sides = sides_between(first, second);
  std::optional<Side> by_arm, by_side;
  if (text == trimmed(a)) by_arm = Side::first;
  if (text == trimmed(b)) by_arm = Side::second;
  if (word == joined(first) || (sides && word == sides->first)) by_side = Side::first;
  if (word == joined(second) || (sides && word == sides->second)) by_side = Side::second;
  if (by_arm && by_side && by_arm != by_side) {
    return Error::invalid_data(fmt::format("the winner '{}' is an arm and also a column", text), "",
                               "rename the arm or the column");
  }
  if (by_arm || by_side) return std::optional(ReadVote{Kind::win, by_arm ? *by_arm : *by_side});
  if (is_one_of(word, kTies)) return std::optional(ReadVote{Kind::tie});
  if (is_one_of(word, kBothBad)) return std::optional(ReadVote{Kind::both_bad});
  if (is_one_of(word, kSkips)) return std::optional(ReadVote{Kind::skip});
  for (const auto& [one, other] : std::span(kSides).first(kSidesAnywhere)) {
    // A number is a side only in a column that is called so: it could as well be a count.
    if (one == "1" && !std::ranges::all_of(columns.winners, names_winner)) continue;
    for (const std::string_view prefix : {"", "model_", "option_", "response_", "answer_"}) {
      if (word == fmt::format("{}{}", prefix, one))
        return std::optional(ReadVote{Kind::win, Side::first});
      if (word == fmt::format("{}{}", prefix, other))
        return std::optional(ReadVote{Kind::win, Side::second});
    }
  }
  return std::optional<ReadVote>();
}

Result<VoteColumns> guess_vote_columns(const std::vector<std::string>& names,
                                       const std::vector<std::vector<std::string>>& rows,
                                       const std::string& where, std::string_view expected) {
  const std::string hint = fmt::format(
      "{}; the columns here: {}; `columns` says which are which, as in a=left,b=right,winner=vote",
      expected, fmt::join(names, ", "));
  const std::vector<PairOfColumns> pairs = pairs_in(names);
  if (pairs.empty()) {
    return Error::invalid_data("there is no column for the first arm", where, hint);
  }
  // The pair by whose names most votes are given; of several, the one that is likeliest by name.
  std::optional<VoteColumns> best;
  std::size_t most = 0;
  for (const PairOfColumns& pair : pairs) {
    VoteColumns columns{names[pair.a], names[pair.b], {}, "", ""};
    std::size_t by_name = 0;
    const auto take = [&](bool named) {
      for (std::size_t column = 0; column < names.size(); ++column) {
        if (column == pair.a || column == pair.b || names_winner(names[column]) != named) continue;
        const Reading reading = reading_of(column, pair, names, rows);
        // Of a column that is called a winner some cells may be wrong: reading the table then says
        // which.
        if (reading.wins == 0 || reading.unknown > (named ? rows.size() / 2 : 0)) continue;
        columns.winners.push_back(names[column]);
        by_name += reading.by_name;
      }
    };
    take(true);
    if (columns.winners.empty()) take(false);
    if (columns.winners.empty() || (best && by_name <= most)) continue;
    best = std::move(columns);
    most = by_name;
  }
  if (!best) {
    return Error::invalid_data(fmt::format("no column says which of '{}' and '{}' won",
                                           names[pairs.front().a], names[pairs.front().b]),
                               where, hint);
  }
  if (best->winners.size() == 1) best->judge = column_called(names, kJudgeWords, *best);
  best->time = column_called(names, kTimeWords, *best);
  return *best;
}

}  // namespace duel
