// The web pages over HTTP: which path is which embedded file, and what a browser is told about it.
//
//   /                      the dashboard         /new    a form that creates an experiment
//   /experiments/{eid}     one experiment        /vote/{eid}    two items, side by side
//   /assets/{name}         what the pages load
//   /docs/                 the documents, with their search
//
// A page is the same bytes for everybody: it fetches what it shows from the API, with the token
// that its reader gave it. So pages need no token even if the API does.
#pragma once

#include <optional>

#include "duel/http/http.h"

namespace duel {

// The answer if the path is a page's or an asset's; nothing if it is the API's.
std::optional<HttpResponse> web_page(const HttpRequest& request);

// The answer to a path that neither a page nor the API has, if a browser asks for it: a page that
// says so, with status 404. Nothing for programs, which read the API's refusal.
std::optional<HttpResponse> web_page_of_nothing(const HttpRequest& request);

// The answer to a page's path in a program that was built without its pages.
HttpResponse web_page_without_assets();

}  // namespace duel
