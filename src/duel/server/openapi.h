// The document that says what the server takes and answers (OpenAPI 3.1), made from the facts of
// its routes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/server/http.h"

namespace duel {

// A route as documents need it.
struct RouteFact {
  HttpMethod method = HttpMethod::get;
  std::string pattern;
  std::string name;
  std::string summary;
  std::string scope;                  // empty: open to all
  std::function<Json()> body_schema;  // empty: no body
  std::vector<int> statuses;          // of success
};

Json openapi_of(std::span<const RouteFact> facts);

}  // namespace duel
