// A program on a terminal of 80 columns, as a person meets it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {

class OnTerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(::grantpt(terminal_), 0);
    ASSERT_EQ(::unlockpt(terminal_), 0);
    const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
    name_ = ::ptsname(terminal_);
    // Held open, so that its mode can be looked at when the program is gone.
    line_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(line_, 0);
  }
  ~OnTerminal() override {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(line_);
    ::close(terminal_);
  }

  void start_program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string directory = directory_.path().string(), program = duel_binary();
    pid_ = ::fork();
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      ::setsid();
      const int line = ::open(name_.c_str(), O_RDWR);  // becomes the controlling terminal
      for (const int stream : {0, 1, 2}) ::dup2(line, stream);
      ::setenv("TERM", "xterm", 1);
      ::setenv("duel", program.c_str(), 1);
      if (::chdir(directory.c_str()) != 0) ::_exit(127);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
  }
  // What it has shown since the last call, until `enough` says so of that.
  std::string shown(const std::function<bool(const std::string&)>& enough) {
    std::string text;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!enough(text) && std::chrono::steady_clock::now() < limit) {
      pollfd output{terminal_, POLLIN, 0};
      if (::poll(&output, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof(bytes));
      if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
    }
    EXPECT_TRUE(enough(text)) << text;
    return text;
  }
  std::string shown_up_to(const std::string& part) {
    return shown([&](const std::string& text) { return contains(text, part); });
  }
  void press(const std::string& keys) {
    ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  bool is_raw() const {
    termios mode{};
    EXPECT_EQ(::tcgetattr(line_, &mode), 0);
    return (mode.c_lflag & (ICANON | ECHO)) == 0;
  }
  // How it ended; what it shows is read, or it could not write on.
  int status() {
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      pollfd output{terminal_, POLLIN, 0};
      char bytes[4096];
      if (::poll(&output, 1, 20) > 0 && ::read(terminal_, bytes, sizeof(bytes)) < 0) break;
    }
    pid_ = -1;
    return status;
  }

  TemporaryDirectory directory_;
  std::string name_;
  int terminal_ = -1, line_ = -1;
  pid_t pid_ = -1;
};

}  // namespace duel
