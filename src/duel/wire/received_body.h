// The body of a request: its media type, one JSON value or many, and the struct that is made from
// it by a table of requests.h. The time for all of this is linear in the size of the body, and the
// limits of the route (RouteFact) end it earlier. Any thread may call it.
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

// In one batch of outcomes or events.
inline constexpr std::size_t kMostItems = 10'000;

// In lower case, without parameters; empty if there is none.
std::string media_type_of(const HttpRequest& request);
bool is_lines(std::string_view media_type);  // one JSON value per line

struct Parsed {
  std::optional<Json> json;
  ServerAnswer refused;  // if the body is not JSON
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

// An empty body counts as an empty object, which is fine if nothing is required.
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

// A batch. A bad line is an error of that item only.
struct Batch {
  std::vector<Result<Json>> items;
  std::optional<ServerAnswer> refused;  // the answer, if the whole batch is too large
};
// Reads one JSON value, an array of them, or one on each line. Messages call them `what`.
Batch batch_of(const HttpRequest& request, bool lines, const JsonLimits& limits,
               std::string_view what);

}  // namespace duel
