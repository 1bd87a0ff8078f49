// A report or a certificate in one HTML file: the page that web/src/report or web/src/certificate
// builds, with its data inside. It asks nobody for anything, so it opens from a mail attachment.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/json.h"
#include "duel/core/result.h"

namespace duel {

// Whether a file of this name is to be a report: it ends with ".html".
bool names_report(std::string_view file);

// `data` has a field `kind`: result, study or league, which web/src/report/report_data.ts
// describes. An error where this program was built without its pages.
Result<std::string> report_page(const std::string& title, const Json& data);

// A certificate in one HTML file that checks itself. `data` is what
// web/src/certificate/certificate_data.ts describes. An error as above.
Result<std::string> certificate_page(const std::string& title, const Json& data);

// The text as HTML and XML have it between tags.
std::string escaped_html(std::string_view text);

// The template with title and data in their places, each written so that it cannot end the element
// that it stands in. REQUIRES: the template has both places, the title's first.
std::string filled_report(std::string_view page, std::string_view title, const Json& data);

}  // namespace duel
