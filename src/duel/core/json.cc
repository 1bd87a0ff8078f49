#include "duel/core/json.h"

// A conversion that could throw does not compile then: bad input is an error, never an exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/decimal.h"
#include "duel/core/json_line.h"
#include "duel/core/simdjson_number.h"
#include "duel/core/utf8.h"

namespace duel {

// What is private of Json, for the free functions of this file.
struct JsonAccess {
  using Written = Json::Written;
  static const auto& content(const Json& json) { return json.content_; }
  static Json written(std::string_view digits) { return Json(Written{std::string(digits)}); }
};

namespace {

namespace ondemand = simdjson::ondemand;

// --- Names ---------------------------------------------------------------------------------------

// Up to here comparing each name with each other is faster than sorting them.
constexpr std::size_t kFewMembers = 16;

// The places of the members so that equal names stand together, in the order of the members; the
// same names give the same order. Sorted rather than hashed: a caller could choose names that all
// have one hash.
std::vector<std::size_t> by_name(const Json::Object& members) {
  // Most names differ in their first bytes, which are compared as one number.
  struct Place {
    std::uint64_t first_bytes = 0;
    std::size_t at = 0;
  };
  std::vector<Place> places(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::string& name = members[k].name;
    std::memcpy(&places[k].first_bytes, name.data(), std::min<std::size_t>(8, name.size()));
    places[k].at = k;
  }
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.first_bytes != b.first_bytes) return a.first_bytes < b.first_bytes;
    const int difference = members[a.at].name.compare(members[b.at].name);
    return difference != 0 ? difference < 0 : a.at < b.at;
  });
  std::vector<std::size_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.at);
  return order;
}

// The place of a member whose name comes before, too.
std::optional<std::size_t> repeated_name(const Json::Object& members) {
  if (members.size() <= kFewMembers) {
    for (std::size_t k = 1; k < members.size(); ++k) {
      for (std::size_t before = 0; before < k; ++before) {
        if (members[before].name == members[k].name) return k;
      }
    }
    return std::nullopt;
  }
  const std::vector<std::size_t> order = by_name(members);
  const auto same = [&](std::size_t a, std::size_t b) {
    return members[a].name == members[b].name;
  };
  const auto found = std::adjacent_find(order.begin(), order.end(), same);
  return found == order.end() ? std::nullopt : std::optional(*std::next(found));
}

// If several members have one name, the last value stays, in the place of the first.
void unite_repeated(Json::Object& members) {
  if (!repeated_name(members)) return;
  std::vector<bool> dropped(members.size());
  const std::vector<std::size_t> order = by_name(members);
  std::size_t first = order[0];
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (members[order[k]].name != members[first].name) {
      first = order[k];
      continue;
    }
    members[first].value = std::move(members[order[k]].value);
    dropped[order[k]] = true;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (dropped[k]) continue;
    if (kept != k) members[kept] = std::move(members[k]);
    ++kept;
  }
  members.resize(kept);
}

bool same_members(const Json::Object& one, const Json::Object& other) {
  if (one.size() != other.size()) return false;
  if (std::ranges::equal(one, other, {}, &Json::Member::name, &Json::Member::name)) {
    return std::ranges::equal(one, other, {}, &Json::Member::value, &Json::Member::value);
  }
  return std::ranges::equal(by_name(one), by_name(other), [&](std::size_t a, std::size_t b) {
    return one[a].name == other[b].name && one[a].value == other[b].value;
  });
}

using Written = JsonAccess::Written;

Decimal exact(const Written& number) { return decimal_of(number.digits); }
template <std::integral Whole>
Decimal exact(Whole number) {
  return decimal_of(std::to_string(number));
}

// --- Writing -------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void write(const Json& json) {
    std::visit([this](const auto& content) { put(content); }, JsonAccess::content(json));
  }
  std::string finish() && { return std::move(out_); }

 private:
  void put(std::monostate) { out_ += "null"; }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); }
  void put(std::uint64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); }
  void put(double value) { append_json_number(out_, value); }
  void put(const Written& number) { out_ += number.digits; }
  void put(const std::string& text) { append_json_text(out_, text); }
  void put(const Json::Array& items) {
    put_all(items, "[]", [this](const Json& item) { write(item); });
  }
  void put(const Json::Object& members) {
    put_all(members, "{}", [this](const Json::Member& member) {
      put(member.name);
      out_ += pretty_ ? ": " : ":";
      write(member.value);
    });
  }

  template <class Elements, class PutOne>
  void put_all(const Elements& elements, std::string_view brackets, const PutOne& put_one) {
    out_ += brackets[0];
    ++depth_;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out_ += ',';
      first = false;
      break_line();
      put_one(element);
    }
    --depth_;
    if (!first) break_line();
    out_ += brackets[1];
  }
  void break_line() {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  std::string out_;
  bool pretty_;
  std::size_t depth_ = 0;
};

// --- Reading -------------------------------------------------------------------------------------

// Reads one text. Recursive: the limit of depth keeps input from exhausting the stack.
class Reader {
 public:
  explicit Reader(const JsonLimits& limits) : limits_(limits) {}

  std::optional<Json> read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
    // The buffers are kept, so that small texts need no new ones; large ones keep none.
    constexpr std::size_t kSmall = 64 << 10;
    struct Buffers {
      std::string padded;
      ondemand::parser parser;
    };
    thread_local Buffers for_small;
    Buffers for_large;
    auto& [padded, parser] = text.size() <= kSmall ? for_small : for_large;
    // In brackets, because simdjson has other rules for a document that is only a number or null.
    padded.clear();
    padded.reserve(text.size() + 2 + simdjson::SIMDJSON_PADDING);
    padded.append(1, '[').append(text).append(1, ']');
    ondemand::document document;
    ondemand::array whole;
    if (const auto code = parser.iterate(padded).get(document); code != simdjson::SUCCESS) {
      fault_.message = "is not JSON" + why_unread(code, text);
      return std::nullopt;
    }
    Json json;
    std::size_t count = 0;
    bool sound = document.get_array().get(whole) == simdjson::SUCCESS;
    for (auto item : whole) {
      ondemand::value value;
      sound = sound && ++count == 1 && std::move(item).get(value) == simdjson::SUCCESS &&
              read_value(value, json);
      if (!sound) break;
    }
    const char* at = nullptr;
    const auto end = document.current_location().get(at);
    if (sound && count == 1 && end == simdjson::OUT_OF_BOUNDS) return json;
    if (!fault_.message.empty()) return std::nullopt;
    fault_.message = sound && count == 0 ? "is empty" : "is not JSON";
    const auto place = at == nullptr ? 0 : at - padded.data();
    if (place > 0) fault_.message += place_of(text, static_cast<std::size_t>(place) - 1);
    return std::nullopt;
  }
  JsonFault fault() && {
    std::for_each(path_.rbegin(), path_.rend(),
                  [&](const std::string& part) { fault_.pointer += part; });
    return std::move(fault_);
  }

 private:
  static std::string place_of(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    if (text.find('\n') == std::string_view::npos) return fmt::format(": column {}", column);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    return fmt::format(": line {}, column {}", line, column);
  }
  // Where the first control character in a string is, or where the string begins that does not end.
  static std::size_t fault_in_string(std::string_view text) {
    std::size_t begin = std::string_view::npos;  // of the string that is being read
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '"') {
        begin = begin == std::string_view::npos ? k : std::string_view::npos;
      } else if (begin != std::string_view::npos) {
        if (static_cast<unsigned char>(text[k]) < 0x20) return k;
        if (text[k] == '\\') ++k;
      }
    }
    return std::min(begin, text.size());
  }
  // What is wrong with a text of which nothing was read.
  static std::string why_unread(simdjson::error_code code, std::string_view text) {
    if (code == simdjson::UNCLOSED_STRING) {
      return place_of(text, fault_in_string(text)) + ": a string does not end";
    }
    if (code == simdjson::UNESCAPED_CHARS) {
      return place_of(text, fault_in_string(text)) + ": a string has a control character";
    }
    const std::size_t at = find_invalid_utf8(text);
    return at == std::string_view::npos ? "" : place_of(text, at) + " is not UTF-8";
  }

  bool refuse(JsonFault::Kind kind, std::string message) {
    fault_.kind = kind;
    fault_.message = std::move(message);
    return false;
  }
  bool one_more() {
    if (++values_ <= limits_.values) return true;
    return refuse(JsonFault::Kind::too_many,
                  fmt::format("has more than {} members and items", limits_.values));
  }

  // False: `fault_` says why, or else it is not JSON.
  bool read_value(ondemand::value value, Json& out) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    switch (type) {
      case ondemand::json_type::object:
      case ondemand::json_type::array: {
        if (depth_ == limits_.depth) {
          return refuse(JsonFault::Kind::too_deep,
                        fmt::format("is nested more than {} deep", limits_.depth));
        }
        ++depth_;
        const bool read =
            type == ondemand::json_type::object ? read_object(value, out) : read_array(value, out);
        --depth_;
        return read;
      }
      case ondemand::json_type::number:
        return read_number(value, out);
      case ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text) != simdjson::SUCCESS) return false;
        out = text;
        return true;
      }
      case ondemand::json_type::boolean: {
        bool truth = false;
        if (value.get_bool().get(truth) != simdjson::SUCCESS) return false;
        out = truth;
        return true;
      }
      case ondemand::json_type::null: {
        bool is_null = false;
        return value.is_null().get(is_null) == simdjson::SUCCESS && is_null;
      }
    }
    return false;
  }

  // A whole number that no integer can hold is one with a fraction.
  bool read_number(ondemand::value value, Json& out) const {
    const std::string_view token = number_token(value);
    const bool read = read_plain_number(value, out);
    if (!limits_.numbers_as_written || (read && out.dump() == token)) return read;
    if (!read && !is_json_number(token)) return false;
    out = JsonAccess::written(token);
    return true;
  }
  static bool read_plain_number(ondemand::value value, Json& out) {
    std::uint64_t natural = 0;
    std::int64_t whole = 0;
    double real = 0;
    if (value.get_uint64().get(natural) == simdjson::SUCCESS) {
      out = natural;
    } else if (value.get_int64().get(whole) == simdjson::SUCCESS) {
      out = whole;
    } else if (read_double(value, real)) {
      out = real;
    } else {
      return false;
    }
    return true;
  }

  bool read_array(ondemand::value value, Json& out) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    Json::Array items;
    for (auto item : array) {
      ondemand::value inner;
      if (std::move(item).get(inner) != simdjson::SUCCESS || !one_more()) return false;
      if (!read_value(inner, items.emplace_back())) {
        path_.push_back("/" + std::to_string(items.size() - 1));
        return false;
      }
    }
    out = Json(std::move(items));
    return true;
  }

  bool read_object(ondemand::value value, Json& out) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    Json::Object members;
    for (auto item : object) {
      ondemand::field field;
      std::string_view name;
      if (std::move(item).get(field) != simdjson::SUCCESS ||
          field.unescaped_key().get(name) != simdjson::SUCCESS || !one_more()) {
        return false;
      }
      Json::Member& member = members.emplace_back(Json::Member{std::string(name), Json()});
      if (!read_value(field.value(), member.value)) {
        path_.push_back(pointer_part(member.name));
        return false;
      }
    }
    if (!limits_.names_differ) {
      unite_repeated(members);
    } else if (const auto repeated = repeated_name(members)) {
      path_.push_back(pointer_part(members[*repeated].name));
      return refuse(JsonFault::Kind::repeated_name, "is given twice");
    }
    out = Json(std::move(members));
    return true;
  }

  JsonLimits limits_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
  JsonFault fault_;
  std::vector<std::string> path_;  // the parts of the fault's pointer, the last one first
};

// The same, each number that is kept as written replaced.
template <class Replace>
Json with_numbers(const Json& json, const Replace& replace) {
  if (const auto* number = std::get_if<Written>(&JsonAccess::content(json)))
    return replace(*number);
  if (json.is_array()) {
    Json::Array items;
    items.reserve(json.size());
    for (const Json& item : json.items()) items.push_back(with_numbers(item, replace));
    return Json(std::move(items));
  }
  if (!json.is_object()) return json;
  Json::Object members;
  members.reserve(json.size());
  for (const auto& [name, value] : json.members()) {
    members.push_back({name, with_numbers(value, replace)});
  }
  return Json(std::move(members));
}

template <class T>
constexpr bool is_whole = std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

[[noreturn]] void wrong_kind(std::string_view wanted) {
  throw JsonError("the value is not " + std::string(wanted));
}

}  // namespace

Json::Json() noexcept = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(Boolean value) : content_(value.value) {}
Json::Json(Integer value) : content_(value.value) {}
Json::Json(Unsigned value) : content_(value.value) {}
Json::Json(Written value) : content_(std::move(value)) {}
Json::Json(double value) : content_(value) {}
Json::Json(const char* text) : content_(std::string(text)) {}
Json::Json(std::string_view text) : content_(std::string(text)) {}
Json::Json(std::string text) : content_(std::move(text)) {}
Json::Json(Array items) : content_(std::move(items)) {}
Json::Json(Object members) : content_(std::move(members)) {}
Json::Json(std::span<const double> numbers) : content_(Array(numbers.begin(), numbers.end())) {}
Json Json::array() { return Json(Array()); }
Json Json::object() { return Json(Object()); }

Json::Json(std::initializer_list<Json> items) {
  const bool pairs = std::all_of(items.begin(), items.end(), [](const Json& item) {
    return item.is_array() && item.size() == 2 && item.items()[0].is_string();
  });
  if (!pairs) {
    content_ = Array(items);
    return;
  }
  content_ = Object();
  for (const Json& item : items) (*this)[item.items()[0].as_string()] = item.items()[1];
}

std::optional<Json> Json::parse(std::string_view text, const JsonLimits& limits, JsonFault* fault) {
  Reader reader(limits);
  std::optional<Json> json = reader.read(text);
  if (!json && fault != nullptr) *fault = std::move(reader).fault();
  return json;
}

Json Json::with_plain_numbers() const {
  return with_numbers(*this, [](const Written& number) {
    return parse(number.digits).value_or(JsonAccess::written(number.digits));
  });
}

Json Json::with_exact_numbers() const {
  return with_numbers(*this, [](const Written& number) {
    const Decimal decimal = exact(number);
    // Numbers that are not kept as written have the plain spelling, so it comes first.
    const std::optional<Json> plain = parse(number.digits);
    if (plain && decimal_of(plain->dump()) == decimal) return *plain;
    return JsonAccess::written(decimal.text());
  });
}

std::string Json::dump() const {
  Writer writer(false);
  writer.write(*this);
  return std::move(writer).finish();
}

std::size_t Json::text_size() const {
  constexpr std::size_t kOfNumber = 8;
  std::size_t size = 2;  // brackets or quotes
  for (const Json& item : items()) size += item.text_size() + 1;
  for (const Member& member : members()) size += member.name.size() + member.value.text_size() + 4;
  if (const auto* text = std::get_if<std::string>(&content_)) return size + text->size();
  if (const auto* number = std::get_if<Written>(&content_)) return number->digits.size();
  return is_object() || is_array() ? size : kOfNumber;
}

std::string Json::dump_pretty() const {
  Writer writer(true);
  writer.write(*this);
  return std::move(writer).finish() + "\n";
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) content_ = Object();
  DUEL_CHECK(is_object());
  auto& members = std::get<Object>(content_);
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  if (found != members.end()) return found->value;
  return members.emplace_back(Member{std::string(name), Json()}).value;
}

const Json& Json::at(std::string_view name) const {
  const Json* found = find(name);
  if (found == nullptr) throw JsonError("there is no member '" + std::string(name) + "'");
  return *found;
}

const Json* Json::find(std::string_view name) const {
  for (const Member& member : members()) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

void Json::add(std::string name, Json value) {
  if (is_null()) content_ = Object();
  DUEL_CHECK(is_object());
  std::get<Object>(content_).push_back({std::move(name), std::move(value)});
}

void Json::update(const Json& other) {
  for (const Member& member : other.members()) add(member.name, member.value);
  if (is_object()) unite_repeated(std::get<Object>(content_));
}

std::span<const Json::Member> Json::members() const {
  if (const auto* members = std::get_if<Object>(&content_)) return *members;
  return {};
}

void Json::push_back(Json item) {
  if (is_null()) content_ = Array();
  DUEL_CHECK(is_array());
  std::get<Array>(content_).push_back(std::move(item));
}

std::span<const Json> Json::items() const {
  if (const auto* items = std::get_if<Array>(&content_)) return *items;
  return {};
}

Json::Array Json::take_items() && {
  return is_array() ? std::move(std::get<Array>(content_)) : Array();
}

std::size_t Json::size() const { return is_object() ? members().size() : items().size(); }

bool operator==(const Json& one, const Json& other) {
  return std::visit(
      [](const auto& a, const auto& b) {
        using A = std::decay_t<decltype(a)>;
        using B = std::decay_t<decltype(b)>;
        constexpr bool kWhole = is_whole<A> && is_whole<B>;
        constexpr bool kNumbers = (is_whole<A> || std::is_same_v<A, double>) &&
                                  (is_whole<B> || std::is_same_v<B, double>);
        constexpr bool kExactOne = is_whole<A> || std::is_same_v<A, Written>;
        constexpr bool kExactOther = is_whole<B> || std::is_same_v<B, Written>;
        if constexpr (kExactOne && kExactOther && !kWhole) {
          return exact(a) == exact(b);
        } else if constexpr (std::is_same_v<A, Written> && std::is_same_v<B, double>) {
          return double_of(a.digits) == b;
        } else if constexpr (std::is_same_v<A, double> && std::is_same_v<B, Written>) {
          return a == double_of(b.digits);
        } else if constexpr (kWhole) {
          return std::cmp_equal(a, b);
        } else if constexpr (kNumbers) {
          return static_cast<double>(a) == static_cast<double>(b);
        } else if constexpr (!std::is_same_v<A, B>) {
          return false;
        } else if constexpr (std::is_same_v<A, Json::Object>) {
          return same_members(a, b);
        } else {
          return a == b;
        }
      },
      one.content_, other.content_);
}

bool Json::as_boolean() const {
  if (!is_boolean()) wrong_kind("true or false");
  return std::get<bool>(content_);
}

double Json::as_double() const {
  if (const auto* number = std::get_if<double>(&content_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&content_)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<Written>(&content_)) return double_of(number->digits);
  if (!is_unsigned()) wrong_kind("a number");
  return static_cast<double>(std::get<std::uint64_t>(content_));
}

std::int64_t Json::as_integer() const {
  if (const auto* number = std::get_if<std::int64_t>(&content_)) return *number;
  if (!is_unsigned()) wrong_kind("a whole number");
  return static_cast<std::int64_t>(std::get<std::uint64_t>(content_));
}

std::uint64_t Json::as_unsigned() const {
  if (!is_unsigned()) {
    const auto* number = std::get_if<std::int64_t>(&content_);
    if (number == nullptr || *number < 0) wrong_kind("a whole number of 0 or more");
    return static_cast<std::uint64_t>(*number);
  }
  return std::get<std::uint64_t>(content_);
}

const std::string& Json::as_string() const {
  if (!is_string()) wrong_kind("a text");
  return std::get<std::string>(content_);
}

const Json::Array& Json::as_array() const {
  if (!is_array()) wrong_kind("an array");
  return std::get<Array>(content_);
}

void append_json_text(std::string& out, std::string_view text) {
  if (simdjson::validate_utf8(text)) return append_json_string(out, text);
  std::string replaced;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    replaced += character.valid ? text.substr(at, character.bytes) : "\xef\xbf\xbd";
    at += character.bytes;
  }
  append_json_string(out, replaced);
}

std::string pointer_part(std::string_view name) {
  std::string part = "/";
  for (const char c : name) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace duel
