#include "duel/http/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "duel/core/check.h"
#include "duel/core/json.h"
#include "duel/http/body_file.h"
#include "duel/http/http_text.h"

namespace duel {
namespace {

struct MethodName {
  HttpMethod method;
  std::string_view word;
};
constexpr std::array kMethods = {
    MethodName{HttpMethod::get, "GET"},        MethodName{HttpMethod::head, "HEAD"},
    MethodName{HttpMethod::post, "POST"},      MethodName{HttpMethod::put, "PUT"},
    MethodName{HttpMethod::patch, "PATCH"},    MethodName{HttpMethod::del, "DELETE"},
    MethodName{HttpMethod::options, "OPTIONS"}};

struct StatusName {
  int status;
  std::string_view phrase;
};
constexpr std::array kStatuses = {StatusName{100, "Continue"},
                                  StatusName{200, "OK"},
                                  StatusName{201, "Created"},
                                  StatusName{202, "Accepted"},
                                  StatusName{204, "No Content"},
                                  StatusName{301, "Moved Permanently"},
                                  StatusName{302, "Found"},
                                  StatusName{303, "See Other"},
                                  StatusName{304, "Not Modified"},
                                  StatusName{307, "Temporary Redirect"},
                                  StatusName{308, "Permanent Redirect"},
                                  StatusName{400, "Bad Request"},
                                  StatusName{401, "Unauthorized"},
                                  StatusName{403, "Forbidden"},
                                  StatusName{404, "Not Found"},
                                  StatusName{405, "Method Not Allowed"},
                                  StatusName{406, "Not Acceptable"},
                                  StatusName{408, "Request Timeout"},
                                  StatusName{409, "Conflict"},
                                  StatusName{410, "Gone"},
                                  StatusName{411, "Length Required"},
                                  StatusName{412, "Precondition Failed"},
                                  StatusName{413, "Content Too Large"},
                                  StatusName{415, "Unsupported Media Type"},
                                  StatusName{416, "Range Not Satisfiable"},
                                  StatusName{417, "Expectation Failed"},
                                  StatusName{421, "Misdirected Request"},
                                  StatusName{422, "Unprocessable Content"},
                                  StatusName{428, "Precondition Required"},
                                  StatusName{429, "Too Many Requests"},
                                  StatusName{431, "Request Header Fields Too Large"},
                                  StatusName{500, "Internal Server Error"},
                                  StatusName{501, "Not Implemented"},
                                  StatusName{503, "Service Unavailable"},
                                  StatusName{504, "Gateway Timeout"},
                                  StatusName{505, "HTTP Version Not Supported"}};

const std::string* first_of(const HttpFields& fields, std::string_view name) {
  const auto found = std::ranges::find(
      fields, name, [](const auto& field) -> const std::string& { return field.first; });
  return found == fields.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_word(HttpMethod method) {
  const auto* found = std::ranges::find(kMethods, method, &MethodName::method);
  return found == kMethods.end() ? "" : found->word;
}

HttpMethod http_method_of(std::string_view word) {
  const auto* found = std::ranges::find(kMethods, word, &MethodName::word);
  return found == kMethods.end() ? HttpMethod::other : found->method;
}

const std::string* HttpRequest::header(std::string_view lower_case_name) const {
  return first_of(headers, lower_case_name);
}

std::string_view HttpRequest::content() const {
  return body_file != nullptr ? body_file->text() : std::string_view(body);
}

const std::string* HttpRequest::query_value(std::string_view name) const {
  return first_of(query, name);
}

const std::string* HttpResponse::header(std::string_view name) const {
  for (const auto& [other, value] : headers) {
    if (equal_ignoring_case(name, other)) return &value;
  }
  return nullptr;
}

HttpReply::~HttpReply() {
  if (exchange_ != nullptr) send(problem(500, "the request was not answered"));
}

void HttpReply::send(HttpResponse response) {
  DUEL_CHECK(exchange_ != nullptr);
  const std::shared_ptr<HttpExchange> exchange = std::move(exchange_);
  exchange->send(std::move(response));
}

std::shared_ptr<HttpStream> HttpReply::stream(int status, HttpFields headers) {
  DUEL_CHECK(exchange_ != nullptr);
  const std::shared_ptr<HttpExchange> exchange = std::move(exchange_);
  return exchange->stream(status, std::move(headers));
}

HttpResponse problem(int status, std::string_view detail, bool retryable) {
  HttpResponse response;
  response.status = status;
  response.headers.emplace_back("Content-Type", "application/problem+json");
  response.body = Json{
      {"type", "about:blank"},
      {"title", reason_phrase(status)},
      {"status", status},
      {"detail", detail},
      {"retryable",
       retryable}}.dump();
  return response;
}

std::string_view reason_phrase(int status) {
  const auto* found = std::ranges::find(kStatuses, status, &StatusName::status);
  return found == kStatuses.end() ? "Unknown" : found->phrase;
}

bool HttpAddress::is_loopback() const {
  // All of 127/8 is the machine itself.
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

bool HttpAddress::is_every_interface() const {
  return host.empty() || host == "::" || host == "0.0.0.0";
}

std::string HttpAddress::to_string() const {
  if (host.find(':') != std::string::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

Result<HttpAddress> parse_http_address(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return Error::invalid_argument(fmt::format("'{}' is not an address: {}", text, what), "",
                                   "write 127.0.0.1:7557, [::1]:7557 or :7557");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("the port is missing");
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == std::string_view::npos) return wrong("brackets are for IPv6");
  } else if (host.find(':') != std::string_view::npos) {
    return wrong("put brackets around IPv6");
  }
  if (host.find_first_of("[]/ @") != std::string_view::npos) return wrong("the host is malformed");
  HttpAddress address{std::string(host), 0};
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (code != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return wrong("the port is not a number from 0 to 65535");
  }
  return address;
}

}  // namespace duel
