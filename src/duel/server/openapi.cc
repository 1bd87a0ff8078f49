#include "duel/server/openapi.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "duel/version_info.h"

namespace duel {

Json openapi_of(std::span<const RouteFact> facts) {
  Json problem_content;
  problem_content["application/problem+json"]["schema"]["$ref"] = "#/components/schemas/Problem";
  Json paths = Json::object();
  for (const RouteFact& fact : facts) {
    Json operation;
    operation["operationId"] = fact.name;
    operation["summary"] = fact.summary;
    Json parameters = Json::array();
    for (std::size_t at = fact.pattern.find('{'); at != std::string::npos;
         at = fact.pattern.find('{', at + 1)) {
      const std::string name = fact.pattern.substr(at + 1, fact.pattern.find('}', at) - at - 1);
      parameters.push_back({{"name", name},
                            {"in", "path"},
                            {"required", true},
                            {"schema", Json{{"type", "string"}}}});
    }
    if (!parameters.empty()) operation["parameters"] = std::move(parameters);
    if (fact.body_schema) {
      operation["requestBody"]["content"]["application/json"]["schema"] = fact.body_schema();
    }
    for (const int status : fact.statuses) {
      operation["responses"][std::to_string(status)]["description"] =
          std::string(reason_phrase(status));
    }
    operation["responses"]["default"]["description"] = "an error";
    operation["responses"]["default"]["content"] = problem_content;
    if (!fact.scope.empty()) {
      Json scopes = Json::array();
      scopes.push_back(fact.scope);
      Json security;
      security["token"] = std::move(scopes);
      operation["security"] = Json(Json::Array{std::move(security)});
    }
    std::string method(to_word(fact.method));
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    paths[fact.pattern][method] = std::move(operation);
  }
  Json document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "Duel"}, {"version", std::string(kVersion)}};
  document["paths"] = std::move(paths);
  Json problem_schema;
  problem_schema["type"] = "object";
  for (const char* name : {"type", "title", "detail"}) {
    problem_schema["properties"][name]["type"] = "string";
  }
  problem_schema["properties"]["status"]["type"] = "integer";
  problem_schema["properties"]["retryable"]["type"] = "boolean";
  problem_schema["properties"]["errors"]["type"] = "array";
  document["components"]["schemas"]["Problem"] = std::move(problem_schema);
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  return document;
}

}  // namespace duel
