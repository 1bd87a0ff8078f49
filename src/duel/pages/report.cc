#include "duel/pages/report.h"

#include "duel/core/check.h"
#include "duel/pages/web_asset.h"

namespace duel {
namespace {

constexpr std::string_view kTitlePlace = "@TITLE@";
constexpr std::string_view kDataPlace = "@DATA@";

// In JSON a '<' stands in texts only, where \u003c means the same and ends no element.
std::string escaped_json(const Json& data) {
  std::string escaped;
  for (const char letter : data.dump()) {
    if (letter == '<') {
      escaped += "\\u003c";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '&') {
      escaped += "&amp;";
    } else if (letter == '<') {
      escaped += "&lt;";
    } else if (letter == '>') {
      escaped += "&gt;";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

bool names_report(std::string_view file) { return file.ends_with(".html"); }

std::string filled_report(std::string_view page, std::string_view title, const Json& data) {
  const std::size_t title_at = page.find(kTitlePlace);
  const std::size_t data_at = page.find(kDataPlace);
  DUEL_CHECK(title_at < data_at && data_at != std::string_view::npos);
  const std::size_t title_end = title_at + kTitlePlace.size();
  std::string filled(page.substr(0, title_at));
  filled += escaped_html(title);
  filled += page.substr(title_end, data_at - title_end);
  filled += escaped_json(data);
  filled += page.substr(data_at + kDataPlace.size());
  return filled;
}

namespace {

Result<std::string> filled_asset(std::string_view name, const std::string& title,
                                 const Json& data) {
  const WebAsset* page = find_web_asset(name);
  if (page == nullptr) {
    return Error::unsupported("this program was built without its pages, so it writes no HTML")
        .with_hint("install Node.js with npm, run scripts/setup and build again");
  }
  return filled_report(plain_bytes(*page), title, data);
}

}  // namespace

Result<std::string> report_page(const std::string& title, const Json& data) {
  return filled_asset("report.html", title, data);
}

Result<std::string> certificate_page(const std::string& title, const Json& data) {
  return filled_asset("certificate.html", title, data);
}

}  // namespace duel
