#include "duel/core/described_json.h"

namespace duel {

// A field that is null or of the schema.
Json SchemaSet::nullable(Json schema) {
  const Json* type = schema.find("type");
  if (type != nullptr && type->is_string() && !schema.contains("enum")) {
    schema["type"] = Json(Json::Array{*type, Json("null")});
    return schema;
  }
  if (schema.empty()) return schema;  // any value is null, too
  Json null;
  null["type"] = "null";
  Json either;
  either["anyOf"] = Json(Json::Array{std::move(schema), std::move(null)});
  return either;
}

void SchemaSet::narrow(Json& schema, const OneOf& check) {
  Json words = Json::array();
  for (const std::string_view word : check.all()) words.push_back(word);
  Json& narrowed = schema.contains("items") ? schema["items"] : schema;
  narrowed["enum"] = std::move(words);
}

void SchemaSet::narrow(Json& schema, const Between& check) {
  schema["minimum"] = check.low;
  schema["maximum"] = check.high;
}

void SchemaSet::narrow(Json& schema, const NotEmpty& /*check*/) { schema["minLength"] = 1; }

void SchemaSet::narrow(Json& schema, const IsIdOf& /*check*/) {
  schema["pattern"] = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$";
}

}  // namespace duel
