// UTF-8, as RFC 3629 has it: the shortest form only, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace duel {

struct Utf8Character {
  bool valid = false;
  std::uint32_t point = 0xfffd;
  // The length of the character. An invalid one ends before the byte that cannot be part of it, and
  // one replacement character stands for it (Unicode 3.9, "maximal subpart").
  std::size_t bytes = 1;
};

// REQUIRES: at < text.size().
Utf8Character utf8_character(std::string_view text, std::size_t at);

// The position at which the bytes stop being UTF-8; npos if all of them are.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace duel
