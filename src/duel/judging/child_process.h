// Another program at work: started without a shell in a process group of its own, spoken to through
// pipes that never block, ended with everything it started.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

struct pollfd;

namespace duel {

// REQUIRES of the process that uses it: SIGPIPE is ignored. The program gets default signals.
class ChildProcess {
 public:
  // How much of what it says is kept: the beginning of its output, the end of its complaints.
  static constexpr std::size_t kMostOutput = std::size_t{1} << 20;
  static constexpr std::size_t kMostComplaint = 4096;

  // Whether the program is there and may be run, as `start` would find it.
  static Status check_program(const std::string& program);

  // `words[0]` is looked up in PATH. An error says why it cannot be started; its code is `io` where
  // another try may succeed.
  static Result<ChildProcess> start(const std::vector<std::string>& words);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  // Kills the group without mercy and leaves no zombie.
  ~ChildProcess();

  // Queues text for its standard input. A program that does not read is no error: it may answer
  // without.
  void send(std::string_view text);
  // Closes its standard input once all is sent.
  void end_input() { input_ends_ = true; }

  // What to wait for with poll(2).
  void watch(std::vector<pollfd>& descriptors) const;
  // Moves what can be moved without waiting and notices its end, with which everything in its group
  // ends. What it wrote before is in `output` when `ended` says so.
  void pump();

  // What it printed and nobody took, at most kMostOutput; `overflowed` if there was more (which was
  // read and thrown away, so that it does not wait for us for ever).
  std::string& output() { return output_; }
  const std::string& output() const { return output_; }
  bool overflowed() const { return overflowed_; }
  bool output_closed() const { return output_pipe_ < 0; }
  // The end of what it wrote to standard error.
  const std::string& complaint() const { return complaint_; }

  bool ended() const { return status_.has_value(); }
  // Its exit code, or 128 + the signal that ended it. REQUIRES: ended().
  int exit_code() const;
  // "exit code 3", "ended by signal 11 (Segmentation fault)". REQUIRES: ended().
  std::string how_it_ended() const;

  // To the whole group.
  void signal_group(int signal) const;

 private:
  ChildProcess(pid_t pid, int input, int output, int complaint)
      : pid_(pid), input_pipe_(input), output_pipe_(output), complaint_pipe_(complaint) {}

  void write_input();
  void read_output();
  void read_complaint();
  void abandon();

  pid_t pid_ = -1;
  int input_pipe_ = -1;
  int output_pipe_ = -1;
  int complaint_pipe_ = -1;
  std::string input_;
  std::size_t sent_ = 0;
  bool input_ends_ = false;
  std::string output_;
  bool overflowed_ = false;
  std::string complaint_;
  std::optional<int> status_;  // as waitpid gave it
};

}  // namespace duel
