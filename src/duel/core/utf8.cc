#include "duel/core/utf8.h"

#include <bit>
#include <cstring>

namespace duel {

Utf8Character utf8_character(std::string_view text, std::size_t at) {
  // Past the end there is a byte that goes on with no character.
  const auto byte = [&](std::size_t k) -> std::uint8_t {
    return at + k < text.size() ? static_cast<std::uint8_t>(text[at + k]) : 0;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {true, lead, 1};
  // C0 and C1 would begin longer forms of ASCII, F5 and beyond what Unicode does not have.
  if (lead < 0xc2 || lead > 0xf4) return {};
  // As many ones as bytes: 110xxxxx begins two of them.
  const auto bytes = static_cast<std::size_t>(std::countl_one(lead));
  // Longer forms, surrogates and points that are too large show in the second byte.
  const std::uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return {};
  std::uint32_t point = lead & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {.bytes = k};
    point = point << 6 | (byte(k) & 0x3fU);
  }
  return {true, point, bytes};
}

std::size_t find_invalid_utf8(std::string_view text) {
  const auto are_ascii = [&](std::size_t at) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    return (eight & 0x8080808080808080) == 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && are_ascii(at)) {
      at += 8;
      continue;
    }
    const Utf8Character character = utf8_character(text, at);
    if (!character.valid) return at;
    at += character.bytes;
  }
  return std::string_view::npos;
}

}  // namespace duel
