// `duel serve` in a process of its own, on a store in a directory of the test.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {

// Waits for what is sure to come, for as long as the tests may take.
template <class Condition>
void wait_for(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

class ServedStore {
 public:
  explicit ServedStore(std::string store) : store_(std::move(store)) { start("127.0.0.1:0"); }

  const std::string& url() const { return url_; }
  // Ends at once, as a failure would, and starts again at the same address.
  void kill() {
    server_->send(SIGKILL);
    server_->wait();
    server_.reset();
  }
  void restart(const std::vector<std::string>& more = {}) {
    start(url_.substr(std::string("http://").size()), more);
  }

 private:
  void start(const std::string& address, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"serve", "--listen", address, "--store", store_};
    words.insert(words.end(), more.begin(), more.end());
    server_ = std::make_unique<RunningDuel>(words);
    wait_for([&] { return contains(server_->out_so_far(), "\n"); });
    const std::string out = server_->out_so_far();
    url_ = out.substr(0, out.find('\n'));
  }

  std::string store_;
  std::string url_;
  std::unique_ptr<RunningDuel> server_;
};

}  // namespace duel
