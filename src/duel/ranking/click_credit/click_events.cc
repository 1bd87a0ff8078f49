#include "duel/ranking/click_credit/click_events.h"

// A conversion that could throw does not compile then: bad input is an error, never an exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>
#include <limits>
#include <utility>

#include "duel/core/csv.h"
#include "duel/core/numbers.h"
#include "duel/core/simdjson_number.h"
#include "duel/core/text_lines.h"

namespace duel {

namespace ondemand = simdjson::ondemand;

void ClickEvents::add(std::string_view impression_id, std::string_view object_id,
                      const ClickEvent& event) {
  events_.push_back({.text = texts_.size(),
                     .length = static_cast<std::uint32_t>(object_id.size()),
                     .next = 0,
                     .ordinal = event.ordinal,
                     .action = event.action,
                     .seconds = event.seconds});
  texts_ += object_id;
  const auto number = static_cast<std::uint32_t>(events_.size());
  const std::uint32_t impression = impressions_.number(impression_id);
  if (impression == chains_.size()) chains_.emplace_back();
  Chain& chain = chains_[impression];
  if (chain.first == 0) {
    chain.first = number;
  } else {
    events_[chain.last - 1].next = number;
  }
  chain.last = number;
}

void ClickEvents::of(std::string_view impression_id, std::vector<ClickEvent>& events) {
  events.clear();
  const auto found = impressions_.find(impression_id);
  if (!found) return;
  Chain& chain = chains_[*found];
  chain.met = true;
  for (std::uint32_t k = chain.first; k != 0; k = events_[k - 1].next) {
    const Entry& entry = events_[k - 1];
    events.push_back({std::string_view(texts_).substr(entry.text, entry.length), entry.ordinal,
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
      if (!is_table_ && line->front() == '{') {
        DUEL_RETURN_IF_ERROR(take_event(*line));
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
  Error wrong(std::string_view field, std::string_view wanted) const {
    return bad(fmt::format("the field '{}' is not {}", field, wanted));
  }

  // UBI
  // --------------------------------------------------------------------------------------------

  Status take_event(std::string_view line) {
    taken_event_ = true;
    padded_.resize(line.size() + simdjson::SIMDJSON_PADDING);
    std::memcpy(padded_.data(), line.data(), line.size());
    ondemand::document document;
    ondemand::object object;
    if (parser_.iterate(padded_.data(), line.size(), padded_.size()).get(document) !=
            simdjson::SUCCESS ||
        document.get_object().get(object) != simdjson::SUCCESS) {
      return bad("the line is not a JSON object");
    }
    std::string_view action, query_id, object_id;
    ClickEvent event;
    for (auto field : object) {
      std::string_view key;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return bad("broken JSON");
      if (key == "action_name" && field.value().get_string().get(action) != simdjson::SUCCESS) {
        return wrong(key, "a text");
      }
      if (key == "query_id" && !is_text_or_null(field, query_id)) return wrong(key, "a text");
      if (key != "event_attributes") continue;
      ondemand::object attributes;
      if (field.value().get_object().get(attributes) != simdjson::SUCCESS) {
        return wrong(key, "an object");
      }
      DUEL_RETURN_IF_ERROR(take_attributes(attributes, object_id, event));
    }
    if (const char* rest = nullptr; document.current_location().get(rest) == simdjson::SUCCESS) {
      return bad("something follows the JSON object");
    }
    if (action.empty()) return bad("there is no field 'action_name'", "as UBI events have it");
    return take(action, query_id, object_id, event);
  }

  Status take_attributes(ondemand::object& attributes, std::string_view& object_id,
                         ClickEvent& event) const {
    for (auto attribute : attributes) {
      std::string_view name;
      ondemand::object inner;
      if (attribute.unescaped_key().get(name) != simdjson::SUCCESS) return bad("broken JSON");
      if (name != "object" && name != "position" && name != "duel") continue;
      if (attribute.value().get_object().get(inner) != simdjson::SUCCESS) {
        return wrong(fmt::format("event_attributes.{}", name), "an object");
      }
      for (auto entry : inner) {
        std::string_view key;
        if (entry.unescaped_key().get(key) != simdjson::SUCCESS) return bad("broken JSON");
        if (name == "object" && key == "object_id") {
          if (!is_text_or_null(entry, object_id)) return wrong(key, "a text");
        } else if (name == "position" && key == "ordinal") {
          const auto code = entry.value().get_uint64().get(event.ordinal);
          if (code != simdjson::SUCCESS) return wrong(key, "a whole number");
        } else if (name == "duel" && key == "seconds") {
          ondemand::value seconds;
          if (entry.value().get(seconds) != simdjson::SUCCESS ||
              !read_double(seconds, event.seconds) || event.seconds < 0) {
            return wrong(key, "a number of seconds");
          }
        }
      }
    }
    return Done{};
  }

  // A null leaves `to` as it was.
  static bool is_text_or_null(auto& field, std::string_view& to) {
    bool is_null = false;
    return field.value().get_string().get(to) == simdjson::SUCCESS ||
           (field.value().is_null().get(is_null) == simdjson::SUCCESS && is_null);
  }

  Status take(std::string_view action, std::string_view query_id, std::string_view object_id,
              ClickEvent& event) {
    const auto number = rule_.action(action);
    if (!number) {
      ++events_.other_actions_;
      return Done{};
    }
    if (query_id.empty()) {
      ++events_.without_impression_;
      return Done{};
    }
    if (object_id.empty() && event.ordinal == 0) {
      return bad(fmt::format("the {} is on no item", action),
                 "event_attributes.object.object_id, or position.ordinal");
    }
    event.action = *number;
    events_.add(query_id, object_id, event);
    return Done{};
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
    ClickEvent event;
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
    return take(action, field(kQuery), field(kObject), event);
  }

  Result<std::uint64_t> ordinal_of(std::string_view text) const {
    const auto number = parse_count(text);
    if (!number.ok() || *number == 0) {
      return bad(fmt::format("'{}' is not a position", text), "a whole number from 1");
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
      ClickEvent event;
      if (!ranks.empty()) {
        DUEL_ASSIGN(event.ordinal, ordinal_of(entry));
      } else {
        if (entry != "0" && entry != "1") return bad(fmt::format("'{}' is not 0 or 1", entry));
        if (entry == "0") continue;
        event.ordinal = place;
      }
      DUEL_RETURN_IF_ERROR(take(action, query_id, {}, event));
    }
    return Done{};
  }

  TextLines& lines_;
  const CreditRule& rule_;
  ClickEvents& events_;
  ondemand::parser parser_;
  std::vector<char> padded_;
  bool taken_event_ = false, is_table_ = false, tabs_ = false;
  std::size_t num_columns_ = 0;
  std::size_t at_[kNumColumns] = {kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent};
};

Result<ClickEvents> ClickEvents::read(const std::string& path, const CreditRule& rule) {
  const TextLimits by_line{.bytes = std::uint64_t{1} << 40};
  DUEL_ASSIGN(TextLines lines, TextLines::open(path, by_line));
  ClickEvents events;
  DUEL_RETURN_IF_ERROR(Reader(lines, rule, events).read());
  return events;
}

Result<ClickEvents> ClickEvents::read_text(std::string name, std::string_view text,
                                           const CreditRule& rule) {
  TextLines lines = TextLines::of_text(std::move(name), text);
  ClickEvents events;
  DUEL_RETURN_IF_ERROR(Reader(lines, rule, events).read());
  return events;
}

}  // namespace duel
