#include "duel/experiment/audit_coin.h"

#include <fmt/format.h>

#include "duel/core/digest.h"
#include "duel/core/secrets.h"

namespace duel {

bool is_drawn(std::string_view key, std::string_view duel_id, double share) {
  const std::string mac = hmac_sha256(key, fmt::format("{}/audit", duel_id));
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k) bits = bits << 8 | static_cast<unsigned char>(mac[k]);
  return static_cast<double>(bits >> 11) * 0x1p-53 < share;
}

std::string new_audit_key() { return hmac_sha256_hex(random_bytes(32), "audit"); }

std::string audit_key_of_seed(std::uint64_t seed, std::string_view experiment_id) {
  return hmac_sha256_hex(fmt::format("audit/{}", seed), experiment_id);
}

}  // namespace duel
