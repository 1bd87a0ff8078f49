#include "duel/ranking/click_credit/impression_lines.h"

// A conversion that could throw does not compile then: bad input is an error, never an exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>
#include <iterator>
#include <utility>

#include "duel/core/json_line.h"
#include "duel/core/json_objects.h"
#include "duel/core/text_lines.h"
#include "duel/ranking/click_credit/solr_response.h"

namespace duel {

namespace ondemand = simdjson::ondemand;

struct ImpressionLines::State {
  explicit State(TextLines text) : objects(std::move(text)) {}

  Error bad(std::string message, std::string hint = {}) const {
    return Error::invalid_data(std::move(message), objects.here(), std::move(hint));
  }
  Error wrong(std::string_view name, std::string_view wanted) const {
    return bad(fmt::format("the field '{}' is not {}", name, wanted));
  }

  struct RawItem {
    std::string_view object_id, team;
    std::uint64_t ordinal = 0;
    bool has_team = false;
  };

  Status read_text(std::string_view name, ondemand::value value, std::string_view& text) const {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return wrong(name, "a text");
    if (type == ondemand::json_type::string) {
      if (value.get_string().get(text) != simdjson::SUCCESS) return wrong(name, "a text");
      return Done{};
    }
    if (type == ondemand::json_type::null) {
      text = {};
      return Done{};
    }
    if (type != ondemand::json_type::number) return wrong(name, "a text");
    text = value.raw_json_token();  // with what separates it from the next token
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return Done{};
  }

  Status read_lists(ondemand::value value, LoggedImpression& impression) const {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return wrong("lists", "an object of two lists by name");
    }
    std::size_t count = 0;
    for (auto field : object) {
      if (count == 2) {
        return bad("the field 'lists' has more than two lists",
                   "one impression compares two rankings");
      }
      std::string_view name;
      ondemand::array array;
      if (field.unescaped_key().get(name) != simdjson::SUCCESS ||
          field.value().get_array().get(array) != simdjson::SUCCESS) {
        return wrong("lists", "an object of two lists by name");
      }
      impression.names[count] = name;
      auto& list = impression.lists[count++];
      for (auto item : array) {
        ondemand::value id;
        std::string_view text;
        if (std::move(item).get(id) != simdjson::SUCCESS) return wrong("lists", "made of ids");
        DUEL_RETURN_IF_ERROR(read_text("lists", id, text));
        list.push_back(text);
      }
    }
    if (count < 2) return bad("the field 'lists' has fewer than two lists");
    impression.has_lists = true;
    return Done{};
  }

  Status read_names(ondemand::value value, LoggedImpression& impression) const {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return wrong("rankings", "two names");
    std::size_t count = 0;
    for (auto item : array) {
      std::string_view name;
      if (count == 2 || item.get_string().get(name) != simdjson::SUCCESS) {
        return wrong("rankings", "two names");
      }
      impression.names[count++] = name;
    }
    return count == 2 ? Status(Done{}) : wrong("rankings", "two names");
  }

  Status read_items(ondemand::value value) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return wrong("items", "a list of items");
    for (auto element : array) {
      ondemand::object object;
      if (element.get_object().get(object) != simdjson::SUCCESS) {
        return wrong("items", "a list of items");
      }
      RawItem item;
      for (auto field : object) {
        std::string_view key;
        ondemand::value content;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
            field.value().get(content) != simdjson::SUCCESS) {
          return wrong("items", "a list of items");
        }
        if (key == "object_id") {
          DUEL_RETURN_IF_ERROR(read_text(key, content, item.object_id));
        } else if (key == "team") {
          DUEL_RETURN_IF_ERROR(read_text(key, content, item.team));
          item.has_team = true;
        } else if (key == "ordinal") {
          if (content.get_uint64().get(item.ordinal) != simdjson::SUCCESS || item.ordinal == 0) {
            return wrong("ordinal", "a whole number from 1");
          }
        }
      }
      if (item.object_id.empty()) return bad("an item has no field 'object_id'");
      if (!item.has_team)
        return bad(fmt::format("the item '{}' has no field 'team'", item.object_id));
      raw_items.push_back(item);
    }
    has_items = true;
    return Done{};
  }

  Status resolve_teams(LoggedImpression& impression) const {
    for (const RawItem& raw : raw_items) {
      Team team = Team::none;
      if (raw.team == impression.names[0] && !raw.team.empty()) {
        team = Team::first;
      } else if (raw.team == impression.names[1] && !raw.team.empty()) {
        team = Team::second;
      } else if (!raw.team.empty()) {
        return bad(fmt::format("the team '{}' is none of the rankings '{}' and '{}'", raw.team,
                               impression.names[0], impression.names[1]));
      }
      const std::uint64_t ordinal = raw.ordinal > 0 ? raw.ordinal : impression.items.size() + 1;
      impression.items.push_back({raw.object_id, ordinal, team});
    }
    return Done{};
  }

  Status read_field(std::string_view key, ondemand::value value, LoggedImpression& impression) {
    if (key == "query_id") return read_text(key, value, impression.id);
    if (key == "lists") return read_lists(value, impression);
    if (key == "rankings") return read_names(value, impression);
    if (key == "items") return read_items(value);
    if (key == "user_query") return read_text(key, value, impression.query);
    if (key == "timestamp" || key == "served_at" || key == "time") {
      return read_text(key, value, impression.time);
    }
    const int rank = key == "user_id" ? 3 : key == "client_id" ? 2 : key == "session_id" ? 1 : 0;
    if (rank > user_rank) {
      std::string_view user;
      DUEL_RETURN_IF_ERROR(read_text(key, value, user));
      if (!user.empty()) {
        impression.user = user;
        user_rank = rank;
      }
    }
    return Done{};
  }

  Status read(LoggedImpression& impression) {
    ondemand::document document;
    ondemand::object object;
    const std::size_t size = padded.size() - simdjson::SIMDJSON_PADDING;
    if (parser.iterate(padded.data(), size, padded.size()).get(document) != simdjson::SUCCESS ||
        document.get_object().get(object) != simdjson::SUCCESS) {
      return bad("the line is not a JSON object");
    }
    for (auto field : object) {
      std::string_view key;
      ondemand::value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS) {
        return bad("the line is not a JSON object");
      }
      DUEL_RETURN_IF_ERROR(read_field(key, value, impression));
    }
    if (const char* rest = nullptr; document.current_location().get(rest) == simdjson::SUCCESS) {
      return bad("something follows the JSON object");
    }
    if (impression.id.empty()) return bad("there is no field 'query_id'");
    if (impression.has_lists == has_items) {
      return bad(has_items ? "the impression has both 'lists' and 'items'"
                           : "the impression has neither 'lists' nor 'items'",
                 "the two lists, or the page that was made of them");
    }
    if (impression.names[0].empty() || impression.names[1].empty()) {
      return bad(has_items ? "there is no field 'rankings' with the names of both"
                           : "a ranking has no name");
    }
    if (impression.names[0] == impression.names[1]) {
      return bad(fmt::format("'{}' is compared with itself", impression.names[0]));
    }
    return resolve_teams(impression);
  }

  JsonObjects objects;
  SolrResponses solr;
  std::vector<Unusable> unusable;
  ondemand::parser parser;
  std::vector<char> padded;
  std::vector<RawItem> raw_items;
  bool has_items = false;
  int user_rank = 0;  // of the field that names the user: user_id before client_id, session_id
};

ImpressionLines::ImpressionLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImpressionLines::ImpressionLines(ImpressionLines&&) noexcept = default;
ImpressionLines::~ImpressionLines() = default;

Result<ImpressionLines> ImpressionLines::open(const std::string& path) {
  const TextLimits by_line{.bytes = std::uint64_t{1} << 40};
  DUEL_ASSIGN(TextLines lines, TextLines::open(path, by_line));
  return ImpressionLines(std::make_unique<State>(std::move(lines)));
}

ImpressionLines ImpressionLines::of_text(std::string name, std::string_view text) {
  return ImpressionLines(std::make_unique<State>(TextLines::of_text(std::move(name), text)));
}

Result<bool> ImpressionLines::next(LoggedImpression& impression) {
  State& state = *state_;
  for (;;) {
    DUEL_ASSIGN(const auto text, state.objects.next());
    if (!text) return false;
    impression.clear();
    if (SolrResponses::looks_like(*text)) {
      DUEL_ASSIGN(const std::string why, state.solr.read(*text, state.objects.here(), impression));
      if (why.empty()) return true;
      note_unusable(state.unusable, why, impression.id);
      continue;
    }
    state.padded.resize(text->size() + simdjson::SIMDJSON_PADDING);
    std::memcpy(state.padded.data(), text->data(), text->size());
    state.raw_items.clear();
    state.has_items = false;
    state.user_rank = 0;
    DUEL_RETURN_IF_ERROR(state.read(impression));
    return true;
  }
}

std::vector<Unusable> ImpressionLines::unusable() const { return state_->unusable; }
std::uint64_t ImpressionLines::num_numbered() const { return state_->solr.num_numbered(); }
std::uint64_t ImpressionLines::line_number() const { return state_->objects.line_number(); }
std::string ImpressionLines::here() const { return state_->objects.here(); }

// --- Writing ------------------------------------------------------------------------------------

namespace {

void append_text_field(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(text), ",\"{}\":", name);
  append_json_string(text, value);
}

}  // namespace

void append_page_line(std::string& text, const LoggedImpression& impression, std::uint64_t seed,
                      std::span<const PageDrafter::Item> page) {
  text += "{\"query_id\":";
  append_json_string(text, impression.id);
  append_text_field(text, "user_id", impression.user);
  append_text_field(text, "user_query", impression.query);
  append_text_field(text, "timestamp", impression.time);
  fmt::format_to(std::back_inserter(text), ",\"method\":\"team-draft\",\"seed\":{},\"rankings\":[",
                 seed);
  append_json_string(text, impression.names[0]);
  text += ',';
  append_json_string(text, impression.names[1]);
  text += "],\"items\":[";
  std::uint64_t ordinal = 0;
  for (const PageDrafter::Item& item : page) {
    text += ordinal == 0 ? "{\"object_id\":" : ",{\"object_id\":";
    append_json_string(text, item.object_id);
    fmt::format_to(std::back_inserter(text), ",\"ordinal\":{},\"team\":", ++ordinal);
    if (item.team == Team::none) {
      text += "null}";
    } else {
      append_json_string(text, impression.names[item.team == Team::first ? 0 : 1]);
      text += '}';
    }
  }
  text += "]}\n";
}

}  // namespace duel
