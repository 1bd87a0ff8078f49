// A handler called without a socket: a request is made, and what the handler answers is kept.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/http/http.h"
#include "duel/http/http_text.h"

namespace duel {

inline HttpRequest http_request(HttpMethod method, std::string target, std::string body = "",
                                HttpFields headers = {}) {
  HttpRequest request;
  request.method = method;
  request.method_text = to_word(method);
  request.target = std::move(target);
  const std::size_t question = std::min(request.target.find('?'), request.target.size());
  request.path = request.target.substr(0, question);
  request.query =
      parse_query(
          std::string_view(request.target).substr(std::min(question + 1, request.target.size())))
          .value();
  request.headers = std::move(headers);
  request.body = std::move(body);
  request.peer = "127.0.0.1";
  return request;
}

// What a handler has answered, and a stream that takes everything until it is told to be gone.
class RecordedExchange final : public HttpExchange {
 public:
  void send(HttpResponse response) override {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    response_->body = std::string(response_->text());
    ++answers_;
    answered_.notify_all();
  }
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override {
    const std::lock_guard lock(mutex_);
    stream_ = std::make_shared<Recording>();
    response_ = HttpResponse{status, std::move(headers), ""};
    ++answers_;
    answered_.notify_all();
    return stream_;
  }

  // Waits for the answer; for ever, if there is none.
  HttpResponse response() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return response_.has_value(); });
    return *response_;
  }
  int answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }

  class Recording final : public HttpStream {
   public:
    bool write(std::string piece) override {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      text_ += piece;
      return true;
    }
    void finish() override {
      const std::lock_guard lock(mutex_);
      closed_ = finished_ = true;
    }
    std::size_t buffered() const override { return 0; }
    bool closed() const override {
      const std::lock_guard lock(mutex_);
      return closed_;
    }
    // There is always room, so that the callback does all its work now.
    void on_room(std::function<void()> callback) override {
      while (!closed()) {
        const std::size_t before = text().size();
        callback();
        if (text().size() == before) break;
      }
    }
    std::size_t capacity() const override { return std::size_t{1} << 20; }
    void on_close(std::function<void()> callback) override {
      const std::lock_guard lock(mutex_);
      gone_ = std::move(callback);
    }

    // The client goes.
    void leave() {
      std::function<void()> gone;
      {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        gone = std::exchange(gone_, {});
      }
      if (gone) gone();
    }
    std::string text() const {
      const std::lock_guard lock(mutex_);
      return text_;
    }
    bool finished() const {
      const std::lock_guard lock(mutex_);
      return finished_;
    }

   private:
    mutable std::mutex mutex_;
    std::string text_;
    bool closed_ = false;
    bool finished_ = false;
    std::function<void()> gone_;
  };
  std::shared_ptr<Recording> stream() const {
    const std::lock_guard lock(mutex_);
    return stream_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::optional<HttpResponse> response_;
  std::shared_ptr<Recording> stream_;
  int answers_ = 0;
};

// The answer of a handler to a request.
inline HttpResponse answer_of(const HttpHandler& handler, HttpRequest request) {
  const auto exchange = std::make_shared<RecordedExchange>();
  handler(std::move(request), HttpReply(exchange));
  return exchange->response();
}

}  // namespace duel
