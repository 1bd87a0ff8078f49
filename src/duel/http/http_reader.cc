#include "duel/http/http_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <charconv>
#include <limits>
#include <utility>

#include "duel/core/check.h"
#include "duel/http/http_text.h"

namespace duel {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::size_t kMostChunkLine = 4'096;  // a size with its extensions; all trailers together

// Finds what Beast accepts and another server may read differently: folded headers, line ends
// without CR, NULs. Heads with these never reach Beast. The bytes before `from` were found good.
std::optional<std::string_view> fault_of_head(std::string_view head, std::size_t from) {
  // One byte back: the last of those could not be judged without the one that follows.
  for (std::size_t k = from == 0 ? 0 : from - 1; k < head.size(); ++k) {
    if (static_cast<unsigned char>(head[k]) > '\r') continue;  // neither a NUL nor of a line end
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
// Not boost::none: Beast 1.74 compares that with every Content-Length, and finds it smaller.
constexpr std::uint64_t kNoBodyLimit = std::numeric_limits<std::uint64_t>::max();

// Whether a request line names a version that Beast does not know (505, and not 400).
bool is_of_another_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  return version.starts_with("HTTP/") && !version.starts_with("HTTP/1.");
}

}  // namespace

std::size_t HttpChunkDecoder::feed(std::string_view input, std::string& body,
                                   std::uint64_t most_bytes) {
  std::size_t used = 0;
  while (fault_ == Fault::none && stage_ != Stage::complete && used < input.size()) {
    const std::string_view rest = input.substr(used);
    if (stage_ == Stage::data) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
      body += rest.substr(0, count);
      used += count;
      left_ -= count;
      if (left_ == 0) stage_ = Stage::end_of_data;
      continue;
    }
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, std::min(end, rest.size()));
    const std::size_t carriage = line.find('\r');
    // A CR is allowed at the end of a line only, and a line must not grow without limit.
    if (line.size() > kMostChunkLine ||
        (carriage != std::string_view::npos && carriage + 1 < line.size())) {
      fault_ = Fault::malformed;
      return used;
    }
    if (end == std::string_view::npos) return used;
    if (carriage == std::string_view::npos) {
      fault_ = Fault::malformed;
      return used;
    }
    used += end + 1;
    const std::string_view content = line.substr(0, carriage);
    if (stage_ == Stage::size) {
      take_size(content, most_bytes);
    } else if (stage_ == Stage::trailer) {
      take_trailer(content);
    } else if (content.empty()) {
      stage_ = Stage::size;
    } else {
      fault_ = Fault::malformed;  // the chunk is longer than it said
    }
  }
  return used;
}

void HttpChunkDecoder::take_size(std::string_view line, std::uint64_t most_bytes) {
  constexpr std::size_t kMostDigits = 15;  // no overflow
  const std::size_t digits =
      std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  const std::string_view extension = line.substr(digits);
  const bool proper =
      std::ranges::all_of(extension, [](char c) { return c == '\t' || (c >= ' ' && c != '\x7f'); });
  if (digits == 0 || digits > kMostDigits || !proper ||
      !(extension.empty() || extension.front() == ';')) {
    fault_ = Fault::malformed;
    return;
  }
  std::from_chars(line.data(), line.data() + digits, left_, 16);
  announced_ += left_;
  if (announced_ > most_bytes) {
    fault_ = Fault::too_large;
    return;
  }
  stage_ = left_ == 0 ? Stage::trailer : Stage::data;
}

// Trailers are checked for their form and dropped: a header that comes after the checks of headers
// must not count.
void HttpChunkDecoder::take_trailer(std::string_view line) {
  trailer_bytes_ += line.size();
  if (line.empty()) {
    stage_ = Stage::complete;
  } else if (trailer_bytes_ > kMostChunkLine || line.find(':') == std::string_view::npos ||
             line.front() == ' ' || line.front() == '\t') {
    fault_ = Fault::malformed;
  }
}

std::size_t HttpRequestReader::refuse(HttpResponse response) {
  refusal_ = std::move(response);
  state_ = State::refused;
  return 0;
}

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
  // Some clients send an empty line after a body; it is ignored (RFC 9112, 2.2).
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
  // Checked as it comes, not when it is whole: a client that ends its lines with LF alone never
  // sends the end that we look for, and would wait until the timeout.
  if (const auto fault = fault_of_head(head, searched_)) {
    refuse(problem(400, *fault));
    return skipped;
  }
  if (head.size() > limits_->header_bytes) return too_long();
  if (!whole) {
    searched_ = head.size();
    return skipped;
  }
  // Two of the lines are no headers: the request line and the empty one.
  const auto lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  if (lines > limits_->header_count + 2) {
    refuse(problem(431, fmt::format("a request may have {} headers", limits_->header_count)));
    return skipped;
  }
  read_head(head);
  return skipped + head.size();
}

void HttpRequestReader::read_head(std::string_view head) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(kBeastHeaderLimit);
  parser.body_limit(kNoBodyLimit);
  beast::error_code failure;
  parser.put(boost::asio::const_buffer(head.data(), head.size()), failure);
  if (failure == http::error::bad_version && is_of_another_version(head)) {
    refuse(problem(505, "the request is not of HTTP/1.1 or HTTP/1.0"));
    return;
  }
  if (failure) {
    refuse(problem(400, fmt::format("the request is malformed: {}", failure.message())));
    return;
  }
  const auto& message = parser.get();
  request_.method_text = text_of(message.method_string());
  request_.method = http_method_of(request_.method_text);
  request_.target = text_of(message.target());
  keep_alive_ = message.keep_alive();
  http_1_1_ = message.version() == 11;
  std::size_t hosts = 0, lengths = 0, encodings = 0;
  request_.headers.reserve(8);  // mostly fewer
  for (const auto& field : message) {
    std::string name = lower_case({field.name_string().data(), field.name_string().size()});
    hosts += name == "host" ? 1 : 0;
    lengths += name == "content-length" ? 1 : 0;
    encodings += name == "transfer-encoding" ? 1 : 0;
    request_.headers.emplace_back(std::move(name), text_of(field.value()));
  }
  const auto bad = [&](std::string_view detail) { refuse(problem(400, detail)); };
  if (hosts > 1 || (hosts == 0 && http_1_1_)) return bad("a request has one Host header");
  // If two servers on the way read the length differently, one of them takes part of the body for
  // another request.
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
  // The absolute form, as sent to a proxy: its host counts, not the header's (RFC 9112, 3.2.2).
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

  if (const auto length = parser.content_length()) {
    declared_bytes_ = *length;
  } else if (encodings == 0) {
    declared_bytes_ = 0;
  }
  admit_body();
}

void HttpRequestReader::admit_body() {
  most_body_bytes_ = limits_->body_bytes;
  // A few bytes cost less than the question whether they may come.
  const bool is_small = declared_bytes_ && *declared_bytes_ <= limits_->few_body_bytes;
  if (limits_->admit && !is_small) {
    HttpAdmission admission = limits_->admit(request_);
    if (admission.refusal) {
      refuse(std::move(*admission.refusal));
      return;
    }
    most_body_bytes_ = admission.body_bytes.value_or(most_body_bytes_);
    to_file_ = admission.to_file;
  }
  if (declared_bytes_ && *declared_bytes_ > most_body_bytes_) {
    refuse(problem(413, fmt::format("a body may have {} bytes here", most_body_bytes_)));
    return;
  }
  state_ = declared_bytes_ == 0 ? State::complete : State::body;
}

std::size_t HttpRequestReader::refuse_file(const Error& error) {
  return refuse(problem(503, error.message, true));
}

// The file is made when the first byte comes: headers alone must not fill a directory.
bool HttpRequestReader::open_file() {
  if (!to_file_ || file_ != nullptr) return true;
  auto file = HttpBodyFile::create(limits_->file_directory);
  if (file.ok()) {
    file_ = std::move(*file);
    return true;
  }
  refuse_file(file.error());
  return false;
}

bool HttpRequestReader::keep(std::string_view bytes) {
  if (!open_file()) return false;
  if (file_ == nullptr) {
    request_.body += bytes;
    return true;
  }
  const Status kept = file_->append(bytes);
  if (!kept.ok()) refuse_file(kept.error());
  return kept.ok();
}

void HttpRequestReader::complete_body() {
  if (file_ != nullptr) {
    if (const Status closed = file_->close(); !closed.ok()) {
      refuse_file(closed.error());
      return;
    }
    request_.body_file = std::move(file_);
  }
  state_ = State::complete;
}

std::size_t HttpRequestReader::feed_body(std::string_view input) {
  if (declared_bytes_) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(*declared_bytes_ - body_bytes(), input.size()));
    // Memory grows with what has come, and no further than to what will come: a header alone must
    // not make us allocate megabytes.
    const std::size_t wanted = request_.body.size() + count;
    if (!to_file_ && wanted > request_.body.capacity()) {
      request_.body.reserve(std::min<std::uint64_t>(*declared_bytes_, 2 * wanted));
    }
    if (!keep(input.substr(0, count))) return 0;
    if (body_bytes() == *declared_bytes_) complete_body();
    return count;
  }
  std::string portion;
  const std::size_t used = chunks_.feed(input, portion, most_body_bytes_);
  if (!keep(portion)) return 0;
  if (chunks_.fault() == HttpChunkDecoder::Fault::too_large) {
    refuse(problem(413, fmt::format("a body may have {} bytes here", most_body_bytes_)));
  } else if (chunks_.fault() == HttpChunkDecoder::Fault::malformed) {
    refuse(problem(400, "the chunks of the body are malformed"));
  } else if (chunks_.complete()) {
    complete_body();
  }
  return used;
}

HttpRequest HttpRequestReader::take() {
  DUEL_CHECK(state_ == State::complete);
  return std::move(request_);
}

Result<std::size_t> HttpResponseReader::feed_head(std::string_view input) {
  constexpr std::size_t kMostHeadBytes = std::size_t{1} << 20;
  const std::size_t end = input.find(kEndOfHead);
  if (end == std::string_view::npos) {
    // Do not wait for the end of a head if these bytes cannot begin one.
    const bool begins_well =
        input.substr(0, 5) == std::string_view("HTTP/").substr(0, input.size());
    if (begins_well && input.size() <= kMostHeadBytes) return std::size_t{0};
    return Error::io("the answer is not HTTP");
  }
  const std::string_view head = input.substr(0, end + kEndOfHead.size());
  http::response_parser<http::empty_body> parser;
  parser.header_limit(kBeastHeaderLimit);
  parser.body_limit(kNoBodyLimit);
  beast::error_code failure;
  parser.put(boost::asio::const_buffer(head.data(), head.size()), failure);
  if (failure || !parser.is_header_done()) {
    return Error::io(fmt::format("the answer is not HTTP: {}", failure.message()));
  }
  const auto& message = parser.get();
  head_.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    head_.headers.emplace_back(lower_case({field.name_string().data(), field.name_string().size()}),
                               text_of(field.value()));
  }
  keep_alive_ = message.keep_alive();
  if (to_head_ || head_.status < 200 || head_.status == 204 || head_.status == 304) {
    ends_by_ = End::length;
  } else if (parser.chunked()) {
    ends_by_ = End::chunks;
  } else if (const auto length = parser.content_length()) {
    ends_by_ = End::length;
    left_ = *length;
  } else {
    ends_by_ = End::connection;
  }
  complete_ = ends_by_ == End::length && left_ == 0;
  return head.size();
}

Result<std::size_t> HttpResponseReader::feed(std::string_view input) {
  if (complete_) return std::size_t{0};
  std::size_t used = 0;
  if (!head_done()) {
    DUEL_ASSIGN(used, feed_head(input));
    if (!head_done() || complete_) return used;
  }
  const std::string_view rest = input.substr(used);
  if (ends_by_ == End::chunks) {
    used += chunks_.feed(rest, body_, kNoBodyLimit);
    if (chunks_.fault() != HttpChunkDecoder::Fault::none) {
      return Error::io("the chunks of the answer are malformed");
    }
    complete_ = chunks_.complete();
    return used;
  }
  const auto count = ends_by_ == End::connection
                         ? rest.size()
                         : static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
  body_ += rest.substr(0, count);
  left_ -= ends_by_ == End::length ? count : 0;
  complete_ = ends_by_ == End::length && left_ == 0;
  return used + count;
}

Status HttpResponseReader::finish() {
  if (ends_by_ == End::connection) complete_ = true;
  if (complete_) return Done{};
  return Error::io("the server closed the connection before its answer was complete");
}

std::string HttpResponseReader::take_body() { return std::exchange(body_, std::string()); }

}  // namespace duel
