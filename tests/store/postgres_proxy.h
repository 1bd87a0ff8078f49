// Stands between a store and its PostgreSQL, and cuts or holds what passes: the network of a bad
// day. A connection is picked by bytes that the store sends on it.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/store/postgres_server.h"

namespace duel {

class PostgresProxy {
 public:
  enum class Fault {
    none,
    loses_question,  // the connection is cut before the bytes pass
    loses_answer,    // they pass, and the connection is cut when the answer comes
    holds_question,  // they wait for `release`, also when the store has hung up
  };

  explicit PostgresProxy(const PostgresServer& server)
      : target_((server.directory() / PostgresServer::socket_name()).string()) {
    std::string path = (std::filesystem::temp_directory_path() / "duel-px-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = path;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of((directory_ / PostgresServer::socket_name()).string());
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 20) != 0) {
      throw std::runtime_error("the proxy cannot listen");
    }
    accepting_ = std::thread([this] { accept_all(); });
  }
  PostgresProxy(const PostgresProxy&) = delete;
  PostgresProxy& operator=(const PostgresProxy&) = delete;
  ~PostgresProxy() {
    stop_ = true;
    accepting_.join();
    for (std::thread& one : pairs_) one.join();
    ::close(listener_);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  // The same database by way of the proxy.
  std::string location(const std::string& database) const {
    const std::size_t host = database.find("?host=");
    return database.substr(0, host) + "?host=" + directory_.string();
  }
  // The next bytes of a store that hold `marker` have the fault, once.
  void arm(Fault fault, const std::string& marker) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    marker_ = marker;
  }
  bool armed() const {
    const std::lock_guard lock(mutex_);
    return fault_ != Fault::none;
  }
  // Every answer takes so much longer.
  void delay_answers(std::chrono::milliseconds time) { delay_ms_ = time.count(); }
  // Lets pass what is held, and waits until PostgreSQL has dealt with it.
  void release() {
    release_ = true;
    while (holding_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    release_ = false;
  }

 private:
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }
  static bool write_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void accept_all() {
    while (!stop_) {
      pollfd one{listener_, POLLIN, 0};
      if (::poll(&one, 1, 20) <= 0) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_un address = address_of(target_);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(client);
        ::close(server);
        continue;
      }
      pairs_.emplace_back([this, client, server] {
        carry(client, server);
        ::close(client);
        ::close(server);
      });
    }
  }

  Fault fault_of(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (fault_ == Fault::none || bytes.find(marker_) == std::string_view::npos) return Fault::none;
    return std::exchange(fault_, Fault::none);
  }

  void carry(int client, int server) {
    std::vector<char> buffer(1 << 16);
    bool cut_at_answer = false;
    while (!stop_) {
      std::array<pollfd, 2> both = {{{client, POLLIN, 0}, {server, POLLIN, 0}}};
      if (::poll(both.data(), both.size(), 20) <= 0) continue;
      if (both[0].revents != 0) {
        const ssize_t got = ::recv(client, buffer.data(), buffer.size(), 0);
        if (got <= 0) return;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        const Fault fault = fault_of(bytes);
        if (fault == Fault::loses_question) return;
        if (fault == Fault::holds_question) return hold(server, bytes);
        cut_at_answer = cut_at_answer || fault == Fault::loses_answer;
        if (!write_all(server, bytes)) return;
      }
      if (both[1].revents != 0) {
        const ssize_t got = ::recv(server, buffer.data(), buffer.size(), 0);
        if (got <= 0) return;
        if (cut_at_answer) {
          drain(server);
          return;
        }
        for (std::int64_t left = delay_ms_; left > 0 && !stop_; left -= 20) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        if (!write_all(client, {buffer.data(), static_cast<std::size_t>(got)})) return;
      }
    }
  }
  void hold(int server, std::string_view bytes) {
    ++holding_;
    while (!release_ && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (write_all(server, bytes)) drain(server);
    --holding_;
  }
  // Until PostgreSQL has answered all: it commits before it is ready for the next query.
  static void drain(int server) {
    ::shutdown(server, SHUT_WR);
    std::array<char, 4096> buffer;
    while (::recv(server, buffer.data(), buffer.size(), 0) > 0) {
    }
  }

  const std::string target_;
  std::filesystem::path directory_;
  int listener_ = -1;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> release_ = false;
  std::atomic<int> holding_ = 0;
  std::atomic<std::int64_t> delay_ms_ = 0;
  mutable std::mutex mutex_;
  Fault fault_ = Fault::none;
  std::string marker_;
  std::thread accepting_;
  std::vector<std::thread> pairs_;  // of the accepting thread's, until it has ended
};

}  // namespace duel
