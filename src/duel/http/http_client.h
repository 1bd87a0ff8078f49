// A small blocking HTTP client, for commands that talk to a server, for nodes that talk to each
// other and for tests. It keeps its connection, and speaks plain HTTP only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/http/http.h"

namespace duel {

struct HttpClientOptions {
  std::string token;  // sent as `Authorization: Bearer ..` unless it is empty
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds read_timeout{60'000};   // without a byte
  std::size_t body_bytes = std::size_t{256} << 20;  // of a response that is collected
  // When it becomes true, waiting ends with an error. REQUIRES: it outlives the client.
  const std::atomic<bool>* stop = nullptr;
};

// One connection. REQUIRES: one thread at a time.
class HttpClient {
 public:
  // `url` is "http://host[:port][/prefix]"; the prefix goes in front of every target. Connects with
  // the first request.
  static Result<HttpClient> make(std::string_view url, HttpClientOptions options = {});
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  // The response, whatever its status; an error (`io`, with the server's address in `where`) if
  // none came. If a kept connection turns out to be closed before a byte of the response has come,
  // the request is sent once more, but not POST and PATCH: the server may have done the work, and
  // only the caller knows whether repeating it is safe.
  Result<HttpResponse> send(HttpMethod method, std::string_view target, std::string body = "",
                            HttpFields headers = {});
  Result<HttpResponse> get(std::string_view target) { return send(HttpMethod::get, target); }
  // With Content-Type: application/json.
  Result<HttpResponse> send_json(HttpMethod method, std::string_view target, std::string body);

  // Hands over the pieces of the body as they come: exports and event streams. False from `sink`
  // ends the reading and closes the connection. The body of the response returned is empty, except
  // that the body of an error (status 400 and above) is collected there and never reaches the sink.
  Result<HttpResponse> stream(std::string_view target,
                              const std::function<bool(std::string_view piece)>& sink,
                              HttpFields headers = {});

  // Whether the last request may have reached the server; false if there was no connection.
  bool sent() const;

  const HttpAddress& address() const;

 private:
  struct Connection;
  explicit HttpClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace duel
