#include "duel/cli/vote_keys.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <utility>

#include "duel/cli/command.h"
#include "duel/core/numbers.h"

namespace duel::cli {
namespace {

struct KnownKey {
  VoteKey key;
  std::array<std::string_view, 4> words;
  std::optional<VoteAnswer> answer{};
};
constexpr std::array<KnownKey, 7> kKnownKeys = {
    {{VoteKey::first,
      {"1", "first", "left", "h"},
      VoteAnswer{Outcome::first_wins, "the first is better"}},
     {VoteKey::second,
      {"2", "second", "right", "l"},
      VoteAnswer{Outcome::second_wins, "the second is better"}},
     {VoteKey::tie, {"t", "tie"}, VoteAnswer{Outcome::tie, "a tie"}},
     {VoteKey::both_bad, {"b", "both_bad"}, VoteAnswer{Outcome::both_bad, "both bad"}},
     {VoteKey::skip, {"s", "skip"}, VoteAnswer{Outcome::skip, "skipped"}},
     {VoteKey::undo, {"u", "undo"}},
     {VoteKey::quit, {"q", "quit", "\x04"}}}};

}  // namespace

std::optional<VoteAnswer> answer_of(VoteKey key) {
  const auto known = std::ranges::find(kKnownKeys, key, &KnownKey::key);
  return known == kKnownKeys.end() ? std::nullopt : known->answer;
}

VoteKey key_of_word(std::string_view word) {
  std::string low(trimmed(word));
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (low.empty()) return VoteKey::unknown;
  for (const KnownKey& known : kKnownKeys) {
    if (std::ranges::find(known.words, low) != known.words.end()) return known.key;
  }
  return VoteKey::unknown;
}

VoteKeys::VoteKeys() : terminal_(is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO)) {
  if (!terminal_) return;
  terminal_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
  if (!terminal_) return;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

VoteKeys::~VoteKeys() {
  if (terminal_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

std::optional<VoteKey> VoteKeys::buffered_key() {
  if (buffer_.empty()) return std::nullopt;
  // Arrows: ESC [ C or ESC O C, right; D, left.
  if (buffer_[0] == '\033' && buffer_.size() >= 3 && (buffer_[1] == '[' || buffer_[1] == 'O')) {
    std::size_t end = 2;
    while (end < buffer_.size() && (buffer_[end] < '@' || buffer_[end] > '~')) ++end;
    const char letter = end < buffer_.size() ? buffer_[end] : '\0';
    const bool plain = end == 2;
    buffer_.erase(0, end + 1);
    if (plain && letter == 'D') return VoteKey::first;
    if (plain && letter == 'C') return VoteKey::second;
    return VoteKey::unknown;
  }
  const std::string key = buffer_.substr(0, 1);
  buffer_.erase(0, 1);
  return key_of_word(key);
}

std::optional<VoteKey> VoteKeys::buffered_line() {
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos && (!ended_ || buffer_.empty())) return std::nullopt;
    const std::string line(trimmed(std::string_view(buffer_).substr(0, end)));
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    if (!line.empty()) return key_of_word(line);
  }
}

std::optional<VoteKey> VoteKeys::next(std::chrono::milliseconds most) {
  if (put_back_) return std::exchange(put_back_, std::nullopt);
  const auto limit = std::chrono::steady_clock::now() + most;
  while (true) {
    if (const auto key = terminal_ ? buffered_key() : buffered_line()) return key;
    if (ended_) return std::nullopt;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready <= 0) return std::nullopt;
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      ended_ = true;
    }
  }
}

}  // namespace duel::cli
