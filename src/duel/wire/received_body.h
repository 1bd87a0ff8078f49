// The body of a request: its media type, one JSON value or many, and the struct that a table of
// bodies.h makes of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
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
Parsed json_of(const HttpRequest& request);

template <class Body>
std::optional<Body> read_body(const Json& json, UnknownFields unknown, ServerAnswer& refused) {
  DescribedReader reader(unknown);
  Body body;
  reader.read(json, "", body);
  if (reader.errors().empty()) return body;
  const FieldError& first = reader.errors().front();
  refused = refusal(400, (first.pointer.empty() ? "the body" : first.pointer) + " " + first.message,
                    false, reader.errors());
  return std::nullopt;
}

// An empty body is an empty object where nothing is required.
template <class Body>
std::optional<Body> body_of(const HttpRequest& request, UnknownFields unknown,
                            ServerAnswer& refused) {
  if (request.body.empty()) return read_body<Body>(Json::object(), unknown, refused);
  Parsed parsed = json_of(request);
  if (!parsed.json) {
    refused = std::move(parsed.refused);
    return std::nullopt;
  }
  return read_body<Body>(*parsed.json, unknown, refused);
}

// One JSON value, an array of them, or one on each line; a line that is not JSON is nothing.
std::vector<std::optional<Json>> items_of(const HttpRequest& request, bool lines);

}  // namespace duel
