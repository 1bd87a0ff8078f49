#include "duel/truth/rankings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/text_lines.h"
#include "duel/truth/matrix_reader.h"

namespace duel {
namespace {

constexpr std::uint64_t kMostVoters = std::uint64_t{1} << 53;  // counts stay exact as doubles
constexpr const char* kForm =
    "a PrefLib file of orders: '# NUMBER ALTERNATIVES: n', '# ALTERNATIVE NAME i: ..', then "
    "ballots such as '12: 3,{1,2},4'";

// Takes a whole number from the front of `rest`; nullopt where there is none or it is too large.
std::optional<std::uint64_t> take_number(std::string_view& rest) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (code != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

void skip_blanks(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
}

bool take(std::string_view& rest, char c) {
  skip_blanks(rest);
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

class RankingParser {
 public:
  RankingParser(TextLines lines, std::string name, const RankingOptions& options)
      : lines_(std::move(lines)), options_(options) {
    counts_.name = std::move(name);
  }

  Result<RankingCounts> parse() {
    DUEL_RETURN_IF_ERROR(read_lines());
    if (counts_.ballots == 0) return at_file("there is no ballot", kForm);
    const std::size_t k = counts_.alternatives.size();
    for (Arm i = 0; i < k; ++i) {
      for (Arm j = i + 1; j < k; ++j) {
        if (counts_(i, j) + counts_(j, i) == 0) ++counts_.unmet_pairs;
      }
    }
    return std::move(counts_);
  }

 private:
  using Ballot = std::vector<std::vector<Arm>>;  // groups of tied alternatives, best first

  Error here(std::string message, std::string hint = "") const {
    return Error::invalid_data(std::move(message), lines_.here(), std::move(hint));
  }
  Error at_file(std::string message, std::string hint) const {
    return Error::invalid_data(std::move(message), lines_.name(), std::move(hint));
  }

  Status read_lines() {
    bool first = true;
    for (;;) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) return Done{};
      const std::string_view text = trimmed(*line);
      if (text.empty()) continue;
      if (text.front() == '#') {
        DUEL_RETURN_IF_ERROR(read_header_line(text.substr(1)));
      } else if (first) {
        DUEL_RETURN_IF_ERROR(read_old_header(text));
      } else {
        DUEL_RETURN_IF_ERROR(read_ballot(text));
      }
      first = false;
    }
  }

  // The header of today's form ---------------------------------------------------------------

  // `KEY: value`; keys that do not matter here are passed over.
  Status read_header_line(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return Done{};
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    constexpr std::string_view kAlternativeName = "ALTERNATIVE NAME";
    if (key == "DATA TYPE") return check_data_type(value);
    if (key == "NUMBER ALTERNATIVES") return set_number(value);
    if (key.starts_with(kAlternativeName))
      return set_name(trimmed(key.substr(kAlternativeName.size())), value);
    if (key == "NUMBER VOTERS") {
      const auto voters = parse_count(value);
      if (voters.ok()) counts_.declared_voters = *voters;
    }
    return Done{};
  }

  Status check_data_type(std::string_view type) const {
    if (type == "soc" || type == "soi" || type == "toc" || type == "toi") return Done{};
    return here(fmt::format("data type '{}' is not one of orders", type),
                "soc, soi, toc and toi are read");
  }

  Status set_number(std::string_view text) {
    const auto number = parse_count(text);
    if (!number.ok() || *number < 1) {
      return here(fmt::format("'{}' is not a number of alternatives", text), "1 or more");
    }
    if (*number > options_.most_alternatives) {
      return here(fmt::format("{} alternatives are too many", *number),
                  fmt::format("at most {}", options_.most_alternatives));
    }
    if (number_ != 0) return here("the number of alternatives is given twice");
    number_ = static_cast<std::size_t>(*number);
    return Done{};
  }

  Status set_name(std::string_view index_text, std::string_view name) {
    const auto index = parse_count(index_text);
    if (!index.ok() || *index < 1) {
      return here(fmt::format("'{}' is not the number of an alternative", index_text),
                  "alternatives are numbered from 1");
    }
    if (!names_.emplace(*index, Name{std::string(name), lines_.line_number()}).second) {
      return here(fmt::format("alternative {} is named twice", *index));
    }
    return Done{};
  }

  // Called before the first ballot: all alternatives are known now. One without a name is called
  // by its number.
  Status settle_alternatives() {
    if (number_ == 0) return here("a ballot before the number of alternatives", kForm);
    std::unordered_map<std::string, std::uint64_t> index_of;
    for (std::uint64_t index = 1; index <= number_; ++index) {
      const auto given = names_.find(index);
      const bool named = given != names_.end() && !given->second.text.empty();
      std::string name = named ? given->second.text : fmt::format("{}", index);
      if (const auto [known, is_new] = index_of.emplace(name, index); !is_new) {
        return Error::invalid_data(
            fmt::format("alternatives {} and {} are both called '{}'", known->second, index, name),
            named ? lines_.at_line(given->second.line) : lines_.name());
      }
      counts_.alternatives.push_back(std::move(name));
    }
    if (!names_.empty() && names_.rbegin()->first > number_) {
      return Error::invalid_data(
          fmt::format("alternative {} of {}", names_.rbegin()->first, number_),
          lines_.at_line(names_.rbegin()->second.line));
    }
    counts_.wins.assign(number_ * number_, 0);
    ballot_of_.assign(number_, 0);
    return Done{};
  }

  // The header of the older form: n, then n lines `i,name`, then `voters,voters,orders`.
  Status read_old_header(std::string_view first_line) {
    if (!parse_count(first_line).ok()) {
      return here(fmt::format("'{}' does not begin a file of rankings", first_line), kForm);
    }
    DUEL_RETURN_IF_ERROR(set_number(first_line));
    for (std::size_t i = 0; i < number_; ++i) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) return at_file("the list of alternatives is cut short", "");
      const auto comma = line->find(',');
      if (comma == std::string_view::npos) return here("the line is not 'number,name'");
      DUEL_RETURN_IF_ERROR(
          set_name(trimmed(line->substr(0, comma)), trimmed(line->substr(comma + 1))));
    }
    DUEL_ASSIGN(const auto totals, lines_.next());
    if (!totals) return at_file("the line of totals is missing", "");
    const auto voters = parse_count(trimmed(totals->substr(0, totals->find(','))));
    if (!voters.ok()) return here("the line is not 'voters,voters,orders'");
    counts_.declared_voters = *voters;
    separator_ = ',';
    return Done{};
  }

  // Ballots ----------------------------------------------------------------------------------

  Status read_ballot(std::string_view text) {
    if (counts_.alternatives.empty()) DUEL_RETURN_IF_ERROR(settle_alternatives());
    ++counts_.ballots;
    const auto times = take_number(text);
    if (!times || !take(text, separator_)) {
      return here("a ballot begins with how many voters cast it",
                  separator_ == ':' ? "such as '12: 3,1,2'" : "such as '12,3,1,2'");
    }
    if (*times < 1 || *times > kMostVoters || counts_.voters + *times > kMostVoters) {
      return here(fmt::format("{} voters of one ballot", *times),
                  "at least 1, in all at most 2^53");
    }
    counts_.voters += *times;
    DUEL_ASSIGN(const Ballot ballot, read_order(text));
    count(ballot, *times);
    return Done{};
  }

  Result<Ballot> read_order(std::string_view rest) {
    Ballot ballot;
    skip_blanks(rest);
    if (rest.empty()) return here("the ballot ranks nobody");
    do {
      ballot.emplace_back();
      if (take(rest, '{')) {
        do {
          DUEL_ASSIGN(const Arm arm, read_alternative(rest));
          ballot.back().push_back(arm);
        } while (take(rest, ','));
        if (!take(rest, '}')) return here("'{' is not closed by '}'");
      } else {
        DUEL_ASSIGN(const Arm arm, read_alternative(rest));
        ballot.back().push_back(arm);
      }
    } while (take(rest, ','));
    skip_blanks(rest);
    if (!rest.empty()) return here(fmt::format("'{}' after the ballot", rest));
    return ballot;
  }

  Result<Arm> read_alternative(std::string_view& rest) {
    skip_blanks(rest);
    const auto index = take_number(rest);
    if (!index) {
      return here(rest.empty() ? "the ballot ends with a comma or brace"
                               : fmt::format("'{}' is not an alternative", rest),
                  "ballots hold the numbers of alternatives");
    }
    if (*index < 1 || *index > number_) {
      return here(fmt::format("there is no alternative {}", *index),
                  fmt::format("1 .. {}", number_));
    }
    const auto arm = static_cast<Arm>(*index - 1);
    if (ballot_of_[arm] == counts_.ballots) {
      return here(fmt::format("alternative {} stands twice in the ballot", *index));
    }
    ballot_of_[arm] = counts_.ballots;
    return arm;
  }

  void count(const Ballot& ballot, std::uint64_t times) {
    std::vector<Arm> below;  // everyone that stands under the group at hand
    if (options_.unranked == Unranked::last) {
      for (Arm arm = 0; arm < number_; ++arm) {
        if (ballot_of_[arm] != counts_.ballots) below.push_back(arm);
      }
    }
    for (auto group = ballot.rbegin(); group != ballot.rend(); ++group) {
      for (const Arm winner : *group) {
        for (const Arm loser : below) counts_.wins[winner * number_ + loser] += times;
      }
      below.insert(below.end(), group->begin(), group->end());
    }
  }

  struct Name {
    std::string text;
    std::uint64_t line;
  };

  TextLines lines_;
  RankingOptions options_;
  RankingCounts counts_;
  std::size_t number_ = 0;  // of alternatives; 0 until known
  std::map<std::uint64_t, Name> names_;
  char separator_ = ':';                  // between a ballot's multiplicity and its order
  std::vector<std::uint64_t> ballot_of_;  // the last ballot that ranked each alternative
};

std::string rankings_name(const std::string& path) {
  return path == "-" ? "stdin" : file_stem(path, {".soc", ".soi", ".toc", ".toi", ".txt", ".csv"});
}

}  // namespace

Result<Unranked> parse_unranked(const std::string& word) {
  if (word == "ignore") return Unranked::ignore;
  if (word == "last") return Unranked::last;
  const std::vector<std::string> known{"ignore", "last"};
  return Error::invalid_argument(fmt::format("'{}' is not a known value", word))
      .with_hint(spelling_hint(word, known))
      .in_field("unranked");
}

Result<RankingCounts> read_rankings_file(const std::string& path, const RankingOptions& options) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  return RankingParser(std::move(lines), rankings_name(path), options).parse();
}

Result<RankingCounts> read_rankings_text(const std::string& name, std::string_view text,
                                         const RankingOptions& options) {
  return RankingParser(TextLines::of_text(name, text), rankings_name(name), options).parse();
}

Result<PreferenceMatrix> matrix_from_counts(const RankingCounts& counts) {
  const std::size_t k = counts.alternatives.size();
  std::vector<double> values;
  for (Arm i = 0; i < k; ++i) {
    for (Arm j = 0; j < k; ++j) {
      const double won = static_cast<double>(counts(i, j));
      const double met = static_cast<double>(counts(i, j) + counts(j, i));
      values.push_back(met == 0 ? 0.5 : won / met);
    }
  }
  return PreferenceMatrix::create(counts.name, counts.alternatives, std::move(values));
}

void write_counts_csv(const RankingCounts& counts, std::ostream& out) {
  out << matrix_csv_header(counts.alternatives);
  for (Arm i = 0; i < counts.alternatives.size(); ++i) {
    for (Arm j = 0; j < counts.alternatives.size(); ++j) {
      out << (j == 0 ? "" : ",") << counts(i, j);
    }
    out << '\n';
  }
}

Json to_json(const RankingCounts& counts, const PreferenceMatrix& matrix) {
  Json json;
  json["name"] = counts.name;
  json["num_arms"] = matrix.num_arms();
  json["arms"] = matrix.arm_names();
  json["voters"] = counts.voters;
  json["ballots"] = counts.ballots;
  json["unmet_pairs"] = counts.unmet_pairs;
  json["counts"] = Json::array();
  json["matrix"] = Json::array();
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    Json wins = Json::array();
    for (Arm j = 0; j < matrix.num_arms(); ++j) wins.push_back(counts(i, j));
    json["counts"].push_back(std::move(wins));
    json["matrix"].push_back(std::vector<double>(matrix.row(i).begin(), matrix.row(i).end()));
  }
  return json;
}

}  // namespace duel
