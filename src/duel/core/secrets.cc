#include "duel/core/secrets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "duel/core/check.h"
#include "duel/core/digest.h"

namespace duel {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// What a signature needs, fetched once: to look the algorithm up takes longer than to sign.
class Hmac {
 public:
  Hmac() : mac_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)), context_(EVP_MAC_CTX_new(mac_)) {
    std::array<char, 7> digest = {"SHA256"};
    const std::array<OSSL_PARAM, 2> parameters = {
        OSSL_PARAM_construct_utf8_string("digest", digest.data(), 0), OSSL_PARAM_construct_end()};
    DUEL_CHECK(context_ != nullptr && EVP_MAC_CTX_set_params(context_, parameters.data()) == 1);
  }
  ~Hmac() {
    EVP_MAC_CTX_free(context_);
    EVP_MAC_free(mac_);
  }
  Hmac(const Hmac&) = delete;
  Hmac& operator=(const Hmac&) = delete;

  std::string sign(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size = 0;
    // Without a key it begins again with the last one, of which two blocks are hashed already.
    const bool same = !key.empty() && key == key_;
    const int begun =
        EVP_MAC_init(context_, same ? nullptr : bytes_of(key), same ? 0 : key.size(), nullptr);
    if (!same) key_ = key;
    DUEL_CHECK(begun == 1 && EVP_MAC_update(context_, bytes_of(text), text.size()) == 1 &&
               EVP_MAC_final(context_, digest.data(), &size, digest.size()) == 1);
    return {reinterpret_cast<const char*>(digest.data()), size};
  }

 private:
  static const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }

  EVP_MAC* mac_;
  EVP_MAC_CTX* context_;
  std::string key_;  // the last one
};

void fill_with_random(std::span<char> bytes) {
  const int made =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  DUEL_CHECK(made == 1);
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view text) {
  thread_local Hmac hmac;
  return hmac.sign(key, text);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  return to_hex(hmac_sha256(key, text));
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string random_bytes(std::size_t count) {
  // Every duel takes a few for its id. Asking for each costs more than making them; what was given
  // is wiped.
  thread_local std::array<char, 1024> stock;
  thread_local std::size_t left = 0;
  std::string bytes(count, '\0');
  if (count > stock.size()) {
    fill_with_random(bytes);
    return bytes;
  }
  if (count > left) {
    fill_with_random(stock);
    left = stock.size();
  }
  left -= count;
  const std::span<char> given = std::span(stock).subspan(left, count);
  std::ranges::copy(given, bytes.begin());
  OPENSSL_cleanse(given.data(), given.size());
  return bytes;
}

std::string base64url(std::string_view bytes) {
  std::string text((bytes.size() * 4 + 2) / 3, '\0');
  char* out = text.data();
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    held += 8;
    while (held >= 6) {
      held -= 6;
      *out++ = kLetters[bits >> held & 63];
    }
  }
  if (held > 0) *out = kLetters[bits << (6 - held) & 63];
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

}  // namespace duel
