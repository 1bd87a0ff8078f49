// Ids of duels that the service makes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/world.h"

namespace duel {

// Time-ordered and random: 10 letters of the time in milliseconds, 16 of chance.
inline std::string new_duel_id(World& world, std::int64_t now_ms) {
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id;
  id.reserve(10 + 16);
  for (int shift = 45; shift >= 0; shift -= 5) {
    id += kLetters[static_cast<std::uint64_t>(now_ms) >> shift & 31];
  }
  for (const char byte : world.random_bytes(16)) {
    id += kLetters[static_cast<unsigned char>(byte) & 31];
  }
  return id;
}

}  // namespace duel
