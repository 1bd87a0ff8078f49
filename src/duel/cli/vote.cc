#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/cli/ballot.h"
#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/vote_keys.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/experiment/standing.h"
#include "duel/experiment/verdict.h"

namespace duel::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// How long an answer can be taken back at a terminal before it is recorded.
constexpr auto kUndo = milliseconds(1200);
constexpr auto kLook = milliseconds(200);
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

struct Arguments {
  InterviewOptions interview;
  std::string voter;
};

const char* spoken(Outcome outcome) {
  switch (outcome) {
    case Outcome::first_wins:
      return "the first is better";
    case Outcome::second_wins:
      return "the second is better";
    case Outcome::tie:
      return "a tie";
    case Outcome::both_bad:
      return "both bad";
    case Outcome::skip:
    case Outcome::none:
      break;
  }
  return "skipped";
}

class Booth {
 public:
  Booth(Interview& interview, const InterruptGuard& guard, std::string voter)
      : interview_(interview), guard_(guard), voter_(std::move(voter)) {}

  // Asks until there is a certificate, the duels are used up, or the voter stops.
  Result<InterviewEnding> vote() {
    while (!interview_.certified()) {
      if (guard_.interrupted()) return InterviewEnding::interrupted;
      DUEL_ASSIGN(const std::optional<JudgeQuestion> question, interview_.next());
      if (!question) return InterviewEnding::undecided;
      const auto begin = Clock::now();
      const std::optional<Outcome> outcome = ask(*question);
      if (!outcome) {
        return guard_.interrupted() ? InterviewEnding::interrupted : InterviewEnding::undecided;
      }
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      const std::array<Record, 1> records = {
          interview_.outcome_of(*question, std::array{*outcome}, {"human", voter_}, ms)};
      DUEL_RETURN_IF_ERROR(interview_.record(records));
    }
    DUEL_RETURN_IF_ERROR(interview_.complete());
    return InterviewEnding::certified;
  }

  bool stopped() const { return stopped_; }

 private:
  void show(const JudgeQuestion& question) {
    std::size_t columns = 0;
    std::size_t rows = 0;
    std::string text;
    if (keys_.terminal()) {
      const TerminalSize size = terminal_size(STDERR_FILENO);
      columns = shown_columns_ = size.columns;
      rows = shown_rows_ = size.rows;
      if (can_redraw()) text = "\033[H\033[2J";
    }
    const Ledger& ledger = interview_.ledger();
    const Standing standing = standing_of(ledger);
    text += ballot(question, columns, rows);
    const std::string count =
        fmt::format("[{}{}]  ", ledger.total().served,
                    standing.duels_left
                        ? fmt::format(", about {} more", approximate_count(*standing.duels_left))
                        : std::string());
    say(text + "\n" + legend(count, columns));
  }

  // Whether the terminal's size is another than when the question was shown.
  bool resized() const {
    if (!keys_.terminal() || !can_redraw()) return false;
    const TerminalSize size = terminal_size(STDERR_FILENO);
    return size.columns != shown_columns_ || size.rows != shown_rows_;
  }

  // An answer that the voter let stand, or nothing where the voter stopped.
  std::optional<Outcome> ask(const JudgeQuestion& question) {
    show(question);
    while (!guard_.interrupted()) {
      const auto key = keys_.next(kLook);
      if (!key) {
        if (!keys_.ended()) {
          if (resized()) show(question);
          continue;
        }
        stopped_ = true;
        return std::nullopt;
      }
      if (*key == VoteKey::quit) {
        stopped_ = true;
        return std::nullopt;
      }
      const auto outcome = outcome_of(*key);
      if (!outcome) {
        say(*key == VoteKey::undo
                ? "There is nothing to undo: the last answer is recorded.\n"
                : legend("", keys_.terminal() ? terminal_size(STDERR_FILENO).columns : 0));
        continue;
      }
      say(fmt::format("{}{}\n", spoken(*outcome),
                      keys_.terminal() ? "   (u: undo, any other key: go on)" : ""));
      if (!taken_back()) return outcome;
      say("Undone.\n");
    }
    return std::nullopt;
  }

  // On a terminal a moment's thought; elsewhere what stands in the input at once.
  bool taken_back() {
    const auto key = keys_.next(keys_.terminal() ? kUndo : milliseconds(0));
    if (!key) return false;
    if (*key == VoteKey::undo) return true;
    if (!keys_.terminal()) keys_.put_back(*key);
    return false;  // on a terminal any other key means: go on
  }

  Interview& interview_;
  const InterruptGuard& guard_;
  std::string voter_;
  VoteKeys keys_;
  bool stopped_ = false;
  std::size_t shown_columns_ = 0;  // of the terminal, when the question was shown
  std::size_t shown_rows_ = 0;
};

Result<int> run(const Arguments& arguments, const Command& command, CommandContext& context) {
  const InterruptGuard guard;
  DUEL_ASSIGN(Interview interview, open_interview(arguments.interview, context));
  bool stopped = false;
  Result<InterviewEnding> ended = InterviewEnding::undecided;
  {
    Booth booth(interview, guard, arguments.voter);
    ended = booth.vote();
    stopped = booth.stopped();
  }
  if (!ended.ok()) return ended.error();
  DUEL_ASSIGN(const int code,
              report_ending(*ended, arguments.interview, interview, context, Json::object()));
  if (*ended == InterviewEnding::certified) return code;
  if (stopped || *ended == InterviewEnding::interrupted) {
    context.note(fmt::format("{} has every answer. To go on: {}", interview.log_file(),
                             same_command(command)));
  } else {
    context.note(why_undecided(interview));
  }
  return *ended == InterviewEnding::interrupted ? guard.exit_code() : code;
}

}  // namespace

void add_vote_command(Command& program) {
  Command& command = program.add_command(
      "vote",
      "Finds the best arm by asking you which of two is better.\n"
      "Shows two items at a time, blind and in random order, side by side where the terminal is "
      "wide enough, and stops by itself once one has been shown to beat every other. Keys: left "
      "and right arrow (or 1 and 2), t tie, b both bad, s skip, u take the last answer back before "
      "the next pair comes, q stop. Without a terminal it reads the same from lines. What is "
      "answered is in the log; the same command continues.\n"
      "Exit codes: 0 certified, 3 stopped or undecided, 4 certified, but a health check failed, 1 "
      "failure, 130 interrupted.");
  auto& arguments = command.keep<Arguments>();
  add_interview_options(command, arguments.interview, {"random", "fixed"});
  command.add("--voter ID", not_empty(&arguments.voter),
              "Who votes, for the log: where several vote, their agreement can be looked at.");
  command.footer =
      "Examples:\n"
      "  duel vote --arms 'slogans/*.txt'\n"
      "  duel vote --arms-file names.txt --name mascot --alpha 0.1 --voter ann";
  command.action = [&arguments, &command](CommandContext& context) {
    return run(arguments, command, context);
  };
}

}  // namespace duel::cli
