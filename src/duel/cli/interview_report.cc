#include "duel/cli/interview_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/experiment/certificate_file.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostColumns = 10;

const char* word_of(Ending ending) {
  switch (ending) {
    case Ending::certified:
      return "certified";
    case Ending::undecided:
      return "undecided";
    case Ending::interrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace

std::string about(std::uint64_t count) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  const std::uint64_t rounded = (count + unit / 2) / unit * unit;
  std::string digits = std::to_string(rounded);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

InterviewReport::InterviewReport(const Interview& interview, Ending ending)
    : interview_(interview), ending_(ending), standing_(standing_of(interview.ledger())) {}

std::string InterviewReport::verdict() const {
  const Ledger& ledger = interview_.ledger();
  if (ending_ == Ending::certified) return certificate_statement(ledger);
  const std::string start = ending_ == Ending::interrupted ? "Interrupted" : "Undecided";
  if (!standing_.leader) return fmt::format("{}: no decisive answer yet.", start);
  const std::string leader = id(*standing_.leader);
  if (ledger.experiment().goal != Goal::condorcet) {
    return fmt::format("{} after {} duels: {} leads.", start, ledger.served(), leader);
  }
  if (standing_.duels_left) {
    return fmt::format("{} after {} duels: {} leads; about {} more duels if it stays as it is.",
                       start, ledger.served(), leader, about(*standing_.duels_left));
  }
  std::string rivals;
  for (const ArmStanding& arm : standing_.arms) {
    if (arm.beaten && !arm.duels_left) rivals += (rivals.empty() ? "" : ", ") + id(arm.arm);
  }
  return fmt::format("{} after {} duels: {} leads, but is not ahead of {}.", start, ledger.served(),
                     leader, rivals);
}

// Rows and columns by rate, the best first.
std::string InterviewReport::matrix() const {
  const Ledger& ledger = interview_.ledger();
  std::vector<Arm> order(ledger.num_arms());
  std::iota(order.begin(), order.end(), Arm{0});
  const Arm leader = standing_.leader.value_or(0);
  std::sort(order.begin(), order.end(), [&](Arm a, Arm b) {
    const auto key = [&](Arm arm) {
      return std::make_tuple(arm != leader, -standing_.arms[arm].rate(), arm);
    };
    return key(a) < key(b);
  });
  const std::size_t columns = std::min(order.size(), kMostColumns);
  Table table;
  table.column("won against", Align::left);
  for (std::size_t k = 0; k < columns; ++k) table.column(shortened(id(order[k]), 16));
  table.column("all").column("duels");
  for (const Arm row : order) {
    std::vector<std::string> cells = {shortened(id(row), 24)};
    for (std::size_t k = 0; k < columns; ++k) {
      const ShownCounts pair = ledger.pair(row, order[k]);
      if (row == order[k]) {
        cells.emplace_back("-");
      } else if (pair.decisive() == 0) {
        cells.emplace_back(".");
      } else {
        cells.push_back(fmt::format("{} of {}", pair.first_wins, pair.decisive()));
      }
    }
    const ShownCounts& all = standing_.arms[row].counts;
    cells.push_back(
        all.decisive() == 0 ? "." : fmt::format("{:.0f} %", 100 * standing_.arms[row].rate()));
    cells.push_back(std::to_string(all.served));
    table.row(std::move(cells));
  }
  std::string text = table.to_string();
  if (columns < order.size()) {
    text += fmt::format("({} more columns are not shown; duel result --log {} has all)\n",
                        order.size() - columns, shell_word(interview_.log_file()));
  }
  return text;
}

std::string InterviewReport::duels() const {
  const ShownCounts total = interview_.ledger().total();
  std::string text = fmt::format("{} duels: {} decided", total.served, total.decisive());
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(total.ties, total.ties == 1 ? "tie" : "ties");
  add(total.both_bad, "both bad");
  add(total.skips, "skipped");
  add(total.invalid, "without a sensible answer");
  add(total.expired, "without an answer");
  add(total.pending(), "still open");
  return text + ".";
}

std::string InterviewReport::cost() const {
  if (!round_robin) return "";
  const std::uint64_t used = interview_.ledger().served();
  if (round_robin->undecided * 2 > round_robin->trials) {
    return fmt::format(
        "Every pair in turn would have needed more than {} duels for a certificate (simulated: "
        "round-robin, {} times, on the win rates found here, the same rule).",
        about(round_robin->most), round_robin->trials);
  }
  return fmt::format(
      "Every pair in turn would have needed about {} duels for a certificate, {:.1f} times as many "
      "(simulated: round-robin, {} times, on the win rates found here, the same rule; {} to {} in "
      "the middle 80 %).",
      about(round_robin->median),
      static_cast<double>(round_robin->median) /
          static_cast<double>(std::max<std::uint64_t>(1, used)),
      round_robin->trials, about(round_robin->p10), about(round_robin->p90));
}

std::string InterviewReport::to_text(const Paint& paint) const {
  const std::size_t terminal = terminal_width();
  const std::size_t width = terminal == 0 ? 100 : std::clamp<std::size_t>(terminal, 40, 100);
  std::string text =
      paint.bold(wrapped(verdict(), width)) + "\n\n" + matrix() + "\n" + duels() + "\n";
  if (const std::string line = cost(); !line.empty()) text += wrapped(line, width) + "\n";
  if (!certificate.empty()) {
    text += fmt::format("Certificate: {}\nCheck it:    duel verify {} --log {}\n", certificate,
                        shell_word(certificate), shell_word(interview_.log_file()));
  }
  return text;
}

Json InterviewReport::to_json(const Json& extra) const {
  const Ledger& ledger = interview_.ledger();
  Json json;
  json["experiment_id"] = ledger.experiment().experiment_id;
  json["status"] = word_of(ending_);
  json["verdict"] = verdict();
  json["log"] = interview_.log_file();
  if (ending_ == Ending::certified) {
    const GivenCertificate& given = *ledger.certificate();
    json["certificate"] = {{"file", certificate}, {"kind", to_word(given.kind)}};
    json["winner"] = given.winner ? Json(id(*given.winner)) : Json(nullptr);
  }
  if (standing_.leader) json["leader"] = id(*standing_.leader);
  json["policy"] = ledger.experiment().policy;
  json["alpha"] = ledger.experiment().stopping.alpha;
  const ShownCounts total = ledger.total();
  json["duels"] = {{"served", total.served},   {"decisive", total.decisive()},
                   {"ties", total.ties},       {"both_bad", total.both_bad},
                   {"skips", total.skips},     {"invalid", total.invalid},
                   {"expired", total.expired}, {"pending", total.pending()}};
  json["expected_duels_left"] = ending_ != Ending::certified && standing_.duels_left
                                    ? Json(*standing_.duels_left)
                                    : Json(nullptr);
  Json arms = Json::array();
  for (const ArmStanding& arm : standing_.arms) {
    Json entry;
    entry["arm_id"] = id(arm.arm);
    entry["wins"] = arm.counts.first_wins;
    entry["losses"] = arm.counts.second_wins;
    entry["duels"] = arm.counts.served;
    if (arm.beaten) entry["evidence_against_it"] = *arm.beaten;
    if (arm.score) entry["score"] = {arm.score->lower, arm.score->upper};
    Json wins = Json::object();
    for (const ArmStanding& other : standing_.arms) {
      if (other.arm != arm.arm) wins[id(other.arm)] = ledger.pair(arm.arm, other.arm).first_wins;
    }
    entry["wins_against"] = std::move(wins);
    arms.push_back(std::move(entry));
  }
  json["arms"] = std::move(arms);
  if (round_robin) {
    json["round_robin"] = {{"median", round_robin->median},
                           {"p10", round_robin->p10},
                           {"p90", round_robin->p90},
                           {"trials", round_robin->trials},
                           {"undecided", round_robin->undecided},
                           {"most", round_robin->most}};
  }
  json.update(extra);
  return json;
}

}  // namespace duel::cli
