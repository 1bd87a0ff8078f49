// JSON as it stands in the lines of logs and tables: whatever the texts hold, it is one line that
// text_lines.h reads.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/json.h"

namespace duel {

// `text` as a JSON string with its quotes. What is not UTF-8 stays as it is.
void append_json_string(std::string& out, std::string_view text);
// The shortest digits that are read as the same number, with a point or an exponent, so that they
// are not read as a whole number; `null` for what is not finite.
void append_json_number(std::string& out, double value);
// Any value.
void append_json(std::string& out, const Json& value);

}  // namespace duel
