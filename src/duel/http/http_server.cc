// The server of http.h on Boost.Asio.
//
// Three kinds of threads meet here. I/O threads run the strands of connections and call the
// handler, which must not block them. Any thread may answer through an HttpReply or write to an
// HttpStream: those calls go to the strand. The thread that owns the server drains and destroys it.
// A reply may outlive the server: HttpCore then still exists, and `on_strand` returns false.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/http/byte_shares.h"
#include "duel/http/http.h"
#include "duel/http/http_connection.h"
#include "duel/http/http_head.h"

// Asio's calls return the error code that they also set.
// NOLINTBEGIN(bugprone-unused-return-value)
namespace duel {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

class AsioServer final : public HttpServer {
 public:
  AsioServer(HttpLimits limits, HttpHandler handler)
      : core_(std::make_shared<HttpCore>(std::move(limits), std::move(handler))),
        work_(core_->io.get_executor()),
        accept_strand_(asio::make_strand(core_->io)),
        acceptor_(accept_strand_),
        retry_(accept_strand_) {}

  // Order matters: no new connections, close the old ones, forbid further posts, and only then let
  // the I/O threads run dry and end.
  ~AsioServer() override {
    stop_accepting();
    for (const auto& connection : connections()) {
      connection->on_strand([connection] { connection->close(); });
    }
    {
      const std::unique_lock lock(core_->posting);
      core_->stopped = true;
    }
    work_.reset();
    for (std::thread& thread : threads_) thread.join();
    core_->handler = nullptr;  // it refers to objects that may die before the last reply does
  }
  AsioServer(const AsioServer&) = delete;
  AsioServer& operator=(const AsioServer&) = delete;

  Status start(const HttpAddress& address, std::size_t threads) {
    const auto failed = [&](const error_code& code) {
      return Error::io(fmt::format("cannot listen on {}: {}", address.to_string(), code.message()))
          .in_field("listen");
    };
    error_code code;
    for (const tcp::endpoint& endpoint : endpoints_of(address, code)) {
      code = open(endpoint);
      if (!code) break;
    }
    if (code) return failed(code);
    const tcp::endpoint endpoint = acceptor_.local_endpoint(code);
    if (code) return failed(code);
    address_ = {address.host.empty() ? endpoint.address().to_string() : address.host,
                endpoint.port()};
    accept();
    for (std::size_t k = 0; k < std::max<std::size_t>(threads, 1); ++k) {
      threads_.emplace_back([this] { run(); });
    }
    return Done{};
  }

  HttpAddress address() const override { return address_; }

  Load load() const override {
    Load load;
    {
      const std::lock_guard lock(core_->mutex);
      load.connections = core_->connections.size();
    }
    load.requests_in_flight = core_->in_flight;
    load.streams = core_->streams;
    load.requests = core_->requests;
    load.refused_connections = core_->refused_connections;
    load.body_bytes = core_->bodies.taken();
    load.unread_bytes = core_->unread.bytes();
    load.cut_off = core_->unread.cut_off();
    return load;
  }

  bool drain(milliseconds deadline) override {
    stop_accepting();
    for (const auto& connection : connections()) {
      connection->on_strand([connection] { connection->leave_if_idle(); });
    }
    const auto all_gone = [this] { return core_->connections.empty(); };
    {
      std::unique_lock lock(core_->mutex);
      if (core_->gone.wait_for(lock, deadline, all_gone)) return true;
    }
    for (const auto& connection : connections()) {
      connection->on_strand([connection] { connection->close(); });
    }
    std::unique_lock lock(core_->mutex);
    core_->gone.wait(lock, all_gone);
    return false;
  }

 private:
  std::vector<tcp::endpoint> endpoints_of(const HttpAddress& address, error_code& code) {
    if (address.host.empty()) {
      // IPv6 and IPv4 on one socket, or IPv4 alone if the system has no IPv6.
      return {tcp::endpoint(tcp::v6(), address.port), tcp::endpoint(tcp::v4(), address.port)};
    }
    const auto numeric = asio::ip::make_address(address.host, code);
    if (!code) return {tcp::endpoint(numeric, address.port)};
    tcp::resolver resolver(core_->io);
    std::vector<tcp::endpoint> endpoints;
    for (const auto& entry : resolver.resolve(address.host, std::to_string(address.port),
                                              tcp::resolver::passive, code)) {
      endpoints.push_back(entry.endpoint());
    }
    return endpoints;
  }

  error_code open(const tcp::endpoint& endpoint) {
    error_code code, ignored;
    acceptor_.close(ignored);
    acceptor_.open(endpoint.protocol(), code);
    if (code) return code;
    acceptor_.set_option(tcp::acceptor::reuse_address(true), ignored);
    if (endpoint.protocol() == tcp::v6()) {
      acceptor_.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), ignored);
    }
    acceptor_.bind(endpoint, code);
    if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
    return code;
  }

  void run() {
    for (;;) {
      // An exception from a stream's callback must not end the thread.
      try {
        core_->io.run();
        return;
      } catch (...) {  // NOLINT(bugprone-empty-catch)
      }
    }
  }

  void accept() {
    acceptor_.async_accept(
        asio::make_strand(core_->io),
        [this](error_code code, HttpSocket socket) { accepted(code, std::move(socket)); });
  }

  void accepted(error_code code, HttpSocket socket) {
    if (code == asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (code) {
      // Usually no descriptors are left. They come back when connections end.
      constexpr milliseconds kPause{50};
      retry_.expires_after(kPause);
      retry_.async_wait([this](error_code stopped) {
        if (!stopped && acceptor_.is_open()) accept();
      });
      return;
    }
    greet(std::move(socket));
    accept();
  }

  void greet(HttpSocket socket) {
    std::string peer = address_of_peer(socket);
    if (!core_->places.take(network_of(peer), 1)) {
      ++core_->refused_connections;
      return turn_away(socket);
    }
    const auto connection =
        std::make_shared<HttpConnection>(core_, std::move(socket), std::move(peer));
    connection->on_strand([connection] { connection->start(); });
  }

  static std::string address_of_peer(const HttpSocket& socket) {
    error_code ignored;
    auto address = socket.remote_endpoint(ignored).address();
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
      address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    }
    return address.to_string(ignored);
  }

  // Sends a refusal if it fits into the socket's buffer. Waiting for the client would let callers
  // beyond the limit hold resources after all.
  static void turn_away(HttpSocket& socket) {
    const HttpResponse busy =
        problem(503, "the server has too many connections, or too many of this address", true);
    std::string text = head_of(busy.status, busy.headers, true);
    text +=
        fmt::format("Retry-After: 1\r\nContent-Length: {}\r\n\r\n{}", busy.body.size(), busy.body);
    (void)::send(socket.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    socket.close(ignored);
  }

  void stop_accepting() {
    core_->draining = true;
    asio::post(accept_strand_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      retry_.cancel();
    });
  }

  std::vector<std::shared_ptr<HttpConnection>> connections() const {
    std::vector<std::shared_ptr<HttpConnection>> all;
    const std::lock_guard lock(core_->mutex);
    for (HttpConnection* connection : core_->connections) {
      // A connection in its constructor or destructor has no shared owner.
      if (auto owned = connection->weak_from_this().lock()) all.push_back(std::move(owned));
    }
    return all;
  }

  std::shared_ptr<HttpCore> core_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  HttpStrand accept_strand_;
  asio::basic_socket_acceptor<tcp, HttpStrand> acceptor_;
  HttpTimer retry_;
  HttpAddress address_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpAddress& address,
                                                       HttpLimits limits, std::size_t threads,
                                                       HttpHandler handler) {
  auto server = std::make_unique<AsioServer>(std::move(limits), std::move(handler));
  DUEL_RETURN_IF_ERROR(server->start(address, threads));
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace duel
// NOLINTEND(bugprone-unused-return-value)
