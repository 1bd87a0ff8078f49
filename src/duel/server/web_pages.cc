#include "duel/server/web_pages.h"

#include <string>
#include <string_view>
#include <vector>

#include "duel/http/http_text.h"
#include "duel/pages/web_asset.h"

namespace duel {
namespace {

// No inline script or style, nothing from other servers except pictures of arms, no framing.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view kWithoutPages =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Duel</title>\n"
    "<h1>Duel is running</h1>\n"
    "<p>This program was built without its pages. The HTTP API works; "
    "<a href=\"/openapi.json\">/openapi.json</a> describes it.</p>\n"
    "<p>To get the dashboard and the voting page, install Node.js 18 or later with npm, run "
    "<code>scripts/setup</code>, and build again.</p>\n</html>\n";

void protect(HttpResponse& response) {
  response.headers.emplace_back("Content-Security-Policy", std::string(kPolicy));
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

bool takes_gzip(const HttpRequest& request) {
  const std::string* accepted = request.header("accept-encoding");
  if (accepted == nullptr) return false;
  const std::size_t at = accepted->find("gzip");
  if (at == std::string::npos) return false;
  const std::string_view rest = std::string_view(*accepted).substr(at + 4);
  return !rest.starts_with(";q=0,") && rest != ";q=0";
}

HttpResponse answer_with(const WebAsset& asset, const HttpRequest& request, bool immutable,
                         int status = 200) {
  HttpResponse response;
  response.status = status;
  protect(response);
  response.headers.emplace_back("ETag", std::string(asset.etag));
  response.headers.emplace_back("Vary", "Accept-Encoding");
  // An asset's name changes with its bytes, so a browser may keep it forever; a page's does not.
  response.headers.emplace_back("Cache-Control",
                                immutable ? "public, max-age=31536000, immutable" : "no-cache");
  const std::string* known = request.header("if-none-match");
  if (status == 200 && known != nullptr && known->find(asset.etag) != std::string::npos) {
    response.status = 304;
    return response;
  }
  response.headers.emplace_back("Content-Type", std::string(asset.type));
  if (takes_gzip(request)) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(asset.gzip);
  } else {
    response.body = plain_bytes(asset);
  }
  return response;
}

// The file of a page's path, or empty if there is no such page.
std::string_view page_of(const std::vector<std::string>& path) {
  if (path.size() == 1 && (path[0].empty() || path[0] == "new")) return "index.html";
  if (path.size() == 1 && path[0] == "duel.js") return "duel.js";  // for search pages of others
  if (path.size() != 2 || path[1].empty()) return "";
  if (path[0] == "experiments") return "index.html";
  return path[0] == "vote" ? "vote.html" : "";
}

// The file of a path below /docs, or empty if the path is not below it.
std::string document_of(const std::vector<std::string>& path) {
  if (path.empty() || path.front() != "docs") return "";
  std::string name = "docs";
  for (std::size_t k = 1; k < path.size(); ++k) name += "/" + path[k];
  return path.size() == 2 && path[1].empty() ? "docs/index.html" : name;
}

// Documents name each other by relative addresses, which need the slash at the end.
HttpResponse moved_to(std::string where) {
  HttpResponse response;
  response.status = 308;
  protect(response);
  response.headers.emplace_back("Location", std::move(where));
  return response;
}

HttpResponse document(const std::string& name, const HttpRequest& request) {
  if (name == "docs") return moved_to("/docs/");
  if (const WebAsset* asset = find_web_asset(name)) return answer_with(*asset, request, false);
  if (const WebAsset* none = find_web_asset("docs/404.html")) {
    return answer_with(*none, request, false, 404);
  }
  return web_page_without_assets();
}

// Whether the caller is a browser that somebody has given an address, and not a program.
bool wants_page(const HttpRequest& request) {
  const std::string* accepted = request.header("accept");
  return request.method == HttpMethod::get && accepted != nullptr &&
         accepted->find("text/html") != std::string::npos;
}

}  // namespace

std::optional<HttpResponse> web_page(const HttpRequest& request) {
  if (request.path.starts_with("/v1/")) return std::nullopt;  // most requests, and never a page
  const auto path = path_segments(request.path);
  if (!path) return std::nullopt;
  const bool is_asset = path->size() == 2 && path->front() == "assets";
  const std::string_view page = page_of(*path);
  const std::string name_of_document = document_of(*path);
  if (!is_asset && page.empty() && name_of_document.empty()) return std::nullopt;
  if (request.method != HttpMethod::get && request.method != HttpMethod::head) {
    HttpResponse response = problem(405, "the path takes these methods: GET, HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (!name_of_document.empty()) return document(name_of_document, request);
  if (is_asset) {
    const WebAsset* asset = find_web_asset(path->back());
    if (asset == nullptr) return problem(404, "there is no such asset");
    return answer_with(*asset, request, true);
  }
  if (const WebAsset* asset = find_web_asset(page)) return answer_with(*asset, request, false);
  if (page == "duel.js") return problem(404, "this program was built without its pages");
  return web_page_without_assets();
}

std::optional<HttpResponse> web_page_of_nothing(const HttpRequest& request) {
  if (request.path.starts_with("/v1/") || !wants_page(request)) return std::nullopt;
  const WebAsset* asset = find_web_asset("index.html");
  if (asset == nullptr) return std::nullopt;
  return answer_with(*asset, request, false, 404);
}

HttpResponse web_page_without_assets() {
  HttpResponse response;
  protect(response);
  response.headers.emplace_back("Content-Type", "text/html; charset=utf-8");
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::string(kWithoutPages);
  return response;
}

}  // namespace duel
