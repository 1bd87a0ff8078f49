// Decimal text to the nearest float, fast for the short numbers that feature files are made of.
#pragma once

namespace duel {

enum class ValueFault { none, not_a_number, not_finite, too_large };

struct ParsedValue {
  float value = 0;
  const char* end = nullptr;  // behind what was read
  ValueFault fault = ValueFault::none;
};

// Reads the longest number at `begin`: an optional sign, digits with at most one point, an optional
// exponent. The nearest float (ties to even); what is too small becomes 0 or a denormal, what is too
// large is a fault, and so are `nan` and `inf`. REQUIRES: a character that belongs to no number, such
// as a newline, stands before `end` of the buffer (the reader looks no further).
ParsedValue parse_feature_value(const char* begin);

}  // namespace duel
