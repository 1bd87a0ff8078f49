// Times as programs in JavaScript write them.
#pragma once

#include <string>
#include <string_view>

namespace duel {

// Milliseconds since 1970 in digits as RFC 3339; any other text as it is. Seconds have fewer
// digits.
std::string with_date(std::string_view text);

}  // namespace duel
