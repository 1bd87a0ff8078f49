// Requests and responses from bytes, in whatever portions they come, without a connection: what the
// server and the client read with, and what is fuzzed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/server/http.h"

namespace duel {

// Reads one request. Stricter than the RFC allows: whatever two servers could take for two different
// requests is refused.
class HttpRequestReader {
 public:
  explicit HttpRequestReader(const HttpLimits& limits);
  HttpRequestReader(HttpRequestReader&&) noexcept;
  HttpRequestReader& operator=(HttpRequestReader&&) noexcept;
  ~HttpRequestReader();

  enum class State {
    nothing,   // no byte of it has come
    head,      // the request line and the headers are not complete
    body,      // the head is; the body is not
    complete,  // `take` it
    refused,   // `refusal` is the answer, and the connection cannot be used any more
  };
  State state() const { return state_; }

  // Takes from the front of `input` and returns how many bytes. What it leaves belongs to this
  // request and is to be given again with more behind it, or to the next where this is complete.
  // Stops once after the head, with bytes left or not, so that the limits can be seen to.
  std::size_t feed(std::string_view input);

  // From State::body on.
  const HttpRequest& request() const { return request_; }
  bool keep_alive() const { return keep_alive_; }
  bool http_1_1() const { return http_1_1_; }
  bool expects_continue() const { return expects_continue_; }
  // As declared; nothing where the body comes in chunks.
  std::optional<std::uint64_t> declared_body_bytes() const { return declared_bytes_; }
  // So far.
  std::size_t body_bytes() const;

  // REQUIRES: complete.
  HttpRequest take();
  const HttpResponse& refusal() const { return refusal_; }

 private:
  struct Parser;
  std::size_t feed_head(std::string_view input);
  std::size_t feed_body(std::string_view input);
  void read_head();
  std::size_t refuse(HttpResponse response);

  const HttpLimits* limits_;
  std::unique_ptr<Parser> parser_;
  State state_ = State::nothing;
  std::size_t searched_ = 0;  // bytes of an incomplete head that were looked at
  HttpRequest request_;
  HttpResponse refusal_;
  bool keep_alive_ = false;
  bool http_1_1_ = false;
  bool expects_continue_ = false;
  std::optional<std::uint64_t> declared_bytes_;
  std::size_t most_body_bytes_ = 0;
};

// Reads one response.
class HttpResponseReader {
 public:
  // To HEAD there is no body, whatever the headers say.
  explicit HttpResponseReader(bool to_head);
  HttpResponseReader(HttpResponseReader&&) noexcept;
  HttpResponseReader& operator=(HttpResponseReader&&) noexcept;
  ~HttpResponseReader();

  // As above; an error where the bytes are no response.
  Result<std::size_t> feed(std::string_view input);
  // The connection has ended: an error unless that completes the response.
  Status finish();
  bool head_done() const;
  bool complete() const;
  bool keep_alive() const;
  // Status and headers, names in lower case. REQUIRES: head_done().
  HttpResponse head() const;
  // What has come of the body since the last call.
  std::string take_body();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace duel
