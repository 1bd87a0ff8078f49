#include "duel/verdict/board_file.h"

#include <fmt/format.h>

#include <functional>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/verdict/audit_standing.h"
#include "duel/verdict/result_tables.h"
#include "duel/verdict/space_standing.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

// The member of `value` as a cell; an empty cell if there is no value.
template <class Value>
Cell or_nothing(const std::optional<Value>& value, auto member) {
  return value ? Cell(std::invoke(member, *value)) : Cell();
}

std::string elo_text(const BoardArm& arm) {
  if (!arm.elo) return "–";
  return fmt::format("{:+.0f} [{:+.0f}, {:+.0f}]", *arm.elo, arm.elo_interval->lower,
                     arm.elo_interval->upper);
}

std::string arms_markdown(const Ledger& ledger, const std::vector<BoardArm>& arms) {
  Table table("place");
  table.column("arm", Align::left).column("Elo [95 %]").column("won").column("lost").column("tied");
  table.column("both bad").column("share won").column("P(best)");
  for (const BoardArm& arm : arms) {
    table.row({to_text(arm.rank_range), ledger.name_of(arm.arm), elo_text(arm),
               arm.counts.first_wins, arm.counts.second_wins, arm.counts.ties, arm.counts.both_bad,
               fmt::format("{:.1f} %", 100 * arm.rate), Cell(arm.probability_best, 3)});
  }
  return table.to_markdown();
}

std::string pairs_markdown(const Ledger& ledger, const Board& board,
                           const std::vector<BoardArm>& arms) {
  Table table;
  table.column("won against", Align::left);
  for (const BoardArm& arm : arms) table.column(ledger.name_of(arm.arm));
  for (const BoardArm& row : arms) {
    std::vector<Cell> cells = {ledger.name_of(row.arm)};
    for (const BoardArm& column : arms) {
      const auto pair = pair_of(board, row.arm, column.arm);
      if (row.arm == column.arm) {
        cells.emplace_back("");
      } else if (!pair || pair->counts.decisive() == 0) {
        cells.emplace_back();
      } else if (pair->counts.graded > 0) {
        // An answer that says how much is won in part.
        cells.emplace_back(
            fmt::format("{:.0f} % of {}", 100 * pair->rate, pair->counts.decisive()));
      } else {
        cells.emplace_back(
            fmt::format("{} of {}", pair->counts.first_wins, pair->counts.decisive()));
      }
    }
    table.row(std::move(cells));
  }
  return table.to_markdown();
}

// The numbers of a space and the points that were to be proved.
std::string space_markdown(const Ledger& ledger) {
  const SpaceStanding space = space_standing(ledger);
  std::string text = dimensions_table(space).to_markdown();
  if (!ledger.certificate() || space.candidate) text += "\n" + why_not_proved(ledger) + "\n";
  if (!space.tried.empty()) text += "\n" + tried_points(space).to_markdown();
  return text;
}

// What judging has cost, and how several judges answer and agree; "" where nothing is known of it.
std::string judging_markdown(const Ledger& ledger) {
  const std::optional<ResultJudging> judging = judging_of(ledger);
  if (!judging) return "";
  std::string text = judging_costs(*judging);
  if (!text.empty()) text += "\n\n";
  if (judging->judges.empty()) return text;
  text += judges_table(*judging).to_markdown() + "\n";
  for (const ResultAgreement& one : judging->agreements) {
    text += "- " + agreement_sentence(one) + "\n";
  }
  return text + (judging->agreements.empty() ? "" : "\n");
}

}  // namespace

std::string board_csv(const Ledger& ledger, const Board& board) {
  DUEL_CHECK(!ledger.parts().space);
  Table table(
      "rank,rank_best,rank_worst,arm_id,name,elo,elo_low,elo_high,wins,losses,ties,both_bad,"
      "rate,probability_best");
  for (const BoardArm& arm : board.arms) {
    table.row({arm.rank, arm.rank_range.best, arm.rank_range.worst, ledger.id_of(arm.arm),
               ledger.name_of(arm.arm), or_nothing(arm.elo, std::identity()),
               or_nothing(arm.elo_interval, &Interval::lower),
               or_nothing(arm.elo_interval, &Interval::upper), arm.counts.first_wins,
               arm.counts.second_wins, arm.counts.ties, arm.counts.both_bad,
               arm.counts.decisive() == 0 ? Cell() : Cell(arm.rate),
               fmt::format("{:.4g}", arm.probability_best)});  // of 10 000 draws
  }
  return table.to_csv();
}

std::string board_markdown(const Ledger& ledger, const Board& board) {
  const std::vector<BoardArm>& arms = board.arms;
  const ShownCounts all = ledger.total();
  const std::string failed = failed_checks_sentence(board.health);
  std::string text = fmt::format(
      "# {}\n\n{}\n\n{}{}: {} decisive, {}, {} both bad, {} without an answer that counts.\n\n",
      ledger.experiment().experiment_id, verdict_of(ledger, board.standing),
      failed.empty() ? "" : fmt::format("**{}**\n\n", failed), counted(all.served, "duel"),
      all.decisive(), counted(all.ties, "tie"), all.both_bad,
      all.skips + all.invalid + all.expired + all.pending());
  if (ledger.parts().audited) text += audit_standing(ledger).text + "\n\n";
  text += judging_markdown(ledger);
  if (ledger.parts().space) return text + space_markdown(ledger);
  text += arms_markdown(ledger, arms);
  text += fmt::format("\n{}\n", best_sentence(board.standing.places.probability_no_winner));
  if (!board.strengths) {
    text += fmt::format("\nNo Bradley-Terry strengths: {}\n", board.no_strengths);
  } else {
    text +=
        "\nElo is a Bradley-Terry fit, 0 for the average arm; its intervals hold for one look at a "
        "fixed number of duels. Neither the verdict nor the places rest on them.\n";
  }
  return text + "\n" + pairs_markdown(ledger, board, arms);
}

}  // namespace duel
