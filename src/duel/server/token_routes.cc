#include <string>
#include <utility>

#include "duel/experiment/timestamp.h"
#include "duel/server/api.h"
#include "duel/server/request_body.h"

namespace duel {

void Api::list_tokens(Call& call) {
  ServerAnswer answer;
  Json items = Json::array();
  for (const ApiToken& token : tokens_.list()) items.push_back(to_json(token));
  answer.body["items"] = std::move(items);
  answer.body["next_cursor"] = Json();
  call.send(std::move(answer));
}

void Api::create_token(Call& call) {
  Parsed parsed = json_of(call.request);
  if (!parsed.json) return call.send(std::move(parsed.refused));
  const auto text = [&](const char* name) {
    const Json* value = parsed.json->find(name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  const auto scope = parse_token_scope(text("scope"));
  if (!scope.ok()) return call.send(refusal(scope.error()));
  std::int64_t expires = 0;
  if (parsed.json->contains("expires_at")) {
    const auto time = parse_time(text("expires_at"));
    if (!time) {
      return call.send(refusal(400, "/expires_at is not a time such as 2026-11-15T09:00:00Z"));
    }
    expires = *time;
  }
  const auto made = tokens_.create(*scope, text("name"), text("experiment_id"), expires);
  if (!made.ok()) return call.send(refusal(made.error()));
  ServerAnswer answer{201, to_json(made->second), {}};
  answer.body["token"] = made->first;
  call.send(std::move(answer));
}

void Api::delete_token(Call& call) {
  const auto erased = tokens_.erase(call.parameters.at("tid"));
  if (!erased.ok()) return call.send(refusal(erased.error()));
  if (!*erased) return call.send(refusal(404, "there is no such token"));
  ServerAnswer answer;
  answer.body["revoked"] = true;
  call.send(std::move(answer));
}

}  // namespace duel
