#include "duel/wire/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "duel/http/http_text.h"
#include "duel/version_info.h"
#include "duel/wire/answers.h"

namespace duel {
namespace {

Json content_of(const std::vector<RouteFact::Content>& contents, SchemaSet& schemas) {
  Json json = Json::object();
  for (const RouteFact::Content& content : contents) {
    Json schema = content.schema ? content.schema(schemas) : text_schema();
    json[content.media_type]["schema"] = std::move(schema);
  }
  return json;
}

Json parameters_of(const RouteFact& fact) {
  Json parameters = Json::array();
  for (const std::string& name : fact.path_parameters()) {
    Json schema = text_schema();
    schema["pattern"] = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$";
    parameters.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", schema}});
  }
  for (const RouteFact::Parameter& parameter : fact.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"in", parameter.in},
                          {"required", parameter.required},
                          {"description", parameter.doc},
                          {"schema", parameter.schema}});
  }
  return parameters;
}

// Each entry is one kind of token that opens the route. `admin` opens every route.
Json security_of(const RouteFact& fact) {
  Json ways = Json::array();
  std::vector<std::string> words;
  for (const TokenScope scope : fact.scopes) words.emplace_back(to_word(scope));
  if (std::ranges::find(words, "admin") == words.end()) words.emplace_back("admin");
  for (const std::string& word : words) {
    Json way;
    way["token"] = Json(Json::Array{Json(word)});
    ways.push_back(std::move(way));
  }
  if (fact.by_report_token) ways.push_back(Json::object());
  return ways;
}

std::string limits_of(const RouteFact& fact) {
  std::string text = fmt::format("At most {} members and items, nested at most {} deep",
                                 fact.limits.values, fact.limits.depth);
  if (fact.by_report_token) {
    text += fmt::format("; with nothing but a report token {} bytes and {} members and items",
                        fact.bytes_by_report_token, fact.values_by_report_token);
  }
  if (fact.limits.names_differ) text += "; a name that is given twice is an error";
  return text + ".";
}

Json operation_of(const RouteFact& fact, SchemaSet& schemas) {
  Json operation;
  operation["operationId"] = fact.name;
  operation["summary"] = fact.summary;
  if (Json parameters = parameters_of(fact); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (!fact.takes_contents.empty()) {
    Json body;
    if (fact.takes_contents.front().schema) body["description"] = limits_of(fact);
    body["required"] = fact.body_required;
    body["content"] = content_of(fact.takes_contents, schemas);
    operation["requestBody"] = std::move(body);
  }
  Json responses = Json::object();
  for (const RouteFact::Answer& answer : fact.answers) {
    responses[std::to_string(answer.status)] = {
        {"description", std::string(reason_phrase(answer.status))},
        {"content", content_of(answer.contents, schemas)}};
  }
  for (const int status : fact.all_refusals()) {
    Json response;
    response["$ref"] = "#/components/responses/" + std::to_string(status);
    responses[std::to_string(status)] = std::move(response);
  }
  operation["responses"] = std::move(responses);
  operation["security"] = fact.scopes.empty() ? Json::array() : security_of(fact);
  return operation;
}

}  // namespace

Json text_schema() {
  Json schema;
  schema["type"] = "string";
  return schema;
}

Json words_schema(std::initializer_list<const char*> words) {
  Json schema = text_schema();
  Json all = Json::array();
  for (const char* word : words) all.push_back(word);
  schema["enum"] = std::move(all);
  return schema;
}

Json number_schema(std::uint64_t low, std::uint64_t high) {
  return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}

std::vector<int> RouteFact::all_refusals() const {
  // Host and origin are checked everywhere, and every server can be overloaded or broken.
  std::set<int> all(refusals.begin(), refusals.end());
  all.insert({403, 429, 500, 503});
  if (!scopes.empty()) all.insert(401);
  if (!takes_contents.empty()) all.insert({400, 413, 415});
  if (is_for_admins()) all.insert(400);  // an unknown query parameter
  return {all.begin(), all.end()};
}

std::vector<std::string> RouteFact::path_parameters() const {
  std::vector<std::string> names;
  for (std::size_t at = pattern.find('{'); at != std::string::npos;
       at = pattern.find('{', at + 1)) {
    names.push_back(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
  }
  return names;
}

Json openapi_of(const std::deque<RouteFact>& facts) {
  SchemaSet schemas;
  Json problem;
  problem["application/problem+json"]["schema"] = schemas.of<ProblemAnswer>(Shape::given);
  Json paths = Json::object();
  std::set<int> statuses;
  for (const RouteFact& fact : facts) {
    paths[fact.pattern][lower_case(to_word(fact.method))] = operation_of(fact, schemas);
    for (const int status : fact.all_refusals()) statuses.insert(status);
  }
  Json responses = Json::object();
  for (const int status : statuses) {
    responses[std::to_string(status)] = {{"description", std::string(reason_phrase(status))},
                                         {"content", problem}};
  }
  Json document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "Duel"}, {"version", std::string(kVersion)}};
  document["paths"] = std::move(paths);
  Json named = Json::object();
  for (const auto& [name, schema] : schemas.named()) named[name] = schema;
  document["components"]["schemas"] = std::move(named);
  document["components"]["responses"] = std::move(responses);
  document["components"]["securitySchemes"]["token"] = {
      {"type", "http"},
      {"scheme", "bearer"},
      {"description",
       "`duel_<scope>_<random>`. A route names the scopes that it accepts. Where no token was ever "
       "made, the server listens on loopback and takes requests without one."}};
  return document;
}

}  // namespace duel
