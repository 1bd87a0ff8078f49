#include "duel/wire/received_body.h"

#include <algorithm>

#include "duel/http/http_text.h"

namespace duel {

namespace {

// As it was written.
std::string_view media_type_in(const HttpRequest& request) {
  const std::string* header = request.header("content-type");
  if (header == nullptr) return {};
  std::string_view type = *header;
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

}  // namespace

std::string media_type_of(const HttpRequest& request) { return lower_case(media_type_in(request)); }

bool is_lines(std::string_view media_type) {
  return media_type == "application/x-ndjson" || media_type == "application/jsonl";
}

namespace {

ServerAnswer refusal_of(const JsonFault& fault) {
  const bool whole = fault.kind == JsonFault::Kind::not_json ||
                     fault.kind == JsonFault::Kind::too_many || fault.pointer.empty();
  const int status = fault.kind == JsonFault::Kind::too_many ? 413 : 400;
  if (whole) return refusal(status, "the body " + fault.message);
  return refusal(status, fault.pointer + " " + fault.message, false,
                 {{fault.pointer, fault.message}});
}

std::size_t num_values(const Json& json) {
  std::size_t count = json.size();
  for (const Json& item : json.items()) count += num_values(item);
  for (const Json::Member& member : json.members()) count += num_values(member.value);
  return count;
}

}  // namespace

Parsed json_of(const HttpRequest& request, const JsonLimits& limits) {
  if (!equal_ignoring_case(media_type_in(request), "application/json")) {
    return {std::nullopt, refusal(415, "the body must be application/json")};
  }
  JsonFault fault;
  JsonLimits of_payloads = limits;
  of_payloads.numbers_as_written = true;  // they are given back as they came
  auto json = Json::parse(request.body, of_payloads, &fault);
  if (!json) return {std::nullopt, refusal_of(fault)};
  return {std::move(json), {}};
}

Batch batch_of(const HttpRequest& request, bool lines, const JsonLimits& limits,
               std::string_view what) {
  const auto too_many = [&] {
    return Batch{{}, refusal(413, fmt::format("more than {} {}", kMostItems, what))};
  };
  Batch batch;
  JsonFault fault;
  if (!lines) {
    if (auto json = Json::parse(request.body, limits, &fault)) {
      if (json->items().size() > kMostItems) return too_many();
      if (!json->is_array()) {
        batch.items.emplace_back(std::move(*json));
      } else {
        for (Json& item : std::move(*json).take_items()) batch.items.emplace_back(std::move(item));
      }
      return batch;
    }
    if (fault.kind != JsonFault::Kind::not_json) return {{}, refusal_of(fault)};
  }
  JsonLimits left = limits;  // of all lines together
  std::string_view rest = request.body;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    if (batch.items.size() == kMostItems) return too_many();
    if (auto json = Json::parse(line, left, &fault)) {
      left.values -= num_values(*json);
      batch.items.emplace_back(std::move(*json));
    } else if (fault.kind == JsonFault::Kind::too_many) {
      return {
          {},
          refusal(413, fmt::format("the body has more than {} members and items", limits.values))};
    } else {
      batch.items.emplace_back(Error::invalid_argument("the line " + fault.message));
    }
  }
  return batch;
}

}  // namespace duel
