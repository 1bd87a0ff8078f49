// Numbers as people write them (`1e6`, `0.51`) and as we print them: shortest text that reads back
// to the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// A finite double. The whole text must be a number.
Result<double> parse_number(std::string_view text);

// A whole number in [0, 2^63), also written `1e6` or `2.5e3`. Rejects fractions, signs, overflow.
Result<std::uint64_t> parse_count(std::string_view text);

std::string format_number(double value);

// "1 duel", "2 duels".
std::string counted(std::uint64_t count, std::string_view noun);
// "1 query", "2 queries".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

// `text` without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace duel
