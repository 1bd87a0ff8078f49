// The document that describes what the server takes and answers (OpenAPI 3.1), made from the facts
// about its routes and the tables of bodies and answers.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/http/http.h"
#include "duel/wire/token_scope.h"

namespace duel {

// Schemas of parameters.
Json text_schema();
Json words_schema(std::initializer_list<const char*> words);
Json number_schema(std::uint64_t low, std::uint64_t high);

// A route as documents need it: `fact.takes<ExperimentBody>().gives<ExperimentAnswer>({200, 201})`.
struct RouteFact {
  using Schema = std::function<Json(SchemaSet&)>;
  struct Content {
    std::string media_type;
    Schema schema;  // empty: text without a schema
  };
  struct Answer {
    int status = 200;
    std::vector<Content> contents;
  };
  struct Parameter {
    std::string name;
    std::string in = "query";  // or header
    std::string doc;
    Json schema;
    bool required = false;
  };

  HttpMethod method = HttpMethod::get;
  std::string pattern;
  std::string name;
  std::string summary;
  std::vector<TokenScope> scopes;  // any of them will do; none: open to all
  bool by_report_token = false;    // a report token in the body will do as well
  // Limits on parsing a body, and the tighter ones for a caller without an API token: its report
  // token is in the body, so the body is parsed before it is known whether the token is good.
  JsonLimits limits{.values = 1'000, .depth = 20, .names_differ = false};
  std::size_t bytes_by_report_token = 0;
  std::size_t values_by_report_token = 0;
  std::size_t bytes_in_file = 0;  // if set, a body of so many bytes is taken, on the disk
  bool for_pages = false;         // pages of other origins may call it (CORS)
  bool for_any_node = false;      // it only reads records, so the experiment's owner is not asked
  bool for_nodes = false;         // another node may ask, for clients whose tokens it has checked
  std::vector<Content> takes_contents;
  bool body_required = true;
  std::vector<Answer> answers;
  std::vector<int> refusals;  // besides those that every route of its kind has
  std::vector<Parameter> parameters;

  template <class Body>
  RouteFact& takes() {
    takes_contents.push_back(
        {"application/json", [](SchemaSet& set) { return set.of<Body>(Shape::taken); }});
    return *this;
  }
  // One value, an array of them, or one per line.
  template <class Item>
  RouteFact& takes_many() {
    const Schema schema = [](SchemaSet& set) { return set.of<Item>(Shape::taken); };
    takes_contents.push_back({"application/json", [schema](SchemaSet& set) {
                                Json many;
                                many["type"] = "array";
                                many["items"] = schema(set);
                                Json either;
                                either["anyOf"] = Json(Json::Array{schema(set), std::move(many)});
                                return either;
                              }});
    return takes_text("application/x-ndjson");
  }
  RouteFact& takes_text(std::string media_type) {
    takes_contents.push_back({std::move(media_type), {}});
    return *this;
  }
  // The body may be missing: everything in it has a default.
  RouteFact& or_no_body() {
    body_required = false;
    return *this;
  }

  // Limits its body: members and items in all, and how deep arrays and objects are nested.
  RouteFact& at_most(std::size_t values, std::size_t depth) {
    limits.values = values;
    limits.depth = depth;
    return *this;
  }
  RouteFact& at_most_in_file(std::size_t bytes) {
    bytes_in_file = bytes;
    return *this;
  }
  RouteFact& or_report_token(std::size_t bytes, std::size_t values) {
    by_report_token = true;
    bytes_by_report_token = bytes;
    values_by_report_token = values;
    return *this;
  }

  template <class... Bodies>
  RouteFact& gives(std::initializer_list<int> statuses = {200}) {
    const Schema schema = [](SchemaSet& set) {
      if constexpr (sizeof...(Bodies) == 1) {
        return (set.of<Bodies>(Shape::given), ...);
      } else {
        Json either;
        either["anyOf"] = Json(Json::Array{set.of<Bodies>(Shape::given)...});
        return either;
      }
    };
    for (const int status : statuses) answers.push_back({status, {{"application/json", schema}}});
    return *this;
  }
  RouteFact& gives_text(std::initializer_list<const char*> media_types) {
    Answer answer;
    for (const char* type : media_types) answer.contents.push_back({type, {}});
    answers.push_back(std::move(answer));
    return *this;
  }
  RouteFact& refuses(std::initializer_list<int> statuses) {
    refusals.insert(refusals.end(), statuses);
    return *this;
  }
  RouteFact& asks(std::string parameter, std::string doc, Json schema) {
    parameters.push_back({std::move(parameter), "query", std::move(doc), std::move(schema), false});
    return *this;
  }
  RouteFact& needs_header(std::string parameter, std::string doc) {
    parameters.push_back({std::move(parameter), "header", std::move(doc), text_schema(), true});
    return *this;
  }

  bool is_for_admins() const { return scopes == std::vector{TokenScope::admin}; }

  RouteFact& is(bool RouteFact::* flag) {
    this->*flag = true;
    return *this;
  }

  // All errors that it may answer, in order.
  std::vector<int> all_refusals() const;
  // The schemas of its parameters in the path.
  std::vector<std::string> path_parameters() const;
};

Json openapi_of(const std::deque<RouteFact>& facts);

}  // namespace duel
