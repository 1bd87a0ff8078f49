#include "duel/wire/report_token.h"

#include <span>

#include "duel/core/json.h"
#include "duel/core/secrets.h"

namespace duel {
namespace {

constexpr std::string_view kFallbackServing = "fallback";

// Of one duel a few words are told apart, and it takes the signature to use a guess.
constexpr std::size_t kSealBytes = 12;

}  // namespace

std::string ReportTokens::sealed(std::string_view serving, const Proof& duel) const {
  std::string of = "serving\n";
  of.reserve(of.size() + serving.size() + duel.experiment_id.size() + duel.duel_id.size() + 6);
  for (const std::string_view part :
       {serving, std::string_view(duel.experiment_id), std::string_view(duel.duel_id)}) {
    append_json_text(of, part);
  }
  return base64url(hmac_sha256(key_, of).substr(0, kSealBytes));
}

std::string ReportTokens::sign(const Proof& duel) const {
  // An array, written as its text: every serve has one.
  constexpr std::size_t kMostPayloads = 200;  // are shorter
  std::string payload;
  payload.reserve(kMostPayloads);
  payload += '[';
  const auto add = [&](std::string_view text) {
    append_json_text(payload, text);
    payload += ',';
  };
  add(duel.experiment_id);
  add(duel.duel_id);
  payload += std::to_string(duel.round);
  payload += ',';
  add(duel.first);
  add(duel.second);
  add(sealed(duel.fallback ? kFallbackServing : to_word(duel.serving), duel));
  add(duel.subject);
  payload += std::to_string(duel.served_at_ms);
  payload += ',';
  payload += std::to_string(duel.expires_at_ms);
  payload += ']';
  std::string token = key_id_ + "." + base64url(payload);
  const std::string signature = base64url(hmac_sha256(key_, token));
  token.reserve(token.size() + 1 + signature.size());
  return token.append(1, '.').append(signature);
}

namespace {

// All but what the duel was served for. REQUIRES: nine items. Throws JsonError if one has the wrong
// type.
Proof proof_of(std::span<const Json> items) {
  Proof duel;
  duel.experiment_id = items[0].get<std::string>();
  duel.duel_id = items[1].get<std::string>();
  duel.round = items[2].get<std::uint64_t>();
  duel.first = items[3].get<std::string>();
  duel.second = items[4].get<std::string>();
  duel.subject = items[6].get<std::string>();
  duel.served_at_ms = items[7].get<std::int64_t>();
  duel.expires_at_ms = items[8].get<std::int64_t>();
  return duel;
}

}  // namespace

std::optional<Proof> ReportTokens::verify(std::string_view token) const {
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
    Proof duel = proof_of(json->items());
    const auto seal = json->items()[5].get<std::string>();
    const auto says = [&](std::string_view word) { return seal == sealed(word, duel); };
    duel.fallback = says(kFallbackServing);
    if (duel.fallback) return duel;
    for (const auto& [word, serving] : Words<Serving>::all) {
      if (!says(word)) continue;
      duel.serving = serving;
      return duel;
    }
    return std::nullopt;
  } catch (const JsonError&) {
    return std::nullopt;  // signed with this key, but not by this program
  }
}

}  // namespace duel
