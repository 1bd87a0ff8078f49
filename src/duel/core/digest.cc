#include "duel/core/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "duel/core/check.h"

namespace duel {
namespace {

void put_hex(char* out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15U];
  }
}

}  // namespace

struct Sha256::State {
  State() : algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context(EVP_MD_CTX_new()) {
    DUEL_CHECK(algorithm != nullptr && context != nullptr);
  }
  ~State() {
    EVP_MD_CTX_free(context);
    EVP_MD_free(algorithm);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_MD* algorithm;
  EVP_MD_CTX* context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::hex_to(char* out, std::string_view first, std::string_view second) {
  std::array<unsigned char, kHexDigits / 2> digest{};
  DUEL_CHECK(EVP_DigestInit_ex2(state_->context, state_->algorithm, nullptr) == 1 &&
             EVP_DigestUpdate(state_->context, first.data(), first.size()) == 1 &&
             EVP_DigestUpdate(state_->context, second.data(), second.size()) == 1 &&
             EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  put_hex(out, {reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string Sha256::hex(std::string_view first, std::string_view second) {
  std::string text(kHexDigits, '0');
  hex_to(text.data(), first, second);
  return text;
}

std::string sha256_hex(std::string_view text) {
  thread_local Sha256 sha;  // to look the algorithm up takes longer than a short text
  return sha.hex(text);
}

std::string to_hex(std::string_view bytes) {
  std::string text(2 * bytes.size(), '0');
  put_hex(text.data(), bytes);
  return text;
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == kHexDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace duel
