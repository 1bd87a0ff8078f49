#include "duel/server/http_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <limits>
#include <utility>

#include "duel/core/check.h"
#include "duel/server/http_text.h"

namespace duel {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

constexpr std::string_view kEndOfHead = "\r\n\r\n";

// Beast takes lines that are folded over several and is not the only one to read what a proxy has
// passed on. Nothing of that kind reaches it. The bytes before `from` were found good.
std::optional<std::string_view> fault_of_head(std::string_view head, std::size_t from) {
  // The last of those could not be judged without its successor.
  for (std::size_t k = from == 0 ? 0 : from - 1; k < head.size(); ++k) {
    const char next = k + 1 < head.size() ? head[k + 1] : '\0';
    const bool last = k + 1 == head.size();
    if (head[k] == '\0') return "the headers hold a NUL";
    if (head[k] == '\n' && (k == 0 || head[k - 1] != '\r')) return "a line ends without CR";
    if (head[k] == '\r' && !last && next != '\n') return "a line holds a CR";
    if (head[k] == '\n' && !last && (next == ' ' || next == '\t')) {
      return "a header is folded over two lines";
    }
  }
  return std::nullopt;
}

// Beast counts a header limit of its own; ours is checked before it sees a byte.
constexpr std::uint32_t kBeastHeaderLimit = std::numeric_limits<std::uint32_t>::max();
// Not boost::none: Beast 1.74 compares it with every Content-Length, and finds it smaller.
constexpr std::uint64_t kNoBodyLimit = std::numeric_limits<std::uint64_t>::max();

// Whether a request line ends with the name of another version than those Beast knows.
bool is_of_another_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  return version.starts_with("HTTP/") && !version.starts_with("HTTP/1.");
}

}  // namespace

struct HttpRequestReader::Parser {
  http::request_parser<http::string_body> beast;
};

HttpRequestReader::HttpRequestReader(const HttpLimits& limits)
    : limits_(&limits), parser_(std::make_unique<Parser>()) {
  parser_->beast.header_limit(kBeastHeaderLimit);
  parser_->beast.body_limit(kNoBodyLimit);  // until the path says how much
}
HttpRequestReader::HttpRequestReader(HttpRequestReader&&) noexcept = default;
HttpRequestReader& HttpRequestReader::operator=(HttpRequestReader&&) noexcept = default;
HttpRequestReader::~HttpRequestReader() = default;

std::size_t HttpRequestReader::refuse(HttpResponse response) {
  refusal_ = std::move(response);
  state_ = State::refused;
  return 0;
}

std::size_t HttpRequestReader::body_bytes() const { return parser_->beast.get().body().size(); }

std::size_t HttpRequestReader::feed(std::string_view input) {
  switch (state_) {
    case State::nothing:
    case State::head:
      return feed_head(input);
    case State::body:
      return feed_body(input);
    case State::complete:
    case State::refused:
      return 0;
  }
  return 0;
}

std::size_t HttpRequestReader::feed_head(std::string_view input) {
  // An empty line before a request is left over from one before (RFC 9112, 2.2).
  std::size_t skipped = 0;
  while (state_ == State::nothing && input.starts_with("\r\n")) {
    input.remove_prefix(2);
    skipped += 2;
  }
  if (input.empty() || (state_ == State::nothing && input == "\r")) return skipped;
  state_ = State::head;
  const auto too_long = [&] {
    refuse(problem(431, fmt::format("the request line and the headers may have {} bytes",
                                    limits_->header_bytes)));
    return skipped;
  };
  const std::size_t overlap = std::min(searched_, kEndOfHead.size() - 1);
  const std::size_t end = input.find(kEndOfHead, searched_ - overlap);
  const bool whole = end != std::string_view::npos;
  const std::string_view head = whole ? input.substr(0, end + kEndOfHead.size()) : input;
  // As it comes: a client that ends its lines otherwise would wait for an answer for ever.
  if (const auto fault = fault_of_head(head, searched_)) {
    refuse(problem(400, *fault));
    return skipped;
  }
  if (head.size() > limits_->header_bytes) return too_long();
  if (!whole) {
    searched_ = head.size();
    return skipped;
  }
  // The request line and the empty line are none.
  const auto lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  if (lines > limits_->header_count + 2) {
    refuse(problem(431, fmt::format("a request may have {} headers", limits_->header_count)));
    return skipped;
  }
  beast::error_code failure;
  parser_->beast.put(boost::asio::const_buffer(head.data(), head.size()), failure);
  if (failure == http::error::bad_version && is_of_another_version(head)) {
    refuse(problem(505, "the request is not of HTTP/1.1 or HTTP/1.0"));
  } else if (failure) {
    refuse(problem(400, fmt::format("the request is malformed: {}", failure.message())));
  } else {
    read_head();
  }
  return skipped + head.size();
}

void HttpRequestReader::read_head() {
  const auto& message = parser_->beast.get();
  request_.method_text = text_of(message.method_string());
  request_.method = http_method_of(request_.method_text);
  request_.target = text_of(message.target());
  keep_alive_ = message.keep_alive();
  http_1_1_ = message.version() == 11;
  std::size_t hosts = 0, lengths = 0, encodings = 0;
  for (const auto& field : message) {
    std::string name = lower_case({field.name_string().data(), field.name_string().size()});
    hosts += name == "host" ? 1 : 0;
    lengths += name == "content-length" ? 1 : 0;
    encodings += name == "transfer-encoding" ? 1 : 0;
    request_.headers.emplace_back(std::move(name), text_of(field.value()));
  }
  const auto bad = [&](std::string_view detail) { refuse(problem(400, detail)); };
  if (hosts > 1 || (hosts == 0 && http_1_1_)) return bad("a request has one Host header");
  // Where two servers on the way read a length differently, one sees a request that the other
  // does not.
  if (lengths > 1) return bad("a request has at most one Content-Length");
  if (const std::string* length = request_.header("content-length");
      length != nullptr && length->find_first_not_of("0123456789") != std::string::npos) {
    return bad("a Content-Length is one number");  // Beast takes "3, 3", as RFC 9110 allows
  }
  if (encodings > 0) {
    if (lengths > 0) return bad("a request has Content-Length or Transfer-Encoding, not both");
    if (!http_1_1_) return bad("HTTP/1.0 knows no Transfer-Encoding");
    if (encodings > 1 || !equal_ignoring_case(*request_.header("transfer-encoding"), "chunked")) {
      refuse(problem(501, "the only Transfer-Encoding understood is chunked"));
      return;
    }
  }
  if (const std::string* expect = request_.header("expect"); expect != nullptr && http_1_1_) {
    if (!equal_ignoring_case(*expect, "100-continue")) {
      refuse(problem(417, "the only expectation understood is 100-continue"));
      return;
    }
    expects_continue_ = true;
  }
  // As a proxy is asked: the host in the target is the one that counts (RFC 9112, 3.2.2).
  std::string_view target = request_.target;
  constexpr std::string_view kScheme = "http://";
  if (equal_ignoring_case(target.substr(0, kScheme.size()), kScheme)) {
    target.remove_prefix(kScheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    for (auto& [name, value] : request_.headers) {
      if (name == "host") value = target.substr(0, end);
    }
    target.remove_prefix(end);
    request_.path = target.starts_with('/') ? "" : "/";
  } else if (target != "*" && !target.starts_with('/')) {
    return bad("the target is not a path");
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  request_.path += target.substr(0, question);
  auto query = parse_query(target.substr(std::min(question + 1, target.size())));
  if (!query) return bad("the query cannot be decoded");
  request_.query = std::move(*query);

  most_body_bytes_ = limits_->body_bytes_of ? limits_->body_bytes_of(request_.method, request_.path)
                                            : limits_->body_bytes;
  if (const auto length = parser_->beast.content_length()) {
    declared_bytes_ = *length;
  } else if (encodings == 0) {
    declared_bytes_ = 0;
  }
  if (declared_bytes_ && *declared_bytes_ > most_body_bytes_) {
    refuse(problem(413, fmt::format("a body may have {} bytes here", most_body_bytes_)));
    return;
  }
  parser_->beast.body_limit(most_body_bytes_);
  state_ = parser_->beast.is_done() || declared_bytes_ == 0 ? State::complete : State::body;
}

std::size_t HttpRequestReader::feed_body(std::string_view input) {
  std::size_t used = 0;
  while (used < input.size() && !parser_->beast.is_done()) {
    beast::error_code failure;
    const std::string_view rest = input.substr(used);
    const std::size_t step =
        parser_->beast.put(boost::asio::const_buffer(rest.data(), rest.size()), failure);
    used += step;
    if (failure == http::error::need_more) {
      // The line before a chunk, or what follows the last.
      if (step == 0 && rest.size() > limits_->header_bytes) {
        refuse(problem(400, "the line of a chunk is too long"));
      }
      return used;
    }
    if (failure == http::error::body_limit) {
      refuse(problem(413, fmt::format("a body may have {} bytes here", most_body_bytes_)));
      return used;
    }
    if (failure) {
      refuse(problem(400, fmt::format("the body is malformed: {}", failure.message())));
      return used;
    }
  }
  if (parser_->beast.is_done()) state_ = State::complete;
  return used;
}

HttpRequest HttpRequestReader::take() {
  DUEL_CHECK(state_ == State::complete);
  request_.body = std::move(parser_->beast.get().body());
  return std::move(request_);
}

struct HttpResponseReader::Parser {
  http::response_parser<http::string_body> beast;
};

HttpResponseReader::HttpResponseReader(bool to_head) : parser_(std::make_unique<Parser>()) {
  constexpr std::uint32_t kMostHeaderBytes = 1 << 20;
  parser_->beast.header_limit(kMostHeaderBytes);
  parser_->beast.body_limit(kNoBodyLimit);
  parser_->beast.skip(to_head);
}
HttpResponseReader::HttpResponseReader(HttpResponseReader&&) noexcept = default;
HttpResponseReader& HttpResponseReader::operator=(HttpResponseReader&&) noexcept = default;
HttpResponseReader::~HttpResponseReader() = default;

Result<std::size_t> HttpResponseReader::feed(std::string_view input) {
  std::size_t used = 0;
  while (used < input.size() && !parser_->beast.is_done()) {
    beast::error_code failure;
    const std::string_view rest = input.substr(used);
    used += parser_->beast.put(boost::asio::const_buffer(rest.data(), rest.size()), failure);
    if (failure == http::error::need_more) return used;
    if (failure) {
      return Error::io(fmt::format("the answer is not HTTP: {}", failure.message()));
    }
  }
  return used;
}

Status HttpResponseReader::finish() {
  if (parser_->beast.is_done()) return Done{};
  const Error cut = Error::io("the server closed the connection before its answer was complete");
  if (!parser_->beast.got_some()) return cut;
  beast::error_code failure;
  parser_->beast.put_eof(failure);
  if (failure) return cut;
  return Done{};
}

bool HttpResponseReader::head_done() const { return parser_->beast.is_header_done(); }
bool HttpResponseReader::complete() const { return parser_->beast.is_done(); }
bool HttpResponseReader::keep_alive() const { return parser_->beast.keep_alive(); }

HttpResponse HttpResponseReader::head() const {
  const auto& message = parser_->beast.get();
  HttpResponse response;
  response.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    response.headers.emplace_back(
        lower_case({field.name_string().data(), field.name_string().size()}),
        text_of(field.value()));
  }
  return response;
}

std::string HttpResponseReader::take_body() {
  return std::exchange(parser_->beast.get().body(), std::string());
}

}  // namespace duel
