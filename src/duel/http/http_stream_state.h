// What a stream's writer and its connection share.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "duel/http/http.h"
#include "duel/http/http_connection.h"

namespace duel {

// The writer may be on any thread. Callbacks are called and destroyed outside the mutex, since they
// may use the stream.
class HttpStreamState final : public HttpStream {
 public:
  HttpStreamState(std::shared_ptr<HttpConnection> connection, std::size_t capacity)
      : connection_(std::move(connection)), capacity_(capacity) {}

  bool write(std::string piece) override;
  void finish() override;
  // The writer has dropped the stream without `finish`: cutting it off shows the client that the
  // body is not whole.
  void abandon();

  std::size_t buffered() const override;
  std::size_t capacity() const override { return capacity_; }
  bool closed() const override;

  void on_room(std::function<void()> callback) override;
  void on_close(std::function<void()> callback) override;

  // The connection's side, on its strand.

  struct Work {
    std::string piece;
    bool end = false;
  };
  Work take();
  void sent(std::size_t bytes);
  // The callback that is due now, if one is.
  std::function<void()> room_to_tell();
  void close();
  void ended();

 private:
  bool slow() const;

  template <class Work>
  void post(Work work) {
    // The task keeps the connection alive until it has run.
    if (!connection_->on_strand([connection = connection_, work] { work(*connection); })) close();
  }

  const std::shared_ptr<HttpConnection> connection_;
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

}  // namespace duel
