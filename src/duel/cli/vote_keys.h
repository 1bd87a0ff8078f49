// What a voter says: single keys on a terminal, lines elsewhere.
#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/duel.h"

namespace duel::cli {

enum class VoteKey { first, second, tie, both_bad, skip, undo, quit, unknown };

// What a key answers, and the words that confirm it. Nothing of the keys that answer nothing.
struct VoteAnswer {
  Outcome outcome;
  std::string_view spoken;
};
std::optional<VoteAnswer> answer_of(VoteKey key);
// "1", "left", "t", .. as a line of a file or a pipe.
VoteKey key_of_word(std::string_view word);

// Keys of standard input. On a terminal without echo and without waiting for Enter, as it was
// before when destroyed. SIGINT still reaches the program.
class VoteKeys {
 public:
  VoteKeys();
  ~VoteKeys();
  VoteKeys(const VoteKeys&) = delete;
  VoteKeys& operator=(const VoteKeys&) = delete;

  bool terminal() const { return terminal_; }
  // The next key; nothing when `most` has passed, a signal came, or the input ended.
  std::optional<VoteKey> next(std::chrono::milliseconds most);
  // The next `next` gives it again.
  void put_back(VoteKey key) { put_back_ = key; }
  bool ended() const { return ended_ && buffer_.empty() && !put_back_; }

 private:
  std::optional<VoteKey> buffered_key();
  std::optional<VoteKey> buffered_line();

  bool terminal_ = false;
  bool ended_ = false;
  termios before_{};
  std::string buffer_;
  std::optional<VoteKey> put_back_;
};

}  // namespace duel::cli
