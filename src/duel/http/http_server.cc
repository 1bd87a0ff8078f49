// The server of http.h on Boost.Asio. Each connection has a strand: everything that touches its
// state runs there, so that nothing in it needs a lock. A connection works on one request at a
// time; further requests of the client wait in the buffer, and answers leave in order.
//
// Three kinds of threads meet here. I/O threads run strands and call the handler, which must not
// block them. Any thread may answer through an HttpReply or write to an HttpStream: those calls go
// to the strand (on_strand). The thread that owns the server drains and destroys it. A reply may
// outlive the server: Core then still exists, and on_strand returns false.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <iterator>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "duel/http/byte_shares.h"
#include "duel/http/http.h"
#include "duel/http/http_reader.h"
#include "duel/http/unread_bytes.h"

// Asio's calls return the error code that they also set.
// NOLINTBEGIN(bugprone-unused-return-value)
namespace duel {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<tcp, Strand>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Strand>;

constexpr std::size_t kHeadPortion = 4'096;  // most requests fit, and idle connections are many
constexpr std::size_t kBodyPortion = 65'536;
// If a connection is closed while bytes are unread, the system resets it, and the client may lose
// the answer (RFC 9112, 9.6). So the rest of a refused request is read for a while.
constexpr milliseconds kLinger{2'000};

// "Sun, 06 Nov 1994 08:49:37 GMT", made once per second and thread.
const std::string& http_date() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now == second) return text;
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&now, &parts);
  second = now;
  text = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

// Drops line ends: one inside a value would let a caller smuggle in another header.
void append_field(std::string& head, std::string_view name, std::string_view value) {
  const auto ends_line = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  const auto append = [&](std::string_view text) {
    if (std::ranges::none_of(text, ends_line)) {
      head += text;
      return;
    }
    std::ranges::remove_copy_if(text, std::back_inserter(head), ends_line);
  };
  append(name);
  head += ": ";
  append(value);
  head += "\r\n";
}

std::string head_of(int status, const HttpFields& headers, bool close) {
  constexpr std::size_t kMostHeads = 400;  // are shorter
  std::string head;
  head.reserve(kMostHeads);
  head += "HTTP/1.1 ";
  head += std::to_string(status);
  head += ' ';
  head += reason_phrase(status);
  head += "\r\nDate: ";
  head += http_date();
  head += "\r\n";
  for (const auto& [name, value] : headers) append_field(head, name, value);
  if (close) head += "Connection: close\r\n";
  return head;
}

struct Core;
class Connection;
void empty_outbox(Core& core);

// What the connections share. Connections hold it, and replies hold connections, so it can outlive
// the server.
struct Core {
  Core(HttpLimits its_limits, HttpHandler its_handler)
      : limits(std::move(its_limits)),
        handler(std::move(its_handler)),
        bodies(limits.all_bodies_bytes, limits.bodies_bytes_of_one),
        files(limits.all_files_bytes, limits.all_files_bytes),
        unread(limits.all_unread_bytes) {}

  asio::io_context io;
  const HttpLimits limits;
  HttpHandler handler;
  ByteShares bodies;
  ByteShares files;
  UnreadBytes unread;

  std::atomic<std::size_t> in_flight = 0;
  std::atomic<std::size_t> streams = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> refused_connections = 0;
  std::atomic<bool> draining = false;

  // Answers that other threads have given, for the connections to send. Many come at once, when a
  // commit ends: the first of them wakes an I/O thread, and that thread sends them all.
  std::mutex outbox_mutex;
  std::vector<std::pair<std::shared_ptr<Connection>, HttpResponse>> outbox;

  // Posting from other threads takes it shared, and the destructor takes it alone to set `stopped`.
  // So nothing is posted after the I/O threads have been told to end, where it would never run.
  std::shared_mutex posting;
  bool stopped = false;

  std::mutex mutex;              // guards `connections`
  std::condition_variable gone;  // a connection has left
  std::unordered_set<Connection*> connections;
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

class StreamState;

class Connection final : public HttpExchange, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Core> core, Socket socket)
      : core_(std::move(core)),
        strand_(socket.get_executor()),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        body_share_(network_),
        unread_(core_->unread),
        reader_(core_->limits) {
    const std::lock_guard lock(core_->mutex);
    core_->connections.insert(this);
  }
  ~Connection() override { leave(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

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
    asio::post(strand_, std::move(work));
    return true;
  }

  // The same, always later, and without a word if the server has been destroyed.
  void close_soon() {
    const std::shared_lock lock(core_->posting);
    if (!core_->stopped) asio::post(strand_, [self = shared_from_this()] { self->close(); });
  }
  // What the client has not read yet. Writers of streams add to it from any thread.
  UnreadBytes::Share& unread() { return unread_; }

  // The answer of a handler, from any thread.
  void send(HttpResponse response) override {
    --core_->in_flight;
    if (strand_.running_in_this_thread()) return take_answer(std::move(response));
    const std::shared_lock lock(core_->posting);
    if (core_->stopped) return;
    bool first = false;
    {
      const std::lock_guard outbox_lock(core_->outbox_mutex);
      first = core_->outbox.empty();
      core_->outbox.emplace_back(shared_from_this(), std::move(response));
    }
    if (first) asio::post(core_->io, [core = core_] { empty_outbox(*core); });
  }
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override;

  // REQUIRES: on an I/O thread.
  void dispatch_send(HttpResponse response) {
    asio::dispatch(strand_, [self = shared_from_this(), answer = std::move(response)]() mutable {
      self->take_answer(std::move(answer));
    });
  }

  // From here on: on the strand.

  void start() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    const auto peer = socket_.remote_endpoint(ignored);
    auto address = peer.address();
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
      address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    }
    peer_ = address.to_string(ignored);
    network_ = network_of(peer_);
    unread_.belongs_to(network_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->close_soon();
    });
    read_request();
  }

  // The handler's answer. In any other stage the client was cut off, and nobody waits for it.
  void take_answer(HttpResponse response) {
    if (stage_ == Stage::handler) write_response(std::move(response));
  }
  void begin_stream(const std::shared_ptr<StreamState>& stream, int status,
                    const HttpFields& headers);
  // Writes what the stream has, unless a piece is on its way.
  void pump();

  // For a server that drains: closes the connection if it is between two requests.
  void leave_if_idle() {
    if (stage_ == Stage::idle) close();
  }

  // May be called in any stage. Pending operations end with an error and see Stage::closed.
  void close() {
    enter(Stage::closed, std::nullopt);
    timer_.cancel();  // it keeps this object
    error_code ignored;
    socket_.close(ignored);
    body_share_.release();
    end_stream();
    unread_.done();
    leave();
  }

 private:
  // A closed connection does not count against the limit, nor keep `drain` waiting, even if a reply
  // still holds the object.
  void leave() {
    const std::lock_guard lock(core_->mutex);
    if (core_->connections.erase(this) > 0) core_->gone.notify_all();
  }

  enum class Stage { idle, head, body, handler, writing, streaming, lingering, closed };

  // Each stage has its own timeout, which replaces the last one. A request passes through five
  // stages, so setting a timer for each would cost more than reading the request: a timer that is
  // set for an earlier time stays, and looks at the deadline of the stage of that time.
  void enter(Stage stage, std::optional<milliseconds> timeout) {
    stage_ = stage;
    deadline_ = timeout ? std::chrono::steady_clock::now() + *timeout : kNever;
    if (deadline_ < timer_at_) set_timer();
  }

  void set_timer() {
    timer_at_ = deadline_;
    timer_.expires_at(timer_at_);  // cancels the one that was set
    timer_.async_wait([self = shared_from_this()](error_code code) {
      if (code) return;
      self->timer_at_ = kNever;
      if (self->deadline_ <= std::chrono::steady_clock::now()) {
        self->timed_out();
      } else if (self->deadline_ < kNever) {
        self->set_timer();
      }
    });
  }

  void timed_out() {
    if (stage_ == Stage::head || stage_ == Stage::body) {
      error_code ignored;
      socket_.cancel(ignored);
      refuse(problem(408, "the request did not come in time", true));
      return;
    }
    close();
  }

  void read_request() {
    reader_ = HttpRequestReader(core_->limits);
    body_share_.release();
    // An idle connection keeps no buffers of a large request or answer: there may be thousands.
    std::string().swap(output_);
    if (held_ == 0) {
      if (input_.capacity() > kHeadPortion) std::string().swap(input_);
      if (core_->draining) {
        close();
        return;
      }
      enter(Stage::idle, core_->limits.idle_timeout);
      read();
      return;
    }
    stage_ = Stage::idle;  // the next request is in the buffer already
    process();
  }

  void read() {
    // Large portions are for clients that have sent much: the memory that a connection costs is
    // bounded by what it has sent.
    const std::size_t sent = stage_ == Stage::body ? reader_.body_bytes() : 0;
    const std::size_t room = std::clamp(sent, kHeadPortion, kBodyPortion);
    if (input_.size() < held_ + room) input_.resize(held_ + room);
    socket_.async_read_some(asio::buffer(input_.data() + held_, room),
                            [self = shared_from_this()](error_code code, std::size_t got) {
                              self->held_ += got;
                              if (self->stage_ != Stage::idle && self->stage_ != Stage::head &&
                                  self->stage_ != Stage::body) {
                                return;  // it timed out, and is being answered 408
                              }
                              // A client that leaves in the middle of a request gets no answer.
                              if (code) {
                                self->close();
                              } else {
                                self->process();
                              }
                            });
  }

  // Reads as much of the request as has come. The reader stops once after the head, so that the
  // limits on the body are checked before a byte of it is kept.
  void process() {
    using State = HttpRequestReader::State;
    for (;;) {
      const State before = reader_.state();
      const std::size_t used = reader_.feed(std::string_view(input_).substr(0, held_));
      held_ -= used;
      if (held_ > 0) input_.erase(0, used);
      switch (reader_.state()) {
        case State::refused:
          refuse(reader_.refusal());
          return;
        case State::complete:
          give_to_handler();
          return;
        case State::nothing:
          read();
          return;
        case State::head:
          if (stage_ != Stage::head) enter(Stage::head, core_->limits.header_timeout);
          read();
          return;
        case State::body:
          break;
      }
      if (!has_room_for_body()) {
        HttpResponse busy = problem(503, "the server holds too many bodies at once", true);
        busy.headers.emplace_back("Retry-After", "1");
        refuse(std::move(busy));
        return;
      }
      if (before != State::body) {
        enter(Stage::body, core_->limits.body_timeout);
        if (reader_.expects_continue() && held_ == 0) {
          say_continue();
          return;
        }
      } else if (used == 0) {
        read();
        return;
      }
      if (held_ == 0) {
        read();
        return;
      }
    }
  }

  // Counts what has come and not what was declared: a header alone takes nothing from others.
  bool has_room_for_body() {
    const std::size_t came = reader_.body_bytes();
    const std::size_t free = std::min(came, core_->limits.few_body_bytes);
    return body_share_.grow_to(came - free, reader_.to_file() ? core_->files : core_->bodies);
  }

  void say_continue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](error_code code, std::size_t) {
                        if (self->stage_ != Stage::body) return;
                        if (code) {
                          self->close();
                        } else {
                          self->read();
                        }
                      });
  }

  void give_to_handler();
  void piece_written(error_code code, std::size_t bytes);

  // Answers a request that never reaches the handler, and closes the connection: after a malformed
  // one the beginning of the next cannot be found.
  void refuse(HttpResponse response) {
    close_after_ = true;
    reader_ = HttpRequestReader(core_->limits);  // what has come of a body is not kept
    is_head_ = false;  // left over from the request before; the method of this one may be unknown
    write_response(std::move(response));
  }

  void write_response(HttpResponse response) {
    // Before the client gets the answer: its next request may need the room.
    body_share_.release();
    const bool close = close_after_ || core_->draining;
    close_after_ = close;
    output_ = head_of(response.status, response.headers, close);
    if (!has_no_body(response.status)) {
      append_field(output_, "Content-Length", std::to_string(response.text().size()));
    }
    output_ += "\r\n";
    answer_ = is_head_ || has_no_body(response.status) ? HttpResponse() : std::move(response);
    unread_.add(output_.size() + answer_.body.size(), answer_.shared_body);
    enter(Stage::writing, core_->limits.write_timeout);
    write_out(0, [this](error_code code) { written(code); });
  }

  // Writes `output_` and the body from byte `at` on. Each byte that the client takes restarts the
  // timeout. `done` is called unless the stage has changed: then the client was cut off.
  template <class Finish>
  void write_out(std::size_t at, Finish done) {
    const std::array<asio::const_buffer, 2> rest = {
        asio::buffer(output_) + at,
        asio::buffer(answer_.text()) + (at > output_.size() ? at - output_.size() : 0)};
    socket_.async_write_some(rest, [self = shared_from_this(), stage = stage_, at, done](
                                       error_code code, std::size_t count) {
      if (self->stage_ != stage) return;
      const std::size_t now = at + count;
      if (code || now == self->output_.size() + self->answer_.text().size()) {
        done(code);
        return;
      }
      self->enter(stage, self->core_->limits.write_timeout);
      self->unread_.took(0);
      self->write_out(now, done);
    });
  }

  void written(error_code code) {
    const HttpResponse read = std::move(answer_);  // an assignment would keep a large body's memory
    unread_.done();
    if (code) {
      close();
    } else if (close_after_) {
      linger();
    } else {
      read_request();
    }
  }

  void linger() {
    error_code failed;
    socket_.shutdown(tcp::socket::shutdown_send, failed);
    if (failed) {
      close();
      return;
    }
    enter(Stage::lingering, kLinger);
    discard();
  }
  void discard() {
    input_.resize(kHeadPortion);
    socket_.async_read_some(asio::buffer(input_),
                            [self = shared_from_this()](error_code code, std::size_t) {
                              if (self->stage_ != Stage::lingering) return;
                              if (code) {
                                self->close();
                              } else {
                                self->discard();
                              }
                            });
  }

  // Notices that a stream's client has left even while there is nothing to write to it; a quiet
  // stream would otherwise hold its connection forever. It peeks, because a byte that was read
  // would be missing from the client's next request.
  void watch() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code code) {
      if (code || self->stage_ != Stage::streaming) return;
      char byte = 0;
      const ssize_t got = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (got > 0) return;  // the client has sent its next request, which is read after this one
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        self->watch();
        return;
      }
      self->close();
    });
  }

  void end_stream();
  void end_of_stream_written();

  const std::shared_ptr<Core> core_;
  Strand strand_;
  Socket socket_;
  Timer timer_;
  std::string peer_;
  std::string network_;
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
  std::shared_ptr<StreamState> stream_;
  bool piece_in_flight_ = false;
};

// What a stream's writer, on any thread, and its connection share. Callbacks are called and
// destroyed outside the mutex, since they may use the stream.
class StreamState final : public HttpStream {
 public:
  StreamState(std::shared_ptr<Connection> connection, std::size_t capacity)
      : connection_(std::move(connection)), capacity_(capacity) {}

  bool write(std::string piece) override {
    if (piece.empty()) return !closed();
    const std::size_t bytes = piece.size();
    connection_->unread().add(bytes);
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || finished_ || cut_) {
        connection_->unread().took(bytes);
        return false;
      }
      // A single piece may be larger than the buffer, but nothing may wait behind it.
      cut_ = buffered_ > 0 && buffered_ + piece.size() > capacity_;
      if (!cut_) {
        buffered_ += piece.size();
        if (buffered_ > capacity_ / 4) was_full_ = true;
        if (pending_.empty()) {
          pending_ = std::move(piece);
        } else {
          pending_ += piece;
        }
        wake = !std::exchange(pump_posted_, true);
      }
    }
    if (wake) {
      post([](Connection& connection) { connection.pump(); });
      return true;
    }
    if (!slow()) return true;
    post([](Connection& connection) { connection.close(); });
    return false;
  }
  void finish() override {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || cut_ || std::exchange(finished_, true)) return;
    }
    post([](Connection& connection) { connection.pump(); });
  }
  // The writer has dropped the stream without `finish`: cutting it off shows the client that the
  // body is not whole.
  void abandon() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || finished_) return;
    }
    post([](Connection& connection) { connection.close(); });
  }

  std::size_t buffered() const override {
    const std::lock_guard lock(mutex_);
    return buffered_;
  }
  std::size_t capacity() const override { return capacity_; }
  bool closed() const override {
    const std::lock_guard lock(mutex_);
    return closed_ || finished_ || cut_;
  }

  // The swap moves the old callback out of the lock: destroying it may drop the last reference to
  // the stream, whose destructor locks.
  void on_room(std::function<void()> callback) override {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      room_.swap(callback);
      was_full_ = true;
    }
    post([](Connection& connection) { connection.pump(); });
  }
  void on_close(std::function<void()> callback) override {
    bool now = false;
    {
      const std::lock_guard lock(mutex_);
      now = closed_;
      if (!now) gone_.swap(callback);
    }
    if (now && callback) callback();
  }

  // The connection's side, on its strand.

  struct Work {
    std::string piece;
    bool end = false;
  };
  Work take() {
    const std::lock_guard lock(mutex_);
    pump_posted_ = false;
    return {std::exchange(pending_, std::string()), finished_};
  }
  void sent(std::size_t bytes) {
    connection_->unread().took(bytes);
    const std::lock_guard lock(mutex_);
    buffered_ -= bytes;
  }
  // The callback that is due now, if one is.
  std::function<void()> room_to_tell() {
    const std::lock_guard lock(mutex_);
    if (!room_ || closed_ || finished_ || buffered_ > capacity_ / 4) return {};
    if (!std::exchange(was_full_, false)) return {};
    return room_;
  }
  void close() {
    std::function<void()> gone, room;
    bool whole = false;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(closed_, true)) return;
      std::string().swap(pending_);
      room.swap(room_);
      gone.swap(gone_);
      whole = ended_;
    }
    if (gone && !whole) gone();
  }
  void ended() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }

 private:
  bool slow() const {
    const std::lock_guard lock(mutex_);
    return cut_;
  }

  template <class Work>
  void post(Work work) {
    // The task keeps the connection alive until it has run.
    if (!connection_->on_strand([connection = connection_, work] { work(*connection); })) close();
  }

  const std::shared_ptr<Connection> connection_;
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::string pending_;
  std::size_t buffered_ = 0;  // pending, or being sent
  bool pump_posted_ = false;
  bool was_full_ = false;
  bool finished_ = false;  // by the writer
  bool ended_ = false;     // and all of it is sent
  bool cut_ = false;       // the client is too slow; the connection is about to be closed
  bool closed_ = false;
  std::function<void()> room_;
  std::function<void()> gone_;
};

// Sends what is in the outbox. On an I/O thread, where `dispatch` runs the work at once unless the
// strand is busy.
void empty_outbox(Core& core) {
  std::vector<std::pair<std::shared_ptr<Connection>, HttpResponse>> answers;
  {
    const std::lock_guard lock(core.outbox_mutex);
    answers.swap(core.outbox);
  }
  for (auto& [connection, response] : answers) connection->dispatch_send(std::move(response));
}

std::shared_ptr<HttpStream> Connection::stream(int status, HttpFields headers) {
  --core_->in_flight;
  const auto state =
      std::make_shared<StreamState>(shared_from_this(), core_->limits.stream_buffer_bytes);
  const bool begun =
      on_strand([kept = shared_from_this(), state, status, its = std::move(headers)] {
        kept->begin_stream(state, status, its);
      });
  if (!begun) state->close();
  // The connection holds the state, too: the writer has dropped the stream when its own pointers
  // are gone.
  return {state.get(), [kept = state](HttpStream*) mutable {
            kept->abandon();
            kept.reset();
          }};
}

void Connection::give_to_handler() {
  is_head_ = reader_.request().method == HttpMethod::head;
  http_1_1_ = reader_.http_1_1();
  close_after_ = !reader_.keep_alive();
  HttpRequest request = reader_.take();
  request.peer = peer_;
  // No timeout: how long an answer takes is the handler's affair.
  enter(Stage::handler, std::nullopt);
  if (core_->in_flight.fetch_add(1) >= core_->limits.requests_in_flight) {
    --core_->in_flight;
    HttpResponse busy = problem(429, "the server has too many requests at once", true);
    busy.headers.emplace_back("Retry-After", "1");
    write_response(std::move(busy));
    return;
  }
  ++core_->requests;
  try {
    core_->handler(std::move(request), HttpReply(shared_from_this()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): the dropped reply has answered 500
  }
}

void Connection::begin_stream(const std::shared_ptr<StreamState>& stream, int status,
                              const HttpFields& headers) {
  if (stage_ != Stage::handler) {
    stream->close();
    return;
  }
  if (core_->draining) close_after_ = true;
  // HTTP/1.0 has no chunks: the end of the connection is the end of the body.
  if (!http_1_1_) close_after_ = true;
  output_ = head_of(status, headers, close_after_);
  if (http_1_1_) output_ += "Transfer-Encoding: chunked\r\n";
  output_ += "\r\n";
  if (is_head_) {
    stream->close();
    enter(Stage::writing, core_->limits.write_timeout);
    write_out(0, [this](error_code code) { written(code); });
    return;
  }
  stream_ = stream;
  ++core_->streams;
  enter(Stage::streaming, core_->limits.write_timeout);
  piece_in_flight_ = true;
  write_out(0, [this](error_code code) { piece_written(code, 0); });
  // If the client has sent its next request already, there are always bytes to peek at, and its
  // leaving is only noticed by a write that fails.
  if (held_ == 0) watch();
}

void Connection::piece_written(error_code code, std::size_t bytes) {
  piece_in_flight_ = false;
  if (code) {
    close();
    return;
  }
  enter(Stage::streaming, std::nullopt);
  const std::shared_ptr<StreamState> stream = stream_;  // a callback may close the connection
  stream->sent(bytes);
  if (const auto tell = stream->room_to_tell()) tell();
  pump();
}

void Connection::pump() {
  if (stage_ != Stage::streaming || piece_in_flight_) return;
  const std::shared_ptr<StreamState> stream = stream_;
  StreamState::Work work = stream->take();
  if (work.piece.empty() && !work.end) {
    // The callback may write, which calls pump again.
    if (const auto tell = stream->room_to_tell()) tell();
    return;
  }
  const std::size_t bytes = work.piece.size();
  if (bytes == 0) {
    output_ = http_1_1_ ? "0\r\n\r\n" : "";
    enter(Stage::writing, core_->limits.write_timeout);
    write_out(0, [this](error_code code) {
      if (!code) end_of_stream_written();
      written(code);
    });
    return;
  }
  output_ = http_1_1_ ? fmt::format("{:x}\r\n", bytes) : "";
  output_ += work.piece;
  if (http_1_1_) output_ += "\r\n";
  piece_in_flight_ = true;
  enter(Stage::streaming, core_->limits.write_timeout);
  write_out(0, [this, bytes](error_code code) { piece_written(code, bytes); });
}

void Connection::end_of_stream_written() {
  stream_->ended();
  end_stream();
  error_code ignored;
  socket_.cancel(ignored);  // the watch
}

void Connection::end_stream() {
  if (stream_ == nullptr) return;
  const std::shared_ptr<StreamState> stream = std::move(stream_);
  stream_ = nullptr;
  --core_->streams;
  stream->close();
}

class AsioServer final : public HttpServer {
 public:
  AsioServer(HttpLimits limits, HttpHandler handler)
      : core_(std::make_shared<Core>(std::move(limits), std::move(handler))),
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
    acceptor_.async_accept(asio::make_strand(core_->io), [this](error_code code, Socket socket) {
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
    });
  }

  void greet(Socket socket) {
    {
      const std::lock_guard lock(core_->mutex);
      if (core_->connections.size() >= core_->limits.connections) {
        ++core_->refused_connections;
        turn_away(socket);
        return;
      }
    }
    const auto connection = std::make_shared<Connection>(core_, std::move(socket));
    connection->on_strand([connection] { connection->start(); });
  }

  // Sends a refusal if it fits into the socket's buffer. Waiting for the client would let callers
  // beyond the limit hold resources after all.
  static void turn_away(Socket& socket) {
    const HttpResponse busy = problem(503, "the server has too many connections", true);
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

  std::vector<std::shared_ptr<Connection>> connections() const {
    std::vector<std::shared_ptr<Connection>> all;
    const std::lock_guard lock(core_->mutex);
    for (Connection* connection : core_->connections) {
      // A connection in its constructor or destructor has no shared owner.
      if (auto owned = connection->weak_from_this().lock()) all.push_back(std::move(owned));
    }
    return all;
  }

  std::shared_ptr<Core> core_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  Strand accept_strand_;
  asio::basic_socket_acceptor<tcp, Strand> acceptor_;
  Timer retry_;
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
