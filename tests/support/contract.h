// Whether what a server answered is what its own /openapi.json promises.
#pragma once

#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/http/http.h"

namespace duel {

// The template in `paths` that the path is of, such as /v1/experiments/{eid}; empty if none.
std::string path_template_of(const Json& document, std::string_view path);

// What breaks the promise: a route, a status, a media type or a field that the document does not
// have. A request that was taken has to fit the document, too.
std::vector<std::string> contract_errors(const Json& document, const HttpRequest& request,
                                         const HttpResponse& response);

}  // namespace duel
