#include "duel/http/http_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "duel/http/http_reader.h"
#include "duel/http/http_text.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

bool may_be_repeated(HttpMethod method) {
  return method != HttpMethod::post && method != HttpMethod::patch;
}

// Whether the descriptor is ready before the timeout and before `stop`. A thread that waits in
// `poll` does not see the flag, so it looks every kLook.
bool wait_for(int descriptor, short events, std::chrono::milliseconds timeout,
              const std::atomic<bool>* stop) {
  constexpr std::chrono::milliseconds kLook{50};
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    left = std::max(left, std::chrono::milliseconds(0));
    const bool last = stop == nullptr || left <= kLook;
    if (stop != nullptr && *stop) return false;
    pollfd entry{descriptor, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>((last ? left : kLook).count()));
    if (ready > 0) return true;
    if ((ready == 0 && last) || (ready < 0 && errno != EINTR)) return false;
  }
}

}  // namespace

struct HttpClient::Connection {
  HttpAddress address;
  std::string prefix;
  HttpClientOptions options;
  int descriptor = -1;
  std::string input;    // beyond the last response
  bool used = false;    // the open connection has answered before
  bool closed = false;  // by the server, as the last exchange found out
  bool begun = false;   // something of the last request may have gone out

  ~Connection() { close(); }
  void close() {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    input.clear();
    used = false;
  }
  Error error(std::string message) const {
    return Error::io(std::move(message), "http://" + address.to_string());
  }

  Status open() {
    close();
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code =
        ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
    if (code != 0) {
      return error(fmt::format("the host '{}' is not known: {}", address.host, gai_strerror(code)));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> entries(found, &::freeaddrinfo);
    std::string reason = "no address";
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
      descriptor = ::socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      if (descriptor < 0) {
        reason = std::strerror(errno);
        continue;
      }
      int failure = 0;
      if (::connect(descriptor, entry->ai_addr, entry->ai_addrlen) != 0) failure = errno;
      if (failure == EINPROGRESS) {
        failure = ETIMEDOUT;
        if (wait_for(descriptor, POLLOUT, options.connect_timeout, options.stop)) {
          socklen_t size = sizeof failure;
          ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size);
        }
      }
      if (failure == 0) {
        const int yes = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        return Done{};
      }
      reason = std::strerror(failure);
      close();
    }
    return error(fmt::format("the server cannot be reached: {}", reason));
  }

  Status write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
      if (done >= 0) {
        text.remove_prefix(static_cast<std::size_t>(done));
      } else if (errno == EAGAIN) {
        if (!wait_for(descriptor, POLLOUT, options.read_timeout, options.stop)) {
          return error("the server does not take the request");
        }
      } else if (errno != EINTR) {
        closed = errno == EPIPE || errno == ECONNRESET;
        return error(fmt::format("the connection was lost: {}", std::strerror(errno)));
      }
    }
    return Done{};
  }

  // Appends what has come to `input`. 0 at the end of the connection.
  Result<std::size_t> read() {
    std::array<char, 65'536> bytes;
    for (;;) {
      const ssize_t got = ::recv(descriptor, bytes.data(), bytes.size(), 0);
      if (got >= 0) {
        input.append(bytes.data(), static_cast<std::size_t>(got));
        return static_cast<std::size_t>(got);
      }
      if (errno == EAGAIN) {
        if (!wait_for(descriptor, POLLIN, options.read_timeout, options.stop)) {
          return error(fmt::format("no answer came within {} ms", options.read_timeout.count()));
        }
      } else if (errno != EINTR) {
        closed = errno == ECONNRESET;
        return error(fmt::format("the connection was lost: {}", std::strerror(errno)));
      }
    }
  }

  // Sends and reads one answer; `sink` gets the body if there is one.
  Result<HttpResponse> exchange(const std::string& request, bool to_head,
                                const std::function<bool(std::string_view)>* sink) {
    closed = false;
    // A server that refuses a request early (413, say) answers and closes while we still write. The
    // write then fails, but the answer is there to be read.
    const Status sent = write(request);
    if (!sent.ok() && !closed) return sent.error();
    HttpResponseReader reader(to_head);
    std::string body;
    for (;;) {
      DUEL_ASSIGN(const std::size_t taken, reader.feed(input));
      input.erase(0, taken);
      if (reader.head_done() && reader.head().status == 100) {
        reader = HttpResponseReader(to_head);
        continue;
      }
      if (reader.head_done()) {
        std::string piece = reader.take_body();
        if (sink == nullptr || reader.head().status >= 400) {
          body += piece;
          if (body.size() > options.body_bytes) {
            return error(fmt::format("the answer is larger than {} bytes", options.body_bytes));
          }
        } else if (!piece.empty() && !(*sink)(piece)) {
          close();
          break;
        }
      }
      if (reader.complete()) break;
      const Result<std::size_t> got = read();
      if (!got.ok()) return sent.ok() ? got.error() : sent.error();
      if (*got > 0) continue;
      closed = !reader.head_done();
      if (const Status whole = reader.finish(); !whole.ok()) return error(whole.error().message);
    }
    HttpResponse response = reader.head();
    response.body = std::move(body);
    used = true;
    if (descriptor >= 0 && (!reader.complete() || !reader.keep_alive() || !sent.ok())) close();
    return response;
  }

  Result<HttpResponse> send(HttpMethod method, std::string_view target, std::string_view body,
                            const HttpFields& headers,
                            const std::function<bool(std::string_view)>* sink) {
    std::string text = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", to_word(method), prefix,
                                   target, address.to_string());
    if (!options.token.empty()) text += fmt::format("Authorization: Bearer {}\r\n", options.token);
    for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
    if (!body.empty() || method == HttpMethod::post || method == HttpMethod::put ||
        method == HttpMethod::patch) {
      text += fmt::format("Content-Length: {}\r\n", body.size());
    }
    text += "\r\n";
    text += body;
    begun = false;
    for (const bool again : {false, true}) {
      const bool kept = descriptor >= 0 && used;
      if (descriptor < 0) DUEL_RETURN_IF_ERROR(open());
      const bool to_head = method == HttpMethod::head;
      begun = true;
      Result<HttpResponse> response = exchange(text, to_head, sink);
      if (response.ok()) return response;
      close();
      // The server may close an idle connection at the very moment at which we use it again.
      if (again || !kept || !closed || !may_be_repeated(method)) return response;
    }
    return error("the server closes every connection");
  }
};

HttpClient::HttpClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::make(std::string_view url, HttpClientOptions options) {
  const auto wrong = [&](std::string_view what) {
    return Error::invalid_argument(fmt::format("'{}' cannot be used: {}", url, what), "",
                                   "write http://127.0.0.1:7557")
        .in_field("server");
  };
  constexpr std::string_view kScheme = "http://";
  if (equal_ignoring_case(url.substr(0, 8), "https://")) {
    return wrong("this program speaks plain http; put a proxy in front of the other end");
  }
  if (!equal_ignoring_case(url.substr(0, kScheme.size()), kScheme)) {
    return wrong("it does not begin with http://");
  }
  std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string authority(rest.substr(0, slash));
  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.find_first_of("?# \r\n") != std::string_view::npos) return wrong("the path is odd");
  // The port follows the last colon, unless that colon is inside the brackets of an IPv6 address.
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string::npos || authority.ends_with(']')) authority += ":80";
  auto address = parse_http_address(authority);
  if (!address.ok() || address->host.empty() || address->port == 0) {
    return wrong("it has no proper host and port");
  }
  // A line end in the token would begin another header.
  if (options.token.find_first_of("\r\n \t") != std::string::npos) {
    return Error::invalid_argument("the token has a space or the end of a line in it")
        .in_field("token");
  }
  auto connection = std::make_unique<Connection>();
  connection->address = std::move(*address);
  connection->prefix = prefix;
  connection->options = std::move(options);
  return HttpClient(std::move(connection));
}

Result<HttpResponse> HttpClient::send(HttpMethod method, std::string_view target, std::string body,
                                      HttpFields headers) {
  return connection_->send(method, target, body, headers, nullptr);
}

Result<HttpResponse> HttpClient::send_json(HttpMethod method, std::string_view target,
                                           std::string body) {
  return send(method, target, std::move(body), {{"Content-Type", "application/json"}});
}

Result<HttpResponse> HttpClient::stream(std::string_view target,
                                        const std::function<bool(std::string_view)>& sink,
                                        HttpFields headers) {
  return connection_->send(HttpMethod::get, target, "", headers, &sink);
}

bool HttpClient::sent() const { return connection_->begun; }

const HttpAddress& HttpClient::address() const { return connection_->address; }

}  // namespace duel
