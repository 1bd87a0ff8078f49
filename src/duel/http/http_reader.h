// Parsers of requests and responses that take bytes in portions of any size and need no connection:
// the server and the client read with them, and fuzz/ feeds them. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/http/body_file.h"
#include "duel/http/http.h"

namespace duel {

// Decodes a chunked body (RFC 9112, 7.1). Our own, because Beast 1.74 asserts that bytes come in
// portions of a certain size, and accepts malformed lines that a proxy may read differently.
class HttpChunkDecoder {
 public:
  enum class Fault { none, malformed, too_large };

  // Appends the content of the chunks to `body`, and returns how many bytes of `input` it took. The
  // rest is the beginning of a line, to be given again with more behind it, or what follows the
  // last chunk. `most_bytes` is the limit for the whole body.
  std::size_t feed(std::string_view input, std::string& body, std::uint64_t most_bytes);
  Fault fault() const { return fault_; }
  bool complete() const { return stage_ == Stage::complete; }

 private:
  enum class Stage { size, data, end_of_data, trailer, complete };

  void take_size(std::string_view line, std::uint64_t most_bytes);
  void take_trailer(std::string_view line);

  Stage stage_ = Stage::size;
  Fault fault_ = Fault::none;
  std::uint64_t left_ = 0;       // of the chunk
  std::uint64_t announced_ = 0;  // by all chunks
  std::size_t trailer_bytes_ = 0;
};

// Reads one request. It is stricter than the RFC: bytes that two servers could read as different
// requests are refused, since a proxy in front of us may be the other server (request smuggling).
class HttpRequestReader {
 public:
  explicit HttpRequestReader(const HttpLimits& limits) : limits_(&limits) {}

  enum class State {
    nothing,   // no byte of it has come
    head,      // the request line and the headers are not complete
    body,      // the head is; the body is not
    complete,  // `take` it
    refused,   // `refusal` is the answer, and the connection cannot be used any more
  };
  State state() const { return state_; }

  // Takes bytes from the front of `input` and returns how many. If the request is not complete, the
  // rest is to be given again with more behind it; if it is, the rest belongs to the next request.
  // Stops once after the head, even with bytes left, so that the caller can check its limits.
  std::size_t feed(std::string_view input);

  // From State::body on.
  const HttpRequest& request() const { return request_; }
  bool keep_alive() const { return keep_alive_; }
  bool http_1_1() const { return http_1_1_; }
  bool expects_continue() const { return expects_continue_; }
  // The Content-Length; nothing if the body comes in chunks.
  std::optional<std::uint64_t> declared_body_bytes() const { return declared_bytes_; }
  // So far.
  std::size_t body_bytes() const { return file_ != nullptr ? file_->size() : request_.body.size(); }
  // Whether the body goes into a file.
  bool to_file() const { return to_file_; }

  // REQUIRES: complete.
  HttpRequest take();
  const HttpResponse& refusal() const { return refusal_; }

 private:
  std::size_t feed_head(std::string_view input);
  std::size_t feed_body(std::string_view input);
  void read_head(std::string_view head);
  void admit_body();
  bool open_file();
  bool keep(std::string_view bytes);  // as a part of the body
  void complete_body();
  std::size_t refuse(HttpResponse response);
  std::size_t refuse_file(const Error& error);

  const HttpLimits* limits_;
  HttpChunkDecoder chunks_;
  State state_ = State::nothing;
  std::size_t searched_ = 0;  // bytes of an incomplete head that were looked at
  HttpRequest request_;
  HttpResponse refusal_;
  bool keep_alive_ = false;
  bool http_1_1_ = false;
  bool expects_continue_ = false;
  std::optional<std::uint64_t> declared_bytes_;
  std::size_t most_body_bytes_ = 0;
  bool to_file_ = false;
  std::shared_ptr<HttpBodyFile> file_;
};

// Reads one response.
class HttpResponseReader {
 public:
  // The answer to HEAD has no body, whatever its headers say.
  explicit HttpResponseReader(bool to_head) : to_head_(to_head) {}

  // As above; an error if the bytes are not a response.
  Result<std::size_t> feed(std::string_view input);
  // The connection has ended: an error unless that completes the response.
  Status finish();
  bool head_done() const { return ends_by_ != End::unknown; }
  bool complete() const { return complete_; }
  bool keep_alive() const { return keep_alive_ && ends_by_ != End::connection; }
  // Status and headers, names in lower case. REQUIRES: head_done().
  const HttpResponse& head() const { return head_; }
  // The part of the body that has come since the last call.
  std::string take_body();

 private:
  enum class End { unknown, length, chunks, connection };

  Result<std::size_t> feed_head(std::string_view input);

  bool to_head_;
  End ends_by_ = End::unknown;
  bool complete_ = false;
  bool keep_alive_ = false;
  HttpResponse head_;
  std::string body_;
  std::uint64_t left_ = 0;  // of a body by length
  HttpChunkDecoder chunks_;
};

}  // namespace duel
