#include "duel/http/byte_shares.h"

#include <arpa/inet.h>

#include <array>

#include "duel/core/check.h"

namespace duel {

std::string network_of(std::string_view address) {
  std::string text(address);
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
  return std::string(bytes.data(), 8) + "/64";
}

bool ByteShares::take(const std::string& network, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = of_network_.find(network);
  const std::size_t has = found == of_network_.end() ? 0 : found->second;
  if (bytes > most_ - taken_ || has > most_of_one_ || bytes > most_of_one_ - has) return false;
  of_network_[network] = has + bytes;
  taken_ += bytes;
  return true;
}

void ByteShares::give_back(const std::string& network, std::size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = of_network_.find(network);
  DUEL_CHECK(found != of_network_.end() && bytes <= found->second);
  taken_ -= bytes;
  found->second -= bytes;
  if (found->second == 0) of_network_.erase(found);
}

std::size_t ByteShares::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace duel
