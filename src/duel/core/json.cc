#include "duel/core/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "duel/core/check.h"

namespace duel {

using Library = nlohmann::ordered_json;

// The variant, for the free functions of this file.
struct JsonAccess {
  static const auto& content(const Json& json) { return json.content_; }
};

namespace {

constexpr std::size_t kDeepest = 500;

Library library_value(const Json& json) {
  return std::visit(
      [](const auto& content) -> Library {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Content, Json::Array>) {
          Library array = Library::array();
          for (const Json& item : content) array.push_back(library_value(item));
          return array;
        } else if constexpr (std::is_same_v<Content, Json::Object>) {
          Library object = Library::object();
          // Names are distinct here, so they need not be looked up again.
          auto& members = object.get_ref<Library::object_t&>();
          for (const Json::Member& member : content) {
            members.Library::object_t::Container::emplace_back(member.name,
                                                               library_value(member.value));
          }
          return object;
        } else {
          return content;
        }
      },
      JsonAccess::content(json));
}

std::string library_text(const Library& value, int indent) {
  return value.dump(indent, ' ', false, Library::error_handler_t::replace);
}

// Whether a text stands in JSON as it is.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// Writes what the library writes, without a copy of the whole for it. What is not plain is the
// library's to write.
class Writer {
 public:
  void write(const Json& json) {
    std::visit([this](const auto& content) { put(content); }, JsonAccess::content(json));
  }
  std::string finish() && { return std::move(out_); }

 private:
  void put(std::monostate) { out_ += "null"; }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::int64_t value) { put_whole(value); }
  void put(std::uint64_t value) { put_whole(value); }
  void put(double value) { out_ += library_text(Library(value), -1); }
  void put(const std::string& text) {
    if (!is_plain(text)) {
      out_ += library_text(Library(text), -1);
      return;
    }
    out_ += '"';
    out_ += text;
    out_ += '"';
  }
  void put(const Json::Array& items) {
    char before = '[';
    for (const Json& item : items) {
      out_ += before;
      write(item);
      before = ',';
    }
    out_ += before == '[' ? "[]" : "]";
  }
  void put(const Json::Object& members) {
    char before = '{';
    for (const Json::Member& member : members) {
      out_ += before;
      put(member.name);
      out_ += ':';
      write(member.value);
      before = ',';
    }
    out_ += before == '{' ? "{}" : "}";
  }
  template <class Whole>
  void put_whole(Whole value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
  }

  std::string out_;
};

// Builds the value as the parser goes, with a stack of its own: input decides how deep it is
// nested.
class Builder : public nlohmann::json_sax<Library> {
 public:
  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool key(string_t& name) override {
    open_.back().name = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*exception*/) override {
    return false;
  }

  Json result() && { return std::move(result_); }

 private:
  struct Level {
    Json value;
    std::string name;  // of the member that comes next
  };

  bool open(Json empty) {
    open_.push_back({std::move(empty), ""});
    return open_.size() <= kDeepest;
  }
  bool close() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (Level& level = open_.back(); level.value.is_array()) {
      level.value.push_back(std::move(value));
    } else {
      level.value[level.name] = std::move(value);
    }
    return true;
  }

  std::vector<Level> open_;
  Json result_;
};

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

std::optional<Json> Json::parse(std::string_view text) {
  Builder builder;
  if (!Library::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return std::move(builder).result();
}

std::string Json::dump() const {
  Writer writer;
  writer.write(*this);
  return std::move(writer).finish();
}

std::string Json::dump_pretty() const { return library_text(library_value(*this), 2) + "\n"; }

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

void Json::update(const Json& other) {
  for (const Member& member : other.members()) (*this)[member.name] = member.value;
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

std::size_t Json::size() const { return is_object() ? members().size() : items().size(); }

bool operator==(const Json& one, const Json& other) {
  if (one.is_number() && other.is_number() && !one.same_kind(other)) {
    return library_value(one) == library_value(other);
  }
  if (!one.same_kind(other)) return false;
  if (one.is_object()) {
    if (one.size() != other.size()) return false;
    return std::ranges::all_of(one.members(), [&](const Json::Member& member) {
      const Json* found = other.find(member.name);
      return found != nullptr && *found == member.value;
    });
  }
  if (one.is_array()) return std::ranges::equal(one.items(), other.items());
  return std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, Json::Array> ||
                      std::is_same_v<Content, Json::Object>) {
          return false;  // compared above
        } else {
          return content == std::get<Content>(other.content_);
        }
      },
      one.content_);
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

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace duel
