#include "duel/wire/reply.h"

namespace duel {
namespace {

int status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::invalid_data:
      return 422;
    case ErrorCode::io:
      return 503;
    default:
      return 400;
  }
}

}  // namespace

ServerAnswer refusal(int status, const std::string& detail, bool retryable,
                     const std::vector<FieldError>& errors) {
  Json body;
  body["type"] = "about:blank";
  body["title"] = std::string(reason_phrase(status));
  body["status"] = status;
  body["detail"] = detail;
  body["retryable"] = retryable;
  if (!errors.empty()) {
    Json list = Json::array();
    for (const FieldError& error : errors) {
      list.push_back({{"pointer", error.pointer}, {"message", error.message}});
    }
    body["errors"] = std::move(list);
  }
  return {status, std::move(body), {}};
}

ServerAnswer refusal(const Error& error) {
  const int status = status_of(error);
  std::string detail = error.message;
  if (!error.hint.empty()) detail += "; " + error.hint;
  std::vector<FieldError> errors;
  // What is wrong with a body is at a JSON pointer. Other errors are at a file of this machine,
  // which is nobody's business.
  if (status == 400 && error.where.starts_with('/')) errors.push_back({error.where, detail});
  return refusal(status, errors.empty() ? detail : error.where + " " + detail, status == 503,
                 errors);
}

HttpResponse to_http(const ServerAnswer& answer) {
  HttpResponse response;
  response.status = answer.status;
  response.headers = answer.headers;
  response.headers.emplace_back(
      "Content-Type", answer.status >= 400 ? "application/problem+json" : "application/json");
  response.headers.emplace_back("Cache-Control", "no-store");
  if (answer.status == 429 && response.header("Retry-After") == nullptr) {
    response.headers.emplace_back("Retry-After", "1");
  }
  if (answer.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  response.body = answer.body.dump();
  response.body += '\n';
  return response;
}

}  // namespace duel
