// Times: milliseconds since 1970 in UTC, as logs hold them, and times as other programs write them.
// One grammar reads them all:
//
//   2026-11-15T09:00[:00[.123]][Z|+01:00|+0100], also with a space for the T
//
// and each function below says how much of it is taken.
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

// `2026-11-15T09:00:00.123Z`. REQUIRES: a year of four digits.
std::string format_timestamp(std::int64_t milliseconds);
// Exactly that form: what is written in a log has one spelling.
std::optional<std::int64_t> parse_timestamp(std::string_view text);
// The same, also without milliseconds, as people write it.
std::optional<std::int64_t> parse_time(std::string_view text);

// Seconds since 1970, or a date and a time of day with or without a zone. Times of different forms
// cannot be put in order.
struct WrittenTime {
  enum class Form { seconds, zoned, local } form = Form::seconds;
  double seconds = 0;
};
// All of the grammar, and seconds since 1970: `1763197200.5`.
std::optional<WrittenTime> parse_written_time(std::string_view text);

// The system's clock. What is computed never depends on it: time enters only as recorded.
std::int64_t current_time_ms();

}  // namespace duel
