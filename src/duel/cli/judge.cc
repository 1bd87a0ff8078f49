#include <algorithm>
#include <optional>
#include <utility>

#include "duel/cli/commands.h"
#include "duel/cli/judge_options.h"
#include "duel/cli/progress.h"
#include "duel/core/described_json.h"
#include "duel/core/digest.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/inference/evidence.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/jury.h"
#include "duel/judging/row_questions.h"
#include "duel/verdict/judge_check.h"
#include "duel/verdict/result_tables.h"

namespace duel::cli {
namespace {

struct CheckArguments {
  std::string votes;
  std::string people = "human";
  std::string judge_votes;
  std::vector<std::string> columns;
  std::vector<std::string> judges;
  JudgeArguments asked;
  std::string order = "as-shown";
  std::uint64_t repeats = 0, least = 20, most = 0;
  std::string cache;
  double budget = 0;
  std::string passport;
  bool json = false;
};

// What is known of the judges, however the command ends.
struct Checked {
  std::vector<JudgePassport> passports;
  std::optional<Error> failure;  // why nothing more was asked
  bool stayed_busy = false;
  bool money_is_out = false;
};

// The columns of judges in the file of the votes, and in their own.
struct JudgeColumns {
  std::vector<std::string> beside_people, apart;
};

Result<JudgeColumns> sorted_columns(const CheckArguments& arguments, std::string_view votes) {
  JudgeColumns columns;
  if (arguments.judge_votes.empty()) return JudgeColumns{arguments.columns, {}};
  DUEL_ASSIGN(const auto known, columns_of_votes(votes, arguments.votes));
  for (const std::string& column : arguments.columns) {
    const bool is_here = std::ranges::find(known, column) != known.end();
    (is_here ? columns.beside_people : columns.apart).push_back(column);
  }
  return columns;
}

constexpr std::size_t kMostBytesOfVotes = std::size_t{1} << 30;

Result<JudgedVotes> read_votes(const CheckArguments& arguments, Checked& checked) {
  DUEL_ASSIGN(const std::string text, read_whole_file(arguments.votes, kMostBytesOfVotes));
  DUEL_ASSIGN(const JudgeColumns columns, sorted_columns(arguments, text));
  DUEL_ASSIGN(JudgedVotes votes,
              read_judged_votes(text, arguments.votes, arguments.people, columns.beside_people));
  std::string apart_sha256;
  if (!arguments.judge_votes.empty()) {
    DUEL_ASSIGN(const std::string apart, read_whole_file(arguments.judge_votes, kMostBytesOfVotes));
    DUEL_RETURN_IF_ERROR(add_judge_votes(votes, apart, arguments.judge_votes, columns.apart));
    apart_sha256 = sha256_hex(apart);
  }
  if (arguments.most > 0 && votes.rows.size() > arguments.most) votes.rows.resize(arguments.most);
  for (std::size_t k = 0; k < votes.judges.size(); ++k) {
    JudgeCheck one(votes.judges[k], arguments.least);
    for (const JudgedRow& row : votes.rows) one.add(row, row.judges[k]);
    JudgePassport passport{.votes_file = arguments.votes,
                           .votes_sha256 = votes.sha256,
                           .people = arguments.people,
                           .rows = votes.rows.size(),
                           .figures = one.figures()};
    if (k >= columns.beside_people.size()) {
      passport.judge_votes_file = arguments.judge_votes;
      passport.judge_votes_sha256 = apart_sha256;
    }
    checked.passports.push_back(std::move(passport));
  }
  return votes;
}

Result<std::vector<JudgeCommand>> judges_of(const CheckArguments& arguments,
                                            const JudgedVotes& votes) {
  std::vector<JudgeCommand> judges;
  for (const std::string& text : arguments.judges) {
    DUEL_ASSIGN(JudgeCommand judge,
                arguments.asked.command("--judge", text, votes.rows.front().task.is_object()));
    DUEL_RETURN_IF_ERROR(ChildProcess::check_program(judge.program()));
    judges.push_back(std::move(judge));
  }
  return judges;
}

// Asks a judge about all rows and adds its figures. However that ends, they are those of the
// answers that came.
Status ask(const CheckArguments& arguments, const JudgedVotes& votes, const JudgeCommand& judge,
           double budget, const InterruptGuard& guard, CommandContext& context, Checked& checked) {
  const JudgeEntry entry = judge.entry_as_written();
  Jury pool({judge}, arguments.asked.judge_options(), JuryRule::mean, 0);
  if (!arguments.cache.empty()) {
    DUEL_RETURN_IF_ERROR(
        pool.remember(arguments.cache, {}, [&](const std::string& text) { context.warn(text); }));
  }
  RowQuestions questions(votes.rows, {.turned = arguments.order == "both",
                                      .repeats = arguments.repeats,
                                      .from_cache = !arguments.cache.empty()});
  JudgeLoopOptions options = arguments.asked.loop_options(judge.name(), "");
  options.broken = [](std::uint64_t in_a_row, const Judged& last) {
    return Error::io(fmt::format("no answer to {} questions in a row: {}", in_a_row, last.failure),
                     "the judge");
  };
  options.budget = budget;
  JudgeLoop loop(questions, pool, options);
  Progress progress("answers", questions.all(), context.quiet);
  bool draining = false;
  const auto ended =
      loop.run([&] { return stopping(guard); },
               [&] {
                 progress.update(questions.answered(), entry.command);
                 if (!guard.interrupted() || std::exchange(draining, true)) return;
                 if (loop.in_flight() == 0) return;
                 progress.finish();
                 context.warn("stopping: {} outstanding; press Ctrl-C again to drop them",
                              counted(loop.in_flight(), "answer is", "answers are"));
               });
  progress.finish();
  if (!ended.ok()) checked.failure = ended.error();
  checked.stayed_busy = pool.stayed_busy();
  checked.money_is_out = checked.money_is_out || loop.money_is_out();
  if (ended.ok() && *ended != RunEnding::interrupted) pool.finish();
  if (questions.answered() < questions.all()) {
    context.warn("{}: {} of {} were asked", entry.command, questions.answered(),
                 counted(questions.all(), "question"));
  }
  if (questions.rows() == 0) return Done{};
  checked.passports.push_back({.command = entry.command,
                               .command_sha256 = entry.sha256,
                               .votes_file = arguments.votes,
                               .votes_sha256 = votes.sha256,
                               .people = arguments.people,
                               .rows = questions.rows(),
                               .figures = questions.figures(entry.command, arguments.least)});
  return Done{};
}

std::string share_with_interval(const std::optional<double>& share, const Interval& interval) {
  if (!share) return "-";
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * *share, 100 * interval.lower,
                     100 * interval.upper);
}

std::string text_of(const std::vector<JudgeFigures>& all, std::uint64_t least) {
  Table table;
  table.column("judge", Align::left).column("a / b / tie").column("names the first");
  table.column("agrees with people").column("of").column("pairs reversed").column("of pairs");
  for (const JudgeFigures& one : all) {
    table.row({one.judge, fmt::format("{} / {} / {}", one.first, one.second, one.ties),
               share_with_interval(one.first_share, one.first_share_interval),
               share_with_interval(one.agreement, one.agreement_interval), one.agree + one.differ,
               one.reversed.size(), one.pairs});
  }
  std::string text = table.to_string();
  text += fmt::format(
      "\nShares with 95 % intervals that hold whenever you look, of the answers that lean to one "
      "side.\nPairs: with {} answers or more, where people and the judge lean to one side.\n",
      least);
  for (const JudgeFigures& one : all) {
    if (one.both_orders > 0) {
      text += fmt::format("{}: {} of {} questions answered otherwise in the other order: {}.\n",
                          one.judge, one.flips, one.both_orders,
                          share_with_interval(one.flip_rate, one.flip_interval));
    }
    if (one.repeats > 0) {
      text += fmt::format("{}: {} of {} questions answered otherwise when asked again: {}.\n",
                          one.judge, one.repeated_otherwise, one.repeats,
                          share_with_interval(one.repeat_rate, one.repeat_interval));
    }
    if (one.cost > 0 || one.tokens > 0) {
      const std::uint64_t paid = one.asked - one.cached;
      text += fmt::format("{}: {} cost {} ({}), {} each.\n", one.judge, counted(paid, "answer"),
                          price_text(one.cost), counted(one.tokens, "token"),
                          price_text(one.cost / static_cast<double>(paid)));
    }
    if (one.cached > 0) {
      text += fmt::format("{}: {} from the cache.\n", one.judge, counted(one.cached, "answer"));
    }
    if (one.missing > 0) text += fmt::format("{}: {} without an answer.\n", one.judge, one.missing);
    constexpr std::size_t kMost = 10;
    for (std::size_t k = 0; k < std::min(kMost, one.reversed.size()); ++k) {
      const ReversedPair& pair = one.reversed[k];
      text += fmt::format(
          "{}: {} against {}: people {} : {} (evidence {}), the judge {} : {} (evidence {})\n",
          one.judge, pair.first, pair.second, pair.people_first, pair.people_second,
          format_evidence(pair.people_evidence), pair.judge_first, pair.judge_second,
          format_evidence(pair.judge_evidence));
    }
    if (one.reversed.size() > kMost) {
      text += fmt::format("{}: {} more; --json has all\n", one.judge, one.reversed.size() - kMost);
    }
  }
  return text;
}

Status show(const CheckArguments& arguments, const Checked& checked, CommandContext& context) {
  const std::vector<JudgePassport>& passports = checked.passports;
  if (passports.empty()) return Done{};
  if (!arguments.passport.empty()) {
    const Json json =
        passports.size() == 1 ? described_json(passports.front()) : described_json(passports);
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.passport, json.dump_pretty() + "\n"));
  }
  if (arguments.json) {
    context.print(described_json(passports).dump_pretty());
  } else {
    std::vector<JudgeFigures> figures;
    for (const JudgePassport& one : passports) figures.push_back(one.figures);
    context.print(text_of(figures, arguments.least));
  }
  return Done{};
}

Status check_arguments(const CheckArguments& arguments) {
  if (arguments.votes.empty()) {
    return usage_error(
        "--votes",
        Error::invalid_argument("is missing").with_hint("a CSV file with what people said"));
  }
  if (arguments.judges.empty()) {
    if (arguments.columns.empty() && arguments.judge_votes.empty()) {
      return usage_error("--judge", Error::invalid_argument("no judge is given")
                                        .with_hint("give a command, --column NAME of the file, or "
                                                   "--judge-votes FILE"));
    }
    const std::string needless = !arguments.cache.empty() ? "--cache"
                                 : arguments.budget > 0   ? "--budget"
                                                          : "";
    if (!needless.empty()) {
      return usage_error(
          needless,
          Error::invalid_argument("no program is asked").with_hint("give one: --judge COMMAND"));
    }
  }
  if (!arguments.passport.empty()) DUEL_RETURN_IF_ERROR(check_output(arguments.passport));
  return Done{};
}

Result<int> check(const CheckArguments& arguments, const Command& command,
                  CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_arguments(arguments));
  Checked checked;
  DUEL_ASSIGN(const JudgedVotes votes, read_votes(arguments, checked));
  DUEL_ASSIGN(const std::vector<JudgeCommand> judges, judges_of(arguments, votes));
  const InterruptGuard guard(InterruptGuard::First::drains);
  double left = arguments.budget;
  for (std::size_t k = 0; k < judges.size() && !checked.failure && !guard.interrupted(); ++k) {
    if (arguments.budget > 0 && left <= 0) {
      checked.money_is_out = true;
      break;
    }
    // The budget is for all judges: each may spend what those before it have left.
    const double share = left / static_cast<double>(judges.size() - k);
    const std::size_t before = checked.passports.size();
    DUEL_RETURN_IF_ERROR(ask(arguments, votes, judges[k], share, guard, context, checked));
    if (checked.passports.size() > before) left -= checked.passports.back().figures.cost;
  }
  DUEL_RETURN_IF_ERROR(show(arguments, checked, context));
  if (checked.failure) return ended_by(*checked.failure, checked.stayed_busy, command);
  if (guard.interrupted()) {
    context.warn("interrupted; the figures are of the answers so far{}",
                 arguments.cache.empty() ? "" : ", and the same command goes on");
    return guard.exit_code();
  }
  if (checked.money_is_out) {
    context.note("stopped before --budget {} could be exceeded{}", format_number(arguments.budget),
                 arguments.cache.empty() ? "" : "; a larger one continues");
    return kExitUndecided;
  }
  return kExitDone;
}

void add_check_command(Command& judge) {
  Command& command = judge.add_command(
      "check",
      "Compares judges with people.\nThe votes are a CSV file with the columns model_a, model_b "
      "and one with what people said (a, b, tie, tie (bothbad), or a model's name). The judges "
      "are columns of the same file, columns of a second one, or programs that are asked about "
      "every row: they find the columns text_a and text_b (the names, where they are missing) as "
      "the two arms, and the other columns as the task.\nExit codes: 0 all rows were asked, 3 the "
      "budget ended before, 1 failure, 130 interrupted: the first Ctrl-C stops asking and waits "
      "for outstanding answers, the second drops them; 75 the judge stayed busy. However it ends, "
      "the figures of the answers so far are shown.");
  CheckArguments& arguments = command.runs(check);
  command.add("--votes FILE", not_empty(&arguments.votes), "What people said.");
  command.add("--people COLUMN", not_empty(&arguments.people),
              "The column with it (default human).");
  command.add("--column NAME", not_empty(&arguments.columns),
              "A column with what a judge said; may be repeated.");
  command.add("--judge-votes FILE", not_empty(&arguments.judge_votes),
              "A CSV file with what judges said of the same rows: those with the same values in "
              "the columns that both files have, such as a number of the question; without such "
              "columns line by line. --column names the judges if there are several columns.");
  command.add("--judge COMMAND", not_empty(&arguments.judges),
              "A judge to ask, as for 'duel run'; may be repeated.");
  command.add("--order ORDER", one_of(&arguments.order, {"as-shown", "both"}),
              "as-shown (default), or both: every question is asked in the other order, too, to "
              "count flips.");
  command.add("--repeats N", count(&arguments.repeats, 0, 100),
              "Ask every question N times more, to see whether the judge agrees with itself.");
  command.add("--cache DIR", not_empty(&arguments.cache),
              "Keep the judges' answers in DIR, and do not ask again for one that is there: what "
              "was interrupted goes on.");
  command.add("--budget PRICE",
              number(
                  &arguments.budget, [](double value) { return value > 0; }, "> 0"),
              "Stop before the judges' answers could cost more in this run; of several judges each "
              "has its share. A judge tells the cost of each answer as for 'duel run'.");
  command.add("--limit N", count(&arguments.most, 1, 1'000'000'000), "Only the first N rows.");
  command.add("--least N", count(&arguments.least, 1, 1'000'000'000),
              "Answers that a pair needs for its sign to be compared (default 20).");
  add_judge_options(command, arguments.asked);
  command.add("--passport FILE", not_empty(&arguments.passport),
              "Write the figures as JSON, bound to the hashes of the judge's command, of the files "
              "that it names and of the votes.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel judge check --votes people.csv --judge './llm.sh {first} {second}' --order both\n"
      "  duel judge check --votes people.csv --judge ./small.sh --judge ./large.sh --cache answers "
      "--budget 5\n"
      "  duel judge check --votes people.csv --judge-votes llm.csv\n"
      "  duel judge check --votes people.csv --people human --column gpt4 --column gpt35";
}

}  // namespace

void add_judge_command(Command& program) {
  Command& command = program.add_command("judge", "Says whether a judge is any good.");
  command.needs_command = true;
  add_check_command(command);
}

}  // namespace duel::cli
