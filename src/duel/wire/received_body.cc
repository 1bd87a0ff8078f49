#include "duel/wire/received_body.h"

#include <algorithm>
#include <cctype>

namespace duel {

std::string media_type_of(const HttpRequest& request) {
  const std::string* header = request.header("content-type");
  if (header == nullptr) return {};
  std::string type = header->substr(0, header->find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

bool is_lines(std::string_view media_type) {
  return media_type == "application/x-ndjson" || media_type == "application/jsonl";
}

Parsed json_of(const HttpRequest& request) {
  if (media_type_of(request) != "application/json") {
    return {std::nullopt, refusal(415, "the body must be application/json")};
  }
  auto json = Json::parse(request.body);
  if (!json) return {std::nullopt, refusal(400, "the body is not JSON")};
  return {std::move(json), {}};
}

std::vector<std::optional<Json>> items_of(const HttpRequest& request, bool lines) {
  std::vector<std::optional<Json>> items;
  if (!lines) {
    if (auto json = Json::parse(request.body)) {
      if (!json->is_array()) return {std::move(json)};
      for (const Json& item : json->items()) items.emplace_back(item);
      return items;
    }
  }
  std::string_view rest = request.body;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find_first_not_of(" \r\t") != std::string_view::npos)
      items.push_back(Json::parse(line));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return items;
}

}  // namespace duel
