// The web pages over HTTP: which path is which embedded file, and what a browser is told about it.
//
//   /                      the dashboard         /new    a form that creates an experiment
//   /experiments/{eid}     one experiment        /vote/{eid}    two items, side by side
//   /assets/{name}         what the pages load
//
// A page is the same bytes for everybody: what it shows it asks the API for, with the token that
// the reader gave it. So pages are open where the API is not.
#pragma once

#include <optional>

#include "duel/http/http.h"

namespace duel {

// The answer where the path is a page's or an asset's; nothing where it is the API's.
std::optional<HttpResponse> web_page(const HttpRequest& request);

// What a page's path answers in a program that was built without its pages.
HttpResponse web_page_without_assets();

}  // namespace duel
