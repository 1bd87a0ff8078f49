// A validator of the part of JSON Schema (2020-12) that /openapi.json uses. A keyword that it does
// not know is an error, so that nothing in a schema goes unchecked.
#pragma once

#include <string>
#include <vector>

#include "duel/core/json.h"

namespace duel {

// What is wrong with `value`, each with its JSON pointer; nothing where it fits. `document` holds
// what `$ref` refers to.
std::vector<std::string> schema_errors(const Json& document, const Json& schema, const Json& value,
                                       const std::string& pointer = "");

}  // namespace duel
