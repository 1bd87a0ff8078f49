// A terminal that gives each key at once and does not show it.
#pragma once

namespace duel::cli {

// The terminal behind standard input is as it was before when this is destroyed, and also when a
// signal ends the program (Ctrl-C, a crash, a closed window) or stops it (Ctrl-Z): a shell whose
// terminal shows no keys looks as if it hung. Only SIGKILL leaves it raw. At most one at a time.
class RawTerminal {
 public:
  // Changes nothing if standard input is no terminal.
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  bool active() const { return active_; }
  // Whether the program was stopped and continued since the last call: the screen then shows what
  // the shell has written.
  bool came_back();

 private:
  bool active_ = false;
};

// For signal handlers that end the program: the terminal as it was, if a RawTerminal lives.
void restore_terminal();

}  // namespace duel::cli
