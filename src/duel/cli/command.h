// What all subcommands share: how they end, where they write. How one is declared: options.h.
//
// Results go to stdout by `print`, everything else to stderr by `note` and `warn`.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/result.h"

namespace duel::cli {

// Exit codes of the command line (docs/configuration.md).
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUndecided = 3;
inline constexpr int kExitUnhealthy = 4;
inline constexpr int kExitMismatch = 5;
inline constexpr int kExitTemporary = 75;  // EX_TEMPFAIL: the server is out of reach
inline constexpr int kExitInterrupted = 130;

int exit_code_of(const Error& error);

// Whether to colour what goes to the stream: NO_COLOR and TERM=dumb forbid, CLICOLOR_FORCE asks,
// otherwise a terminal decides.
bool wants_color(int file_descriptor);
bool is_terminal(int file_descriptor);
struct TerminalSize {
  std::size_t columns = 0;  // 0: not known
  std::size_t rows = 0;

  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
// The size of the terminal behind a file descriptor; zeros if there is none.
TerminalSize terminal_size(int file_descriptor);
// Columns that a report on stdout may take: the terminal's, between 40 and 200, and 80 elsewhere.
std::size_t report_width();
// Whether what stands on the terminal behind stderr can be written over.
bool can_redraw();

// Words set off on a terminal, plain text elsewhere.
class Paint {
 public:
  explicit Paint(bool enabled) : enabled_(enabled) {}
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string red(std::string_view text) const { return wrap("31;1", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
  bool enabled_;
};
// For what goes to stdout.
Paint stdout_paint();

class CommandContext {
 public:
  // Does the work of a command and translates errors and exceptions to an exit code.
  int run(const std::function<Result<int>(CommandContext&)>& action);

  // Hands all output over; `code`, or failure where that is not possible.
  int finish(int code);

  // Appends to stdout. A reader that went away is remembered and ends the command quietly.
  void print(std::string_view text);
  // A line on stderr, `duel: ...`; not with --quiet. On a terminal it is broken at words.
  void note(std::string_view text) const;
  // The same with a command to run next, which stays in one piece so that it can be pasted.
  void note_command(std::string_view text, std::string_view command) const;
  // A line on stderr, `duel: warning: ...`; also with --quiet.
  void warn(std::string_view text) const;
  void warn_command(std::string_view text, std::string_view command) const;
  // Prints the last of the output; the exit code of success.
  int done(std::string_view text);

  // The same of a text by its format.
  template <class First, class... Rest>
  void print(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
    print(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  template <class First, class... Rest>
  void note(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) const {
    note(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  template <class First, class... Rest>
  void warn(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) const {
    warn(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  template <class First, class... Rest>
  int done(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
    return done(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }

  // Writes the whole content or nothing: a temporary file beside the target, renamed when complete.
  // `-` is stdout.
  Status write_output(const std::string& path, std::string_view content);

  bool quiet = false;

 private:
  void flush() const;  // so that notes come after what they are about

  mutable int output_errno_ = 0;  // of the first failed write to stdout
};

// What a message looks like on stderr: lines that are wider than its terminal are broken at words,
// up to 100 columns. Where stderr is no terminal a line stays a line, for programs that read it. A
// line that begins with a blank is code and stays as it is.
std::string message_lines(std::string_view text);
// Writes text to stderr. If that is closed, the program goes on.
void say(std::string_view text);
// `duel: error: <error>` on stderr.
void print_error(const Error& error);
void print_error(std::string_view message);

// The text for a POSIX shell and its relatives, in quotes where it must be.
std::string shell_word(const std::string& text);

// Turns a library error into one of wrong usage that names the option.
Error usage_error(const std::string& option, const Error& error);

// While one lives, SIGINT and SIGTERM set a flag instead of ending the program; a second signal
// ends it, or where work is `drained` sets a second flag, and a third ends it. At most one at a
// time.
class InterruptGuard {
 public:
  enum class First { stops, drains };
  explicit InterruptGuard(First first = First::stops);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& stop() const;
  const std::atomic<bool>& stop_now() const;
  bool interrupted() const { return stop().load(); }
  // 130 for SIGINT, 143 for SIGTERM.
  int exit_code() const;

 private:
  void (*before_interrupt_)(int) = nullptr;
  void (*before_terminate_)(int) = nullptr;
};

// Whether `write_output` could write there now: asked before long work, so that none is in vain.
Status check_output(const std::string& path);
// Writes the whole content or nothing (see CommandContext::write_output, without `-`).
Status write_file_atomically(const std::string& path, std::string_view content);

}  // namespace duel::cli
