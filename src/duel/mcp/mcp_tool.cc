#include "duel/mcp/mcp_tool.h"

#include <algorithm>
#include <utility>

namespace duel {

Json without_references(const Json& schema, const SchemaSet& set) {
  if (const Json* reference = schema.find("$ref")) {
    const auto path = reference->get<std::string>();
    return without_references(set.named().at(path.substr(path.rfind('/') + 1)), set);
  }
  if (schema.is_array()) {
    Json items = Json::array();
    for (const Json& item : schema.items()) items.push_back(without_references(item, set));
    return items;
  }
  if (!schema.is_object()) return schema;
  Json::Object members;
  for (const auto& [name, value] : schema.members()) {
    members.push_back({name, without_references(value, set)});
  }
  return Json(std::move(members));
}

Json with_argument(const Json& schema, std::string_view name, Json of_argument, bool required) {
  Json properties = Json::object();
  properties[name] = std::move(of_argument);
  properties.update(schema.at("properties"));
  Json needed = Json::array();
  if (required) needed.push_back(name);
  if (const Json* others = schema.find("required")) {
    for (const Json& other : others->items()) needed.push_back(other);
  }
  Json made = schema;
  made["properties"] = std::move(properties);
  if (!needed.empty()) made["required"] = std::move(needed);
  return made;
}

Json with_only(const Json& schema, const std::vector<std::string_view>& names) {
  if (names.empty()) return schema;
  const auto wanted = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  Json::Object properties;
  for (const auto& [name, value] : schema.at("properties").members()) {
    if (wanted(name)) properties.push_back({name, value});
  }
  Json needed = Json::array();
  if (const Json* required = schema.find("required")) {
    for (const Json& name : required->items()) {
      if (wanted(name.get<std::string>())) needed.push_back(name);
    }
  }
  Json made = Json::object();
  made["type"] = "object";
  made["properties"] = Json(std::move(properties));
  if (!needed.empty()) made["required"] = std::move(needed);
  made["additionalProperties"] = false;
  return made;
}

Json described_schema(std::string_view type, std::string_view doc) {
  Json schema = Json::object();
  schema["type"] = type;
  schema["description"] = doc;
  return schema;
}

}  // namespace duel
