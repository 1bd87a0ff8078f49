#include "duel/server/report_token.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <span>

#include "duel/core/check.h"
#include "duel/core/json.h"

namespace duel {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  DUEL_CHECK(made != nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  std::string hex;
  for (const char byte : hmac_sha256(key, text)) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return hex;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int made =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  DUEL_CHECK(made == 1);
  return bytes;
}

std::string base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    held += 8;
    while (held >= 6) {
      held -= 6;
      text += kLetters[bits >> held & 63];
    }
  }
  if (held > 0) text += kLetters[bits << (6 - held) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char letter : text) {
    const std::size_t value = kLetters.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  if (base64url(bytes) != text) return std::nullopt;  // one spelling only
  return bytes;
}

std::string ReportTokens::sign(const ServedDuel& duel) const {
  const Json payload{duel.experiment_id, duel.duel_id,      duel.round,
                     duel.first,         duel.second,       std::string(to_word(duel.serving)),
                     duel.subject,       duel.served_at_ms, duel.expires_at_ms};
  const std::string signed_part = key_id_ + "." + base64url(payload.dump());
  return signed_part + "." + base64url(hmac_sha256(key_, signed_part));
}

namespace {

// REQUIRES: nine items. Throws JsonError where one is of another kind.
std::optional<ServedDuel> served_duel_of(std::span<const Json> items) {
  ServedDuel duel;
  duel.experiment_id = items[0].get<std::string>();
  duel.duel_id = items[1].get<std::string>();
  duel.round = items[2].get<std::uint64_t>();
  duel.first = items[3].get<std::string>();
  duel.second = items[4].get<std::string>();
  const auto serving = parse_word<Serving>(items[5].get<std::string>());
  if (!serving.ok()) return std::nullopt;
  duel.serving = *serving;
  duel.subject = items[6].get<std::string>();
  duel.served_at_ms = items[7].get<std::int64_t>();
  duel.expires_at_ms = items[8].get<std::int64_t>();
  return duel;
}

}  // namespace

std::optional<ServedDuel> ReportTokens::verify(std::string_view token) const {
  const std::size_t end = token.rfind('.');
  if (end == std::string_view::npos || !token.starts_with(key_id_ + ".")) return std::nullopt;
  const std::string expected = base64url(hmac_sha256(key_, token.substr(0, end)));
  if (!equal_in_constant_time(token.substr(end + 1), expected)) return std::nullopt;
  const std::size_t begin = key_id_.size() + 1;
  if (begin > end) return std::nullopt;
  const auto text = from_base64url(token.substr(begin, end - begin));
  const auto json = text ? Json::parse(*text) : std::nullopt;
  if (!json || json->items().size() != 9) return std::nullopt;
  try {
    return served_duel_of(json->items());
  } catch (const JsonError&) {
    return std::nullopt;  // signed with this key, by something that is not this program
  }
}

}  // namespace duel
