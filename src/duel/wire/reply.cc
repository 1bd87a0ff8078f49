#include "duel/wire/reply.h"

#include <cstdint>
#include <utility>

#include "duel/experiment/refused.h"
#include "duel/wire/answers.h"

namespace duel {
namespace {

int status_of(ErrorCode code) {
  switch (code) {
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

// A reason's status and words in HTTP. A reason that is not listed gets the status of its error's
// code, and keeps the experiment's own words.
struct ReasonInHttp {
  Reason reason;
  int status;
  bool retryable = false;
  std::string_view words{};
};
constexpr ReasonInHttp kReasonsInHttp[] = {
    {Reason::proof_mismatch, 409, false, "token_mismatch: the report token does not fit the duel"},
    {Reason::proof_expired, 410, false, "the report token has expired"},
    {Reason::proof_forged, 401},
    {Reason::outdated, 412},
    {Reason::not_ours, 421, true},
    {Reason::overloaded, 429, true},
    {Reason::internal, 500},
};

// "judgements[1].winner" as a JSON pointer: "/judgements/1/winner".
std::string pointer_of(std::string_view field) {
  std::string pointer, part;
  const auto end_part = [&] {
    if (!part.empty()) pointer += pointer_part(part);
    part.clear();
  };
  // An arm's id may contain dots. "lists." is the only field whose members have such names.
  constexpr std::string_view kLists = "lists.";
  if (field.starts_with(kLists)) {
    return "/lists" + pointer_part(field.substr(kLists.size()));
  }
  for (const char c : field) {
    if (c == '.' || c == '[' || c == ']') {
      end_part();
    } else {
      part += c;
    }
  }
  end_part();
  return pointer;
}

}  // namespace

ServerAnswer refusal(int status, const std::string& detail, bool retryable,
                     const std::vector<FieldError>& errors, std::string_view reason) {
  return {status,
          described_json(ProblemAnswer{.title = std::string(reason_phrase(status)),
                                       .status = static_cast<std::uint64_t>(status),
                                       .detail = detail,
                                       .retryable = retryable,
                                       .errors = errors,
                                       .reason = std::string(reason)}),
          {},
          {}};
}

ServerAnswer refusal(const Error& error) {
  int status = status_of(error.code);
  bool retryable = status == 503;
  std::string detail = error.message;
  if (!error.hint.empty()) detail += "; " + error.hint;
  const auto reason = reason_of(error);
  for (const ReasonInHttp& known : kReasonsInHttp) {
    if (known.reason != reason) continue;
    status = known.status;
    retryable = known.retryable;
    if (!known.words.empty()) detail = known.words;
  }
  std::vector<FieldError> errors;
  // A `where` that is no JSON pointer is a path on this machine, which callers must not see.
  const std::string pointer = error.where.starts_with('/') ? error.where : pointer_of(error.field);
  const bool names_field = reason && !error.field.empty();
  if ((status == 400 || names_field) && !pointer.empty()) errors.push_back({pointer, detail});
  return refusal(status, errors.empty() ? detail : pointer + " " + detail, retryable, errors,
                 reason ? error.reason : std::string_view());
}

HttpResponse to_http(ServerAnswer answer) {
  HttpResponse response;
  response.status = answer.status;
  response.headers = std::move(answer.headers);
  response.headers.reserve(response.headers.size() + 2);
  response.headers.emplace_back(
      "Content-Type", answer.status >= 400 ? "application/problem+json" : "application/json");
  response.headers.emplace_back("Cache-Control", "no-store");
  if (answer.status == 429 && response.header("Retry-After") == nullptr) {
    response.headers.emplace_back("Retry-After", "1");
  }
  if (answer.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  response.shared_body = std::move(answer.text);
  if (response.shared_body) return response;
  response.body = answer.body.dump();
  response.body += '\n';
  return response;
}

}  // namespace duel
