#include "duel/server/api_tokens.h"

#include <algorithm>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"

namespace duel {
namespace {

constexpr std::string_view kSpace = "token";
constexpr std::string_view kMadeKey = "ever";

bool has_expired(const ApiToken& token, std::int64_t now_ms) {
  return token.expires_at && token.expires_at->ms <= now_ms;
}

}  // namespace

Result<std::unique_ptr<ApiTokens>> ApiTokens::open(std::shared_ptr<Store> store) {
  auto tokens = std::unique_ptr<ApiTokens>(new ApiTokens(std::move(store)));
  DUEL_RETURN_IF_ERROR(tokens->refresh());
  return tokens;
}

Status ApiTokens::mark() {
  if (marked_) return Done{};
  DUEL_RETURN_IF_ERROR(store_->put(kTokensMadeSpace, kMadeKey, "yes"));
  marked_ = true;
  return Done{};
}

Status ApiTokens::refresh() {
  const std::lock_guard changing(changing_);
  if (!marked_) {
    DUEL_ASSIGN(const auto made, store_->get(kTokensMadeSpace, kMadeKey));
    marked_ = made.has_value();
  }
  DUEL_ASSIGN(const auto entries, store_->entries(kSpace));
  std::vector<ApiToken> tokens;
  for (const auto& [token_id, bytes] : entries) {
    auto token = described_from<ApiToken>(Json::parse(bytes).value_or(Json()));
    if (!token.ok()) {
      return Error::invalid_data("the token '" + token_id + "' in the store is damaged");
    }
    tokens.push_back(*std::move(token));
  }
  // A store of an older version has tokens and no mark. As long as a token is left the mark is not
  // needed, so a failure (a full disk) must not keep the server from starting; `erase` insists.
  if (!tokens.empty()) (void)mark();
  const std::lock_guard lock(mutex_);
  tokens_ = std::move(tokens);
  ever_ = ever_ || marked_ || !tokens_.empty();
  return Done{};
}

bool ApiTokens::any() const {
  const std::lock_guard lock(mutex_);
  return ever_;
}

std::vector<ApiToken> ApiTokens::list() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

Result<std::pair<std::string, ApiToken>> ApiTokens::create(TokenScope scope, std::string name,
                                                           std::string experiment_id,
                                                           std::int64_t expires_at_ms,
                                                           const LinkRule& link) {
  const std::string secret =
      "duel_" + std::string(to_word(scope)) + "_" + base64url(random_bytes(24));
  ApiToken token;
  token.token_id = "t" + sha256_hex(random_bytes(16)).substr(0, 15);
  token.scope = scope;
  token.name = std::move(name);
  token.experiment_id = std::move(experiment_id);
  if (expires_at_ms != 0) token.expires_at = Timestamp{expires_at_ms};
  token.link = link;
  token.hash = sha256_hex(secret);
  const std::lock_guard changing(changing_);
  DUEL_RETURN_IF_ERROR(store_->put(kSpace, token.token_id, described_json(token).dump()));
  // Written after the token: a mark without a token would lock everybody out.
  (void)mark();
  const std::lock_guard lock(mutex_);
  tokens_.push_back(token);
  ever_ = true;
  return std::pair(secret, token);
}

Result<bool> ApiTokens::claim(const std::string& token_id, const std::string& subject) {
  const std::lock_guard changing(changing_);
  // As the store has it: on another node a browser may have been quicker.
  DUEL_ASSIGN(const auto bytes, store_->get(kSpace, token_id));
  if (!bytes) return false;  // revoked
  DUEL_ASSIGN(ApiToken token, described_from<ApiToken>(Json::parse(*bytes).value_or(Json())));
  if (token.subject.empty()) {
    token.subject = subject;
    token.used = true;
    DUEL_RETURN_IF_ERROR(store_->put(kSpace, token_id, described_json(token).dump()));
  }
  const std::lock_guard lock(mutex_);
  for (ApiToken& known : tokens_) {
    if (known.token_id == token_id) known = token;
  }
  return token.subject == subject;
}

Result<bool> ApiTokens::erase(const std::string& token_id) {
  const std::lock_guard changing(changing_);
  // It may be the last token, and without the mark the server would be open after a restart. If
  // none was ever made there is nothing to erase, and a mark would lock everybody out.
  if (any()) DUEL_RETURN_IF_ERROR(mark());
  DUEL_ASSIGN(const bool was_there, store_->erase(kSpace, token_id));
  const std::lock_guard lock(mutex_);
  std::erase_if(tokens_, [&](const ApiToken& token) { return token.token_id == token_id; });
  return was_there;
}

bool ApiTokens::is_good(std::string_view token_id, std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(tokens_, [&](const ApiToken& one) {
    return one.token_id == token_id && !has_expired(one, now_ms);
  });
}

std::optional<ApiToken> ApiTokens::find(std::string_view token, std::int64_t now_ms) const {
  // All tokens are compared, each in constant time: how long it takes tells a caller nothing.
  const std::string hash = sha256_hex(token);
  std::optional<ApiToken> found;
  const std::lock_guard lock(mutex_);
  for (const ApiToken& one : tokens_) {
    const bool same = equal_in_constant_time(one.hash, hash);
    if (same && !has_expired(one, now_ms)) found = one;
  }
  return found;
}

std::optional<ApiToken> ApiTokens::with_id(std::string_view token_id, std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(tokens_, token_id, &ApiToken::token_id);
  if (found == tokens_.end() || has_expired(*found, now_ms)) return std::nullopt;
  return *found;
}

}  // namespace duel
