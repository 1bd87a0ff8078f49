// Keyed hashes, random bytes, and their spelling.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace duel {

// HMAC-SHA-256: the bytes, and in lower-case hexadecimal.
std::string hmac_sha256(std::string_view key, std::string_view text);
std::string hmac_sha256_hex(std::string_view key, std::string_view text);
// Takes the same time whatever the texts are; only their lengths may show.
bool equal_in_constant_time(std::string_view one, std::string_view other);
// From the system's generator.
std::string random_bytes(std::size_t count);
std::string base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace duel
