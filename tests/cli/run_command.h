// Runs the `duel` binary as a user would, for black-box tests.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace duel {

struct CommandResult {
  int exit_code = -1;  // 128 + signal where a signal ended it, as a shell says
  std::string out;
  std::string err;
};

struct CommandOptions {
  std::string input{};                                            // on stdin; empty: /dev/null
  std::filesystem::path directory{};                              // working directory; empty: ours
  std::map<std::string, std::optional<std::string>> variables{};  // set, or unset where nullopt
  std::chrono::seconds timeout{120};                              // then it is killed
};

// `duel ARGUMENTS...`. DUEL_*, NO_COLOR, CLICOLOR_FORCE and XDG_CONFIG_HOME of the tester do not
// reach it, unless given in `variables`.
CommandResult run_duel(const std::vector<std::string>& arguments,
                       const CommandOptions& options = {});

// Any program, by `sh -c`. The variable `duel` holds the path of the binary.
CommandResult run_shell(const std::string& script, const CommandOptions& options = {});

// Whether pictures can be drawn here.
bool has_gnuplot();

// A `duel` at work in the background, to send signals to.
class RunningDuel {
 public:
  explicit RunningDuel(const std::vector<std::string>& arguments,
                       const CommandOptions& options = {});
  ~RunningDuel();  // kills it if `wait` was not called
  RunningDuel(const RunningDuel&) = delete;
  RunningDuel& operator=(const RunningDuel&) = delete;

  void send(int signal);
  // As a terminal does on Ctrl-C: to everything that was started with it.
  void send_to_group(int signal);
  CommandResult wait();
  // What it has printed so far.
  std::string out_so_far() const;
  std::string err_so_far() const;

 private:
  friend CommandResult run_program(const std::string&, const std::vector<std::string>&,
                                   const CommandOptions&);
  RunningDuel(const std::string& program, const std::vector<std::string>& arguments,
              const CommandOptions& options);

  pid_t pid_ = -1;
  std::chrono::seconds timeout_;
  TemporaryDirectory files_;  // where its output goes
};

// Interrupts a command at its work, as Ctrl-C does. On a busy machine it takes longer until it has
// got so far: it is begun anew and given twice the time until `at_work` says so of how it ended.
CommandResult run_interrupted(const std::vector<std::string>& arguments,
                              const CommandOptions& options,
                              const std::function<bool(const CommandResult&)>& at_work);

bool contains(const std::string& text, const std::string& part);

}  // namespace duel
