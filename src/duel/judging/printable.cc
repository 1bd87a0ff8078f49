#include "duel/judging/printable.h"

#include <cstdint>

#include "duel/log/record_reader.h"

namespace duel {

bool is_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
}

std::string excerpt(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  text = text.substr(0, most);
  // Not in the middle of a character.
  while (cut && !text.empty() && (static_cast<std::uint8_t>(text.back()) & 0xc0) == 0x80) {
    text.remove_suffix(1);
  }
  if (cut && !text.empty() && static_cast<std::uint8_t>(text.back()) >= 0xc0) text.remove_suffix(1);
  const bool printable = is_text(text);
  std::string shown = "'";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    shown += byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !printable) ? '?' : c;
  }
  return shown + (cut ? "…'" : "'");
}

}  // namespace duel
