#include "duel/http/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <string_view>

#include "duel/http/http_head.h"
#include "duel/http/http_stream_state.h"

// Asio's calls return the error code that they also set.
// NOLINTBEGIN(bugprone-unused-return-value)
namespace duel {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t kHeadPortion = 4'096;  // most requests fit, and idle connections are many
constexpr std::size_t kBodyPortion = 65'536;
// If a connection is closed while bytes are unread, the system resets it, and the client may lose
// the answer (RFC 9112, 9.6). So the rest of a refused request is read for a while.
constexpr milliseconds kLinger{2'000};

// Sends what is in the outbox. On an I/O thread, where `dispatch` runs the work at once unless the
// strand is busy.
void empty_outbox(HttpCore& core) {
  std::vector<std::pair<std::shared_ptr<HttpConnection>, HttpResponse>> answers;
  {
    const std::lock_guard lock(core.outbox_mutex);
    answers.swap(core.outbox);
  }
  for (auto& [connection, response] : answers) connection->dispatch_send(std::move(response));
}

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpCore> core, HttpSocket socket, std::string peer)
    : core_(std::move(core)),
      strand_(socket.get_executor()),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      peer_(std::move(peer)),
      network_(network_of(peer_)),
      body_share_(network_),
      unread_(core_->unread),
      reader_(core_->limits) {
  const std::lock_guard lock(core_->mutex);
  core_->connections.insert(this);
}

void HttpConnection::close_soon() {
  const std::shared_lock lock(core_->posting);
  if (!core_->stopped) asio::post(strand_, [self = shared_from_this()] { self->close(); });
}

void HttpConnection::send(HttpResponse response) {
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

void HttpConnection::dispatch_send(HttpResponse response) {
  asio::dispatch(strand_, [self = shared_from_this(), answer = std::move(response)]() mutable {
    self->take_answer(std::move(answer));
  });
}

void HttpConnection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  unread_.belongs_to(network_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close_soon();
  });
  read_request();
}

void HttpConnection::close() {
  enter(Stage::closed, std::nullopt);
  timer_.cancel();  // it keeps this object
  error_code ignored;
  socket_.close(ignored);
  body_share_.release();
  end_stream();
  unread_.done();
  leave();
}

void HttpConnection::leave() {
  const std::lock_guard lock(core_->mutex);
  if (core_->connections.erase(this) == 0) return;
  core_->places.give_back(network_, 1);
  core_->gone.notify_all();
}

void HttpConnection::enter(Stage stage, std::optional<milliseconds> timeout) {
  stage_ = stage;
  deadline_ = timeout ? std::chrono::steady_clock::now() + *timeout : kNever;
  if (deadline_ < timer_at_) set_timer();
}

void HttpConnection::set_timer() {
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

void HttpConnection::timed_out() {
  if (stage_ == Stage::head || stage_ == Stage::body) {
    error_code ignored;
    socket_.cancel(ignored);
    refuse(problem(408, "the request did not come in time", true));
    return;
  }
  close();
}

void HttpConnection::read_request() {
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

void HttpConnection::read() {
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

void HttpConnection::process() {
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

bool HttpConnection::has_room_for_body() {
  const std::size_t came = reader_.body_bytes();
  const std::size_t free = std::min(came, core_->limits.few_body_bytes);
  return body_share_.grow_to(came - free, reader_.to_file() ? core_->files : core_->bodies);
}

void HttpConnection::say_continue() {
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

void HttpConnection::refuse(HttpResponse response) {
  close_after_ = true;
  reader_ = HttpRequestReader(core_->limits);  // what has come of a body is not kept
  is_head_ = false;  // left over from the request before; the method of this one may be unknown
  write_response(std::move(response));
}

void HttpConnection::write_response(HttpResponse response) {
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

template <class Finish>
void HttpConnection::write_out(std::size_t at, Finish done) {
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

void HttpConnection::written(error_code code) {
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

void HttpConnection::linger() {
  error_code failed;
  socket_.shutdown(tcp::socket::shutdown_send, failed);
  if (failed) {
    close();
    return;
  }
  enter(Stage::lingering, kLinger);
  discard();
}

void HttpConnection::discard() {
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

void HttpConnection::watch() {
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

std::shared_ptr<HttpStream> HttpConnection::stream(int status, HttpFields headers) {
  --core_->in_flight;
  const auto state =
      std::make_shared<HttpStreamState>(shared_from_this(), core_->limits.stream_buffer_bytes);
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

void HttpConnection::give_to_handler() {
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

void HttpConnection::begin_stream(const std::shared_ptr<HttpStreamState>& stream, int status,
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

void HttpConnection::piece_written(error_code code, std::size_t bytes) {
  piece_in_flight_ = false;
  if (code) {
    close();
    return;
  }
  enter(Stage::streaming, std::nullopt);
  const std::shared_ptr<HttpStreamState> stream = stream_;  // a callback may close the connection
  stream->sent(bytes);
  if (const auto tell = stream->room_to_tell()) tell();
  pump();
}

void HttpConnection::pump() {
  if (stage_ != Stage::streaming || piece_in_flight_) return;
  const std::shared_ptr<HttpStreamState> stream = stream_;
  HttpStreamState::Work work = stream->take();
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

void HttpConnection::end_of_stream_written() {
  stream_->ended();
  end_stream();
  error_code ignored;
  socket_.cancel(ignored);  // the watch
}

void HttpConnection::end_stream() {
  if (stream_ == nullptr) return;
  const std::shared_ptr<HttpStreamState> stream = std::move(stream_);
  stream_ = nullptr;
  --core_->streams;
  stream->close();
}

}  // namespace duel
// NOLINTEND(bugprone-unused-return-value)
