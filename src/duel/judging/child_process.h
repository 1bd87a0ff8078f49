// Another program at work: started without a shell in a process group of its own, spoken to through
// pipes that never block, ended with everything it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"

struct pollfd;

namespace duel {

// REQUIRES of the process that uses it: SIGPIPE is ignored. The program gets default signals.
class ChildProcess {
 public:
  // How much of what it says is kept: the beginning of its output, the end of its complaints.
  // One turn of `pump` brings less output: a caller who takes it after each loses none.
  static constexpr std::size_t kMostOutput = std::size_t{1} << 20;
  static constexpr std::size_t kMostComplaint = 4096;

  // Whether the program is there and may be run, as `start` would find it.
  static Status check_program(const std::string& program);

  // `words[0]` is looked up in PATH. An error says why it cannot be started; its code is `io` where
  // another try may succeed.
  static Result<ChildProcess> start(const std::vector<std::string>& words);

  ChildProcess(ChildProcess&& other) noexcept : held_(std::exchange(other.held_, {})) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  // Kills the group without mercy and leaves no zombie.
  ~ChildProcess();

  // Queues text for its standard input. A program that does not read is no error: it may answer
  // without.
  void send(std::string_view text);
  // Closes its standard input once all is sent.
  void end_input() { held_.input_ends = true; }

  // What to wait for with poll(2).
  void watch(std::vector<pollfd>& descriptors) const;
  // Moves what can be moved without waiting and notices its end, with which everything in its group
  // ends. What it wrote before is in `output` when `ended` says so.
  void pump();
  // Waits until something can be moved, but no longer than `most`, and pumps.
  void wait(std::chrono::milliseconds most);

  // What it printed and nobody took, at most kMostOutput; `overflowed` if there was more (which was
  // read and thrown away, so that it does not wait for us for ever).
  std::string& output() { return held_.output; }
  const std::string& output() const { return held_.output; }
  bool overflowed() const { return held_.overflowed; }
  bool output_closed() const { return held_.output_pipe < 0; }
  // The end of what it wrote to standard error.
  const std::string& complaint() const { return held_.complaint; }

  bool ended() const { return held_.status.has_value(); }
  // Its exit code, or 128 + the signal that ended it. REQUIRES: ended().
  int exit_code() const;
  // "exit code 3", "ended by signal 11 (Segmentation fault)". REQUIRES: ended().
  std::string how_it_ended() const;

  // To the whole group.
  void signal_group(int signal) const;

 private:
  // All of it goes with the object when that is moved.
  struct Held {
    pid_t pid = -1;
    int input_pipe = -1;
    int output_pipe = -1;
    int complaint_pipe = -1;
    std::string input{};
    std::size_t sent = 0;
    bool input_ends = false;
    std::string output{};
    bool overflowed = false;
    std::string complaint{};
    std::optional<int> status{};  // as waitpid gave it
  };
  explicit ChildProcess(Held held) : held_(std::move(held)) {}

  void write_input();
  void read_output();
  void read_complaint();

  Held held_;
};

}  // namespace duel
