#include "duel/core/dated_text.h"

#include <cstdint>

#include "duel/core/numbers.h"
#include "duel/core/timestamp.h"

namespace duel {

std::string with_date(std::string_view text) {
  // From March 1973 to the year 9999: as seconds these would be after the year 5138.
  constexpr std::uint64_t kLeast = 100'000'000'000, kMost = 253'402'300'799'999;
  const auto milliseconds = parse_count(text);
  if (!milliseconds.ok() || *milliseconds < kLeast || *milliseconds > kMost) {
    return std::string(text);
  }
  return format_timestamp(static_cast<std::int64_t>(*milliseconds));
}

}  // namespace duel
