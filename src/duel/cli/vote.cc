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
#include "duel/cli/interview_options.h"
#include "duel/cli/raw_terminal.h"
#include "duel/cli/served_session.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/judging/judge_loop.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

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

struct VoteArguments {
  InterviewOptions interview;
  std::string voter;
  ServedOptions served;
};

// The person at the terminal, who sees one question at a time. On a terminal the next question
// comes with the key that answers the one before. That answer is held back until the next one is
// given, or for `kUndo`: an answer is final once it is recorded, and cannot be taken back then.
class Booth final : public Judges {
 public:
  // `progress` is shown beside each question.
  explicit Booth(std::function<std::string()> progress) : progress_(std::move(progress)) {}

  // The voter has left, or the input has ended.
  bool stopped() const { return stopped_; }
  // Nothing more is to be asked: the answer that is held back comes with the next `wait`.
  void close() { closed_ = true; }
  // Whether a question is on the screen.
  bool asks() const { return question_.has_value(); }
  // Whether an answer is held back.
  bool holds() const { return held_.has_value(); }
  // What is on the screen is not wanted any more, and is lost.
  void drop_question() { drops_ = true; }

  std::size_t free() const override { return question_ || aside_ ? 0 : 1; }
  void ask(Question question) override { show(std::move(question)); }
  std::vector<Judged> wait(milliseconds most) override {
    if (held_ && (closed_ || Clock::now() >= held_until_)) return recorded();
    if (!question_ && !held_) {
      std::this_thread::sleep_for(most);
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

// A person is not waited for: the first Ctrl-C and the key `q` end the vote. So does the
// certificate; the pair that came on the screen with the last answer is then not needed.
Result<RunEnding> vote(JudgeLoop& loop, Questions& questions, Booth& booth,
                       const InterruptGuard& guard) {
  const auto stopping = [&] {
    const bool certified = questions.progress().certified;
    const bool done = certified && booth.asks();
    if (certified) booth.close();
    if (done) booth.drop_question();
    if (!done && !guard.interrupted() && !booth.stopped()) return Stopping::no;
    booth.close();
    return booth.holds() ? Stopping::after_answers : Stopping::at_once;
  };
  DUEL_ASSIGN(const RunEnding ending, loop.run(stopping, [] {}));
  if (ending != RunEnding::interrupted) return ending;
  if (questions.progress().certified) return RunEnding::certified;
  return guard.interrupted() ? ending : RunEnding::undecided;
}

JudgeLoopOptions loop_options(const VoteArguments& arguments) {
  return {.source = {"human", arguments.voter}, .broken = {}};
}

// The server chooses the pairs, also those of others who vote at the same time.
Result<int> run_served(const VoteArguments& arguments, const Command& command,
                       CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_served_options(
      command,
      {"voter", "json", "quiet", "server", "token-file", "store", "experiment", "patience"}));
  DUEL_ASSIGN(const std::string experiment_id,
              arguments.served.experiment_id(arguments.interview.more_arms));
  const InterruptGuard guard;
  DUEL_ASSIGN(
      const std::unique_ptr<ServedSession> session,
      ServedSession::open(arguments.served, experiment_id, arguments.voter, guard, context));
  if (session->questions().both_orders()) {
    return Error::unsupported("every duel of this experiment is judged in both orders",
                              experiment_id, "that is for judge programs: 'duel run'");
  }
  const JudgeLoop* counts = nullptr;
  std::optional<Booth> booth(std::in_place, [&] { return std::to_string(counts->answered() + 1); });
  JudgeLoop loop(session->questions(), *booth, loop_options(arguments));
  counts = &loop;
  DUEL_ASSIGN(const RunEnding ending, vote(loop, session->questions(), *booth, guard));
  const bool stopped = booth->stopped();
  booth.reset();  // the terminal is as it was
  return session->report(ending, loop, arguments.interview.json, stopped);
}

Result<int> close_panel(const VoteArguments& arguments, Interview& interview,
                        CommandContext& context) {
  DUEL_RETURN_IF_ERROR(interview.local().close_panel());
  if (interview.certified() && !interview.ledger().completed()) {
    DUEL_RETURN_IF_ERROR(interview.local().complete("the panel was closed before the answer"));
  }
  return report_ending(interview.certified() ? RunEnding::certified : RunEnding::undecided,
                       arguments.interview, interview, context, Json::object());
}

Status check_voter(const VoteArguments& arguments, bool panel) {
  if (!panel || !arguments.voter.empty()) return Done{};
  return Error::invalid_argument("is missing: each member of a panel counts once")
      .with_hint("the name of who votes, as on the list if there is one")
      .in_field("voter");
}

Result<int> run_vote(const VoteArguments& arguments, const Command& command,
                     CommandContext& context) {
  if (arguments.served.asked_for()) return run_served(arguments, command, context);
  const bool closes = arguments.interview.close_panel;
  // Before there is a log: it would hold the next voter to what was said in vain.
  const std::string& about = arguments.interview.request.about;
  DUEL_RETURN_IF_ERROR(check_voter(arguments, !closes && about == "these-people"));
  const InterruptGuard guard;
  DUEL_ASSIGN(Interview interview, open_interview(arguments.interview, context));
  if (closes) return close_panel(arguments, interview, context);
  DUEL_RETURN_IF_ERROR(check_voter(arguments, interview.ledger().parts().panel));
  LocalQuestions questions = interview.questions(arguments.voter);
  RunEnding ending = RunEnding::undecided;
  bool stopped = false;
  {
    Booth booth([&] {
      const auto left = standing_of(interview.ledger()).duels_left;
      return fmt::format(
          "{}{}", interview.ledger().total().served,
          left ? fmt::format(", about {} more", approximate_count(*left)) : std::string());
    });
    JudgeLoop loop(questions, booth, loop_options(arguments));
    DUEL_ASSIGN(ending, vote(loop, questions, booth, guard));
    stopped = booth.stopped();
  }  // the terminal is as it was
  DUEL_ASSIGN(const int code,
              report_ending(ending, arguments.interview, interview, context, Json::object()));
  if (ending == RunEnding::certified) return code;
  if (stopped || ending == RunEnding::interrupted) {
    context.note_command(fmt::format("{} has every answer. To continue:", interview.log_file()),
                         same_command(command));
  } else {
    context.note(why_undecided(interview, ending));
  }
  return ending == RunEnding::interrupted ? guard.exit_code() : code;
}

}  // namespace

void add_vote_command(Command& program) {
  Command& command = program.add_command(
      "vote",
      "Finds the best arm by asking you which of two is better.\nShows two items at a time, blind "
      "and in random order, side by side where the terminal is wide enough, and stops by itself "
      "once one has been shown to beat every other. Keys: left and right arrow (or 1 and 2), t "
      "tie, b both bad, s skip, u take the last answer back, q stop. Each key votes at once and "
      "brings the next pair; an answer is recorded with the next one, or after five seconds. "
      "Without a terminal it reads the same from lines. Every answer is in the log; the same "
      "command continues.\nExit codes: 0 certified, 3 stopped or undecided, 4 certified, but a "
      "health check failed, 1 failure, 130 interrupted, 75 server unreachable.");
  VoteArguments& arguments = command.runs(run_vote);
  add_interview_options(command, arguments.interview, {"random", "fixed"});
  add_panel_options(command, arguments.interview);
  command.add("--voter ID", not_empty(&arguments.voter), "Name of the voter, recorded in the log.");
  add_served_options(command, arguments.served);
  command.footer =
      "Examples:\n"
      "  duel vote --arms 'slogans/*.txt'\n"
      "  duel vote --server http://127.0.0.1:7557 slogans --voter ann\n"
      "  duel vote --arms-file names.txt --name mascot --alpha 0.1 --voter ann\n"
      "  duel vote --arms 'logos/*' --about these-people --panel 8 --voter ann";
}

}  // namespace duel::cli
