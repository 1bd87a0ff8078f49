#include "duel/core/described.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"

namespace duel {

Status OneOf::operator()(std::string_view word) const {
  if (std::ranges::find(all(), word) != all().end()) return Done{};
  std::vector<std::string> known;
  for (const std::string_view one : all()) known.emplace_back(one);
  return Error::invalid_argument(
      fmt::format("is '{}', not one of: {}", word, fmt::join(all(), ", ")), "",
      spelling_hint(word, known));
}

Status Between::operator()(double value) const {
  if (value >= low && value <= high) return Done{};
  return Error::invalid_argument(
      fmt::format("is not between {} and {}", format_number(low), format_number(high)));
}

Status NotEmpty::operator()(std::string_view text) const {
  if (!text.empty()) return Done{};
  return Error::invalid_argument("is empty");
}

}  // namespace duel
