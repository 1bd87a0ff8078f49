// Tokens of callers: `duel_<scope>_<random>`, shown once, kept as hashes. As long as no token was
// ever made, a server on loopback lets every caller in. Any thread may call it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/store.h"
#include "duel/wire/answers.h"

namespace duel {

// As the store has it.
struct ApiToken : TokenAnswer {
  std::string hash;     // SHA-256 of the whole token
  std::string subject;  // of a link for one browser: whom the server has made of that browser

  static constexpr auto fields =
      joined(TokenAnswer::fields,
             FieldList{required("hash", &ApiToken::hash), optional("subject", &ApiToken::subject)});
};

// The store's mark that a token was ever made, so that this is known after the last one was
// revoked. `store copy` copies it, too.
inline constexpr std::string_view kTokensMadeSpace = "tokens_made";

class ApiTokens {
 public:
  static Result<std::unique_ptr<ApiTokens>> open(std::shared_ptr<Store> store);
  // Reads the tokens again: other nodes make and revoke them as well.
  Status refresh();

  // Whether a token was ever made for this store. It stays true after the last one is revoked: an
  // operator who revokes it does not mean to open the server to everybody.
  bool any() const;
  std::vector<ApiToken> list() const;
  // The token and its record. The token itself is kept nowhere: this is the only time it is seen.
  Result<std::pair<std::string, ApiToken>> create(TokenScope scope, std::string name,
                                                  std::string experiment_id,
                                                  std::int64_t expires_at_ms,
                                                  const LinkRule& link = {});
  // A link for one browser is that subject's from now on. False if it is another's already. Only
  // this waits for the store: a link that is used is known to be.
  Result<bool> claim(const std::string& token_id, const std::string& subject);
  Result<bool> erase(const std::string& token_id);
  // Whether the token of that id was not revoked and has not expired.
  bool is_good(std::string_view token_id, std::int64_t now_ms) const;
  std::optional<ApiToken> find(std::string_view token, std::int64_t now_ms) const;
  // The same by the id, for a node that takes another node's word for the token.
  std::optional<ApiToken> with_id(std::string_view token_id, std::int64_t now_ms) const;

 private:
  explicit ApiTokens(std::shared_ptr<Store> store) : store_(std::move(store)) {}
  // Writes the mark that one was made. REQUIRES: `changing_` is held.
  Status mark();

  std::shared_ptr<Store> store_;
  std::mutex changing_;       // held while the store and the list below may differ
  bool marked_ = false;       // the store says that one was made; under `changing_`
  mutable std::mutex mutex_;  // guards the two below; taken after changing_
  std::vector<ApiToken> tokens_;
  bool ever_ = false;
};

}  // namespace duel
