#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/cli/ballot.h"
#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/served_experiment.h"
#include "duel/cli/vote_keys.h"
#include "duel/client/patient_client.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

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

struct VoteArguments {
  InterviewOptions interview;
  std::string voter;
  ServedOptions served;
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

// Where the questions come from and the votes go: a log, or a server.
class BallotBox {
 public:
  virtual ~BallotBox() = default;
  // Whether there is a certificate, as far as is known.
  virtual bool certified() const = 0;
  // Nothing where there is nothing to ask.
  virtual Result<std::optional<Question>> next() = 0;
  virtual Status cast(const Question& question, Outcome outcome, double response_ms) = 0;
  // How many duels there were, and how many may be left.
  virtual std::string progress() const = 0;
};

class InterviewBox final : public BallotBox {
 public:
  InterviewBox(Interview& interview, std::string voter)
      : interview_(interview), voter_(std::move(voter)) {}

  bool certified() const override { return interview_.certified(); }
  Result<std::optional<Question>> next() override { return interview_.next(); }
  Status cast(const Question& question, Outcome outcome, double response_ms) override {
    return interview_.settle(
        {Interview::report_of(question, std::array{outcome}, {"human", voter_}, response_ms)});
  }
  std::string progress() const override {
    const Ledger& ledger = interview_.ledger();
    const Standing standing = standing_of(ledger);
    return fmt::format("{}{}", ledger.total().served,
                       standing.duels_left
                           ? fmt::format(", about {} more", approximate_count(*standing.duels_left))
                           : std::string());
  }

 private:
  Interview& interview_;
  std::string voter_;
};

class ServedBox final : public BallotBox {
 public:
  ServedBox(ServedExperiment& experiment, const InterruptGuard& guard, std::string voter)
      : experiment_(experiment), guard_(guard), voter_(std::move(voter)) {}

  bool certified() const override { return certified_; }
  std::uint64_t answered() const { return answered_; }

  Result<std::optional<Question>> next() override {
    using Question = std::optional<Question>;
    Json body;
    body["duel_id"] = new_client_id();
    if (!voter_.empty()) body["subject_id"] = voter_;
    DUEL_ASSIGN(const std::optional<Json> duel,
                experiment_.client().keep_trying(HttpMethod::post, experiment_.target("/duels"),
                                                 body, [&] { return guard_.interrupted(); }));
    if (!duel) return Question();
    asked_ = question_of(*duel);
    return asked_ ? Question(asked_->question) : Question();
  }

  Status cast(const Question&, Outcome outcome, double response_ms) override {
    std::vector<Outcome> outcomes = {outcome};
    const Json body = experiment_.outcome_body(*asked_, outcomes, "human", voter_, response_ms);
    const auto told = experiment_.client().keep_trying(
        HttpMethod::put, experiment_.outcome_target(asked_->question.duel_id), body,
        [] { return false; });
    // What was answered otherwise, or too late, is no reason to stop the voter.
    constexpr int kConflict = 409, kGone = 410;
    const int status = experiment_.client().status();
    if (!told.ok() && status != kConflict && status != kGone) return told.error();
    if (told.ok() && told->has_value()) ++answered_;
    if (told.ok() && !told->has_value()) undelivered_ = 1;
    DUEL_ASSIGN(const std::optional<bool> certified,
                experiment_.certified([&] { return guard_.interrupted(); }));
    certified_ = certified.value_or(false);
    return Done{};
  }
  std::uint64_t undelivered() const { return undelivered_; }
  std::string progress() const override { return fmt::format("{}", answered_ + 1); }

 private:
  ServedExperiment& experiment_;
  const InterruptGuard& guard_;
  std::string voter_;
  std::optional<ServedQuestion> asked_;
  bool certified_ = false;
  std::uint64_t answered_ = 0;
  std::uint64_t undelivered_ = 0;
};

class Booth {
 public:
  Booth(BallotBox& box, const InterruptGuard& guard) : box_(box), guard_(guard) {}

  // Asks until there is a certificate, the duels are used up, or the voter stops.
  Result<RunEnding> vote() {
    while (!box_.certified()) {
      if (guard_.interrupted()) return RunEnding::interrupted;
      DUEL_ASSIGN(const std::optional<Question> question, box_.next());
      if (!question) {
        return guard_.interrupted() ? RunEnding::interrupted : RunEnding::undecided;
      }
      const auto begin = Clock::now();
      const std::optional<Outcome> outcome = ask(*question);
      if (!outcome) {
        return guard_.interrupted() ? RunEnding::interrupted : RunEnding::undecided;
      }
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      DUEL_RETURN_IF_ERROR(box_.cast(*question, *outcome, ms));
    }
    return RunEnding::certified;
  }

  bool stopped() const { return stopped_; }

 private:
  void show(const Question& question) {
    std::size_t columns = 0;
    std::size_t rows = 0;
    std::string text;
    if (keys_.terminal()) {
      const TerminalSize size = terminal_size(STDERR_FILENO);
      columns = shown_columns_ = size.columns;
      rows = shown_rows_ = size.rows;
      if (can_redraw()) text = "\033[H\033[2J";
    }
    text += ballot(question, columns, rows);
    say(text + "\n" + legend(fmt::format("[{}]  ", box_.progress()), columns));
  }

  // Whether the terminal's size is another than when the question was shown.
  bool resized() const {
    if (!keys_.terminal() || !can_redraw()) return false;
    const TerminalSize size = terminal_size(STDERR_FILENO);
    return size.columns != shown_columns_ || size.rows != shown_rows_;
  }

  // An answer that the voter let stand, or nothing where the voter stopped.
  std::optional<Outcome> ask(const Question& question) {
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

  BallotBox& box_;
  const InterruptGuard& guard_;
  VoteKeys keys_;
  bool stopped_ = false;
  std::size_t shown_columns_ = 0;  // of the terminal, when the question was shown
  std::size_t shown_rows_ = 0;
};

// The server chooses the pairs, also those of others who vote at the same time.
Result<int> run_served(const VoteArguments& arguments, const Command& command,
                       CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_served_options(
      command,
      {"voter", "json", "quiet", "server", "token-file", "store", "experiment", "patience"}));
  DUEL_ASSIGN(const std::string experiment_id,
              arguments.served.experiment_id(arguments.interview.more_arms));
  DUEL_ASSIGN(const std::unique_ptr<ApiClient> connection,
              open_client(arguments.served.client, StoreUse::existing, milliseconds(0)));
  PatientClient client(*connection,
                       milliseconds(static_cast<std::int64_t>(1000 * arguments.served.patience)),
                       [&](const std::string& text) { context.warn(text); });
  const InterruptGuard guard;
  ServedExperiment experiment(client, experiment_id);
  DUEL_RETURN_IF_ERROR(experiment.open([&] { return guard.interrupted(); }));
  if (experiment.both_orders()) {
    return Error::unsupported("every duel of this experiment is judged in both orders",
                              experiment_id, "that is for judge programs: 'duel run'");
  }
  ServedBox box(experiment, guard, arguments.voter);
  Result<RunEnding> ended = RunEnding::undecided;
  bool stopped = false;
  {
    Booth booth(box, guard);
    ended = booth.vote();
    stopped = booth.stopped();
  }
  if (!ended.ok()) return ended.error();
  const ServedEnding ending = *ended == RunEnding::certified     ? ServedEnding::certified
                              : *ended == RunEnding::interrupted ? ServedEnding::interrupted
                              : client.given_up()                ? ServedEnding::out_of_reach
                                                                 : ServedEnding::undecided;
  return report_served(ending,
                       {.answered = box.answered(),
                        .failed = 0,
                        .undelivered = box.undelivered(),
                        .stopped = stopped},
                       experiment, arguments.interview.json, guard.exit_code(), context);
}

Result<int> run_vote(const VoteArguments& arguments, const Command& command,
                     CommandContext& context) {
  if (arguments.served.asked_for()) return run_served(arguments, command, context);
  const InterruptGuard guard;
  DUEL_ASSIGN(Interview interview, open_interview(arguments.interview, context));
  bool stopped = false;
  Result<RunEnding> ended = RunEnding::undecided;
  {
    InterviewBox box(interview, arguments.voter);
    Booth booth(box, guard);
    ended = booth.vote();
    stopped = booth.stopped();
  }
  if (!ended.ok()) return ended.error();
  if (*ended == RunEnding::certified) DUEL_RETURN_IF_ERROR(interview.complete());
  DUEL_ASSIGN(const int code,
              report_ending(*ended, arguments.interview, interview, context, Json::object()));
  if (*ended == RunEnding::certified) return code;
  if (stopped || *ended == RunEnding::interrupted) {
    context.note(fmt::format("{} has every answer. To continue: {}", interview.log_file(),
                             same_command(command)));
  } else {
    context.note(why_undecided(
        interview, interview.needs_more_tasks() ? RunEnding::tasks_used_up : RunEnding::undecided));
  }
  return *ended == RunEnding::interrupted ? guard.exit_code() : code;
}

}  // namespace

void add_vote_command(Command& program) {
  Command& command = program.add_command(
      "vote",
      "Finds the best arm by asking you which of two is better.\nShows two items at a time, blind "
      "and in random order, side by side where the terminal is wide enough, and stops by itself "
      "once one has been shown to beat every other. Keys: left and right arrow (or 1 and 2), t "
      "tie, b both bad, s skip, u take the last answer back before the next pair comes, q stop. "
      "Without a terminal it reads the same from lines. Every answer is in the log; the same "
      "command continues.\nExit codes: 0 certified, 3 stopped or undecided, 4 certified, but a "
      "health check failed, 1 failure, 130 interrupted, 75 server unreachable.");
  auto& arguments = command.keep<VoteArguments>();
  add_interview_options(command, arguments.interview, {"random", "fixed"});
  command.add("--voter ID", not_empty(&arguments.voter), "Name of the voter, recorded in the log.");
  add_served_options(command, arguments.served);
  command.footer =
      "Examples:\n"
      "  duel vote --arms 'slogans/*.txt'\n"
      "  duel vote --server http://127.0.0.1:7557 slogans --voter ann\n"
      "  duel vote --arms-file names.txt --name mascot --alpha 0.1 --voter ann";
  command.action = [&arguments, &command](CommandContext& context) {
    return run_vote(arguments, command, context);
  };
}

}  // namespace duel::cli
