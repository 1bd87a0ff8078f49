// Any bytes are requests or a refusal, never a crash, and what is read does not depend on the
// portions in which they come; and the router answers any path.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/http/http_reader.h"
#include "duel/http/http_text.h"
#include "duel/http/router.h"

namespace {

using State = duel::HttpRequestReader::State;

struct Reading {
  std::vector<std::string> requests;  // method, target and body of each
  int refused = 0;
  bool operator==(const Reading&) const = default;
};

const duel::HttpLimits& limits() {
  static const duel::HttpLimits all = [] {
    duel::HttpLimits small;
    small.header_bytes = 300;
    small.header_count = 10;
    small.body_bytes = 200;
    return small;
  }();
  return all;
}

const duel::Router& router() {
  const auto route = [](duel::HttpMethod method, const char* pattern) {
    return duel::Route{method, pattern, pattern, {}};
  };
  static const duel::Router all(
      {route(duel::HttpMethod::get, "/"), route(duel::HttpMethod::put, "/v1/experiments/{eid}"),
       route(duel::HttpMethod::post, "/v1/experiments/{eid}/start"),
       route(duel::HttpMethod::get, "/v1/experiments/{eid}/{part}"),
       route(duel::HttpMethod::put, "/v1/experiments/{eid}/duels/{did}/outcome")});
  return all;
}

void check(const duel::HttpRequest& request) {
  DUEL_CHECK(request.body.size() <= limits().body_bytes);
  DUEL_CHECK(request.path == "*" || request.path.starts_with('/'));
  for (const auto& [name, value] : request.headers) {
    DUEL_CHECK(name == duel::lower_case(name));
    DUEL_CHECK(value.find_first_of("\r\n") == std::string::npos);
  }
  const duel::Router::Match match = router().match(request.method, request.path);
  if (match.route == nullptr) {
    DUEL_CHECK(match.refusal.status >= 204 && match.refusal.status <= 405);
    return;
  }
  // The path is what one gets from the pattern by putting the parameters in, encoded.
  std::string again;
  std::string_view pattern = match.route->pattern;
  for (const auto& [name, value] : match.parameters.all()) {
    const std::size_t at = pattern.find('{');
    again += pattern.substr(0, at);
    again += duel::percent_encode(value);
    pattern.remove_prefix(pattern.find('}') + 1);
  }
  again += pattern;
  DUEL_CHECK(duel::path_segments(again) == duel::path_segments(request.path));
}

Reading read(std::string_view text, std::size_t portion) {
  Reading reading;
  std::string rest;
  duel::HttpRequestReader reader(limits());
  for (std::size_t at = 0; at < text.size() && reading.refused == 0; at += portion) {
    rest += text.substr(at, portion);
    for (bool goes_on = true; goes_on;) {
      const State before = reader.state();
      const std::size_t used = reader.feed(rest);
      DUEL_CHECK(used <= rest.size());
      rest.erase(0, used);
      goes_on = used > 0 || reader.state() != before;
      if (reader.state() == State::complete) {
        const duel::HttpRequest request = reader.take();
        check(request);
        reading.requests.push_back(request.method_text + " " + request.target + " " + request.body);
        reader = duel::HttpRequestReader(limits());
      } else if (reader.state() == State::refused) {
        reading.refused = reader.refusal().status;
        goes_on = false;
      }
    }
    // What waits is bounded: a head, or the line of a chunk.
    constexpr std::size_t kMostChunkLine = 4'100;
    DUEL_CHECK(rest.size() <= std::max(limits().header_bytes, kMostChunkLine) ||
               reading.refused != 0);
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Reading whole = read(text, std::max<std::size_t>(size, 1));
  // Byte by byte it must come to the same, but for what is refused: a head that is too long and
  // also malformed is refused for what is found first.
  const Reading bytes = read(text, 1);
  DUEL_CHECK(whole.requests == bytes.requests);
  DUEL_CHECK((whole.refused == 0) == (bytes.refused == 0));

  if (const auto decoded = duel::percent_decode(text)) {
    DUEL_CHECK(duel::percent_decode(duel::percent_encode(*decoded)) == decoded);
  }
  (void)duel::parse_query(text);
  (void)duel::parse_http_address(text);
  duel::HttpResponseReader response(false);
  if (const auto used = response.feed(text); used.ok()) DUEL_CHECK(*used <= text.size());
  return 0;
}
