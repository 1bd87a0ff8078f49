#include "duel/http/http_stream_state.h"

#include <utility>

namespace duel {

bool HttpStreamState::write(std::string piece) {
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
    post([](HttpConnection& connection) { connection.pump(); });
    return true;
  }
  if (!slow()) return true;
  post([](HttpConnection& connection) { connection.close(); });
  return false;
}

void HttpStreamState::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || cut_ || std::exchange(finished_, true)) return;
  }
  post([](HttpConnection& connection) { connection.pump(); });
}

void HttpStreamState::abandon() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || finished_) return;
  }
  post([](HttpConnection& connection) { connection.close(); });
}

std::size_t HttpStreamState::buffered() const {
  const std::lock_guard lock(mutex_);
  return buffered_;
}

bool HttpStreamState::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_ || finished_ || cut_;
}

// The swap moves the old callback out of the lock: destroying it may drop the last reference to
// the stream, whose destructor locks.
void HttpStreamState::on_room(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    room_.swap(callback);
    was_full_ = true;
  }
  post([](HttpConnection& connection) { connection.pump(); });
}

void HttpStreamState::on_close(std::function<void()> callback) {
  bool now = false;
  {
    const std::lock_guard lock(mutex_);
    now = closed_;
    if (!now) gone_.swap(callback);
  }
  if (now && callback) callback();
}

HttpStreamState::Work HttpStreamState::take() {
  const std::lock_guard lock(mutex_);
  pump_posted_ = false;
  return {std::exchange(pending_, std::string()), finished_};
}

void HttpStreamState::sent(std::size_t bytes) {
  connection_->unread().took(bytes);
  const std::lock_guard lock(mutex_);
  buffered_ -= bytes;
}

std::function<void()> HttpStreamState::room_to_tell() {
  const std::lock_guard lock(mutex_);
  if (!room_ || closed_ || finished_ || buffered_ > capacity_ / 4) return {};
  if (!std::exchange(was_full_, false)) return {};
  return room_;
}

void HttpStreamState::close() {
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

void HttpStreamState::ended() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

bool HttpStreamState::slow() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

}  // namespace duel
