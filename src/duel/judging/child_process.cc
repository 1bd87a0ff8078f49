#include "duel/judging/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "duel/core/check.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace duel {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
// One turn reads no more than this and a piece from one pipe, so that a program that never stops
// printing does not keep us from the others and from the clock.
constexpr std::size_t kMostPerTurn = ChildProcess::kMostOutput - kPiece;

void close_pipe(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

// Both ends close on exec; ours never blocks.
struct Pipe {
  int read = -1;
  int write = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_pipe(read);
    close_pipe(write);
  }
};

int released(int& descriptor) {
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return std::exchange(descriptor, -1);
}

bool would_block(int code) { return code == EAGAIN || code == EWOULDBLOCK; }

// Calls `take(text)` for what the pipe holds now; closes it at its end.
template <class Take>
void drain(int& descriptor, Take&& take) {
  std::array<char, kPiece> buffer;
  std::size_t total = 0;
  while (descriptor >= 0 && total < kMostPerTurn) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
      total += static_cast<std::size_t>(count);
    } else if (count == 0 || (errno != EINTR && !would_block(errno))) {
      close_pipe(descriptor);
    } else if (would_block(errno)) {
      return;
    }
  }
}

Error cannot_start(const std::string& program, int code) {
  if (code == ENOENT) {
    const bool is_path = program.find('/') != std::string::npos;
    return Error::not_found(
        "there is no such program", program,
        is_path ? "or what its first line names after #! is missing"
                : "it was looked for in PATH; ./" + program + " is the one in this folder");
  }
  if (code == EACCES) {
    return Error::unsupported("it may not be run", program,
                              "a script needs to be made executable: chmod +x");
  }
  if (code == ENOEXEC) {
    return Error::unsupported("it is not a program", program,
                              "a script begins with a line like #!/bin/sh");
  }
  return Error::io(fmt::format("cannot be started: {}", std::strerror(code)), program);
}

// What a script's first line names after #!; empty of any other file.
std::string interpreter_of(const std::string& file) {
  std::ifstream script(file, std::ios::binary);
  std::string line;
  if (script.get() != '#' || script.get() != '!' || !std::getline(script, line)) return "";
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

}  // namespace

Status ChildProcess::check_program(const std::string& program) {
  const char* path = std::getenv("PATH");
  const bool looked_up = program.find('/') == std::string::npos;
  const std::string folders = looked_up && path != nullptr ? path : "";
  int code = ENOENT;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    const std::string file = folder.empty() ? program : folder + "/" + program;
    const bool found = ::access(file.c_str(), X_OK) == 0;
    std::error_code ignored;
    if (found && !std::filesystem::is_directory(file, ignored)) {
      const std::string interpreter = interpreter_of(file);
      if (interpreter.empty() || ::access(interpreter.c_str(), X_OK) == 0) return Done{};
      return cannot_start(program, errno);
    }
    if (found || errno == EACCES) code = EACCES;
    begin = end + 1;
  }
  return cannot_start(program, code);
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words) {
  DUEL_CHECK(!words.empty());
  Pipe input;
  Pipe output;
  Pipe complaint;
  if (!input.open() || !output.open() || !complaint.open()) return cannot_start(words[0], errno);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaint.write, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    sigaddset(&defaults, number);
  }
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failed =
      ::posix_spawnp(&pid, copies[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return cannot_start(words[0], failed);
  return ChildProcess({.pid = pid,
                       .input_pipe = released(input.write),
                       .output_pipe = released(output.read),
                       .complaint_pipe = released(complaint.read)});
}

ChildProcess::~ChildProcess() {
  if (held_.pid > 0 && !held_.status) {
    signal_group(SIGKILL);
    int status = 0;
    while (::waitpid(held_.pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close_pipe(held_.input_pipe);
  close_pipe(held_.output_pipe);
  close_pipe(held_.complaint_pipe);
}

void ChildProcess::send(std::string_view text) {
  held_.input.erase(0, held_.sent);
  held_.sent = 0;
  held_.input += text;
}

void ChildProcess::watch(std::vector<pollfd>& descriptors) const {
  const bool writing = held_.input_pipe >= 0 && held_.sent < held_.input.size();
  if (writing) descriptors.push_back({held_.input_pipe, POLLOUT, 0});
  if (held_.output_pipe >= 0) descriptors.push_back({held_.output_pipe, POLLIN, 0});
  if (held_.complaint_pipe >= 0) descriptors.push_back({held_.complaint_pipe, POLLIN, 0});
}

void ChildProcess::write_input() {
  while (held_.input_pipe >= 0 && held_.sent < held_.input.size()) {
    const ssize_t count =
        ::write(held_.input_pipe, held_.input.data() + held_.sent, held_.input.size() - held_.sent);
    if (count >= 0) {
      held_.sent += static_cast<std::size_t>(count);
    } else if (would_block(errno)) {
      return;
    } else if (errno != EINTR) {  // it closed its input: what is left goes nowhere
      close_pipe(held_.input_pipe);
    }
  }
  if (held_.input_ends) close_pipe(held_.input_pipe);
}

void ChildProcess::read_output() {
  drain(held_.output_pipe, [this](std::string_view text) {
    const std::size_t room = kMostOutput - std::min(kMostOutput, held_.output.size());
    if (text.size() > room) held_.overflowed = true;
    held_.output += text.substr(0, room);
  });
}

void ChildProcess::read_complaint() {
  drain(held_.complaint_pipe, [this](std::string_view text) {
    if (text.size() > kMostComplaint) text.remove_prefix(text.size() - kMostComplaint);
    held_.complaint += text;
    if (held_.complaint.size() > kMostComplaint) {
      held_.complaint.erase(0, held_.complaint.size() - kMostComplaint);
    }
  });
}

void ChildProcess::pump() {
  if (held_.pid < 0) return;
  write_input();
  bool just_ended = false;
  if (!held_.status) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(held_.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == held_.pid) {
      // Not waited for yet, so that the group's number is still its own.
      signal_group(SIGKILL);
      int status = 0;
      while (::waitpid(held_.pid, &status, 0) < 0 && errno == EINTR) {
      }
      held_.status = status;
      just_ended = true;
    }
  }
  // After the end was noticed, so that nothing written before it is missed.
  read_output();
  read_complaint();
  if (just_ended) close_pipe(held_.input_pipe);
}

void ChildProcess::wait(std::chrono::milliseconds most) {
  std::vector<pollfd> descriptors;
  watch(descriptors);
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(most.count()));
  pump();
}

int ChildProcess::exit_code() const {
  DUEL_CHECK(held_.status.has_value());
  return WIFEXITED(*held_.status) ? WEXITSTATUS(*held_.status) : 128 + WTERMSIG(*held_.status);
}

std::string ChildProcess::how_it_ended() const {
  DUEL_CHECK(held_.status.has_value());
  if (WIFEXITED(*held_.status)) return fmt::format("exit code {}", WEXITSTATUS(*held_.status));
  const int number = WTERMSIG(*held_.status);
  return fmt::format("ended by signal {} ({})", number, ::strsignal(number));
}

void ChildProcess::signal_group(int signal) const {
  // Once the leader was waited for, the number may be given to another group.
  if (held_.pid > 0 && !held_.status) ::kill(-held_.pid, signal);
}

}  // namespace duel
