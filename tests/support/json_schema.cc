#include "tests/support/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "duel/core/timestamp.h"

namespace duel {
namespace {

bool is_integer(const Json& value) {
  return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return is_integer(value);
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return false;
}

bool has_any_type(const Json& value, const Json& types) {
  if (types.is_string()) return has_type(value, types.get<std::string>());
  return std::ranges::any_of(
      types.items(), [&](const Json& type) { return has_type(value, type.get<std::string>()); });
}

const Json& referred(const Json& document, std::string reference) {
  const Json* at = &document;
  reference.erase(0, 2);  // "#/"
  while (!reference.empty()) {
    const std::size_t end = std::min(reference.find('/'), reference.size());
    at = &at->at(reference.substr(0, end));
    reference.erase(0, std::min(end + 1, reference.size()));
  }
  return *at;
}

class Validation {
 public:
  explicit Validation(const Json& document) : document_(document) {}

  void check(const Json& schema, const Json& value, const std::string& pointer) {
    if (const Json* reference = schema.find("$ref")) {
      check(referred(document_, reference->get<std::string>()), value, pointer);
    }
    for (const auto& [keyword, wanted] : schema.members()) {
      if (keyword == "$ref" || keyword == "description" || keyword == "properties" ||
          keyword == "required") {
        continue;
      }
      check_keyword(schema, keyword, wanted, value, pointer);
    }
    if (value.is_object()) check_members(schema, value, pointer);
  }

  std::vector<std::string> errors;

 private:
  void wrong(const std::string& pointer, std::string what) {
    errors.push_back(fmt::format("{}: {}", pointer.empty() ? "/" : pointer, what));
  }

  void check_keyword(const Json& schema, const std::string& keyword, const Json& wanted,
                     const Json& value, const std::string& pointer) {
    if (keyword == "type") {
      if (!has_any_type(value, wanted)) {
        wrong(pointer, fmt::format("{} is not of type {}", value.dump(), wanted.dump()));
      }
    } else if (keyword == "enum") {
      if (std::ranges::find(wanted.items(), value) == wanted.items().end()) {
        wrong(pointer, fmt::format("{} is not among {}", value.dump(), wanted.dump()));
      }
    } else if (keyword == "anyOf") {
      check_any_of(wanted, value, pointer);
    } else if (keyword == "items") {
      std::size_t index = 0;
      for (const Json& item : value.items()) {
        check(wanted, item, fmt::format("{}/{}", pointer, index++));
      }
    } else if (keyword == "minItems" || keyword == "maxItems") {
      const auto bound = wanted.get<std::size_t>();
      if (!value.is_array()) return;
      if (keyword == "minItems" ? value.size() < bound : value.size() > bound) {
        wrong(pointer, fmt::format("has {} items", value.size()));
      }
    } else if (keyword == "minimum" || keyword == "maximum") {
      if (!value.is_number()) return;
      const double number = value.get<double>(), bound = wanted.get<double>();
      if (keyword == "minimum" ? number < bound : number > bound) {
        wrong(pointer, fmt::format("{} is beyond {}", number, bound));
      }
    } else if (keyword == "minLength") {
      if (value.is_string() && value.get<std::string>().size() < wanted.get<std::size_t>()) {
        wrong(pointer, fmt::format("{} is too short", value.dump()));
      }
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>()))) {
        wrong(pointer, fmt::format("{} does not match {}", value.dump(), wanted.dump()));
      }
    } else if (keyword == "format") {
      if (wanted.get<std::string>() != "date-time") {
        wrong(pointer, "the validator does not know the format " + wanted.dump());
      } else if (value.is_string() && !parse_time(value.get<std::string>())) {
        wrong(pointer, value.dump() + " is no time");
      }
    } else if (keyword != "additionalProperties") {
      wrong(pointer, fmt::format("the validator does not know the keyword '{}' of {}", keyword,
                                 schema.dump()));
    }
  }

  void check_any_of(const Json& schemas, const Json& value, const std::string& pointer) {
    std::string why;
    for (const Json& schema : schemas.items()) {
      Validation one(document_);
      one.check(schema, value, pointer);
      if (one.errors.empty()) return;
      why += fmt::format(" [{}]", one.errors.front());
    }
    wrong(pointer, "fits none of the schemas:" + why);
  }

  void check_members(const Json& schema, const Json& value, const std::string& pointer) {
    if (const Json* required = schema.find("required")) {
      for (const Json& name : required->items()) {
        if (!value.contains(name.get<std::string>())) {
          wrong(pointer, "lacks " + name.get<std::string>());
        }
      }
    }
    const Json* properties = schema.find("properties");
    const Json* others = schema.find("additionalProperties");
    for (const auto& [name, member] : value.members()) {
      const std::string at = pointer + "/" + name;
      const Json* own = properties == nullptr ? nullptr : properties->find(name);
      if (own != nullptr) {
        check(*own, member, at);
      } else if (others != nullptr && others->is_boolean()) {
        if (!others->get<bool>()) wrong(at, "is not in the schema");
      } else if (others != nullptr) {
        check(*others, member, at);
      }
    }
  }

  const Json& document_;
};

}  // namespace

std::vector<std::string> schema_errors(const Json& document, const Json& schema, const Json& value,
                                       const std::string& pointer) {
  Validation validation(document);
  validation.check(schema, value, pointer);
  return std::move(validation.errors);
}

}  // namespace duel
