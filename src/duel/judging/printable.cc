#include "duel/judging/printable.h"

#include <cstdint>

namespace duel {

bool is_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<std::uint8_t>(bytes[at]);
    if (lead == 0) return false;
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.size()) return false;
    std::uint32_t character = lead & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes[at + i]);
      if ((byte & 0xc0) != 0x80) return false;
      character = character << 6 | (byte & 0x3fu);
    }
    // Longer than needed, half of a pair, or beyond Unicode.
    if ((length == 3 && character < 0x800) || (length == 4 && character < 0x10000) ||
        (character >= 0xd800 && character <= 0xdfff) || character > 0x10ffff) {
      return false;
    }
    at += length;
  }
  return true;
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
