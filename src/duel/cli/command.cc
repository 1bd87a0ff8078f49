#include "duel/cli/command.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "duel/cli/rank_session.h"
#include "duel/cli/raw_terminal.h"
#include "duel/core/display_width.h"
#include "duel/core/whole_file.h"
#include "duel/jobs/ranks.h"

namespace duel::cli {
namespace {

// What a signal handler may touch. SIGINT's number is kept for the exit code.
std::atomic<bool> stop_flag{false};
std::atomic<bool> stop_now_flag{false};
std::atomic<bool> drains{false};
volatile std::sig_atomic_t caught_signal = 0;

// Ends the program as the signal does by default, with the terminal as it was.
void on_last_signal(int number) {
  restore_terminal();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void on_signal(int number) {
  caught_signal = number;
  const bool again = stop_flag.exchange(true);
  if (again) stop_now_flag.store(true);
  if (again || !drains.load()) std::signal(number, on_last_signal);
}

bool variable_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// On a terminal the command has a line of its own, which `message_lines` leaves as it is.
std::string with_command(std::string_view text, std::string_view command) {
  return fmt::format("{}{}{}", text, is_terminal(STDERR_FILENO) ? "\n  " : " ", command);
}

// Whether what stands at the path may be written over.
Status check_target(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return system_error("cannot be written", path, EISDIR);
  if (::access(path.c_str(), W_OK) != 0) return system_error("cannot be written", path, errno);
  return Done{};
}

}  // namespace

int exit_code_of(const Error& error) {
  if (error.code == ErrorCode::interrupted) return kExitInterrupted;
  return error.code == ErrorCode::invalid_argument ? kExitUsage : kExitFailure;
}

// mpirun gives its ranks a terminal of its own and passes on what they write, perhaps to a file.
bool is_terminal(int file_descriptor) { return ::isatty(file_descriptor) == 1 && !find_launch(); }

bool wants_color(int file_descriptor) {
  if (variable_set("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::string_view(force) != "0") return true;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return is_terminal(file_descriptor);
}

TerminalSize terminal_size(int file_descriptor) {
  winsize size{};
  if (!is_terminal(file_descriptor) || ::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

std::size_t report_width() {
  const std::size_t terminal = terminal_size(STDOUT_FILENO).columns;
  return terminal == 0 ? 80 : std::clamp<std::size_t>(terminal, 40, 200);
}

bool can_redraw() {
  const char* term = std::getenv("TERM");
  return is_terminal(STDERR_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  return enabled_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

Paint stdout_paint() { return Paint(wants_color(STDOUT_FILENO)); }

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_error(std::string_view message) {
  const Paint paint(wants_color(STDERR_FILENO));
  // A message may quote what a file holds, which may be anything.
  std::string text;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    text += printable_line(message.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  say(message_lines(fmt::format("duel: {} {}", paint.red("error:"), text)));
}

std::string message_lines(std::string_view text) {
  constexpr std::size_t kWidest = 100, kNarrowest = 40, kIndent = 6;
  const std::size_t columns = terminal_size(STDERR_FILENO).columns;
  if (columns == 0) return std::string(text);
  const std::size_t width = std::clamp(columns, kNarrowest, kWidest);
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool fits = display_width(line) <= width || line.starts_with(' ');
    lines += fits ? std::string(line) : wrapped(line, width - kIndent, kIndent);
    if (end < text.size()) lines += '\n';
    begin = end + 1;
  }
  return lines;
}

void print_error(const Error& error) { print_error(error.to_string()); }

int CommandContext::run(const std::function<Result<int>(CommandContext&)>& action) {
  std::string message;
  try {
    const Result<int> result = action(*this);
    if (result.ok()) return finish(*result);
    flush();
    return end_with_error(result.error().to_string(), exit_code_of(result.error()));
  } catch (const std::bad_alloc&) {
    message = "out of memory";
  } catch (const CheckFailure& failure) {
    message = fmt::format("{}. This is a mistake in Duel; please report it", failure.what());
  } catch (const std::exception& exception) {
    message = exception.what();
  }
  return end_with_error(message, kExitFailure);
}

int CommandContext::finish(int code) {
  flush();
  if (output_errno_ != 0) {
    const bool told = output_errno_ == EPIPE;  // the reader closed the pipe: no message needed
    const std::string error =
        system_error("cannot be written", "standard output", output_errno_).to_string();
    if (!told) return end_with_error(error, kExitFailure);
    code = kExitFailure;
  }
  return end_all_ranks(code).code;
}

void CommandContext::print(std::string_view text) {
  if (output_errno_ != 0 || !is_first_rank()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_errno_ = errno;
}

int CommandContext::done(std::string_view text) {
  print(text);
  return kExitDone;
}

void CommandContext::flush() const {
  if (output_errno_ == 0 && std::fflush(stdout) != 0) output_errno_ = errno;
}

void CommandContext::note(std::string_view text) const {
  flush();
  if (quiet || !is_first_rank()) return;
  say(message_lines(fmt::format("duel: {}\n", text)));
}

void CommandContext::note_command(std::string_view text, std::string_view command) const {
  note(with_command(text, command));
}

void CommandContext::warn_command(std::string_view text, std::string_view command) const {
  warn(with_command(text, command));
}

void CommandContext::warn(std::string_view text) const {
  const Paint paint(wants_color(STDERR_FILENO));
  flush();
  if (!is_first_rank()) return;
  say(message_lines(fmt::format("duel: {} {}\n", paint.yellow("warning:"), text)));
}

Status CommandContext::write_output(const std::string& path, std::string_view content) {
  if (!is_first_rank()) return Done{};
  if (path == "-") {
    print(content);
    return Done{};
  }
  return write_file_atomically(path, content);
}

Status check_output(const std::string& path) {
  if (path == "-") return Done{};
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) return check_target(path, status);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    return system_error("cannot be written", path, errno);
  }
  return Done{};
}

Status write_file_atomically(const std::string& path, std::string_view content) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    DUEL_RETURN_IF_ERROR(check_target(path, status));
    if (!S_ISREG(status.st_mode)) {  // a device or a pipe has nothing to replace
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      const bool written = descriptor >= 0 && write_fully(descriptor, content);
      const int code = errno;
      if (descriptor >= 0) ::close(descriptor);
      if (!written) return system_error("cannot be written", path, code);
      return Done{};
    }
  }
  // The file behind a symbolic link is replaced, not the link.
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  return write_whole_file(failed ? std::filesystem::path(path) : target, content);
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./,:=@+%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Error usage_error(const std::string& option, const Error& error) {
  Error usage = error;
  usage.code = ErrorCode::invalid_argument;
  usage.where = error.where.empty() ? option : option + ": " + error.where;
  return usage;
}

InterruptGuard::InterruptGuard(First first) {
  stop_flag.store(false);
  stop_now_flag.store(false);
  drains.store(first == First::drains);
  caught_signal = 0;
  before_interrupt_ = std::signal(SIGINT, on_signal);
  before_terminate_ = std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, before_interrupt_);
  std::signal(SIGTERM, before_terminate_);
}

const std::atomic<bool>& InterruptGuard::stop() const { return stop_flag; }
const std::atomic<bool>& InterruptGuard::stop_now() const { return stop_now_flag; }

int InterruptGuard::exit_code() const {
  return caught_signal == SIGTERM ? 128 + SIGTERM : kExitInterrupted;
}

}  // namespace duel::cli
