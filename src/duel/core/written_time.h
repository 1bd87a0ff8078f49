// Times as other programs write them.
#pragma once

#include <optional>
#include <string_view>

namespace duel {

// Seconds since 1970, or a date and a time of day with or without a zone. Times of different forms
// cannot be put in order.
struct WrittenTime {
  enum class Form { seconds, zoned, local } form = Form::seconds;
  double seconds = 0;
};

// `1763197200.5`, or `2026-11-15T09:00[:00[.123]][Z|+01:00|+0100]`, also with a space for the T.
// Nothing for any other text.
std::optional<WrittenTime> parse_written_time(std::string_view text);

}  // namespace duel
