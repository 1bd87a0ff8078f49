// The body of a request: its media type, one JSON value or many, and the struct that a table of
// requests.h makes of it. Nothing here takes longer than in proportion to the body, and the limits
// of the route (RouteFact) end it earlier.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/http/http.h"
#include "duel/wire/reply.h"

namespace duel {

// Of one batch: outcomes, events.
inline constexpr std::size_t kMostItems = 10'000;

// In lower case, without parameters; empty where there is none.
std::string media_type_of(const HttpRequest& request);
bool is_lines(std::string_view media_type);  // one JSON value per line

struct Parsed {
  std::optional<Json> json;
  ServerAnswer refused;  // where there is no JSON
};
Parsed json_of(const HttpRequest& request, const JsonLimits& limits);

template <class Body>
std::optional<Body> read_body(const Json& json, UnknownFields unknown, ServerAnswer& refused) {
  DescribedReader reader(unknown);
  Body body;
  reader.read(json, "", body);
  if (reader.errors().empty()) return body;
  const FieldError& first = reader.errors().front();
  std::string detail = (first.pointer.empty() ? "the body" : first.pointer) + " " + first.message;
  if (const std::size_t listed = reader.errors().size(); reader.num_errors() > listed) {
    detail +=
        fmt::format("; {} fields are wrong, the first {} are listed", reader.num_errors(), listed);
  }
  refused = refusal(400, detail, false, reader.errors());
  return std::nullopt;
}

// An empty body is an empty object where nothing is required.
template <class Body>
std::optional<Body> body_of(const HttpRequest& request, const JsonLimits& limits,
                            UnknownFields unknown, ServerAnswer& refused) {
  if (request.body.empty()) return read_body<Body>(Json::object(), unknown, refused);
  Parsed parsed = json_of(request, limits);
  if (!parsed.json) {
    refused = std::move(parsed.refused);
    return std::nullopt;
  }
  return read_body<Body>(*parsed.json, unknown, refused);
}

// A batch. What is wrong with one of its lines is the error of that item.
struct Batch {
  std::vector<Result<Json>> items;
  std::optional<ServerAnswer> refused;  // the whole is too large
};
// One JSON value, an array of them, or one on each line. `what` they are is for messages.
Batch batch_of(const HttpRequest& request, bool lines, const JsonLimits& limits,
               std::string_view what);

}  // namespace duel
