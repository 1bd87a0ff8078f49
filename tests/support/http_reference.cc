#include "tests/support/http_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace duel {
namespace {

std::string name_after(const std::string& text, char sign) {
  return text.substr(text.rfind(sign) + 1);
}

// "string, one of `a`, `b`", "list of [Duel](#duel)".
std::string described(const Json& schema) {
  if (const Json* reference = schema.find("$ref")) {
    const std::string name = name_after(reference->get<std::string>(), '/');
    std::string anchor = name;
    std::ranges::transform(anchor, anchor.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return fmt::format("[{}](#{})", name, anchor);
  }
  if (const Json* any = schema.find("anyOf")) {
    std::string text;
    for (const Json& one : any->items()) text += (text.empty() ? "" : " or ") + described(one);
    return text;
  }
  const Json* type = schema.find("type");
  if (type == nullptr) return "any JSON";
  std::vector<std::string> types;
  if (type->is_string()) types.push_back(type->get<std::string>());
  for (const Json& one : type->items()) types.push_back(one.get<std::string>());
  std::string text;
  for (const std::string& one : types) {
    std::string part = one;
    if (one == "array") part = "list of " + described(schema.at("items"));
    if (const Json* others = schema.find("additionalProperties");
        one == "object" && others != nullptr && others->is_object() && !others->empty()) {
      part = "object of " + described(*others) + " by name";
    }
    text += (text.empty() ? "" : " or ") + part;
  }
  if (const Json* format = schema.find("format")) text += " (" + format->get<std::string>() + ")";
  if (const Json* words = schema.find("enum")) {
    std::string all;
    for (const Json& word : words->items()) {
      all += fmt::format("{}`{}`", all.empty() ? "" : ", ", word.get<std::string>());
    }
    text = (words->size() == 1 ? "" : "one of ") + all;
  }
  if (const Json* least = schema.find("minimum"); least != nullptr && schema.contains("maximum")) {
    text += fmt::format(", {} to {}", least->dump(), schema.at("maximum").dump());
  }
  if (const Json* properties = schema.find("properties"); properties != nullptr) {
    std::string members;
    for (const auto& [name, member] : properties->members()) {
      members += fmt::format("{}`{}` {}", members.empty() ? "" : ", ", name, described(member));
    }
    text += " with " + members;
  }
  return text;
}

bool is_required(const Json& schema, const std::string& name) {
  const Json* required = schema.find("required");
  return required != nullptr &&
         std::ranges::find(required->items(), Json(name)) != required->items().end();
}

std::string doc_of(const Json& schema) {
  const Json* doc = schema.find("description");
  return doc == nullptr ? "" : doc->get<std::string>();
}

std::string operation_text(const std::string& path, const std::string& method,
                           const Json& operation) {
  std::string upper = method;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string text =
      fmt::format("### {} {}\n\n{}\n\n", upper, path, operation.at("summary").get<std::string>());
  std::vector<std::string> scopes;
  bool without = false;
  for (const Json& way : operation.at("security").items()) {
    if (way.empty()) {
      without = true;
    } else {
      scopes.push_back("`" + way.at("token").items()[0].get<std::string>() + "`");
    }
  }
  text += "- Scope: " +
          (scopes.empty() ? std::string("none; open to all")
                          : fmt::format("{}", fmt::join(scopes, ", "))) +
          (without ? ", or a `report_token` in the body" : "") + "\n";
  if (const Json* parameters = operation.find("parameters")) {
    for (const Json& parameter : parameters->items()) {
      if (parameter.at("in").get<std::string>() == "path") continue;
      const std::string place =
          parameter.at("in").get<std::string>() == "query" ? "Query parameter" : "Header";
      text += fmt::format("- {} `{}`: {}; {}\n", place, parameter.at("name").get<std::string>(),
                          described(parameter.at("schema")), doc_of(parameter));
    }
  }
  if (const Json* body = operation.find("requestBody")) {
    std::string contents;
    for (const auto& [type, content] : body->at("content").members()) {
      contents += fmt::format(
          "{}`{}` {}", contents.empty() ? "" : "; ", type,
          type == "application/json" ? described(content.at("schema")) : std::string("text"));
    }
    text += fmt::format("- Body{}: {}\n",
                        body->at("required").get<bool>() ? "" : " (may be left out)", contents);
    if (const std::string limits = doc_of(*body); !limits.empty()) text += "- " + limits + "\n";
  }
  std::vector<std::string> errors;
  for (const auto& [status, response] : operation.at("responses").members()) {
    if (response.contains("$ref")) {
      errors.push_back(status);
      continue;
    }
    std::string contents;
    for (const auto& [type, content] : response.at("content").members()) {
      contents += (contents.empty() ? "" : " or ") +
                  (type == "application/json" ? described(content.at("schema")) : "`" + type + "`");
    }
    text += fmt::format("- {}: {}\n", status, contents);
  }
  text += fmt::format("- Errors: {}\n\n", fmt::join(errors, ", "));
  return text;
}

}  // namespace

std::string http_reference(const Json& document) {
  std::string text = "## Routes\n\n";
  for (const auto& [path, operations] : document.at("paths").members()) {
    for (const auto& [method, operation] : operations.members()) {
      text += operation_text(path, method, operation);
    }
  }
  text += "## Types\n\nA field marked * is always there.\n\n";
  for (const auto& [name, schema] : document.at("components").at("schemas").members()) {
    text += fmt::format("### {}\n\n| field | type | meaning |\n|---|---|---|\n", name);
    for (const auto& [field, member] : schema.at("properties").members()) {
      text += fmt::format("| `{}`{} | {} | {} |\n", field, is_required(schema, field) ? "*" : "",
                          described(member), doc_of(member));
    }
    text += "\n";
  }
  return text;
}

}  // namespace duel
