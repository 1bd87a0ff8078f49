// What goes back to a caller: a status and JSON; errors are RFC 9457 problems. Any thread may call.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/described_text.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/http/http.h"

namespace duel {

struct ServerAnswer {
  int status = 200;
  Json body;
  HttpFields headers;
  std::shared_ptr<const std::string> text{};  // the body in place of `body`, shared by many
};

ServerAnswer refusal(int status, const std::string& detail, bool retryable = false,
                     const std::vector<FieldError>& errors = {}, std::string_view reason = {});
// The status follows from the reason of the error (experiment/refused.h), otherwise from its code:
// 400, 404, 409, 422, 503. A field that the library names becomes a JSON pointer.
ServerAnswer refusal(const Error& error);
// The HTTP response, with its content type; caches are told not to keep it.
HttpResponse to_http(ServerAnswer answer);

// An answer with a described body.
template <class Body>
ServerAnswer answer_of(int status, const Body& body, HttpFields headers = {}) {
  auto text = std::make_shared<std::string>(described_text(body));
  *text += '\n';
  return {status, {}, std::move(headers), std::move(text)};
}

}  // namespace duel
