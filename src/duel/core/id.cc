#include "duel/core/id.h"

#include <fmt/format.h>

#include <algorithm>

namespace duel {
namespace {

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_inner(char c) { return is_letter(c) || c == '.' || c == '_' || c == ':' || c == '-'; }

}  // namespace

Status check_id(std::string_view noun, std::string_view id) {
  if (!id.empty() && id.size() <= 100 && is_letter(id.front()) && std::ranges::all_of(id, is_inner))
    return Done{};
  return Error::invalid_argument(fmt::format("'{}' cannot be the id of {}", id, noun))
      .with_hint(
          "an id has 1 to 100 letters, digits and . _ : - and begins with a letter or digit");
}

std::string id_from(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const bool inner = is_inner(c);
    if (id.empty() && !is_letter(c)) {
      if (inner) continue;
      id += "x-";
      continue;
    }
    id += inner ? c : '-';
  }
  if (id.empty()) id = "x";
  return id.substr(0, 100);
}

}  // namespace duel
