#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "duel/cli/booth.h"
#include "duel/cli/commands.h"
#include "duel/cli/interview_options.h"
#include "duel/cli/judge_options.h"
#include "duel/cli/live_table.h"
#include "duel/cli/result_report.h"
#include "duel/cli/served_session.h"
#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/judging/batched_questions.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/judge_pool.h"
#include "duel/judging/jury.h"
#include "duel/judging/unchanged_arms.h"
#include "duel/verdict/audit_standing.h"
#include "duel/verdict/judge_check.h"
#include "duel/verdict/result_tables.h"

namespace duel::cli {
namespace {

struct RunArguments {
  InterviewOptions interview;
  JuryArguments jury;
  JudgeArguments judge;
  std::string on_failure = "missing";
  std::string
      audit;  // by which program people audit the judge; "vote": at the terminal; "": nobody
  std::string auditor_name;
  std::string passport;
  std::uint64_t batch = 1;
  ServedOptions served;
};

FailedDuel failed_duel(const std::string& word) {
  if (word == "skip") return FailedDuel::skip;
  return word == "stop" ? FailedDuel::stop : FailedDuel::missing;
}

Json judge_json(const JudgeLoop& run, const Jury& pool, const AnswerCosts& spent) {
  Json json;
  json["judge"] = {
      {"answered", run.answered()},           {"failed", run.failed()},
      {"timeouts", pool.troubles().timeouts}, {"busy", pool.times_busy()},
      {"crashes", pool.troubles().crashes},   {"senseless", pool.troubles().senseless}};
  if (spent.answers > 0) {
    json["cost"] = {{"total", spent.cost}, {"this_run", run.cost()}, {"tokens", spent.tokens}};
  }
  return json;
}

// `hint`: what to do when the judge is broken.
JudgeLoopOptions loop_options(const RunArguments& arguments, const std::string& judge,
                              const std::string& hint) {
  JudgeLoopOptions options = arguments.judge.loop_options(judge, hint);
  options.on_failure = failed_duel(arguments.on_failure);
  return options;
}

Result<std::vector<JudgeCommand>> judges_of(const RunArguments& arguments, bool has_tasks) {
  if (arguments.jury.judges.empty()) {
    return Error::invalid_argument("no judge is given")
        .with_hint("write --judge './judge.sh {first} {second}'; 'duel vote' asks you instead");
  }
  return arguments.jury.commands(arguments.judge, has_tasks);
}

// The mean of several answers is a graded one.
Status check_jury(const RunArguments& arguments) {
  const std::string& goal = arguments.interview.request.goal;
  if (goal != "copeland" && goal != "borda" && goal != "epsilon") return Done{};
  if (arguments.jury.votes > 1) {
    return usage_error("--votes",
                       Error::invalid_argument(
                           fmt::format("the goal {} does not take the mean of several votes", goal))
                           .with_hint("leave it out"));
  }
  if (arguments.jury.judges.size() < 2 || arguments.jury.rule() == JuryRule::drawn) return Done{};
  return usage_error("--judge",
                     Error::invalid_argument(
                         fmt::format("the goal {} does not take the mean of several judges", goal))
                         .with_hint("--jury drawn"));
}

// One question after the other, or batches of them.
Questions& batched(const RunArguments& arguments, Questions& questions, BatchedQuestions& batches) {
  return arguments.batch > 1 ? static_cast<Questions&>(batches) : questions;
}

// The server chooses the pairs; the judges are ours.
Result<int> run_served(const RunArguments& arguments, const Command& command,
                       CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_served_options(
      command, {"judge", "judge-protocol", "parallel", "timeout", "retries", "retry-delay",
                "busy-patience", "on-failure", "max-failures", "batch", "json", "quiet", "server",
                "token-file", "store", "experiment", "patience"}));
  DUEL_ASSIGN(const std::string experiment_id,
              arguments.served.experiment_id(arguments.interview.more_arms));
  // What can be wrong is found before a duel is asked for.
  if (arguments.jury.judges.size() > 1) {
    return usage_error("--judge", Error::unsupported("several judges are for a log of this machine")
                                      .with_hint("leave out --server"));
  }
  DUEL_ASSIGN(const std::vector<JudgeCommand> checked, judges_of(arguments, false));
  DUEL_RETURN_IF_ERROR(ChildProcess::check_program(checked.front().program()));
  const InterruptGuard guard(InterruptGuard::First::drains);
  DUEL_ASSIGN(const std::unique_ptr<ServedSession> session,
              ServedSession::open(arguments.served, experiment_id, "", guard, context));
  DUEL_ASSIGN(std::vector<JudgeCommand> judges,
              judges_of(arguments, session->questions().has_tasks()));
  Jury pool(std::move(judges), arguments.judge.judge_options(), arguments.jury.rule(), 0);
  BatchedQuestions batches(session->questions(), arguments.batch);
  JudgeLoop loop(batched(arguments, session->questions(), batches), pool,
                 loop_options(arguments, checked.front().name(), "fix the judge and run again"));
  auto told = std::chrono::steady_clock::now();
  bool draining = false;
  const auto on_turn = [&] {
    if (guard.interrupted() && !std::exchange(draining, true) && loop.in_flight() > 0) {
      context.warn("stopping: {} outstanding; press Ctrl-C again to stop at once",
                   counted(loop.in_flight(), "answer"));
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::seconds(10)) return;
    told = now;
    const std::string busy = pool.busy_now();
    context.note("{} answered here; {}{}{}", counted(loop.answered(), "duel"),
                 session->questions().progress().verdict, busy.empty() ? "" : " ", busy);
  };
  const auto ended = loop.run([&] { return stopping(guard); }, on_turn);
  const Status given_up = batches.give_up({"judge", checked.front().name()});
  if (!ended.ok()) return ended_by(ended.error(), pool.stayed_busy(), command);
  DUEL_RETURN_IF_ERROR(given_up);
  const RunEnding ending = *ended;
  if (ending != RunEnding::interrupted) pool.finish();
  const std::string refusal = session->questions().progress().last_refusal;
  warn_of_troubles(pool, session->failed(loop), refusal.empty() ? loop.last_failure() : refusal,
                   context);
  return session->report(ending, loop, arguments.interview.json);
}

// Those who audit the judge: a program that asks people, or the person at this terminal.
struct Auditors {
  std::unique_ptr<JudgePool> programs;
  std::unique_ptr<Booth> booth;

  Judges* judges() const {
    if (booth) return booth.get();
    return programs.get();
  }
};

constexpr const char* kByVote = "vote";

Status read_audit(const RunArguments& arguments, InterviewOptions& asked, Auditors& auditors) {
  InterviewRequest& request = asked.request;
  if (arguments.audit.empty()) {
    const std::string needless = request.audits != InterviewRequest{}.audits ? "audits"
                                 : request.give_up_after > 0                 ? "audit-give-up"
                                 : !arguments.auditor_name.empty()           ? "auditor"
                                                                             : "";
    if (needless.empty()) return Done{};
    return Error::invalid_argument("nobody audits")
        .with_hint("--audit ./ask-a-person.sh, or --audit vote")
        .in_field(needless);
  }
  request.audited = true;
  if (arguments.audit == kByVote) return Done{};
  DUEL_ASSIGN(JudgeCommand command,
              arguments.judge.command("--audit", arguments.audit, !request.tasks.empty()));
  asked.programs.push_back(command.program());
  request.auditor = command.entry();
  JudgeOptions options = arguments.judge.judge_options();
  options.parallel = 1;
  // People take their time.
  options.timeout_seconds = std::max(options.timeout_seconds, 86'400.0);
  auditors.programs = std::make_unique<JudgePool>(std::move(command), options);
  return Done{};
}

// The passports of these very judges: with the same command, and files as they are now.
Result<std::vector<JudgePassport>> passports_of(const RunArguments& arguments,
                                                const std::vector<JudgeCommand>& judges) {
  if (arguments.passport.empty()) return std::vector<JudgePassport>();
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  DUEL_ASSIGN(const std::string text, read_whole_file(arguments.passport, kMostBytes));
  DUEL_ASSIGN(const std::vector<JudgePassport> all, read_passports(text, arguments.passport));
  std::vector<JudgePassport> found;
  for (const JudgeCommand& judge : judges) {
    const JudgeEntry entry = judge.entry_as_written();
    const auto passport = std::ranges::find(all, entry.sha256, &JudgePassport::command_sha256);
    if (passport != all.end()) {
      found.push_back(*passport);
      continue;
    }
    const bool changed =
        std::ranges::find(all, entry.command, &JudgePassport::command) != all.end();
    return Error::invalid_argument(
               changed
                   ? fmt::format("'{}' or a file that it names has changed since", entry.command)
                   : fmt::format("has no judge '{}'", entry.command),
               arguments.passport, "duel judge check --judge .. --passport writes a new one")
        .in_field("passport");
  }
  return found;
}

Result<int> run_here(const RunArguments& arguments, const Command& command,
                     CommandContext& context) {
  if (arguments.served.asked_for()) return run_served(arguments, command, context);
  DUEL_RETURN_IF_ERROR(arguments.jury.check_cache(arguments.interview.request));
  DUEL_RETURN_IF_ERROR(check_jury(arguments));
  DUEL_ASSIGN(std::vector<JudgeCommand> judges,
              judges_of(arguments, !arguments.interview.request.tasks.empty()));
  DUEL_ASSIGN(const std::vector<JudgePassport> passports, passports_of(arguments, judges));
  for (const JudgePassport& one : passports) {
    context.note("passport of '{}': {}", one.command, passport_text(one));
  }
  InterviewOptions asked = arguments.interview;
  asked.request.judge = entry_of_jury(judges, arguments.jury.rule());
  for (const JudgeCommand& judge : judges) asked.programs.push_back(judge.program());
  Auditors auditors;
  DUEL_RETURN_IF_ERROR(read_audit(arguments, asked, auditors));
  const InterruptGuard guard(InterruptGuard::First::drains);
  DUEL_ASSIGN(Interview interview, open_interview(asked, context));
  Jury pool(std::move(judges), arguments.judge.judge_options(), arguments.jury.rule(),
            interview.ledger().experiment().seed);
  std::function<bool(const Question&)> known;
  if (!arguments.jury.cache.empty()) {
    DUEL_RETURN_IF_ERROR(
        pool.remember(arguments.jury.cache, interview.arms(),
                      [&context](const std::string& text) { context.warn(text); }));
    known = [&pool](const Question& question) { return pool.knows(question); };
  }
  LocalQuestions questions = interview.questions({}, std::move(known));
  UnchangedArms unchanged(questions, interview.arms());
  if (arguments.audit == kByVote) {
    auditors.booth = terminal_booth([&] {
      // An answer that can still be taken back is not in the log.
      const std::uint64_t held = auditors.booth->holds() ? 1 : 0;
      return fmt::format("audit {}", audit_standing(interview.ledger()).answers + held + 1);
    });
  }
  JudgeLoopOptions loop =
      loop_options(arguments, pool.name(),
                   "the log is kept; when the judge is fixed, continue with `allow_new_judge`, or "
                   "give another `log` to start over");
  loop.auditor = {"human", arguments.auditor_name};
  loop = arguments.jury.loop_options(std::move(loop), interview);
  BatchedQuestions batches(unchanged, arguments.batch);
  JudgeLoop judged(batched(arguments, unchanged, batches), pool, loop, auditors.judges());
  const bool was_certified = interview.certified();
  auto ended = [&] {
    // The person who audits has the terminal.
    LiveTable table(interview, context.quiet || auditors.booth != nullptr);
    bool draining = false;
    return judged.run(
        [&] {
          if (auditors.booth == nullptr) return stopping(guard);
          const bool certified = interview.certified();
          if (certified && auditors.booth->asks()) auditors.booth->drop_question();
          if (!certified && !guard.interrupted() && !auditors.booth->stopped()) return Stopping::no;
          auditors.booth->close();
          // An answer that could still be taken back is one, and comes before the end.
          if (auditors.booth->holds()) return Stopping::after_answers;
          if (auditors.booth->asks()) return Stopping::at_once;
          return certified ? Stopping::no : Stopping::after_answers;
        },
        [&] {
          if (guard.interrupted() && !std::exchange(draining, true) && judged.in_flight() > 0) {
            table.clear();
            context.warn("stopping: {} outstanding; press Ctrl-C again to drop them",
                         counted(judged.in_flight(), "answer is", "answers are"));
          }
          const std::string busy = pool.busy_now();
          table.update(judged.in_flight(), busy.empty() ? judged.last_failure() : busy);
        });
  }();
  const Status given_up = batches.give_up(loop.source);
  if (!ended.ok()) {
    if (interview.ledger().served() > 0) {
      context.note_command(fmt::format("{} has the {} so far; to continue:", interview.log_file(),
                                       counted(interview.ledger().served(), "duel")),
                           same_command(command));
    }
    return ended_by(ended.error(), pool.stayed_busy(), command);
  }
  DUEL_RETURN_IF_ERROR(given_up);
  auditors.booth.reset();  // the terminal is as it was
  const bool by_person = arguments.audit == kByVote && *ended == RunEnding::interrupted;
  const RunEnding ending = by_person && interview.certified() ? RunEnding::certified : *ended;
  if (ending != RunEnding::interrupted) pool.finish();
  const AnswerCosts& spent = interview.spent();
  Json of_judge = judge_json(judged, pool, spent);
  if (!arguments.jury.cache.empty()) of_judge["judge"]["cached"] = pool.remembered();
  if (!passports.empty()) of_judge["passports"] = described_json(passports);
  DUEL_ASSIGN(const int code,
              report_ending(ending, arguments.interview, interview, context, of_judge));
  note_remembered(pool, arguments.jury, context);
  note_costs(judged, spent, context);
  note_budget(judged, arguments.jury, context);
  warn_of_troubles(pool, judged.failed(), judged.last_failure(), context);
  if (interview.answers_repeat()) context.note(interview.fresh_answers().detail);
  if (was_certified) {
    context.note("{} was already certified; nothing was asked", interview.log_file());
  }
  if (ending == RunEnding::interrupted) {
    context.warn_command(
        fmt::format("{}{} has every answer. To continue:",
                    guard.interrupted() ? "interrupted; " : "", interview.log_file()),
        same_command(command));
    // Whoever audits at the terminal may have had enough.
    return guard.interrupted() ? guard.exit_code() : code;
  }
  if (ending != RunEnding::certified && !judged.money_is_out()) {
    context.note(why_undecided(interview, ending));
  }
  return code;
}

}  // namespace

void add_run_command(Command& program) {
  Command& command = program.add_command(
      "run",
      "Finds the best arm by asking a judge program which of two is better.\nA policy chooses the "
      "pairs; the run stops by itself once an arm has been shown to beat every other (or what else "
      "--goal asks for: the best three, their order), and writes a certificate that holds even "
      "though you looked after every duel. The judge is a program: its first line is the answer "
      "(first, second, tie, both_bad, skip, or an arm's id), or its exit code is (11 first, 12 "
      "second, 13 tie, 14 both bad, 15 skip). Exit code 75 means busy: the judge is asked again "
      "after a pause, as if it had not been asked. Any other exit code is a failure, which is "
      "tried again and never counts against an arm. Every duel is in the log before it counts: "
      "after a kill the same command continues.\nExit codes: 0 certified (also that no arm beats "
      "every other), 3 undecided after --max-duels or without fresh tasks, 4 certified, but a "
      "health check failed, 1 failure, 130 interrupted: the first Ctrl-C stops asking and waits "
      "for outstanding answers, the second drops them; 75 server unreachable, or the judge stayed "
      "busy.");
  RunArguments& arguments = command.runs(run_here);
  add_interview_options(command, arguments.interview, {"random", "both", "fixed"});
  add_jury_options(command, arguments.jury);
  add_judge_options(command, arguments.judge);
  command.add_configurable(
      "--batch N", count(&arguments.batch, 1, 100'000),
      "Ask N duels together, and the next N when all of them are answered, for judges that answer "
      "many at once; --parallel says how many of them are in flight (default 1: no batches).");
  command.add("--on-failure WHAT", one_of(&arguments.on_failure, {"missing", "skip", "stop"}),
              "What happens to a duel when every try fails: missing (default), skip, or stop "
              "(missing, and the run stops).");
  add_votes_option(command, arguments.jury);
  add_budget_option(command, arguments.jury);
  add_cache_option(command, arguments.jury);
  command.add("--passport FILE", not_empty(&arguments.passport),
              "Says how well the judge agrees with people, as 'duel judge check --passport FILE' "
              "found, and refuses a judge that is not the one of the passport: its command and the "
              "files that it names must be the same.");
  command.add("--audit COMMAND", not_empty(&arguments.audit),
              "People audit the judge: of a drawn share of the duels a person is asked, too, and "
              "the verdict is about people. COMMAND speaks the judge's protocol and asks "
              "somebody; 'vote' asks you, here.");
  command.add("--audits SHARE",
              number(
                  &arguments.interview.request.audits,
                  [](double value) { return value > 0 && value <= 1; }, "> 0 and <= 1"),
              "Share of the duels that people answer, too (default 0.1).");
  command.add("--auditor ID", not_empty(&arguments.auditor_name),
              "Who audits, recorded in the log.");
  command.add(
      "--audit-give-up N", count(&arguments.interview.request.give_up_after, 1, 1'000'000),
      "Give an audit up for good after N people did not answer; it then counts as the worst "
      "answer for either arm, which makes the run longer (default: never).");
  command.add("--audit-from-seed", &arguments.interview.request.audit_from_seed,
              "For tests: draw audits by --seed, which is no secret. The certificate says so.");
  command.add("--allow-new-judge", &arguments.interview.request.allows_new_judge,
              "Continue a log that another judge started, if several judges share the work; a "
              "health check then compares them.");
  add_served_options(command, arguments.served);
  command.footer =
      "Examples:\n"
      "  duel run --arms 'prompts/*.txt' --judge ./judge.sh\n"
      "  duel run --server http://127.0.0.1:7557 prompts --judge ./judge.sh --parallel 4\n"
      "  duel run --arms 'prompts/*.txt' --judge ./judge.sh --goal set --top 3\n"
      "  duel run --arms a,b,c --judge 'python3 judge.py {first} {second} {task.question}' --tasks "
      "questions.jsonl --parallel 8\n"
      "  duel run --arms 'prompts/*.txt' --judge ./llm.sh --audit ./ask-a-person.sh --audits 0.1\n"
      "  duel run --arms 'models/*.json' --judge ./judge.py --judge-protocol jsonl --order both "
      "--alpha 0.01 --max-duels 2000";
}

}  // namespace duel::cli
