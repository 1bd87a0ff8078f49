#include "duel/cli/booth.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "duel/cli/ballot.h"
#include "duel/cli/commands.h"
#include "duel/cli/raw_terminal.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"

namespace duel::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// --- keys: single ones on a terminal, lines elsewhere ------------------------------------------

enum class VoteKey { first, second, tie, both_bad, skip, undo, quit, unknown };

// What a key answers, and the words that confirm it. Nothing of the keys that answer nothing.
struct VoteAnswer {
  Outcome outcome;
  std::string_view spoken;
};

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

std::optional<VoteAnswer> answer_of(VoteKey key) {
  const auto known = std::ranges::find(kKnownKeys, key, &KnownKey::key);
  return known == kKnownKeys.end() ? std::nullopt : known->answer;
}

// "1", "left", "t", .. as a line of a file or a pipe.
VoteKey key_of_word(std::string_view word) {
  std::string low(trimmed(word));
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (low.empty()) return VoteKey::unknown;
  for (const KnownKey& known : kKnownKeys) {
    if (std::ranges::find(known.words, low) != known.words.end()) return known.key;
  }
  return VoteKey::unknown;
}

// Keys of standard input: on a terminal each at once, elsewhere words on lines.
class VoteKeys {
 public:
  VoteKeys() {
    if (is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO)) raw_.emplace();
  }

  bool terminal() const { return raw_ && raw_->active(); }
  // Whether what stands on the terminal may be another program's by now.
  bool came_back() { return raw_ && raw_->came_back(); }
  // The next key; nothing when `most` has passed, a signal came, or the input ended.
  std::optional<VoteKey> next(std::chrono::milliseconds most) {
    if (put_back_) return std::exchange(put_back_, std::nullopt);
    const auto limit = std::chrono::steady_clock::now() + most;
    while (true) {
      if (const auto key = terminal() ? buffered_key() : buffered_line()) return key;
      if (ended_) return std::nullopt;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const int ready =
          ::poll(&input, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
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
  // The next `next` gives it again.
  void put_back(VoteKey key) { put_back_ = key; }
  bool ended() const { return ended_ && buffer_.empty() && !put_back_; }

 private:
  std::optional<VoteKey> buffered_key() {
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
  std::optional<VoteKey> buffered_line() {
    while (true) {
      const std::size_t end = buffer_.find('\n');
      if (end == std::string::npos && (!ended_ || buffer_.empty())) return std::nullopt;
      const std::string line(trimmed(std::string_view(buffer_).substr(0, end)));
      buffer_.erase(0, end == std::string::npos ? end : end + 1);
      if (!line.empty()) return key_of_word(line);
    }
  }

  std::optional<RawTerminal> raw_;
  bool ended_ = false;
  std::string buffer_;
  std::optional<VoteKey> put_back_;
};

// --- the booth ----------------------------------------------------------------------------------

// How long an answer can be taken back at a terminal before it is recorded, as on the voting page.
constexpr auto kUndo = milliseconds(5000);
constexpr std::array<std::string_view, 7> kLegend = {"← or 1: the first is better",
                                                     "→ or 2: the second",
                                                     "t: tie",
                                                     "b: both bad",
                                                     "s: skip",
                                                     "u: undo",
                                                     "q: stop"};

// `before` and all keys, broken between them where a line of `columns` would be too short; 0: one
// line.
std::string legend(const std::string& before, std::size_t columns) {
  std::string text, line = before;
  for (const std::string_view item : kLegend) {
    const std::string_view space = line.empty() || line == before ? "" : "   ";
    if (columns > 0 && display_width(line) + space.size() + display_width(item) > columns &&
        !line.empty()) {
      text += line + "\n";
      line = item;
    } else {
      line += fmt::format("{}{}", space, item);
    }
  }
  return text + line + "\n";
}

class TerminalBooth final : public Booth {
 public:
  explicit TerminalBooth(std::function<std::string()> progress) : progress_(std::move(progress)) {}

  bool stopped() const override { return stopped_; }
  void close() override { closed_ = true; }
  bool asks() const override { return question_.has_value(); }
  bool holds() const override { return held_.has_value(); }
  void drop_question() override { drops_ = true; }

  std::size_t free() const override { return question_ || aside_ ? 0 : 1; }
  void ask(Question question) override { show(std::move(question)); }
  std::vector<Judged> wait(milliseconds most) override {
    if (held_ && (closed_ || Clock::now() >= held_until_)) return recorded();
    if (!question_ && !held_) {
      pass_time(most);
      return {};
    }
    const auto key = keys_.next(most);
    if (!key && !keys_.ended()) {
      if (question_ && (keys_.came_back() || resized())) show();
      return {};
    }
    if (!key || *key == VoteKey::quit) {
      stopped_ = true;
      return recorded();
    }
    if (*key == VoteKey::undo) {
      take_back();
      return {};
    }
    if (!question_) return recorded();  // there is no other question before this is recorded
    const auto answer = answer_of(*key);
    if (!answer) {
      say(legend("", keys_.terminal() ? terminal_size(STDERR_FILENO).columns : 0));
      return {};
    }
    return take(*answer);
  }
  // The question on the screen stays open, unless it was dropped. It expires when the log is opened
  // the next time, or by the server's clock.
  std::vector<Judged> abandon() override {
    std::vector<Judged> lost;
    for (std::optional<Question>* open : {&question_, &aside_}) {
      if (drops_ && *open) lost.push_back({.question = std::move(**open)});
      open->reset();
    }
    return lost;
  }

 private:
  // Nothing is on the screen to answer, so that a key pressed now is none to what comes next, which
  // nobody has seen. Lines from a file are for the questions to come.
  void pass_time(milliseconds most) {
    if (!keys_.terminal()) return std::this_thread::sleep_for(most);
    const auto key = keys_.next(most);
    if (key ? *key == VoteKey::quit : keys_.ended()) stopped_ = true;
  }
  void show(Question question) {
    question_ = std::move(question);
    begin_ = Clock::now();
    show();
  }
  void show() {
    std::string text;
    if (keys_.terminal()) {
      size_ = terminal_size(STDERR_FILENO);
      if (can_redraw()) text = "\033[H\033[2J";
    }
    for (const std::string* told : {&question_->voting.instructions, &question_->voting.question}) {
      if (!told->empty()) text += wrapped(*told, size_.columns > 0 ? size_.columns : 80) + "\n\n";
    }
    text += ballot(*question_, size_.columns, size_.rows);
    if (held_) text += fmt::format("\nYour last answer: {}.   u: take it back\n", held_words_);
    say(text + "\n" + legend(fmt::format("[{}]  ", progress_()), size_.columns));
  }

  // Whether the terminal's size is another than when the question was shown.
  bool resized() const {
    return keys_.terminal() && can_redraw() && terminal_size(STDERR_FILENO) != size_;
  }

  std::vector<Judged> take(const VoteAnswer& answer) {
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    Judged judged{.question = *question_, .outcome = answer.outcome, .response_ms = ms};
    say(fmt::format("{}\n", answer.spoken));
    if (!keys_.terminal()) {
      // A line that takes it back stands behind it.
      if (const auto next = keys_.next(milliseconds(0)); next && *next == VoteKey::undo) {
        say("Undone.\n");
        return {};
      } else if (next) {
        keys_.put_back(*next);
      }
      question_.reset();
      std::vector<Judged> done;
      done.push_back(std::move(judged));
      return done;
    }
    std::vector<Judged> before = recorded();
    held_ = std::move(judged);
    held_words_ = answer.spoken;
    held_until_ = Clock::now() + kUndo;
    question_.reset();
    if (aside_) show(*std::exchange(aside_, std::nullopt));
    return before;
  }

  // The question of the answer comes back; the one on the screen follows it.
  void take_back() {
    if (!held_) return say("There is nothing to undo: the last answer is recorded.\n");
    aside_ = std::exchange(question_, std::nullopt);
    Question again = std::move(held_->question);
    held_.reset();
    show(std::move(again));
    say("Undone.\n");
  }

  // The answer that was held back, if there is one, goes to the loop, which records it.
  std::vector<Judged> recorded() {
    std::vector<Judged> done;
    if (held_) done.push_back(*std::exchange(held_, std::nullopt));
    return done;
  }

  std::function<std::string()> progress_;
  VoteKeys keys_;
  std::optional<Question> question_;  // on the screen
  std::optional<Question> aside_;     // came before the one on the screen was taken back
  Clock::time_point begin_;           // of the time for it
  std::optional<Judged> held_;        // the last answer, which can still be taken back
  std::string held_words_;
  Clock::time_point held_until_;
  bool stopped_ = false;
  bool closed_ = false;
  bool drops_ = false;
  TerminalSize size_;  // of the terminal, when the question was shown
};

}  // namespace

std::unique_ptr<Booth> terminal_booth(std::function<std::string()> progress) {
  return std::make_unique<TerminalBooth>(std::move(progress));
}

}  // namespace duel::cli
