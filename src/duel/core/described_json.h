// Described structs (core/described.h) as JSON: a reader that collects all that is wrong, a writer,
// and JSON Schema.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/spelling.h"
#include "duel/core/timestamp.h"
#include "duel/core/words.h"

namespace duel {

// What is wrong in a body, and where: a JSON pointer (RFC 6901).
struct FieldError {
  std::string pointer;
  std::string message;
};

enum class UnknownFields { refused, ignored };

namespace described_detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
// Values by name: an object whose names are not known before.
template <class T>
struct IsNamed : std::false_type {};
template <class T>
struct IsNamed<std::vector<std::pair<std::string, T>>> : std::true_type {
  using Value = T;
};

template <class T>
concept HasFields = requires { Described<T>::fields; };
template <class T>
concept IsArray = requires { Described<T>::as_array; };

// Whether an optional field is left out: it is as in a new struct.
template <class Member>
bool is_new(const Member& member, const Member& in_new) {
  if constexpr (IsOptional<Member>::value) {
    return !member.has_value();
  } else if constexpr (IsVector<Member>::value) {
    if constexpr (std::equality_comparable<typename Member::value_type>) return member == in_new;
    return member.empty();
  } else {
    return member == in_new;
  }
}

}  // namespace described_detail

// Reads a body into a struct with a description. All that is wrong is counted, and the first of it
// kept: a caller decides how much is wrong, and must not decide how long the answer is.
class DescribedReader {
 public:
  static constexpr std::size_t kMostErrors = 20;

  explicit DescribedReader(UnknownFields unknown) : unknown_(unknown) {}

  template <class Body>
  void read(const Json& json, const std::string& pointer, Body& out) {
    if constexpr (std::is_same_v<Body, Json>) {
      out = json;
    } else if constexpr (std::is_same_v<Body, bool>) {
      if (!json.is_boolean()) return wrong(pointer, "is not true or false");
      out = json.template get<bool>();
    } else if constexpr (std::is_same_v<Body, std::string>) {
      if (!json.is_string()) return wrong(pointer, "is not a string");
      out = json.template get<std::string>();
    } else if constexpr (std::is_same_v<Body, Timestamp>) {
      const auto ms = json.is_string() ? parse_time(json.template get<std::string>())
                                       : std::optional<std::int64_t>();
      if (!ms) return wrong(pointer, "is not a time such as 2026-11-15T09:00:00Z");
      out.ms = *ms;
    } else if constexpr (std::is_integral_v<Body>) {
      if (!json.is_unsigned()) return wrong(pointer, "is not a whole number from 0");
      out = json.template get<std::uint64_t>();
    } else if constexpr (std::is_floating_point_v<Body>) {
      // A number that is undefined in a new record is written as null.
      if (json.is_null() && std::isnan(out)) return;
      if (!json.is_number()) return wrong(pointer, "is not a number");
      const auto number = json.template get<double>();
      if (!std::isfinite(number)) return wrong(pointer, "is too large a number");
      out = number;
    } else if constexpr (std::is_enum_v<Body>) {
      if (!json.is_string()) return wrong(pointer, "is not a string");
      const auto parsed = parse_word<Body>(json.template get<std::string>());
      if (!parsed.ok()) return wrong(pointer, with_hint(parsed.error()));
      out = *parsed;
    } else if constexpr (described_detail::IsOptional<Body>::value) {
      // If a field may be missing and may also be null, then null is a value.
      constexpr bool kTakesNull = described_detail::IsOptional<typename Body::value_type>::value;
      if (kTakesNull || !json.is_null()) read(json, pointer, out.emplace());
    } else if constexpr (described_detail::IsNamed<Body>::value) {
      if (!json.is_object()) return wrong(pointer, "is not an object");
      for (const auto& [name, value] : json.members()) {
        auto& [known_by, member] = out.emplace_back();
        known_by = name;
        read(value, pointer + pointer_part(name), member);
      }
    } else if constexpr (described_detail::IsVector<Body>::value) {
      if (!json.is_array()) return wrong(pointer, "is not an array");
      std::size_t index = 0;
      for (const Json& item : json.items()) {
        read(item, pointer + "/" + std::to_string(index++), out.emplace_back());
      }
    } else if constexpr (described_detail::IsArray<Body>) {
      constexpr std::size_t kSize = decltype(Described<Body>::fields)::kSize;
      const std::span<const Json> items = json.items();
      if (items.size() != kSize) {
        return wrong(pointer, "is not an array of " + std::to_string(kSize));
      }
      std::size_t index = 0;
      const auto take = [&](const auto& field) {
        read(items[index], pointer + "/" + std::to_string(index), std::invoke(field.get, out));
        ++index;
      };
      Described<Body>::fields.visit([&](const auto&... field) { (take(field), ...); });
    } else {
      read_object(json, pointer, out);
    }
  }

  const std::vector<FieldError>& errors() const { return errors_; }  // at most kMostErrors
  std::size_t num_errors() const { return num_errors_; }
  void wrong(const std::string& pointer, std::string message) {
    if (++num_errors_ <= kMostErrors) errors_.push_back({pointer, std::move(message)});
  }

 private:
  static std::string with_hint(const Error& error) {
    return error.hint.empty() ? error.message : error.message + "; " + error.hint;
  }

  template <class Body>
  void read_object(const Json& json, const std::string& pointer, Body& out) {
    if (!json.is_object()) return wrong(pointer, "is not an object");
    std::size_t taken = 0;
    const auto take = [&](const auto& field) {
      const auto where = [&] { return pointer + pointer_part(field.name); };
      const Json* value = json.find(field.name);
      if (value == nullptr) {
        if (field.required) wrong(where(), "is missing");
        return;
      }
      ++taken;
      if constexpr (std::is_lvalue_reference_v<decltype(std::invoke(field.get, out))>) {
        const std::string at = where();
        auto& member = std::invoke(field.get, out);
        const std::size_t before = num_errors_;
        read(*value, at, member);
        if constexpr (requires { field.check(member); }) {
          if (num_errors_ > before) return;
          if (const Status status = field.check(member); !status.ok()) {
            wrong(at, with_hint(status.error()));
          }
        }
      }
    };
    Described<Body>::fields.visit([&](const auto&... field) { (take(field), ...); });
    if (unknown_ == UnknownFields::ignored || taken == json.members().size()) return;
    std::vector<std::string> known;
    Described<Body>::fields.visit(
        [&](const auto&... field) { (known.emplace_back(field.name), ...); });
    for (const auto& [name, value] : json.members()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      // A hint costs more than the rest, and nobody sees those beyond.
      if (num_errors_ < kMostErrors) {
        wrong(pointer + pointer_part(name), "is unknown; " + spelling_hint(name, known));
      } else {
        ++num_errors_;
      }
    }
  }

  UnknownFields unknown_;
  std::vector<FieldError> errors_;
  std::size_t num_errors_ = 0;
};

// A struct that another version of Duel may have written. What is wrong first is the error, and
// `where` is whose JSON it is.
template <class Body>
Result<Body> described_from(const Json& json, std::string where = "") {
  Body body;
  DescribedReader reader(UnknownFields::ignored);
  reader.read(json, "", body);
  if (reader.errors().empty()) return body;
  const FieldError& first = reader.errors().front();
  return Error::invalid_data(first.pointer + " " + first.message, std::move(where));
}

// A member that is as in a new struct is left out, unless it is required.
template <class Body>
Json described_json(const Body& body) {
  if constexpr (std::is_same_v<Body, Timestamp>) {
    return Json(format_timestamp(body.ms));
  } else if constexpr (std::is_enum_v<Body>) {
    return Json(to_word(body));
  } else if constexpr (described_detail::IsOptional<Body>::value) {
    return body ? described_json(*body) : Json();
  } else if constexpr (described_detail::IsNamed<Body>::value) {
    Json::Object members;
    for (const auto& [name, value] : body) members.push_back({name, described_json(value)});
    Json object = Json::object();
    object.update(Json(std::move(members)));  // of a name that is there twice the last value counts
    return object;
  } else if constexpr (described_detail::IsVector<Body>::value) {
    Json array = Json::array();
    for (const auto& item : body) array.push_back(described_json(item));
    return array;
  } else if constexpr (described_detail::IsArray<Body>) {
    return Described<Body>::fields.visit([&](const auto&... field) {
      return Json(Json::Array{described_json(std::invoke(field.get, body))...});
    });
  } else if constexpr (described_detail::HasFields<Body>) {
    Json::Object members;
    members.reserve(decltype(Described<Body>::fields)::kSize);
    const auto add = [&]<class Field>(const Field& field) {
      const auto& member = std::invoke(field.get, body);
      if constexpr (!Field::required) {
        static const Body kNew{};
        if (described_detail::is_new(member, std::invoke(field.get, kNew))) return;
      }
      members.push_back({std::string(field.name), described_json(member)});
    };
    Described<Body>::fields.visit([&](const auto&... field) { (add(field), ...); });
    return Json(std::move(members));
  } else {
    return Json(body);
  }
}

// What a schema is of: a request, where null stands for an optional field that is left out; or an
// answer, where a required field may be null and the others are there or not.
enum class Shape { taken, given };

// JSON Schema (2020-12), as OpenAPI 3.1 has it. What has a `schema` name in its description is kept
// under that name and referred to.
class SchemaSet {
 public:
  template <class Body>
  Json of(Shape shape) {
    Json schema = Json::object();
    if constexpr (std::is_same_v<Body, Json>) {
      return schema;
    } else if constexpr (std::is_same_v<Body, bool>) {
      schema["type"] = "boolean";
    } else if constexpr (std::is_same_v<Body, std::string>) {
      schema["type"] = "string";
    } else if constexpr (std::is_same_v<Body, Timestamp>) {
      schema["type"] = "string";
      schema["format"] = "date-time";
    } else if constexpr (std::is_integral_v<Body>) {
      schema["type"] = "integer";
      schema["minimum"] = std::uint64_t{0};
    } else if constexpr (std::is_floating_point_v<Body>) {
      schema["type"] = "number";
    } else if constexpr (described_detail::IsArray<Body>) {
      constexpr const auto& kFields = Described<Body>::fields;
      using Item = decltype(std::invoke(kFields.template at<0>().get, std::declval<Body&>()));
      schema["type"] = "array";
      schema["items"] = of<std::remove_cvref_t<Item>>(shape);
      schema["minItems"] = kFields.kSize;
      schema["maxItems"] = kFields.kSize;
    } else if constexpr (std::is_enum_v<Body>) {
      schema["type"] = "string";
      Json words = Json::array();
      for (const std::string_view word : words_of<Body>()) words.push_back(word);
      schema["enum"] = std::move(words);
    } else if constexpr (described_detail::IsOptional<Body>::value) {
      return nullable(of<typename Body::value_type>(shape));
    } else if constexpr (described_detail::IsNamed<Body>::value) {
      schema["type"] = "object";
      schema["additionalProperties"] = of<typename described_detail::IsNamed<Body>::Value>(shape);
    } else if constexpr (described_detail::IsVector<Body>::value) {
      schema["type"] = "array";
      schema["items"] = of<typename Body::value_type>(shape);
    } else {
      return object<Body>(shape);
    }
    return schema;
  }

  const std::map<std::string, Json>& named() const { return named_; }
  void name(std::string name, Json schema) { named_[std::move(name)] = std::move(schema); }

  static Json nullable(Json schema);

 private:
  static void narrow(Json& schema, const OneOf& check);
  static void narrow(Json& schema, const Between& check);
  static void narrow(Json& schema, const NotEmpty& check);
  static void narrow(Json& schema, const IsIdOf& check);
  template <class Check>
  static void narrow(Json&, const Check&) {}

  template <class Body>
  Json object(Shape shape) {
    Json schema = Json::object();
    std::string name;
    if constexpr (requires { Described<Body>::schema; }) {
      name = Described<Body>::schema;
      schema["$ref"] = "#/components/schemas/" + name;
      if (named_.contains(name)) return schema;
      named_[name];  // whatever holds itself refers to the name
    }
    Json full = Json::object();
    full["type"] = "object";
    Json properties = Json::object();
    Json required = Json::array();
    const auto add = [&](const auto& field) {
      using Member = std::remove_cvref_t<decltype(std::invoke(field.get, std::declval<Body&>()))>;
      Json property;
      if constexpr (described_detail::IsOptional<Member>::value) {
        property = of<typename Member::value_type>(shape);
        narrow(property, field.check);
        if (shape == Shape::taken || field.required) property = nullable(std::move(property));
      } else {
        property = of<Member>(shape);
        narrow(property, field.check);
      }
      if (!field.doc.empty()) property["description"] = field.doc;
      properties[field.name] = std::move(property);
      if (field.required) required.push_back(field.name);
    };
    Described<Body>::fields.visit([&](const auto&... field) { (add(field), ...); });
    full["properties"] = std::move(properties);
    if (!required.empty()) full["required"] = std::move(required);
    if constexpr (requires { Described<Body>::others_ignored; }) {
      full["additionalProperties"] = true;
    } else {
      full["additionalProperties"] = false;
    }
    if (name.empty()) return full;
    named_[name] = std::move(full);
    return schema;
  }

  std::map<std::string, Json> named_;
};

}  // namespace duel
