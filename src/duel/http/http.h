// HTTP/1.1 behind a small interface of our own: a request, a reply, a stream, a server. The library
// underneath is a detail of http_server.cc, and tests call a handler without any socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"

namespace duel {

enum class HttpMethod { get, head, post, put, patch, del, options, other };
std::string_view to_word(HttpMethod method);  // "GET"; "" for `other`
HttpMethod http_method_of(std::string_view word);

using HttpFields = std::vector<std::pair<std::string, std::string>>;

class HttpBodyFile;

struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  std::string method_text;  // as sent; what `other` stands for
  std::string target;       // as sent: "/v1/experiments/a%2Fb?points=200"
  std::string path;         // still percent-encoded, without the query; routes decode it (router.h)
  HttpFields query;         // decoded, in the order sent, repetitions kept
  HttpFields headers;       // names in lower case, in the order sent, repetitions kept
  std::string body;
  // If set, the body in place of `body`: it is too large for memory (HttpAdmission::to_file).
  std::shared_ptr<const HttpBodyFile> body_file{};
  std::string peer;  // address of the client, without its port

  std::string_view content() const;  // the body, wherever it is

  // The first of that name, or null.
  const std::string* header(std::string_view lower_case_name) const;
  const std::string* query_value(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpFields headers;  // without Content-Length, Connection, Date and Transfer-Encoding
  std::string body;
  // If set, the body in place of `body`: many answers share it, so slow clients hold one copy.
  std::shared_ptr<const std::string> shared_body{};

  std::string_view text() const { return shared_body ? *shared_body : body; }
  // The first of that name in any case, or null.
  const std::string* header(std::string_view name) const;
};

// A body that is written piece by piece while its length is unknown. Any thread may call it.
// Callbacks run on an I/O thread, one at a time, and must not block.
class HttpStream {
 public:
  virtual ~HttpStream() = default;

  // Takes a piece, which goes out as soon as the client takes it. False: the client is gone, or so
  // slow that more than HttpLimits::stream_buffer_bytes would wait for it; the connection is
  // closed, and everything after this is false, too.
  virtual bool write(std::string piece) = 0;
  // Says that the body is complete. A stream that is dropped without this is cut off, so that the
  // client can tell half an export from a whole one.
  virtual void finish() = 0;
  // Bytes that wait for the client.
  virtual std::size_t buffered() const = 0;
  // Whether the client is known to be gone or the stream to be finished.
  virtual bool closed() const = 0;

  // Called once at the beginning, and each time the waiting bytes fall to a quarter of the buffer
  // or less after they were more. A writer of a long body should write here until `buffered()`
  // reaches half of `capacity()`, and wait for the next call.
  virtual void on_room(std::function<void()> callback) = 0;
  virtual std::size_t capacity() const = 0;
  // Called once, when the client is gone or was cut off; at once if that has happened already.
  virtual void on_close(std::function<void()> callback) = 0;
};

// Where an HttpReply sends its answer: a connection, or a test's recorder.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  // REQUIRES: one of the two is called, and only once.
  virtual void send(HttpResponse response) = 0;
  virtual std::shared_ptr<HttpStream> stream(int status, HttpFields headers) = 0;
};

// The duty to answer one request once, from any thread. If it is dropped unused it answers 500.
class HttpReply {
 public:
  explicit HttpReply(std::shared_ptr<HttpExchange> exchange) : exchange_(std::move(exchange)) {}
  HttpReply(HttpReply&&) noexcept = default;
  HttpReply& operator=(HttpReply&&) = delete;
  ~HttpReply();

  void send(HttpResponse response);
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers);

 private:
  std::shared_ptr<HttpExchange> exchange_;  // null once answered
};

// Called on an I/O thread: it must not block, and may keep the reply for later. An exception is
// answered with 500.
using HttpHandler = std::function<void(HttpRequest&& request, HttpReply reply)>;

// An error as RFC 9457 has it: application/problem+json with title, status, detail and `retryable`.
HttpResponse problem(int status, std::string_view detail, bool retryable = false);
// "Not Found"; "Unknown" for a status that has no name here.
std::string_view reason_phrase(int status);

// Whether a request may send its body. Decided on its headers, before any of the body is kept.
struct HttpAdmission {
  std::optional<HttpResponse> refusal{};    // the answer in place of the body
  std::optional<std::size_t> body_bytes{};  // beyond: 413; HttpLimits::body_bytes if absent
  bool to_file = false;                     // the body is not to be held in memory
};

struct HttpLimits {
  std::size_t header_bytes = std::size_t{16} << 10;  // request line and headers; beyond: 431
  std::size_t header_count = 100;                    // beyond: 431
  std::size_t body_bytes = std::size_t{16} << 20;    // of one request; beyond: 413
  // If set, asked on an I/O thread about each request whose body is more than a few bytes or comes
  // in chunks. It must not block.
  std::function<HttpAdmission(const HttpRequest& head)> admit{};
  // How many bytes of bodies the server holds at a time, of all requests and of those from one
  // network (byte_shares.h). A request beyond that gets 503. The first `few_body_bytes` of a body
  // are not counted, so that small requests get through whatever others send.
  std::size_t all_bodies_bytes = std::size_t{256} << 20;
  std::size_t bodies_bytes_of_one = std::size_t{128} << 20;
  std::size_t few_body_bytes = std::size_t{4} << 10;
  std::size_t all_files_bytes = std::size_t{1} << 30;  // the same for bodies in files
  std::filesystem::path file_directory = ".";
  // Of answers that clients have not read, all together; beyond, clients are cut off
  // (unread_bytes.h).
  std::size_t all_unread_bytes = std::size_t{256} << 20;
  std::size_t connections = 10'000;        // beyond: 503, and the connection closed
  std::size_t connections_of_one = 5'000;  // the same of one network
  std::size_t requests_in_flight = 4'000;  // beyond: 429 with Retry-After
  std::size_t stream_buffer_bytes = std::size_t{1} << 20;
  std::chrono::milliseconds idle_timeout{60'000};    // between requests; the connection is closed
  std::chrono::milliseconds header_timeout{10'000};  // from its first byte to its last; 408
  std::chrono::milliseconds body_timeout{60'000};    // the same for the body; 408
  std::chrono::milliseconds write_timeout{30'000};   // without a byte taken; closed
};

struct HttpAddress {
  std::string host;  // "127.0.0.1", "::1", "localhost"; without brackets
  std::uint16_t port = 0;

  bool is_loopback() const;  // by its spelling, without asking a name server
  bool is_every_interface() const;
  std::string to_string() const;  // "[::1]:7557"
  bool operator==(const HttpAddress&) const = default;
};
// "127.0.0.1:7557", "[::1]:0", "localhost:80", ":8080" (every interface). The port is required.
Result<HttpAddress> parse_http_address(std::string_view text);

class HttpServer {
 public:
  // Listens, and answers from `threads` threads of its own. Port 0 takes a free one.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpAddress& address, HttpLimits limits,
                                                    std::size_t threads, HttpHandler handler);
  // Closes everything at once. Replies and streams that are still held may be used, without effect.
  virtual ~HttpServer() = default;

  // Where it listens, with the port that was taken.
  virtual HttpAddress address() const = 0;

  struct Load {
    std::size_t connections = 0;
    std::size_t requests_in_flight = 0;  // handed to the handler and not yet answered
    std::size_t streams = 0;
    std::uint64_t requests = 0;             // ever handed to the handler
    std::uint64_t refused_connections = 0;  // beyond the limit
    std::size_t body_bytes = 0;             // of bodies in memory, but for the first of each
    std::size_t unread_bytes = 0;           // of answers that wait for their clients
    std::uint64_t cut_off = 0;              // clients that let too many of those wait
  };
  virtual Load load() const = 0;

  // Stops listening, closes idle connections, lets requests in flight and streams end, and closes
  // what is left at the deadline. A stream without an end keeps it waiting until its owner finishes
  // it. True if nothing had to be cut. Blocks; REQUIRES: not called on an I/O thread.
  virtual bool drain(std::chrono::milliseconds deadline) = 0;
};

}  // namespace duel
