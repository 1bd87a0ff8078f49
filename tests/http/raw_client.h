// A socket and the bytes on it: what a client would not send, sent.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "duel/http/http.h"

namespace duel {

class RawClient {
 public:
  // `from` is an address of this machine: all of 127/8 are.
  explicit RawClient(const HttpAddress& address, int receive_buffer = 0, const char* from = nullptr)
      : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    if (from != nullptr) {
      sockaddr_in own{};
      own.sin_family = AF_INET;
      ::inet_pton(AF_INET, from, &own.sin_addr);
      if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) {
        throw std::runtime_error("cannot bind");
      }
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    ::inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
    if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("cannot connect");
    }
  }
  RawClient(RawClient&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), input_(std::move(other.input_)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { close(); }

  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  // As much as the server takes; false once it has closed.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (done <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
  }

  // Everything up to and with `end`, or what came until the connection ended or time ran out.
  std::string read_until(std::string_view end,
                         std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      const std::size_t found = input_.find(end);
      if (!end.empty() && found != std::string::npos) {
        std::string text = input_.substr(0, found + end.size());
        input_.erase(0, text.size());
        return text;
      }
      if (!receive(deadline)) return std::exchange(input_, std::string());
    }
  }
  // One response with a Content-Length.
  std::string read_response() {
    std::string head = read_until("\r\n\r\n");
    const std::size_t found = head.find("Content-Length: ");
    if (found == std::string::npos) return head;
    const std::size_t length = std::stoul(head.substr(found + 16));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (input_.size() < length && receive(deadline)) {
    }
    head += input_.substr(0, length);
    input_.erase(0, std::min(length, input_.size()));
    return head;
  }
  // What comes next, and how much it was; 0 at the end.
  std::size_t read_some() {
    const std::size_t before = input_.size();
    receive(std::chrono::steady_clock::now() + std::chrono::seconds(20));
    const std::size_t got = input_.size() - before;
    input_.clear();
    return got;
  }
  // All that comes until the server closes.
  std::string read_to_end() { return read_until(""); }
  // Whether the server closes within the time, without a byte more.
  bool is_closed(std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    receive(std::chrono::steady_clock::now() + timeout);
    return ended_ && input_.empty();
  }

 private:
  bool receive(std::chrono::steady_clock::time_point deadline) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd entry{descriptor_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) <= 0) return false;
    std::array<char, 65'536> bytes;
    const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    ended_ = got <= 0;
    if (!ended_) input_.append(bytes.data(), static_cast<std::size_t>(got));
    return !ended_;
  }

  int descriptor_;
  std::string input_;
  bool ended_ = false;
};

// The status of a response.
inline int status_of(std::string_view response) {
  return response.starts_with("HTTP/1.1 ") ? std::stoi(std::string(response.substr(9, 3))) : 0;
}

}  // namespace duel
