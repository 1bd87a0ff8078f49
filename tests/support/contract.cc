#include "tests/support/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tests/support/json_schema.h"

namespace duel {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

// Literal segments win over parameters.
int fit(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return -1;
  int literal = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (pattern[k] == path[k]) {
      ++literal;
    } else if (!pattern[k].starts_with('{') || path[k].empty()) {
      return -1;
    }
  }
  return literal;
}

std::string media_type(const std::string* header) {
  return header == nullptr ? "" : header->substr(0, header->find(';'));
}

const Json& resolved(const Json& document, const Json& response) {
  const Json* reference = response.find("$ref");
  if (reference == nullptr) return response;
  const std::string text = reference->get<std::string>();
  return document.at("components").at("responses").at(text.substr(text.rfind('/') + 1));
}

}  // namespace

std::string path_template_of(const Json& document, std::string_view path) {
  const auto segments = segments_of(path);
  std::string best;
  int most = -1;
  for (const auto& [pattern, operations] : document.at("paths").members()) {
    const int fits = fit(segments_of(pattern), segments);
    if (fits <= most) continue;
    most = fits;
    best = pattern;
  }
  return best;
}

std::vector<std::string> contract_errors(const Json& document, const HttpRequest& request,
                                         const HttpResponse& response) {
  const auto complain = [&](const std::string& what) {
    return std::vector<std::string>{fmt::format("{} {} answered {}: {}", to_word(request.method),
                                                request.path, response.status, what)};
  };
  const std::string type = media_type(response.header("content-type"));
  const auto body = Json::parse(response.body, {.numbers_as_written = true});
  const auto is_problem = [&]() -> std::vector<std::string> {
    if (type != "application/problem+json" || !body) return complain("no problem+json");
    return schema_errors(document, document.at("components").at("schemas").at("Problem"), *body);
  };
  const std::string pattern = path_template_of(document, request.path);
  if (request.method == HttpMethod::options) return {};
  if (pattern.empty() && type == "text/html") return {};  // a page, which is no part of the API
  if (pattern.empty()) {
    if (response.status != 404 && response.status != 400 && response.status != 403) {
      return complain("the document has no such path");
    }
    return is_problem();
  }
  std::string method(
      to_word(request.method == HttpMethod::head ? HttpMethod::get : request.method));
  std::ranges::transform(method, method.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const Json* operation = document.at("paths").at(pattern).find(method);
  if (operation == nullptr) {
    if (response.status != 405 && response.status != 403) return complain("no such method");
    return is_problem();
  }
  const Json* found = operation->at("responses").find(std::to_string(response.status));
  if (found == nullptr) return complain("the document has no such status: " + response.body);
  const Json* content = resolved(document, *found).at("content").find(type);
  if (content == nullptr) return complain("the document has no such media type: " + type);
  std::vector<std::string> errors;
  if (type.ends_with("json") && type != "application/x-ndjson") {
    if (!body) return complain("no JSON");
    for (const std::string& error : schema_errors(document, content->at("schema"), *body)) {
      errors.push_back(complain(error).front());
    }
  }
  // What was taken has to be what the document says that can be sent.
  if (response.status < 300 && !request.body.empty()) {
    const Json* takes = operation->find("requestBody");
    if (takes == nullptr) return errors;  // a body that nobody reads
    const std::string sent = media_type(request.header("content-type"));
    const Json* accepted = takes->at("content").find(sent);
    if (accepted == nullptr) return complain("took the media type " + sent);
    const auto sent_body = Json::parse(request.body, {.numbers_as_written = true});
    // Lists with wrong items are taken, and each item is answered by itself.
    const bool by_item = pattern.ends_with("/outcomes") || pattern.ends_with("/events");
    if (sent == "application/json" && sent_body && !by_item) {
      for (const std::string& error : schema_errors(document, accepted->at("schema"), *sent_body)) {
        errors.push_back(complain("took a body that does not fit: " + error).front());
      }
    }
  }
  return errors;
}

}  // namespace duel
