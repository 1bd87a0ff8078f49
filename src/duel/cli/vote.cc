#include <memory>
#include <utility>

#include "duel/cli/booth.h"
#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/served_session.h"
#include "duel/cli/vote_here.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/judging/judge_loop.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

namespace duel::cli {
namespace {

struct VoteArguments {
  InterviewOptions interview;
  std::string voter;
  ServedOptions served;
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

JudgeLoopOptions loop_options(const std::string& voter) {
  return {.source = {"human", voter}, .broken = {}};
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
  std::unique_ptr<Booth> booth =
      terminal_booth([&] { return std::to_string(counts->answered() + 1); });
  JudgeLoop loop(session->questions(), *booth, loop_options(arguments.voter));
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
  DUEL_ASSIGN(const auto voted, vote_here(interview, arguments.voter, guard));
  const auto [ending, stopped] = voted;
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

Result<VotedHere> vote_here(Interview& interview, const std::string& voter,
                            const InterruptGuard& guard) {
  LocalQuestions questions = interview.questions(voter);
  const std::unique_ptr<Booth> booth = terminal_booth([&] {
    const auto left = standing_of(interview.ledger()).duels_left;
    return fmt::format(
        "{}{}", interview.ledger().total().served,
        left ? fmt::format(", about {} more", approximate_count(*left)) : std::string());
  });
  JudgeLoop loop(questions, *booth, loop_options(voter));
  DUEL_ASSIGN(const RunEnding ending, vote(loop, questions, *booth, guard));
  return VotedHere{ending, booth->stopped()};
}

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
