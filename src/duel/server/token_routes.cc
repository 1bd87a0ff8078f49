// Tokens of callers: listing, making and revoking them. The last two are rare, and wait for the
// store on the thread of the connection.
#include <string>
#include <utility>

#include "duel/core/timestamp.h"
#include "duel/server/api.h"
#include "duel/wire/answers.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {

void Api::list_tokens(Call& call) {
  ListOf<TokenAnswer> list;
  for (const ApiToken& token : tokens_.list()) list.items.push_back(token);
  call.send(answer_of(200, list));
}

void Api::create_token(Call& call) {
  ServerAnswer refused;
  const auto body =
      body_of<TokenBody>(call.request, call.limits(), UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  if (body->expires_at && body->expires_at->ms <= current_time_ms()) {
    return call.send(
        refusal(400, "/expires_at is in the past", false, {{"/expires_at", "is in the past"}}));
  }
  // From the first token on every caller needs one. If the first could not make others, nobody
  // could make any.
  const bool makes_others = body->scope == TokenScope::admin && body->experiment_id.empty();
  if (!tokens_.any() && !makes_others) {
    return call.send(refusal(409,
                             "the first token has to be of scope 'admin' and for all experiments: "
                             "from then on every caller needs one, and only such a token can make "
                             "others; `duel token create --scope admin`"));
  }
  const auto made = tokens_.create(body->scope, body->name, body->experiment_id,
                                   body->expires_at ? body->expires_at->ms : 0);
  if (!made.ok()) return call.send(refusal(made.error()));
  call.send(answer_of(201, NewTokenAnswer{made->second, made->first}));
}

void Api::delete_token(Call& call) {
  const auto erased = tokens_.erase(call.parameters.at("tid"));
  if (!erased.ok()) return call.send(refusal(erased.error()));
  if (!*erased) return call.send(refusal(404, "there is no such token"));
  call.send(answer_of(200, RevokedAnswer{}));
}

}  // namespace duel
