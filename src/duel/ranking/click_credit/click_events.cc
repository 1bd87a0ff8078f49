#include "duel/ranking/click_credit/click_events.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"

namespace duel {

void ClickEvents::take(const Written& event, const CreditRule& rule) {
  if (event.ordinal) ordinals_.note(*event.ordinal);
  const auto action = rule.action(event.action);
  if (!action) {
    ++other_actions_;
    return;
  }
  if (event.query_id.empty()) {
    ++without_impression_;
    return;
  }
  if (event.object_id.empty() && !event.ordinal) {
    ++without_item_;
    return;
  }
  events_.push_back({.text = texts_.size(),
                     .length = static_cast<std::uint32_t>(event.object_id.size()),
                     .next = 0,
                     .ordinal = event.ordinal,
                     .action = *action,
                     .seconds = event.seconds});
  texts_ += event.object_id;
  const auto number = static_cast<std::uint32_t>(events_.size());
  const std::uint32_t impression = impressions_.number(event.query_id);
  if (impression == chains_.size()) chains_.emplace_back();
  Chain& chain = chains_[impression];
  if (chain.first == 0) {
    chain.first = number;
  } else {
    events_[chain.last - 1].next = number;
  }
  chain.last = number;
}

void ClickEvents::take(const UbiDocument& event, const CreditRule& rule) {
  take(Written{event.action, event.query_id, event.object_id, event.ordinal, event.seconds}, rule);
}

std::uint64_t ClickEvents::ordinal_of(const Entry& entry) const {
  return entry.ordinal ? ordinals_.from_one(*entry.ordinal) : 0;
}

void ClickEvents::of(std::string_view impression_id, std::vector<ClickEvent>& events) {
  events.clear();
  const auto found = impressions_.find(impression_id);
  if (!found) return;
  Chain& chain = chains_[*found];
  chain.met = true;
  for (std::uint32_t k = chain.first; k != 0; k = events_[k - 1].next) {
    const Entry& entry = events_[k - 1];
    events.push_back({std::string_view(texts_).substr(entry.text, entry.length), ordinal_of(entry),
                      entry.action, entry.seconds});
  }
}

std::uint64_t ClickEvents::num_unmet(std::string& example) const {
  std::uint64_t count = 0;
  for (std::uint32_t number = 0; number < chains_.size(); ++number) {
    const Chain& chain = chains_[number];
    if (chain.met) continue;
    if (count == 0) example = impressions_.text(number);
    for (std::uint32_t k = chain.first; k != 0; k = events_[k - 1].next) ++count;
  }
  return count;
}

// --- reading ------------------------------------------------------------------------------------

class ClickEvents::Reader {
 public:
  Reader(TextLines& lines, const CreditRule& rule, ClickEvents& events)
      : lines_(lines), rule_(rule), events_(events) {}

  Status read() {
    for (;;) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) return Done{};
      if (trimmed(*line).empty()) continue;
      if (events_.events_.size() > std::numeric_limits<std::uint32_t>::max() - 1000) {
        return bad("there are more than 4 billion events");
      }
      const auto object = is_table_ ? std::nullopt : UbiReader::object_in(*line);
      if (object) {
        taken_event_ = true;
        DUEL_ASSIGN(const bool is_document, ubi_.read(*object, lines_.here(), document_));
        if (is_document && !document_.is_query) events_.take(document_, rule_);
      } else if (!is_table_) {
        if (taken_event_) return bad("the line is not a JSON object");
        is_table_ = true;
        DUEL_RETURN_IF_ERROR(take_header(*line));
      } else {
        DUEL_RETURN_IF_ERROR(take_row(*line));
      }
    }
  }

 private:
  Error bad(std::string message, std::string hint = {}) const {
    return Error::invalid_data(std::move(message), lines_.here(), std::move(hint));
  }

  // Tables
  // -----------------------------------------------------------------------------------------

  enum Column { kQuery, kObject, kOrdinal, kAction, kSeconds, kRanks, kClicked, kNumColumns };
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  Result<std::vector<std::string>> fields_of(std::string_view line) const {
    if (tabs_) {
      std::vector<std::string> fields;
      for (std::size_t begin = 0;;) {
        const std::size_t end = line.find('\t', begin);
        fields.emplace_back(trimmed(line.substr(begin, end - begin)));
        if (end == std::string_view::npos) return fields;
        begin = end + 1;
      }
    }
    CsvReader reader(line, lines_.name());
    DUEL_ASSIGN(auto record, reader.next());
    if (!record) return bad("a row is empty");
    return std::move(record->fields);
  }

  Status take_header(std::string_view line) {
    tabs_ = line.find('\t') != std::string_view::npos;
    DUEL_ASSIGN(const auto names, fields_of(line));
    num_columns_ = names.size();
    const std::vector<std::pair<std::string_view, Column>> known = {
        {"query_id", kQuery}, {"object_id", kObject},   {"ordinal", kOrdinal},
        {"action", kAction},  {"action_name", kAction}, {"seconds", kSeconds},
        {"ranks", kRanks},    {"clicked", kClicked}};
    for (std::size_t k = 0; k < names.size(); ++k) {
      for (const auto& [name, column] : known) {
        if (trimmed(names[k]) != name) continue;
        if (at_[column] != kAbsent) return bad(fmt::format("two columns for '{}'", name));
        at_[column] = k;
      }
    }
    if (at_[kQuery] == kAbsent) {
      return bad("there is no column 'query_id'",
                 "UBI events as JSON lines, or a table with query_id,object_id");
    }
    const bool by_event = at_[kObject] != kAbsent || at_[kOrdinal] != kAbsent;
    const bool by_impression = at_[kRanks] != kAbsent || at_[kClicked] != kAbsent;
    if (by_event == by_impression) {
      return bad(by_event ? "two columns say what was clicked" : "no column says what was clicked",
                 "object_id or ordinal; or ranks (2;5) or clicked (0;1;0)");
    }
    return Done{};
  }

  Status take_row(std::string_view line) {
    DUEL_ASSIGN(const auto fields, fields_of(line));
    if (fields.size() != num_columns_) {
      return bad(
          fmt::format("{} where the header has {}", counted(fields.size(), "field"), num_columns_));
    }
    const auto field = [&](Column column) {
      return at_[column] == kAbsent ? std::string_view() : trimmed(fields[at_[column]]);
    };
    const std::string_view action = field(kAction).empty() ? "click" : field(kAction);
    if (at_[kRanks] != kAbsent || at_[kClicked] != kAbsent) {
      return take_ranks(field(kQuery), action, field(kRanks), field(kClicked));
    }
    Written event{.action = action, .query_id = field(kQuery), .object_id = field(kObject)};
    if (const std::string_view ordinal = field(kOrdinal); !ordinal.empty()) {
      DUEL_ASSIGN(event.ordinal, ordinal_of(ordinal));
    }
    if (const std::string_view seconds = field(kSeconds); !seconds.empty()) {
      const auto number = parse_number(seconds);
      if (!number.ok() || *number < 0) {
        return bad(fmt::format("'{}' is not a number of seconds", seconds));
      }
      event.seconds = *number;
    }
    events_.take(event, rule_);
    return Done{};
  }

  Result<std::uint64_t> ordinal_of(std::string_view text) const {
    const auto number = parse_count(text);
    if (!number.ok()) {
      return bad(fmt::format("'{}' is not a position", text), "a whole number");
    }
    return *number;
  }

  Status take_ranks(std::string_view query_id, std::string_view action, std::string_view ranks,
                    std::string_view clicked) {
    std::uint64_t place = 0;
    std::string_view rest = ranks.empty() ? clicked : ranks;
    while (!rest.empty()) {
      const std::size_t end = rest.find_first_of("; ,");
      const std::string_view entry = trimmed(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (entry.empty()) continue;
      ++place;
      Written event{.action = action, .query_id = query_id};
      if (!ranks.empty()) {
        DUEL_ASSIGN(event.ordinal, ordinal_of(entry));
      } else {
        if (entry != "0" && entry != "1") return bad(fmt::format("'{}' is not 0 or 1", entry));
        if (entry == "0") continue;
        event.ordinal = place - 1 + events_.ordinals_.base();
      }
      events_.take(event, rule_);
    }
    return Done{};
  }

  TextLines& lines_;
  const CreditRule& rule_;
  ClickEvents& events_;
  UbiReader ubi_;
  UbiDocument document_;
  bool taken_event_ = false, is_table_ = false, tabs_ = false;
  std::size_t num_columns_ = 0;
  std::size_t at_[kNumColumns] = {kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent};
};

Result<ClickEvents> ClickEvents::read(const std::string& path, const CreditRule& rule,
                                      Ordinals ordinals) {
  const TextLimits by_line{.bytes = std::uint64_t{1} << 40};
  DUEL_ASSIGN(TextLines lines, TextLines::open(path, by_line));
  ClickEvents events;
  events.ordinals_ = ordinals;
  DUEL_RETURN_IF_ERROR(Reader(lines, rule, events).read());
  return events;
}

Result<ClickEvents> ClickEvents::read_text(std::string name, std::string_view text,
                                           const CreditRule& rule, Ordinals ordinals) {
  TextLines lines = TextLines::of_text(std::move(name), text);
  ClickEvents events;
  events.ordinals_ = ordinals;
  DUEL_RETURN_IF_ERROR(Reader(lines, rule, events).read());
  return events;
}

}  // namespace duel
