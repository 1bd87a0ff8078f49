// The small grammars of HTTP that need no connection: percent-encoding, queries, targets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/http/http.h"

namespace duel {

// "a%2Fb" becomes "a/b". Nothing if a '%' is not followed by two hexadecimal digits. A plus stays a
// plus.
std::optional<std::string> percent_decode(std::string_view text);
// Writes all bytes but letters, digits and "-._~" as %XX: for a path's segment or a query's value.
std::string percent_encode(std::string_view text);

// "a=1&b=x+y&c" becomes {a, 1}, {b, "x y"}, {c, ""}. Nothing if an escape is broken.
std::optional<HttpFields> parse_query(std::string_view query);

// The segments between the slashes of a path, decoded: "/v1/a%2Fb/" becomes "v1", "a/b" and "".
// Nothing if the path does not begin with a slash or an escape is broken.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

// Whether a header If-Match lets a request through to what has this ETag (RFC 9110, 13.1.1): it is
// `*` or lists the tag. A weak tag never matches. Nothing if it is no such list.
std::optional<bool> if_match_holds(std::string_view header, std::string_view etag);

std::string lower_case(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace duel
