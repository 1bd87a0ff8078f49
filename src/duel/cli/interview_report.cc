#include <algorithm>

#include "duel/cli/interview_options.h"
#include "duel/cli/live_table.h"
#include "duel/cli/result_report.h"
#include "duel/cli/space_table.h"
#include "duel/core/described_json.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/short_names.h"
#include "duel/core/table.h"
#include "duel/judging/interview_result.h"
#include "duel/study/round_robin.h"
#include "duel/verdict/audit_standing.h"
#include "duel/verdict/board.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/health.h"
#include "duel/verdict/verdict.h"
#include "duel/verdict/why_not_yet.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostColumns = 10;
// More arms than this get a compact view: the first ones, and a pointer to all.
constexpr std::size_t kMostRows = 15;

// What came out: the verdict in a sentence, the matrix, what it cost.
class InterviewReport {
 public:
  // REQUIRES: `interview` outlives the report.
  InterviewReport(const Interview& interview, RunEnding ending)
      : health(check_health(interview.ledger())),
        interview_(interview),
        ending_(ending),
        standing_(standing_of(interview.ledger())) {}

  std::string to_text(const Paint& paint) const {
    const std::size_t width = std::min<std::size_t>(report_width(), 100);
    std::string text = paint.bold(wrapped(verdict_of(interview_.ledger(), standing_), width)) +
                       "\n" + failed_checks_text(health, paint, width) +
                       if_wrong_text(if_wrong, width) + audits_text(width);
    text += standing_.space ? "\n" + space(width) : leader_text(width) + "\n" + matrix(width);
    text += "\n" + duels() + "\n";
    if (const std::string line = cost(); !line.empty()) text += wrapped(line, width) + "\n";
    text += why_not_yet_text(why_not_yet(interview_.ledger(), standing_, health), width);
    if (!certificate.empty()) {
      text += fmt::format("Certificate: {}\nCheck it:    duel verify {} --log {}\n", certificate,
                          shell_word(certificate), shell_word(interview_.log_file()));
    }
    return text;
  }

  Json to_json(const Json& extra) const {
    Json json = interview_json(interview_, standing_, ending_, health, certificate);
    json["health"] = described_json(health);
    json.update(described_json(if_wrong));
    if (round_robin) json["round_robin"] = duel::to_json(*round_robin);
    json.update(extra);
    return json;
  }

  std::string certificate;  // its file; "" where there is none
  std::optional<RoundRobinCost> round_robin;
  IfWrong if_wrong;
  // Of all answers; of a certificate, of those that it stands on: what was still out when it came
  // is not lost to it.
  std::vector<HealthCheck> health;

 private:
  // What people and the judge that they audit have said of each other.
  std::string audits_text(std::size_t width) const {
    if (!interview_.ledger().parts().audited) return "";
    return audit_text(audit_standing(interview_.ledger()), width);
  }

  std::string matrix_of(const std::vector<Arm>& order, std::size_t columns) const {
    const Ledger& ledger = interview_.ledger();
    const std::vector<std::string> ids = ids_of(ledger, order);
    const std::vector<std::string> of_columns = short_names(ids, 16);
    const std::vector<std::string> of_rows = short_names(ids, 24);
    Table table;
    table.column("won against", Align::left);
    for (std::size_t k = 0; k < columns; ++k) table.column(of_columns[k]);
    table.column("all").column("duels");
    const std::size_t rows = order.size() > kMostRows ? kMostRows : order.size();
    for (std::size_t r = 0; r < rows; ++r) {
      const Arm row = order[r];
      std::vector<std::string> cells = {of_rows[r]};
      for (std::size_t k = 0; k < columns; ++k) {
        const ShownCounts pair = ledger.pair(row, order[k]);
        if (row == order[k]) {
          cells.emplace_back("-");
        } else if (pair.decisive() == 0) {
          cells.emplace_back(".");
        } else if (pair.graded > 0) {
          cells.push_back(fmt::format(
              "{:.1f} of {}", pair.rate() * static_cast<double>(pair.decisive()), pair.decisive()));
        } else {
          cells.push_back(fmt::format("{} of {}", pair.first_wins, pair.decisive()));
        }
      }
      const ShownCounts& all = standing_.arms[row].counts;
      cells.push_back(
          all.decisive() == 0 ? "." : fmt::format("{:.0f} %", 100 * standing_.arms[row].rate()));
      cells.push_back(std::to_string(all.served));
      table.row(cells);
    }
    return table.to_string();
  }

  // The dimensions of a space, and its candidates.
  std::string space(std::size_t width) const {
    const Believer believer{interview_.experiment().points(), interview_.ledger().tuned()};
    std::string text = space_table(*standing_.space, believer, width);
    if (const std::string line = proof_line(*standing_.space); !line.empty()) {
      text += "\n" + wrapped(line, width) + "\n";
    }
    if (const std::string tried = tried_table(*standing_.space); !tried.empty()) {
      text += "\n" + tried;
    }
    const std::string legend = picture_legend(believer);
    return legend.empty() ? text : text + "\n" + wrapped(legend, width) + "\n";
  }

  // Rows and columns by rank; at most `width` columns wide where two opponents or
  // more fit.
  std::string matrix(std::size_t width) const {
    std::vector<Arm> order;
    for (const BoardArm& arm : board_of(interview_.ledger()).arms) order.push_back(arm.arm);
    // As many opponents as there is room for.
    std::string text;
    std::size_t columns = std::min(order.size(), kMostColumns);
    for (;; --columns) {
      text = matrix_of(order, columns);
      if (columns <= 2 || display_width(text.substr(0, text.find('\n'))) <= width) break;
    }
    std::string hidden;
    if (order.size() > kMostRows) {
      hidden = counted(order.size() - kMostRows, "more arm");
    }
    if (columns < order.size()) {
      hidden += (hidden.empty() ? "" : " and ") + counted(order.size() - columns, "more column");
    }
    if (!hidden.empty()) {
      text += wrapped(fmt::format("({} not shown; duel result --log {} has all)", hidden,
                                  shell_word(interview_.log_file())),
                      width) +
              "\n";
    }
    return text;
  }

  // The first line of the arm that won or leads, where it is a text; "" otherwise.
  std::string leader_text(std::size_t width) const {
    const auto& given = interview_.ledger().certificate();
    const std::optional<Arm> arm = given ? given->winner : standing_.leader;
    if (!arm || (standing_.too_little && !given)) return "";
    const std::optional<Json>& payload = interview_.arms()[*arm].shown.payload;
    if (!payload || !payload->is_string()) return "";
    const std::string content = payload->get<std::string>();
    const std::string_view whole = trimmed(content);
    const std::string line = printable_line(trimmed(whole.substr(0, whole.find('\n'))));
    if (line.empty() || line == id(*arm)) return "";
    return shortened(fmt::format("{}: {}", shortened_inside(id(*arm), 32), line), width) + "\n";
  }

  std::string duels() const {
    const ShownCounts total = interview_.ledger().total();
    std::string text =
        fmt::format("{}: {} decided", counted(total.served, "duel"), total.decisive());
    const auto add = [&](std::uint64_t count, const char* what) {
      if (count > 0) text += fmt::format(", {} {}", count, what);
    };
    add(total.ties, total.ties == 1 ? "tie" : "ties");
    add(total.both_bad, "both bad");
    add(total.program_alone, "by the judge alone");
    add(total.skips, "skipped");
    add(total.invalid, "without a sensible answer");
    add(total.expired, "without an answer");
    add(total.pending(), "still open");
    return text + ".";
  }

  std::string cost() const {
    if (!round_robin) return "";
    const std::uint64_t used = interview_.ledger().served();
    if (round_robin->undecided * 2 > round_robin->trials) {
      return fmt::format(
          "A round-robin would have needed more than {} duels for a certificate ({} simulations "
          "with the win rates found here and the same rule).",
          approximate_count(round_robin->most), round_robin->trials);
    }
    return fmt::format(
        "A round-robin would have needed about {} duels for a certificate, {:.1f} times as many "
        "({} simulations with the win rates found here and the same rule; {} to {} in the middle "
        "80 %).",
        approximate_count(round_robin->median),
        static_cast<double>(round_robin->median) /
            static_cast<double>(std::max<std::uint64_t>(1, used)),
        round_robin->trials, approximate_count(round_robin->p10),
        approximate_count(round_robin->p90));
  }

  const std::string& id(Arm arm) const { return interview_.ledger().id_of(arm); }

  const Interview& interview_;
  RunEnding ending_;
  Standing standing_;
};

}  // namespace

Result<int> report_ending(RunEnding ending, const InterviewOptions& options,
                          const Interview& interview, CommandContext& context, const Json& extra) {
  InterviewReport report(interview, ending);
  if (ending == RunEnding::certified) {
    DUEL_ASSIGN(CheckedLog log, check_log(interview.log_file()));
    report.health = std::move(log.health);
    report.if_wrong = log.certificate.value().if_wrong;
    report.certificate = options.certificate_for(interview.log_file());
    const std::string certificate = certificate_text(log.certificate.value());
    DUEL_RETURN_IF_ERROR(context.write_output(report.certificate, certificate));
    // A panel runs out of questions because its members were asked all that matters, and not
    // because a policy has nothing left to ask.
    const Parts& parts = log.ledger.parts();
    if (!parts.panel && !parts.audited && !parts.space)
      report.round_robin = round_robin_cost(interview.ledger());
  }
  context.print(options.json ? report.to_json(extra).dump_pretty()
                             : report.to_text(stdout_paint()));
  if (ending != RunEnding::certified) return kExitUndecided;
  return overall(report.health) == HealthVerdict::failed ? kExitUnhealthy : kExitDone;
}

}  // namespace duel::cli
