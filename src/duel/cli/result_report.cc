#include "duel/cli/result_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/cli/space_table.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/short_names.h"
#include "duel/core/table.h"
#include "duel/judging/printable.h"
#include "duel/verdict/result_tables.h"
#include "duel/verdict/verdict.h"

namespace duel::cli {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// An e-value for people, who compare it with a threshold of at most some thousands; the JSON has
// its logarithm.
std::string short_evidence(double log_evidence) {
  constexpr double kMost = 1e6;
  if (log_evidence > std::log(kMost)) return "> 1 000 000";
  const double evidence = std::exp(log_evidence);
  return evidence < 99.5 ? fmt::format("{:.2g}", evidence) : fmt::format("{:.0f}", evidence);
}

std::string duels_text(const std::optional<std::uint64_t>& left) {
  return left ? fmt::format("{}", *left) : "?";
}

constexpr std::string_view kUnknownOrder =
    "The order of the rows is unknown, because not every two of a pair have times of their own: "
    "evidence is what all of them together say, not the most that it ever was.";

class Report {
 public:
  Report(const ExperimentResult& result, const Paint& paint) : result_(result), paint_(paint) {
    for (const ResultArm& arm : result.arms) names_[arm.arm_id] = arm.name;
    for (const ResultPair& pair : result.pairs) pairs_[{pair.first, pair.second}] = &pair;
  }

  // How long what is left takes, where that can be told.
  std::string forecast() const {
    if (!result_.forecast.days) return "";
    return wrapped("Forecast: " + forecast_text(result_.forecast) + ".", report_width()) + "\n\n";
  }

  // Of a panel only what it has counted: strengths and P(best) speak of people like these.
  std::string arms() const {
    const bool sampled = !result_.panel;
    const bool ties = result_.duels.ties > 0;
    const bool both_bad = result_.duels.both_bad > 0;
    const std::string rows = with_names_that_fit(1, [&](std::size_t most) {
      const auto names = names_within(most);
      Table table;
      table.column("place").column("arm", Align::left).column("won").column("lost");
      if (ties) table.column("tied");
      if (both_bad) table.column("both bad");
      if (sampled) table.column("rate").column("Elo").column("95 %").column("P(best)");
      for (const ResultArm& arm : result_.arms) {
        std::vector<Cell> cells = {to_text(arm.rank_range), names.at(arm.arm_id),
                                   arm.counts.first_wins, arm.counts.second_wins};
        if (ties) cells.emplace_back(arm.counts.ties);
        if (both_bad) cells.emplace_back(arm.counts.both_bad);
        if (!sampled) {
          table.row(std::move(cells));
          continue;
        }
        cells.emplace_back(percent(arm.rate));
        cells.emplace_back(arm.elo ? fmt::format("{:+.0f}", *arm.elo) : std::string());
        cells.emplace_back(arm.elo_interval
                               ? fmt::format("{:+.0f} .. {:+.0f}", arm.elo_interval->lower,
                                             arm.elo_interval->upper)
                               : std::string());
        cells.emplace_back(fmt::format("{:.3f}", arm.probability_best));
        table.row(std::move(cells));
      }
      return table;
    });
    return rows + "\n" +
           wrapped(sampled
                       ? "Places are those that the evidence leaves open, whenever you look. " +
                             best_sentence(result_.probability_no_winner)
                       : "Places are those that the count leaves open, whatever the others say.",
                   report_width()) +
           "\n";
  }

  // What the panel has said of each pair that met, the pairs of the first arms first.
  std::string panel_pairs() const {
    constexpr std::size_t kMostPairs = 30;
    std::vector<ResultPair> met;
    for (std::size_t i = 0; i < result_.arms.size(); ++i) {
      for (std::size_t j = i + 1; j < result_.arms.size(); ++j) {
        auto pair = seen(result_.arms[i].arm_id, result_.arms[j].arm_id);
        if (!pair || !pair->panel) continue;
        // The arm that beats the other is named first.
        const std::string& other = pair->panel->of_second;
        if (other == "beats" || other == "shown") pair = seen(pair->second, pair->first);
        met.push_back(*std::move(pair));
      }
    }
    if (met.empty()) return "";
    const std::string table = with_names_that_fit(2, [&](std::size_t most) {
      const auto names = names_within(most);
      Table pairs("first,,second", Align::left);
      pairs.column("for first").column("for second").column("neither").column("to come");
      for (std::size_t k = 0; k < std::min(met.size(), kMostPairs); ++k) {
        const PanelFacts& said = *met[k].panel;
        pairs.row({names.at(met[k].first), relation_of(said), names.at(met[k].second),
                   said.for_first, said.for_second, said.for_neither,
                   said.unknown ? fmt::format("{}", *said.unknown) : std::string("?")});
      }
      return pairs;
    });
    std::string text = fmt::format("\nWhat the panel has said of each pair\n{}", table);
    if (met.size() > kMostPairs) {
      text += fmt::format("and {} more (--json has all pairs)\n", met.size() - kMostPairs);
    }
    return text;
  }

  // Rows against columns: the share of decisive duels that the row won, with the interval that
  // holds whenever you look and the share of ties where all of it fits; otherwise in percent under
  // numbers, as many as fit.
  std::string matrix() const {
    const std::size_t all = result_.arms.size();
    constexpr std::size_t kWhole = 1000;
    if (const Table table = matrix_of(CellOf::intervals, all, kWhole);
        table.width() <= report_width()) {
      return fmt::format("\nShare won, [95 %{}], ties\n", result_.one_look ? "" : " at any time") +
             table.to_string();
    }
    constexpr std::size_t kName = 24;
    std::size_t columns = all;
    while (columns > 1 && matrix_of(CellOf::percents, columns, kName).width() > report_width()) {
      --columns;
    }
    return fmt::format("\nShare of decisive duels won, in percent; {}\n",
                       columns == all ? "columns as rows"
                                      : fmt::format("the first {} opponents", columns)) +
           matrix_of(CellOf::percents, columns, kName).to_string() +
           "(--json has all pairs with intervals and ties; -o board.svg draws them)\n";
  }

  // The rivals of the leader, the one with the least evidence against it first.
  std::string evidence() const {
    if (result_.certificate) return "";
    if (result_.order) return open_pairs(*result_.order);
    std::vector<const ResultArm*> rivals, others;
    for (const ResultArm& arm : result_.arms) {
      if (arm.score) return "";  // the goal is not about pairs
      (arm.log_evidence ? rivals : others).push_back(&arm);
    }
    // Too few answers to call anybody the leader; the table is about one all the same.
    if (rivals.empty() || (!result_.leader && others.size() != 1)) return "";
    const std::string leading = result_.leader ? *result_.leader : others[0]->arm_id;
    std::ranges::stable_sort(rivals, {}, [](const ResultArm* arm) { return *arm->log_evidence; });
    const std::string table = with_names_that_fit(1, [&](std::size_t most) {
      const auto names = names_within(most);
      Table evidence;
      evidence.column("rival", Align::left).column("won").column("95 %");
      evidence.column("evidence").column("needed").column("duels left");
      for (const ResultArm* rival : rivals) {
        const auto pair = seen(leading, rival->arm_id);
        evidence.row({names.at(rival->arm_id),
                      pair && pair->counts.decisive() > 0 ? percent(pair->rate) : "-",
                      pair ? fmt::format("{:.0f} .. {:.0f} %", 100 * pair->interval.lower,
                                         100 * pair->interval.upper)
                           : "-",
                      short_evidence(*rival->log_evidence),
                      short_evidence(rival->log_threshold.value_or(0)),
                      duels_text(rival->duels_left.value_or(std::nullopt))});
      }
      return evidence;
    });
    return fmt::format("\nEvidence that {} beats its rivals\n{}",
                       shortened_inside(name(leading), 48), table);
  }

  std::string health() const {
    std::string text;
    if (result_.one_look && !result_.certificate) {
      text += "\n" + wrapped(kUnknownOrder, report_width()) + "\n";
    }
    constexpr std::size_t kDetail = 28;  // where the words of a check begin
    text += "\nHealth\n";
    for (const auto& [name, verdict, detail] : result_.health) {
      const std::string padded = fmt::format("{:<8}", to_word(verdict));
      text += fmt::format("  {}{:<18}{}\n",
                          verdict == HealthVerdict::failed   ? paint_.red(padded)
                          : verdict == HealthVerdict::passed ? paint_.green(padded)
                                                             : paint_.dim(padded),
                          name, wrapped(detail, report_width() - kDetail, kDetail));
    }
    return text;
  }

  std::string strengths() const {
    const ResultStrengths& fitted = result_.bradley_terry;
    if (!fitted.error.empty()) {
      return fmt::format("\nNo Bradley-Terry strengths: {}\n", fitted.error);
    }
    const auto prior = fitted.prior_shape.value_or(std::nullopt);
    std::string text = fmt::format(
        "Elo is a Bradley-Terry fit{}{}{}; a view, not the verdict.",
        fitted.ties == "davidson"                         ? " with ties (Davidson)"
        : result_.duels.ties + result_.duels.both_bad > 0 ? " with ties as half wins (the "
                                                            "convention of arenas)"
                                                          : "",
        prior ? fmt::format(", with a Gamma prior of shape {} on the strengths",
                            format_number(*prior))
              : std::string(),
        fitted.added_wins.value_or(0) > 0
            ? fmt::format(", with {} wins added to each pair because some arms never lost",
                          format_number(*fitted.added_wins))
            : std::string());
    if (const auto& fit = fitted.lack_of_fit) {
      text += fmt::format(
          " Lack of fit: p = {:.3g}{}.", fit->p_value,
          fit->p_value < 0.01 ? ", so strengths alone do not explain who beats whom" : "");
    }
    return "\n" + wrapped(text, report_width()) + "\n" +
           (fitted.position ? position(*fitted.position) : "");
  }

 private:
  enum class CellOf { intervals, percents };
  // Stands between the names of a pair: "and" while the pair is open.
  static std::string relation_of(const PanelFacts& said) {
    if (said.of_first == "beats") return "beats";
    if (said.of_first == "shown") return "beats (early)";
    const bool first_cannot = said.of_first == "cannot_beat";
    const bool second_cannot = said.of_second == "cannot_beat";
    return first_cannot && second_cannot ? "ties with"
           : first_cannot                ? "cannot beat"
           : second_cannot               ? "is not beaten by"
                                         : "and";
  }
  const std::string& name(const std::string& arm_id) const { return names_.at(arm_id); }
  // The table that `make(most)` returns, with so many columns of names cut to `most`, in the
  // report's width.
  template <class Make>
  std::string with_names_that_fit(std::size_t columns_of_names, const Make& make) const {
    std::size_t longest = kLeastName;
    for (const auto& [id, name] : names_) longest = std::max(longest, display_width(name));
    Table table = make(longest);
    while (table.width() > report_width() && longest > kLeastName) {
      const std::size_t excess = table.width() - report_width();
      const std::size_t cut = std::max<std::size_t>(1, excess / columns_of_names);
      longest = longest > kLeastName + cut ? longest - cut : kLeastName;
      table = make(longest);
    }
    return table.to_string();
  }
  static constexpr std::size_t kLeastName = 12;

  // The pairs that the arms in front still have to show, the ones with the least evidence first.
  std::string open_pairs(const ResultOrder& order) const {
    constexpr std::size_t kMostPairs = 20;
    std::vector<OpenPair> open = order.open;
    if (open.empty()) return "";
    std::ranges::stable_sort(open, {}, &OpenPair::log_evidence);
    const std::string table = with_names_that_fit(2, [&](std::size_t most) {
      const auto names = names_within(most);
      Table pairs("arm,over", Align::left);
      pairs.column("evidence").column("needed").column("duels left");
      for (std::size_t k = 0; k < std::min(open.size(), kMostPairs); ++k) {
        pairs.row({names.at(open[k].first), names.at(open[k].second),
                   short_evidence(open[k].log_evidence), short_evidence(open[k].log_threshold),
                   duels_text(open[k].duels_left)});
      }
      return pairs;
    });
    std::string text = fmt::format("\nPairs that are still open\n{}", table);
    if (open.size() > kMostPairs) text += fmt::format("and {} more\n", open.size() - kMostPairs);
    return text;
  }

  // What being shown first is worth, in words, with the interval.
  static std::string position(const ResultPosition& effect) {
    if (!effect.elo || !effect.elo_interval) {
      return fmt::format("\nThe effect of being shown first was not fitted: {}.\n", effect.error);
    }
    const std::string text = fmt::format(
        "Being shown first is worth {:+.0f} Elo [{:+.0f} .. {:+.0f}]: of two equal arms, the one "
        "shown first wins {:.1f} % of the decisive duels. The Elo above is net of this effect.",
        *effect.elo, effect.elo_interval->lower, effect.elo_interval->upper,
        100 * effect.first_wins_against_equal.value_or(0.5));
    return "\n" + wrapped(text, report_width()) + "\n";
  }

  // One arm against another, as the first sees it; nothing where they never met.
  std::optional<ResultPair> seen(const std::string& row, const std::string& column) const {
    if (const auto found = pairs_.find({row, column}); found != pairs_.end()) return *found->second;
    const auto found = pairs_.find({column, row});
    if (found == pairs_.end()) return std::nullopt;
    const auto& [first, second, counts, rate, interval, panel] = *found->second;
    ResultPair pair{
        second, first, mirrored(counts), 1 - rate, {1 - interval.upper, 1 - interval.lower}};
    if (panel) {
      pair.panel = PanelFacts{.for_first = panel->for_second,
                              .for_second = panel->for_first,
                              .for_neither = panel->for_neither,
                              .unknown = panel->unknown,
                              .of_first = panel->of_second,
                              .of_second = panel->of_first};
    }
    return pair;
  }

  std::string matrix_cell(const std::string& row, const std::string& column, CellOf kind) const {
    if (row == column) return "";
    const auto pair = seen(row, column);
    if (!pair) return "-";
    const std::uint64_t decided = pair->counts.decisive();
    if (kind == CellOf::percents)
      return decided == 0 ? "-" : fmt::format("{:.0f}", 100 * pair->rate);
    std::string cell = fmt::format("{:.2f} [{:.2f} {:.2f}]", pair->rate, pair->interval.lower,
                                   pair->interval.upper);
    const std::uint64_t ties = pair->counts.ties + pair->counts.both_bad;
    if (ties > 0) {
      cell += fmt::format(" {:.0f}%",
                          100 * static_cast<double>(ties) / static_cast<double>(ties + decided));
    }
    return cell;
  }

  // All rows and the first `columns` columns; names take at most `most` columns of the terminal.
  Table matrix_of(CellOf kind, std::size_t columns, std::size_t most) const {
    const auto names = names_within(most);
    Table table;
    table.column("won against", Align::left);
    const std::vector<ResultArm>& arms = result_.arms;
    for (std::size_t c = 0; c < columns; ++c) {
      table.column(kind == CellOf::intervals ? arms[c].name : fmt::format("{}", c + 1));
    }
    for (std::size_t r = 0; r < arms.size(); ++r) {
      const std::string& row = arms[r].arm_id;
      std::vector<std::string> cells = {kind == CellOf::intervals
                                            ? names.at(row)
                                            : fmt::format("{:>2} {}", r + 1, names.at(row))};
      for (std::size_t c = 0; c < columns; ++c) {
        cells.push_back(matrix_cell(row, arms[c].arm_id, kind));
      }
      table.row(cells);
    }
    return table;
  }

  // The names by id in at most `most` columns of the terminal.
  std::map<std::string, std::string> names_within(std::size_t most) const {
    std::vector<std::string> whole;
    whole.reserve(names_.size());
    for (const auto& [id, name] : names_) whole.push_back(name);
    const std::vector<std::string> cut = short_names(whole, most);
    std::map<std::string, std::string> by_id;
    auto next = cut.begin();
    for (const auto& [id, name] : names_) by_id[id] = *next++;
    return by_id;
  }

  const ExperimentResult& result_;
  const Paint& paint_;
  std::map<std::string, std::string> names_;
  std::map<std::pair<std::string, std::string>, const ResultPair*> pairs_;
};

// The dimensions of a space and its candidates, as a log says them.
std::string space_text(const SpaceStanding& space) {
  std::string text = space_table(space, {}, report_width());
  for (const std::string& more : {proof_line(space), tried_table(space)}) {
    if (!more.empty()) text += "\n" + more + (more.ends_with('\n') ? "" : "\n");
  }
  return text;
}

}  // namespace

std::string duel_counts(const ShownCounts& counts) {
  return fmt::format(
      "{}: {} decisive, {}, {} both bad, {} skipped, {} invalid, {} expired, {} pending",
      counted(counts.served, "duel"), counts.decisive(), counted(counts.ties, "tie"),
      counts.both_bad, counts.skips, counts.invalid, counts.expired, counts.pending());
}

std::string why_not_yet_text(const std::vector<WhyNotYet>& reasons, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  std::string text;
  for (const WhyNotYet& one : reasons) {
    if (one.reason == Obstacle::health) continue;
    text += "  - " + wrapped(one.detail, width - kIndent, kIndent) + "\n";
  }
  return text.empty() ? "" : "Why not yet\n" + text;
}

std::string failed_checks_text(const std::vector<HealthCheck>& health, const Paint& paint,
                               std::size_t width) {
  constexpr std::string_view kLabel = "Health check failed";
  std::string text;
  for (const std::string& failure : failures(health)) {
    const std::string line = wrapped(fmt::format("{}: {}", kLabel, failure), width);
    text += paint.red(std::string(kLabel)) + line.substr(kLabel.size()) + "\n";
  }
  return text;
}

std::string slices_text(const SlicedResult& result, const Paint& paint) {
  std::string text;
  for (const std::string& sentence : result.slices_differ) {
    text += paint.bold(wrapped(sentence, report_width())) + "\n";
  }
  for (const auto& [slice, values] : result.by_slice.value_or(BySlice())) {
    constexpr std::size_t kIndent = 4;
    double alpha = 0;
    for (const auto& [value, of] : values) alpha = std::max(alpha, of.alpha);
    text += wrapped(fmt::format("By {}: each statement is false with probability at most {:.3g}, "
                                "any of all slices with that of the whole.",
                                slice, alpha),
                    report_width()) +
            "\n";
    for (const auto& [value, of] : values) {
      text += "  " +
              wrapped(fmt::format("{} ({}): {}", value, counted(of.duels.served, "duel"),
                                  of.alpha > 0 ? of.verdict : "no statement is made about these."),
                      report_width() - 2, kIndent) +
              "\n";
    }
    text += "\n";
  }
  return text;
}

std::string judging_text(const ResultJudging& judging) {
  const std::string costs = judging_costs(judging);
  std::string text = costs.empty() ? "" : wrapped(costs, report_width()) + "\n";
  if (judging.judges.empty()) return text;
  text += "\n" + judges_table(judging).to_string();
  for (const ResultAgreement& one : judging.agreements) {
    text += wrapped(agreement_sentence(one), report_width()) + "\n";
  }
  return text;
}

std::string reasons_text(const std::vector<GivenReason>& reasons) {
  if (reasons.empty()) return "No answer has a reason.\n";
  constexpr std::size_t kIndent = 4;
  std::string text = "Reasons\n";
  for (const GivenReason& one : reasons) {
    const std::string& loser = one.winner == one.first ? one.second : one.first;
    const std::string said =
        one.result == Answered::win ? fmt::format("{} over {}", one.winner, loser)
        : one.result == Answered::graded && one.score
            ? fmt::format("{} {} over {}", one.first, format_number(*one.score), one.second)
            : fmt::format("{} and {}: {}", one.first, one.second, to_word(one.result));
    // A judge may have been asked several times about the duel.
    std::string reason;
    for (const char c : one.reason) reason += c == '\n' ? std::string(" / ") : std::string(1, c);
    // What a program says must not move the cursor.
    text +=
        "  " +
        wrapped(fmt::format("{}: {}{}{}: {}", one.duel_id, said,
                            one.judge.empty() ? "" : ", " + one.judge,
                            one.cached ? ", from the cache" : "", excerpt(reason, reason.size())),
                report_width() - 2, kIndent) +
        "\n";
  }
  return text + "\n";
}

std::string if_wrong_text(const IfWrong& if_wrong, std::size_t width) {
  return if_wrong.text.empty() ? "" : wrapped(if_wrong.text, width) + "\n";
}

std::string audit_text(const AuditStanding& audit, std::size_t width) {
  return wrapped(audit.text, width) + "\n";
}

std::string result_text(const ExperimentResult& result, const Paint& paint) {
  const Report report(result, paint);
  const std::string obstacles = why_not_yet_text(result.why_not_yet, report_width());
  const std::string head = paint.bold(wrapped(result.verdict, report_width())) + "\n" +
                           failed_checks_text(result.health, paint, report_width()) +
                           if_wrong_text(result.if_wrong, report_width()) +
                           (result.audit ? audit_text(*result.audit, report_width()) : "") + "\n" +
                           wrapped(duel_counts(result.duels), report_width()) + "\n" +
                           (result.judging ? judging_text(*result.judging) : "") + "\n" +
                           (obstacles.empty() ? "" : obstacles + "\n");
  if (result.space) return head + space_text(*result.space) + report.health();
  if (result.panel) {
    return head + report.forecast() + report.arms() + report.panel_pairs() + report.health();
  }
  return head + report.forecast() + report.arms() + report.matrix() + report.evidence() +
         report.health() + report.strengths();
}

}  // namespace duel::cli
