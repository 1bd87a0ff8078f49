#include "duel/core/short_names.h"

#include <algorithm>
#include <set>

#include "duel/core/display_width.h"

namespace duel {
namespace {

// A byte of a UTF-8 character other than its first.
bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// `text` without its first `before` and last `after` bytes, or a little more of it where these
// would cut a character.
std::string middle_of(const std::string& text, std::size_t before, std::size_t after) {
  std::size_t end = text.size() - after;
  while (before > 0 && continues_character(text[before])) --before;
  while (end < text.size() && continues_character(text[end])) ++end;
  return (before > 0 ? "…" : "") + text.substr(before, end - before) +
         (end < text.size() ? "…" : "");
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> cut;
  cut.reserve(names.size());
  for (const std::string& name : names) cut.push_back(shortened_inside(name, most));
  const std::set<std::string> before_the_cut(names.begin(), names.end());
  const std::set<std::string> after_the_cut(cut.begin(), cut.end());
  if (after_the_cut.size() == before_the_cut.size()) return cut;
  const std::string& some = names.front();
  std::size_t before = some.size();
  std::size_t after = some.size();
  for (const std::string& name : names) {
    const auto differ = std::mismatch(some.begin(), some.end(), name.begin(), name.end()).first;
    before = std::min(before, static_cast<std::size_t>(differ - some.begin()));
    const auto tail = std::mismatch(some.rbegin(), some.rend(), name.rbegin(), name.rend()).first;
    after = std::min(after, static_cast<std::size_t>(tail - some.rbegin()));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    // A name that ends where another goes on has less behind the common beginning.
    const std::size_t tail = std::min(after, names[k].size() - before);
    cut[k] = shortened_inside(middle_of(names[k], before, tail), most);
  }
  return cut;
}

}  // namespace duel
