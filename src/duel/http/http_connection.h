// A connection of the server, and what all connections share.
//
// Each connection has a strand: everything that touches its state runs there, so that nothing in it
// needs a lock. It works on one request at a time; further requests of the client wait in the
// buffer, and answers leave in order. Other threads come in through `on_strand` and `send` alone.
#pragma once

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "duel/http/byte_shares.h"
#include "duel/http/http.h"
#include "duel/http/http_reader.h"
#include "duel/http/unread_bytes.h"

namespace duel {

using HttpStrand = boost::asio::strand<boost::asio::io_context::executor_type>;
using HttpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, HttpStrand>;
using HttpTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, HttpStrand>;

class HttpConnection;
class HttpStreamState;

// What the connections share. Connections hold it, and replies hold connections, so it can outlive
// the server.
struct HttpCore {
  HttpCore(HttpLimits its_limits, HttpHandler its_handler)
      : limits(std::move(its_limits)),
        handler(std::move(its_handler)),
        bodies(limits.all_bodies_bytes, limits.bodies_bytes_of_one),
        files(limits.all_files_bytes, limits.all_files_bytes),
        unread(limits.all_unread_bytes),
        places(limits.connections, limits.connections_of_one) {}

  boost::asio::io_context io;
  const HttpLimits limits;
  HttpHandler handler;
  ByteShares bodies;
  ByteShares files;
  UnreadBytes unread;
  ByteShares places;  // one for each connection

  std::atomic<std::size_t> in_flight = 0;
  std::atomic<std::size_t> streams = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> refused_connections = 0;
  std::atomic<bool> draining = false;

  // Answers that other threads have given, for the connections to send. Many come at once, when a
  // commit ends: the first of them wakes an I/O thread, and that thread sends them all.
  std::mutex outbox_mutex;
  std::vector<std::pair<std::shared_ptr<HttpConnection>, HttpResponse>> outbox;

  // Posting from other threads takes it shared, and the destructor takes it alone to set `stopped`.
  // So nothing is posted after the I/O threads have been told to end, where it would never run.
  std::shared_mutex posting;
  bool stopped = false;

  std::mutex mutex;              // guards `connections`
  std::condition_variable gone;  // a connection has left
  std::unordered_set<HttpConnection*> connections;
};

// What one connection holds of the bytes that all bodies together may have.
class BodyShare {
 public:
  explicit BodyShare(const std::string& network) : network_(&network) {}
  ~BodyShare() { release(); }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // Makes it this large in all. False if there is no room.
  bool grow_to(std::size_t bytes, ByteShares& whole) {
    if (bytes <= held_) return true;
    if (!whole.take(*network_, bytes - held_)) return false;
    whole_ = &whole;
    held_ = bytes;
    return true;
  }
  void release() {
    if (held_ > 0) whole_->give_back(*network_, std::exchange(held_, 0));
  }

 private:
  const std::string* network_;
  ByteShares* whole_ = nullptr;
  std::size_t held_ = 0;
};

class HttpConnection final : public HttpExchange,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  // `peer`: its address. REQUIRES: a place was taken for its network.
  HttpConnection(std::shared_ptr<HttpCore> core, HttpSocket socket, std::string peer);
  ~HttpConnection() override { leave(); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Runs `work` on the strand: at once if this is the strand, otherwise later. False after the
  // server has been destroyed; `work` is then dropped.
  template <class Work>
  bool on_strand(Work work) {
    if (strand_.running_in_this_thread()) {
      work();
      return true;
    }
    const std::shared_lock lock(core_->posting);
    if (core_->stopped) return false;
    boost::asio::post(strand_, std::move(work));
    return true;
  }

  // The same, always later, and without a word if the server has been destroyed.
  void close_soon();
  // What the client has not read yet. Writers of streams add to it from any thread.
  UnreadBytes::Share& unread() { return unread_; }

  // The answer of a handler, from any thread.
  void send(HttpResponse response) override;
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override;

  // REQUIRES: on an I/O thread.
  void dispatch_send(HttpResponse response);

  // From here on: on the strand.

  void start();

  // The handler's answer. In any other stage the client was cut off, and nobody waits for it.
  void take_answer(HttpResponse response) {
    if (stage_ == Stage::handler) write_response(std::move(response));
  }
  void begin_stream(const std::shared_ptr<HttpStreamState>& stream, int status,
                    const HttpFields& headers);
  // Writes what the stream has, unless a piece is on its way.
  void pump();

  // For a server that drains: closes the connection if it is between two requests.
  void leave_if_idle() {
    if (stage_ == Stage::idle) close();
  }

  // May be called in any stage. Pending operations end with an error and see Stage::closed.
  void close();

 private:
  // A closed connection does not count against the limit, nor keep `drain` waiting, even if a reply
  // still holds the object.
  void leave();

  enum class Stage { idle, head, body, handler, writing, streaming, lingering, closed };

  // Each stage has its own timeout, which replaces the last one. A request passes through five
  // stages, so setting a timer for each would cost more than reading the request: a timer that is
  // set for an earlier time stays, and looks at the deadline of the stage of that time.
  void enter(Stage stage, std::optional<std::chrono::milliseconds> timeout);

  void set_timer();
  void timed_out();

  void read_request();
  void read();
  // Reads as much of the request as has come. The reader stops once after the head, so that the
  // limits on the body are checked before a byte of it is kept.
  void process();

  // Counts what has come and not what was declared: a header alone takes nothing from others.
  bool has_room_for_body();

  void say_continue();
  void give_to_handler();

  // Answers a request that never reaches the handler, and closes the connection: after a malformed
  // one the beginning of the next cannot be found.
  void refuse(HttpResponse response);

  void write_response(HttpResponse response);
  // Writes `output_` and the body from byte `at` on. Each byte that the client takes restarts the
  // timeout. `done` is called unless the stage has changed: then the client was cut off.
  template <class Finish>
  void write_out(std::size_t at, Finish done);

  void written(boost::system::error_code code);
  void piece_written(boost::system::error_code code, std::size_t bytes);

  void linger();
  void discard();

  // Notices that a stream's client has left even while there is nothing to write to it; a quiet
  // stream would otherwise hold its connection forever. It peeks, because a byte that was read
  // would be missing from the client's next request.
  void watch();
  void end_stream();
  void end_of_stream_written();

  const std::shared_ptr<HttpCore> core_;
  HttpStrand strand_;
  HttpSocket socket_;
  HttpTimer timer_;
  const std::string peer_;
  const std::string network_;
  BodyShare body_share_;
  UnreadBytes::Share unread_;
  HttpRequestReader reader_;
  Stage stage_ = Stage::idle;
  // The first `held_` bytes are received and not yet taken by the reader; the rest is room, kept
  // for the next request because a string fills what it grows by with zeros.
  std::string input_;
  std::size_t held_ = 0;
  std::string output_;   // the head of the answer, or a piece of a stream
  HttpResponse answer_;  // keeps the body alive while it is written
  static constexpr auto kNever = std::chrono::steady_clock::time_point::max();
  std::chrono::steady_clock::time_point deadline_ = kNever;  // of the stage
  std::chrono::steady_clock::time_point timer_at_ = kNever;  // `timer_` is set for it
  bool is_head_ = false;
  bool http_1_1_ = true;
  bool close_after_ = false;
  std::shared_ptr<HttpStreamState> stream_;
  bool piece_in_flight_ = false;
};

}  // namespace duel
