#include "duel/core/zero_runs.h"

#include <algorithm>

namespace duel {
namespace {

constexpr std::size_t kLongestRun = 255;  // its length is one byte

}  // namespace

std::string pack_zero_runs(std::string_view bytes) {
  std::string packed;
  packed.reserve(bytes.size() / 3);
  while (!bytes.empty()) {
    const std::size_t plain = std::min(bytes.find('\0'), bytes.size());
    packed.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const std::size_t other = std::min(bytes.find_first_not_of('\0'), bytes.size());
    const std::size_t run = std::min(other, kLongestRun);
    packed += '\0';
    packed += static_cast<char>(static_cast<unsigned char>(run));
    bytes.remove_prefix(run);
  }
  return packed;
}

Result<std::string> unpack_zero_runs(std::string_view packed, std::size_t most_bytes) {
  const Error damaged = Error::invalid_data("the packed bytes are damaged");
  std::string bytes;
  while (!packed.empty()) {
    const std::size_t plain = std::min(packed.find('\0'), packed.size());
    bytes.append(packed.substr(0, plain));
    packed.remove_prefix(plain);
    if (packed.empty()) break;
    if (packed.size() < 2 || packed[1] == '\0') return damaged;
    bytes.append(static_cast<unsigned char>(packed[1]), '\0');
    packed.remove_prefix(2);
    if (bytes.size() > most_bytes) return damaged;
  }
  if (bytes.size() > most_bytes) return damaged;
  return bytes;
}

}  // namespace duel
