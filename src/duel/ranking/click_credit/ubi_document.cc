#include "duel/ranking/click_credit/ubi_document.h"

// A conversion that could throw does not compile then: bad input is an error, never an exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "duel/core/dated_text.h"
#include "duel/core/numbers.h"
#include "duel/core/simdjson_number.h"

namespace duel {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr std::string_view kObjectId = "event_attributes.object.object_id";
constexpr std::string_view kOrdinal = "event_attributes.position.ordinal";
constexpr std::string_view kSeconds = "event_attributes.duel.seconds";
constexpr std::array<std::string_view, 4> kActionLines = {"index", "create", "update", "delete"};
// Fields that the index of queries has and the one of events has not.
constexpr std::array<std::string_view, 3> kOfQueries = {"query_response_hit_ids",
                                                        "query_response_id", "query_attributes"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

// Whether the path goes on below `folder`.
bool lies_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '.';
}

}  // namespace

struct UbiReader::State {
  Error bad(std::string message, std::string hint = {}) const {
    return Error::invalid_data(std::move(message), *where, std::move(hint));
  }
  Error wrong(std::string_view field, std::string_view wanted) const {
    return bad(fmt::format("the field '{}' is not {}", field, wanted));
  }

  // Whether something is read below the path.
  bool leads_on(std::string_view folder) const {
    return lies_in(kObjectId, folder) || lies_in(kOrdinal, folder) || lies_in(kSeconds, folder) ||
           lies_in(team_field, folder);
  }

  Status take_object(ondemand::object& object, std::size_t depth) {
    constexpr std::size_t kDeepest = 20;
    if (depth > kDeepest) return bad("the object is nested too deeply");
    const std::size_t folder = path.size();
    for (auto field : object) {
      std::string_view key;
      ondemand::value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS) {
        return bad("the line is not a JSON object");
      }
      ++(depth == 0 ? num_fields : num_inner);
      path.resize(folder);
      if (folder > 0) path += '.';
      path += key;
      // A document with its index around it.
      if (depth == 0 && key == "_source") {
        ondemand::object source;
        if (value.get_object().get(source) != simdjson::SUCCESS) return wrong(key, "an object");
        path.clear();
        DUEL_RETURN_IF_ERROR(take_object(source, 0));
        continue;
      }
      if (depth == 0 && is_one_of(key, kActionLines)) names_action = true;
      if (leads_on(path)) {
        bool is_null = false;
        ondemand::object inner;
        if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) continue;
        if (value.get_object().get(inner) != simdjson::SUCCESS) return wrong(path, "an object");
        DUEL_RETURN_IF_ERROR(take_object(inner, depth + 1));
        path.resize(folder);
        continue;
      }
      DUEL_RETURN_IF_ERROR(take_leaf(value));
    }
    return Done{};
  }

  Status take_leaf(ondemand::value value) {
    UbiDocument& document = *into;
    if (path == team_field && !team_field.empty()) return take_team(value);
    if (path == "action_name") return take_text(value, document.action);
    if (path == "query_id") return take_text(value, document.query_id);
    if (path == kObjectId) return take_text(value, document.object_id, true);
    if (path == kOrdinal) return take_ordinal(value);
    if (path == kSeconds) {
      if (!read_double(value, document.seconds) || document.seconds < 0) {
        return wrong(path, "a number of seconds");
      }
      return Done{};
    }
    if (path == "timestamp") return take_time(value);
    if (path == "user_query") return take_text(value, document.user_query);
    const int rank = path == "user_id" ? 3 : path == "client_id" ? 2 : path == "session_id" ? 1 : 0;
    if (rank > user_rank) {
      std::string_view user;
      DUEL_RETURN_IF_ERROR(take_text(value, user, true));
      if (user.empty()) return Done{};
      document.user = user;
      user_rank = rank;
    }
    if (is_one_of(std::string_view(path), kOfQueries)) document.is_query = true;
    if (path == kOfQueries[0]) return take_hits(value);
    return Done{};
  }

  // A null leaves the text as it was.
  Status take_text(ondemand::value value, std::string_view& text, bool or_number = false) const {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return wrong(path, "a text");
    if (type == ondemand::json_type::null) {
      bool is_null = false;  // the type is that of the first letter alone
      const auto code = value.is_null().get(is_null);
      return code == simdjson::SUCCESS && is_null ? Status(Done{}) : wrong(path, "a text");
    }
    if (type == ondemand::json_type::number && or_number) {
      text = number_token(value);
      return Done{};
    }
    if (value.get_string().get(text) != simdjson::SUCCESS) return wrong(path, "a text");
    return Done{};
  }

  // A team that is null or nested is no team: the item belongs to nobody.
  Status take_team(ondemand::value value) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return wrong(path, "a text");
    const bool is_text = type == ondemand::json_type::string || type == ondemand::json_type::number;
    return is_text ? take_text(value, into->team, true) : Status(Done{});
  }

  // Collectors in JavaScript write 3, 3.0 or "3".
  Status take_ordinal(ondemand::value value) {
    std::string_view text;
    DUEL_RETURN_IF_ERROR(take_text(value, text, true));
    if (text.empty()) return Done{};
    if (text.ends_with(".0")) text.remove_suffix(2);
    const auto number = parse_count(text);
    if (!number.ok()) return wrong(path, "a whole number");
    into->ordinal = *number;
    return Done{};
  }

  Status take_time(ondemand::value value) {
    std::string_view text;
    DUEL_RETURN_IF_ERROR(take_text(value, text, true));
    if (text.empty()) return Done{};
    into->time = with_date(text);
    return Done{};
  }

  Status take_hits(ondemand::value value) {
    bool is_null = false;
    ondemand::array array;
    if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) return Done{};
    if (value.get_array().get(array) != simdjson::SUCCESS) return wrong(path, "a list of ids");
    for (auto element : array) {
      ondemand::value hit;
      std::string_view id;
      if (element.get(hit) != simdjson::SUCCESS) return wrong(path, "a list of ids");
      DUEL_RETURN_IF_ERROR(take_text(hit, id, true));
      if (!id.empty()) into->hits.push_back(id);
    }
    return Done{};
  }

  std::string team_field;
  ondemand::parser parser;
  std::vector<char> padded;
  std::string path;  // of the field that is read, with dots
  const std::string* where = nullptr;
  UbiDocument* into = nullptr;
  int user_rank = 0;  // of the field that named the user
  std::size_t num_fields = 0, num_inner = 0;
  bool names_action = false;
};

UbiReader::UbiReader(std::string team_field) : state_(std::make_unique<State>()) {
  state_->team_field = std::move(team_field);
}
UbiReader::~UbiReader() = default;

std::optional<std::string_view> UbiReader::object_in(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('{')) return line;
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(tab + 1));
  return rest.starts_with('{') ? std::optional(rest) : std::nullopt;
}

Result<bool> UbiReader::read(std::string_view object, const std::string& where,
                             UbiDocument& document) {
  State& state = *state_;
  std::vector<std::string_view> hits = std::move(document.hits);
  document = {};
  document.hits = std::move(hits);
  document.hits.clear();
  state.where = &where;
  state.into = &document;
  state.path.clear();
  state.user_rank = 0;
  state.num_fields = state.num_inner = 0;
  state.names_action = false;
  state.padded.resize(object.size() + simdjson::SIMDJSON_PADDING);
  std::memcpy(state.padded.data(), object.data(), object.size());
  ondemand::document json;
  ondemand::object root;
  if (state.parser.iterate(state.padded.data(), object.size(), state.padded.size()).get(json) !=
          simdjson::SUCCESS ||
      json.get_object().get(root) != simdjson::SUCCESS) {
    return state.bad("the line is not a JSON object");
  }
  DUEL_RETURN_IF_ERROR(state.take_object(root, 0));
  if (const char* rest = nullptr; json.current_location().get(rest) == simdjson::SUCCESS) {
    return state.bad("something follows the JSON object");
  }
  if (state.names_action && state.num_fields == 1) return false;
  document.is_query =
      document.is_query || (document.action.empty() && !document.user_query.empty());
  if (document.action.empty() && !document.is_query) {
    return state.bad("there is no field 'action_name'", "as UBI events have it");
  }
  document.is_query = document.is_query && document.action.empty();
  return true;
}

}  // namespace duel
