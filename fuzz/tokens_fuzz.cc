// Whatever a caller shows as a report token or an API token: only what was signed or created here
// is taken, and what is signed reads back as it was.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/check.h"
#include "duel/core/secrets.h"
#include "duel/server/api_tokens.h"
#include "duel/store/memory_store.h"
#include "duel/wire/report_token.h"

namespace {

constexpr std::string_view kKeyId = "k1";
constexpr std::string_view kKey = "a key that only the server knows";
constexpr std::int64_t kNow = 1'794'700'800'000;

const duel::ReportTokens& report_tokens() {
  static const duel::ReportTokens all{std::string(kKeyId), std::string(kKey)};
  return all;
}

struct Created {
  std::unique_ptr<duel::ApiTokens> all;
  std::string lasting;
  std::string expired;
};

const Created& api_tokens() {
  static const Created created = [] {
    Created one;
    one.all = duel::ApiTokens::open(std::make_shared<duel::MemoryStore>()).value();
    one.lasting = one.all->create(duel::TokenScope::read, "", "", 0).value().first;
    one.expired = one.all->create(duel::TokenScope::admin, "", "", kNow).value().first;
    return one;
  }();
  return created;
}

// Part of the input, for a field of a duel that is signed.
std::string part(std::string_view text, std::size_t k) {
  const std::size_t size = text.size() / 4;
  return std::string(text.substr(k * size, size));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  // There is one spelling of a token, so that what verifies is what would be signed.
  if (const auto proven = report_tokens().verify(text)) {
    DUEL_CHECK(report_tokens().sign(*proven) == text);
  }
  // The payload is read only under a good signature, and must stand whatever was signed.
  const std::string payload = std::string(kKeyId) + "." + duel::base64url(text);
  const std::string hex = duel::hmac_sha256_hex(kKey, payload);
  std::string signature;
  for (std::size_t k = 0; k < hex.size(); k += 2) {
    signature += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
  }
  (void)report_tokens().verify(payload + "." + duel::base64url(signature));

  // What is signed reads back, under this key only, and no letter of it can be changed.
  duel::Proof duel;
  duel.experiment_id = part(text, 0);
  duel.duel_id = part(text, 1);
  duel.first = part(text, 2);
  duel.second = part(text, 3);
  duel.round = size;
  duel.served_at_ms = kNow;
  duel.expires_at_ms = kNow + static_cast<std::int64_t>(size);
  std::string token = report_tokens().sign(duel);
  const auto read = report_tokens().verify(token);
  DUEL_CHECK(read && report_tokens().sign(*read) == token);  // not UTF-8 is replaced, once
  DUEL_CHECK(!duel::ReportTokens(std::string(kKeyId), "another key").verify(token));
  if (size > 0) {
    char& letter = token[data[0] % token.size()];
    letter = letter == 'A' ? 'B' : 'A';
    DUEL_CHECK(!report_tokens().verify(token));
  }

  if (const auto bytes = duel::from_base64url(text)) DUEL_CHECK(duel::base64url(*bytes) == text);
  DUEL_CHECK(duel::from_base64url(duel::base64url(text)) == text);

  const Created& created = api_tokens();
  DUEL_CHECK(created.all->find(text, kNow).has_value() == (text == created.lasting));
  DUEL_CHECK(!created.all->find(created.expired, kNow));
  std::string longer = created.lasting;
  longer += text;
  DUEL_CHECK(created.all->find(longer, kNow).has_value() == text.empty());
  if (const auto scope = duel::parse_word<duel::TokenScope>(text); scope.ok()) {
    DUEL_CHECK(duel::to_word(*scope) == text);
  }
  return 0;
}
