// Times as a log holds them: milliseconds since 1970 in UTC, written `2026-11-15T09:00:00.123Z`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace duel {

// A moment as records carry it: milliseconds since 1970, written as RFC 3339.
struct Timestamp {
  std::int64_t ms = 0;

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// REQUIRES: a year of four digits.
std::string format_timestamp(std::int64_t milliseconds);
// Exactly the form above; nothing else is taken.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

// The same, also without milliseconds, as people write it.
std::optional<std::int64_t> parse_time(std::string_view text);

// The system's clock. What is computed never depends on it: time enters only as recorded.
std::int64_t current_time_ms();

}  // namespace duel
