#include "duel/service/duel_ids.h"

#include <string_view>

namespace duel {

std::string new_duel_id(World& world, std::int64_t now_ms) {
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id;
  for (int shift = 45; shift >= 0; shift -= 5) {
    id += kLetters[static_cast<std::uint64_t>(now_ms) >> shift & 31];
  }
  for (const char byte : world.random_bytes(16)) {
    id += kLetters[static_cast<unsigned char>(byte) & 31];
  }
  return id;
}

}  // namespace duel
