// A signed, self-contained proof that a duel was served: with it a browser can report what it saw
// without an API token, also where a power failure took the serve's record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "duel/log/record.h"

namespace duel {

struct ServedDuel {
  std::string experiment_id;
  std::string duel_id;
  std::uint64_t round = 0;
  std::string first;
  std::string second;
  Serving serving = Serving::explore;
  bool fallback = false;  // one arm and no record, so that no log has this serving
  std::string subject;    // keyed hash
  std::int64_t served_at_ms = 0;
  std::int64_t expires_at_ms = 0;

  friend bool operator==(const ServedDuel&, const ServedDuel&) = default;
};

// HMAC-SHA-256, lower-case hexadecimal.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);
// Takes the same time whatever the texts are; only their lengths may show.
bool equal_in_constant_time(std::string_view one, std::string_view other);
// From the system's generator.
std::string random_bytes(std::size_t count);
std::string base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

// "<key id>.<payload>.<signature>", of letters that need no escape in a URL or JSON.
class ReportTokens {
 public:
  ReportTokens(std::string key_id, std::string key)
      : key_id_(std::move(key_id)), key_(std::move(key)) {}

  std::string sign(const ServedDuel& duel) const;
  // Nothing where it was not signed with this key, whatever else is wrong with it.
  std::optional<ServedDuel> verify(std::string_view token) const;

 private:
  std::string key_id_;
  std::string key_;
};

}  // namespace duel
