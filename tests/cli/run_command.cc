#include "tests/cli/run_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/support/places.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace duel {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::vector<std::string> environment(const CommandOptions& options) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const bool ours = name.rfind("DUEL_", 0) == 0 || name == "NO_COLOR" ||
                      name == "CLICOLOR_FORCE" || name == "XDG_CONFIG_HOME";
    if (!ours && equals != std::string::npos) variables[name] = text.substr(equals + 1);
  }
  variables["XDG_CONFIG_HOME"] = "/nonexistent";
  variables["duel"] = duel_binary();
  for (const auto& [name, value] : options.variables) {
    if (value) {
      variables[name] = *value;
    } else {
      variables.erase(name);
    }
  }
  std::vector<std::string> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

RunningDuel::RunningDuel(const std::vector<std::string>& arguments, const CommandOptions& options)
    : RunningDuel(duel_binary(), arguments, options) {}

RunningDuel::RunningDuel(const std::string& program, const std::vector<std::string>& arguments,
                         const CommandOptions& options)
    : timeout_(options.timeout) {
  std::ofstream(files_ / "in") << options.input;
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program);
  std::vector<std::string> variables = environment(options);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  const std::string in = (files_ / "in").string();
  const std::string out = (files_ / "out").string();
  const std::string err = (files_ / "err").string();
  const std::string directory = options.directory.string();
  pid_ = ::fork();
  require(pid_ >= 0, "fork");
  if (pid_ == 0) {
    // Only async-signal-safe calls from here.
    const int standard[] = {::open(in.c_str(), O_RDONLY),
                            ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
                            ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    for (int i = 0; i < 3; ++i) ::dup2(standard[i], i);
    ::signal(SIGINT, SIG_DFL);  // ignored where the tests themselves run in the background
    ::setpgid(0, 0);            // so that a time-out ends its children as well
    if (!directory.empty() && ::chdir(directory.c_str()) != 0) ::_exit(126);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(127);
  }
}

RunningDuel::~RunningDuel() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void RunningDuel::send(int signal) { require(::kill(pid_, signal) == 0, "kill"); }

void RunningDuel::send_to_group(int signal) { require(::kill(-pid_, signal) == 0, "kill"); }

std::string RunningDuel::out_so_far() const { return content_of(files_ / "out"); }

std::string RunningDuel::err_so_far() const { return content_of(files_ / "err"); }

CommandResult RunningDuel::wait() {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid_, &status, WNOHANG)) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  require(ended == pid_, "waitpid");
  pid_ = -1;
  CommandResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = content_of(files_ / "out");
  result.err = content_of(files_ / "err");
  return result;
}

CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const CommandOptions& options) {
  RunningDuel running(program, arguments, options);
  return running.wait();
}

CommandResult run_duel(const std::vector<std::string>& arguments, const CommandOptions& options) {
  return run_program(duel_binary(), arguments, options);
}

CommandResult run_shell(const std::string& script, const CommandOptions& options) {
  return run_program("/bin/sh", {"-c", script}, options);
}

bool has_gnuplot() { return run_shell("command -v gnuplot").exit_code == 0; }

CommandResult run_interrupted(const std::vector<std::string>& arguments,
                              const CommandOptions& options,
                              const std::function<bool(const CommandResult&)>& at_work) {
  CommandResult result;
  for (std::chrono::milliseconds time(250); time < std::chrono::minutes(2); time *= 2) {
    RunningDuel running(arguments, options);
    std::this_thread::sleep_for(time);
    running.send(SIGINT);
    result = running.wait();
    if (at_work(result)) break;
  }
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace duel
