// The small grammars of HTTP that need no connection: percent-encoding, queries, targets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/http/http.h"

namespace duel {

// "a%2Fb" is "a/b". Nothing where a '%' is not followed by two hexadecimal digits. A plus is a
// plus.
std::optional<std::string> percent_decode(std::string_view text);
// All bytes but letters, digits and "-._~" as %XX: one segment of a path, or a value of a query.
std::string percent_encode(std::string_view text);

// "a=1&b=x+y&c" is {a, 1}, {b, "x y"}, {c, ""}. Nothing where an escape is broken.
std::optional<HttpFields> parse_query(std::string_view query);

// What stands between the slashes of a path, decoded: "/v1/a%2Fb/" is "v1", "a/b" and "". Nothing
// where the path does not begin with a slash or an escape is broken.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

std::string lower_case(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace duel
