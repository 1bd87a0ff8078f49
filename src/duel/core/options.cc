#include "duel/core/options.h"

#include <cmath>

namespace duel {

std::string NumberRange::to_string() const {
  std::vector<std::string> parts;
  if (std::isfinite(above)) parts.push_back(fmt::format("> {}", above));
  if (std::isfinite(least)) parts.push_back(fmt::format(">= {}", least));
  if (std::isfinite(below)) parts.push_back(fmt::format("< {}", below));
  if (std::isfinite(most)) parts.push_back(fmt::format("<= {}", most));
  if (parts.empty()) return "any number";
  return parts.size() == 1 ? parts[0] : parts[0] + " and " + parts[1];
}

}  // namespace duel
