// The reference part of docs/http-api.md, made from /openapi.json.
#pragma once

#include <string>

#include "duel/core/json.h"

namespace duel {

std::string http_reference(const Json& document);

}  // namespace duel
