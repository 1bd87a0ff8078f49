#include "duel/cli/raw_terminal.h"

#include <pthread.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace duel::cli {
namespace {

// What ends the program without unwinding, beside SIGINT and SIGTERM, which are InterruptGuard's.
constexpr std::array<int, 7> kEnding = {SIGHUP, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

// What the handlers may touch: set before they are installed.
termios mode_before;
termios mode_raw;
volatile std::sig_atomic_t is_raw = 0;
volatile std::sig_atomic_t was_stopped = 0;
std::array<struct sigaction, kEnding.size()> ending_before;
struct sigaction stopping_before;

void on_end(int number) {
  restore_terminal();
  ::raise(number);  // SA_RESETHAND has put the default back
}

void on_stop(int) {
  const int error = errno;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
  struct sigaction plain{}, ours{};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGTSTP, &plain, &ours);
  sigset_t stop, blocked;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  // It is blocked in its own handler. The program stops here, and goes on here.
  ::pthread_sigmask(SIG_UNBLOCK, &stop, &blocked);
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  ::sigaction(SIGTSTP, &ours, nullptr);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_raw);
  was_stopped = 1;
  errno = error;
}

// A signal that the program was started to ignore (nohup) stays ignored.
void install(int number, void (*handler)(int), int flags, struct sigaction& before) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(number, &action, &before);
  if (before.sa_handler == SIG_IGN) ::sigaction(number, &before, nullptr);
}

}  // namespace

void restore_terminal() {
  if (is_raw != 0) ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
}

RawTerminal::RawTerminal() {
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &mode_before) != 0) return;
  mode_raw = mode_before;
  mode_raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C still sends SIGINT
  mode_raw.c_cc[VMIN] = 1;
  mode_raw.c_cc[VTIME] = 0;
  is_raw = 1;
  for (std::size_t k = 0; k < kEnding.size(); ++k) {
    install(kEnding[k], on_end, SA_RESETHAND | SA_NODEFER, ending_before[k]);
  }
  install(SIGTSTP, on_stop, 0, stopping_before);
  active_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_raw) == 0;
}

RawTerminal::~RawTerminal() {
  if (is_raw == 0) return;
  if (active_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_before);
  is_raw = 0;
  for (std::size_t k = 0; k < kEnding.size(); ++k) {
    ::sigaction(kEnding[k], &ending_before[k], nullptr);
  }
  ::sigaction(SIGTSTP, &stopping_before, nullptr);
}

bool RawTerminal::came_back() {
  const bool stopped = was_stopped != 0;
  was_stopped = 0;
  return stopped;
}

}  // namespace duel::cli
