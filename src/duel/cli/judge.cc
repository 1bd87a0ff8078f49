#include <algorithm>
#include <chrono>
#include <map>

#include "duel/cli/commands.h"
#include "duel/cli/judge_options.h"
#include "duel/core/described_json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/inference/evidence.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_pool.h"
#include "duel/verdict/judge_check.h"

namespace duel::cli {
namespace {

struct CheckArguments {
  std::string votes;
  std::string people = "human";
  std::vector<std::string> columns;
  std::string judge;
  JudgeArguments asked;
  std::string order = "as-shown";
  std::uint64_t repeats = 0, least = 20, most = 0;
  std::string passport;
  bool json = false;
};

Question question_of(const JudgedRow& row, std::size_t number, bool turned) {
  const auto arm = [](const std::string& name, const std::string& text) {
    return ShownArm{id_from(name), "", Json(text.empty() ? name : text)};
  };
  Question question{.duel_id = fmt::format("q{}", number + 1),
                    .first = arm(row.first, row.first_text),
                    .second = arm(row.second, row.second_text),
                    .task = std::nullopt};
  if (row.task.is_object()) question.task = row.task;
  return turned ? turned_round(std::move(question)) : question;
}

// Asks the judge all questions, each as often as wanted, and keeps what it says.
Result<JudgeFigures> ask_all(const CheckArguments& arguments, const JudgedVotes& votes,
                             CommandContext& context) {
  const bool has_task = !votes.rows.empty() && votes.rows.front().task.is_object();
  DUEL_ASSIGN(JudgeCommand command, arguments.asked.command("--judge", arguments.judge, has_task));
  DUEL_RETURN_IF_ERROR(ChildProcess::check_program(command.program()));
  JudgePool pool(std::move(command), arguments.asked.judge_options());
  const bool both = arguments.order == "both";
  const std::size_t of_each = 1 + (both ? 1 : 0) + arguments.repeats;
  const std::size_t all = votes.rows.size() * of_each;
  std::vector<std::vector<Outcome>> said(votes.rows.size(),
                                         std::vector<Outcome>(of_each, Outcome::none));
  JudgeCheck check(arguments.judge, arguments.least);
  const InterruptGuard guard(InterruptGuard::First::drains);
  std::size_t asked = 0, done = 0, in_a_row = 0;
  std::map<std::string, std::size_t> out;  // numbers by duel
  while (done < all) {
    if (guard.interrupted()) return Error::io("interrupted", "the judge");
    for (; asked < all && pool.free() > 0; ++asked) {
      const bool turned = both && asked % of_each == 1;
      Question question = question_of(votes.rows[asked / of_each], asked, turned);
      out.emplace(question.duel_id, asked);
      pool.ask(std::move(question));
    }
    for (const Judged& judged : pool.wait(std::chrono::milliseconds(100))) {
      const std::size_t number = out.extract(judged.question.duel_id).mapped();
      const bool turned = both && number % of_each == 1;
      const Outcome outcome = judged.outcome.value_or(Outcome::none).side();
      said[number / of_each][number % of_each] = turned ? mirrored(outcome) : outcome;
      ++done;
      in_a_row = judged.outcome ? 0 : in_a_row + 1;
      if (judged.ends) return *judged.ends;
      if (in_a_row >= arguments.asked.max_failures) {
        return Error::io(
            fmt::format("no answer to {} questions in a row: {}", in_a_row, judged.failure),
            "the judge");
      }
    }
  }
  pool.finish();
  context.note("{} of the judge", counted(all, "answer"));
  for (std::size_t k = 0; k < votes.rows.size(); ++k) {
    check.add(votes.rows[k], said[k][0]);
    if (both) check.add_turned(said[k][0], said[k][1]);
    for (std::size_t again = both ? 2 : 1; again < of_each; ++again) {
      check.add_repeat(said[k][0], said[k][again]);
    }
  }
  return check.figures();
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
      text += fmt::format("{}: {} of {} questions answered otherwise in the other order.\n",
                          one.judge, one.flips, one.both_orders);
    }
    if (one.repeats > 0) {
      text += fmt::format("{}: {} of {} questions answered otherwise when asked again.\n",
                          one.judge, one.repeated_otherwise, one.repeats);
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

Result<int> check(const CheckArguments& arguments, const Command& /*command*/,
                  CommandContext& context) {
  if (arguments.votes.empty()) {
    return usage_error(
        "--votes",
        Error::invalid_argument("is missing").with_hint("a CSV file with what people said"));
  }
  if (arguments.columns.empty() && arguments.judge.empty()) {
    return usage_error("--judge", Error::invalid_argument("no judge is given")
                                      .with_hint("give a command, or --column NAME of the file"));
  }
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  if (!arguments.passport.empty()) DUEL_RETURN_IF_ERROR(check_output(arguments.passport));
  DUEL_ASSIGN(const std::string text, read_whole_file(arguments.votes, kMostBytes));
  DUEL_ASSIGN(JudgedVotes votes,
              read_judged_votes(text, arguments.votes, arguments.people, arguments.columns));
  if (arguments.most > 0 && votes.rows.size() > arguments.most) votes.rows.resize(arguments.most);
  std::vector<JudgePassport> passports;
  const auto add = [&](JudgeFigures figures, const JudgeEntry& judge) {
    passports.push_back({judge.command, judge.sha256, arguments.votes, votes.sha256,
                         arguments.people, votes.rows.size(), std::move(figures)});
  };
  for (std::size_t k = 0; k < votes.judges.size(); ++k) {
    JudgeCheck one(votes.judges[k], arguments.least);
    for (const JudgedRow& row : votes.rows) one.add(row, row.judges[k]);
    add(one.figures(), {});
  }
  if (!arguments.judge.empty()) {
    DUEL_ASSIGN(JudgeFigures figures, ask_all(arguments, votes, context));
    const bool has_task = votes.rows.front().task.is_object();
    DUEL_ASSIGN(const JudgeCommand judge,
                arguments.asked.command("--judge", arguments.judge, has_task));
    add(std::move(figures), judge.entry());
  }
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
  return kExitDone;
}

void add_check_command(Command& judge) {
  Command& command = judge.add_command(
      "check",
      "Compares a judge with people.\nThe votes are a CSV file with the columns model_a, model_b "
      "and one with what people said (a, b, tie, tie (bothbad), or a model's name). The judges "
      "are columns of the same file, or a program that is asked about every "
      "row: it finds the columns text_a and text_b (the names, where they are missing) as the two "
      "arms, and the other columns as the task.");
  CheckArguments& arguments = command.runs(check);
  command.add("--votes FILE", not_empty(&arguments.votes), "What people said.");
  command.add("--people COLUMN", not_empty(&arguments.people),
              "The column with it (default human).");
  command.add("--column NAME", not_empty(&arguments.columns),
              "A column with what a judge said; may be repeated.");
  command.add("--judge COMMAND", &arguments.judge, "A judge to ask, as for 'duel run'.");
  command.add("--order ORDER", one_of(&arguments.order, {"as-shown", "both"}),
              "as-shown (default), or both: every question is asked in the other order, too, to "
              "count flips.");
  command.add("--repeats N", count(&arguments.repeats, 0, 100),
              "Ask every question N times more, to see whether the judge agrees with itself.");
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
      "  duel judge check --votes people.csv --people human --column gpt4 --column gpt35";
}

}  // namespace

void add_judge_command(Command& program) {
  Command& command = program.add_command("judge", "Says whether a judge is any good.");
  command.needs_command = true;
  add_check_command(command);
}

}  // namespace duel::cli
