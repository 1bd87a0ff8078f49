#include "duel/cli/result_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/short_names.h"
#include "duel/core/table.h"

namespace duel::cli {
namespace {

std::string text_of(const Json& object, std::string_view name) {
  return object.at(name).get<std::string>();
}

std::uint64_t count_of(const Json& object, std::string_view name) {
  return object.at(name).get<std::uint64_t>();
}

std::optional<double> number_of(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return value->get<double>();
}

std::uint64_t decisive(const Json& counts) {
  return count_of(counts, "first_wins") + count_of(counts, "second_wins");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// An e-value for people, who compare it with a threshold of at most some thousands; the JSON has
// its logarithm.
std::string short_evidence(double log_evidence) {
  constexpr double kMost = 1e6;
  if (log_evidence > std::log(kMost)) return "> 1 000 000";
  const double evidence = std::exp(log_evidence);
  return evidence < 99.5 ? fmt::format("{:.2g}", evidence) : fmt::format("{:.0f}", evidence);
}

std::string duels_left(const Json& rival) {
  const auto left = number_of(rival, "duels_left");
  return left ? fmt::format("{:.0f}", *left) : "?";
}

class Report {
 public:
  Report(const Json& result, const Paint& paint) : result_(result), paint_(paint) {
    for (const Json& arm : result.at("arms").items()) {
      names_[text_of(arm, "arm_id")] = text_of(arm, "name");
    }
    for (const Json& pair : result.at("pairs").items()) {
      pairs_[{text_of(pair, "first"), text_of(pair, "second")}] = &pair;
    }
  }

  std::string arms() const;
  std::string matrix() const;
  std::string evidence() const;
  std::string health() const;
  std::string strengths() const;

 private:
  std::string open_pairs(const Json& order) const;
  // What being shown first is worth, in words, with the interval.
  static std::string position(const Json& fitted);
  // One arm against another, as the first sees it; nothing where they never met.
  struct Seen {
    double rate, lower, upper;
    const Json* counts;
  };
  std::optional<Seen> seen(const std::string& row, const std::string& column) const;
  enum class CellOf { intervals, percents };
  std::string matrix_cell(const std::string& row, const std::string& column, CellOf kind) const;
  // Of all rows and the first `columns`, with names of at most `most` columns of the terminal.
  Table matrix_of(CellOf kind, std::size_t columns, std::size_t most) const;
  const std::string& name(const std::string& arm_id) const { return names_.at(arm_id); }
  // The names by id in at most `most` columns of the terminal.
  std::map<std::string, std::string> names_within(std::size_t most) const;
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

  const Json& result_;
  const Paint& paint_;
  std::map<std::string, std::string> names_;
  std::map<std::pair<std::string, std::string>, const Json*> pairs_;
};

std::map<std::string, std::string> Report::names_within(std::size_t most) const {
  std::vector<std::string> whole;
  whole.reserve(names_.size());
  for (const auto& [id, name] : names_) whole.push_back(name);
  const std::vector<std::string> cut = short_names(whole, most);
  std::map<std::string, std::string> by_id;
  auto next = cut.begin();
  for (const auto& [id, name] : names_) by_id[id] = *next++;
  return by_id;
}

std::string Report::arms() const {
  const Json& all = result_.at("duels");
  const bool ties = count_of(all, "ties") > 0;
  const bool both_bad = count_of(all, "both_bad") > 0;
  return with_names_that_fit(1, [&](std::size_t most) {
    const auto names = names_within(most);
    Table table;
    table.column("arm", Align::left).column("won").column("lost");
    if (ties) table.column("tied");
    if (both_bad) table.column("both bad");
    table.column("rate").column("Elo").column("95 %").column("P(best)");
    for (const Json& arm : result_.at("arms").items()) {
      const auto elo = number_of(arm, "elo");
      const auto interval = arm.at("elo_interval").items();
      std::vector<Cell> cells = {names.at(text_of(arm, "arm_id")), count_of(arm, "wins"),
                                 count_of(arm, "losses")};
      if (ties) cells.emplace_back(count_of(arm, "ties"));
      if (both_bad) cells.emplace_back(count_of(arm, "both_bad"));
      cells.emplace_back(percent(arm.at("rate").get<double>()));
      cells.emplace_back(elo ? fmt::format("{:+.0f}", *elo) : std::string());
      cells.emplace_back(interval.size() == 2
                             ? fmt::format("{:+.0f} .. {:+.0f}", interval[0].get<double>(),
                                           interval[1].get<double>())
                             : std::string());
      cells.emplace_back(fmt::format("{:.3f}", arm.at("probability_best").get<double>()));
      table.row(std::move(cells));
    }
    return table;
  });
}

std::optional<Report::Seen> Report::seen(const std::string& row, const std::string& column) const {
  auto found = pairs_.find({row, column});
  const bool mirrored = found == pairs_.end();
  if (mirrored) found = pairs_.find({column, row});
  if (found == pairs_.end()) return std::nullopt;
  const Json& pair = *found->second;
  const double rate = pair.at("rate").get<double>();
  const double lower = pair.at("interval").items()[0].get<double>();
  const double upper = pair.at("interval").items()[1].get<double>();
  if (mirrored) return Seen{1 - rate, 1 - upper, 1 - lower, &pair.at("counts")};
  return Seen{rate, lower, upper, &pair.at("counts")};
}

std::string Report::matrix_cell(const std::string& row, const std::string& column,
                                CellOf kind) const {
  if (row == column) return "";
  const auto pair = seen(row, column);
  if (!pair) return "-";
  const std::uint64_t decided = decisive(*pair->counts);
  if (kind == CellOf::percents) return decided == 0 ? "-" : fmt::format("{:.0f}", 100 * pair->rate);
  std::string cell = fmt::format("{:.2f} [{:.2f} {:.2f}]", pair->rate, pair->lower, pair->upper);
  const std::uint64_t ties = count_of(*pair->counts, "ties") + count_of(*pair->counts, "both_bad");
  if (ties > 0) {
    cell += fmt::format(" {:.0f}%",
                        100 * static_cast<double>(ties) / static_cast<double>(ties + decided));
  }
  return cell;
}

Table Report::matrix_of(CellOf kind, std::size_t columns, std::size_t most) const {
  const auto names = names_within(most);
  Table table;
  table.column("won against", Align::left);
  const auto arms = result_.at("arms").items();
  for (std::size_t c = 0; c < columns; ++c) {
    table.column(kind == CellOf::intervals ? text_of(arms[c], "name") : fmt::format("{}", c + 1));
  }
  for (std::size_t r = 0; r < arms.size(); ++r) {
    const std::string row = text_of(arms[r], "arm_id");
    std::vector<std::string> cells = {
        kind == CellOf::intervals ? names.at(row) : fmt::format("{:>2} {}", r + 1, names.at(row))};
    for (std::size_t c = 0; c < columns; ++c) {
      cells.push_back(matrix_cell(row, text_of(arms[c], "arm_id"), kind));
    }
    table.row(cells);
  }
  return table;
}

// Rows against columns: the share of decisive duels that the row won, with the interval that holds
// whenever you look and the share of ties where all of it fits; otherwise in percent under numbers,
// as many as fit.
std::string Report::matrix() const {
  const std::size_t all = result_.at("arms").items().size();
  constexpr std::size_t kWhole = 1000;
  if (const Table table = matrix_of(CellOf::intervals, all, kWhole);
      table.width() <= report_width()) {
    return fmt::format("\nShare won, [95 %{}], ties\n",
                       result_.at("one_look").get<bool>() ? "" : " at any time") +
           table.to_string();
  }
  constexpr std::size_t kName = 24;
  std::size_t columns = all;
  while (columns > 1 && matrix_of(CellOf::percents, columns, kName).width() > report_width()) {
    --columns;
  }
  return fmt::format(
             "\nShare of decisive duels won, in percent; {}\n",
             columns == all ? "columns as rows" : fmt::format("the first {} opponents", columns)) +
         matrix_of(CellOf::percents, columns, kName).to_string() +
         "(--json has all pairs with intervals and ties; -o board.svg draws them)\n";
}

// The pairs that the arms in front still have to show, the ones with the least evidence first.
std::string Report::open_pairs(const Json& order) const {
  constexpr std::size_t kMostRows = 20;
  std::vector<const Json*> open;
  for (const Json& pair : order.at("open").items()) open.push_back(&pair);
  if (open.empty()) return "";
  std::stable_sort(open.begin(), open.end(), [](const Json* a, const Json* b) {
    return a->at("log_evidence").get<double>() < b->at("log_evidence").get<double>();
  });
  const std::string table = with_names_that_fit(2, [&](std::size_t most) {
    const auto names = names_within(most);
    Table pairs;
    pairs.column("arm", Align::left).column("over", Align::left);
    pairs.column("evidence").column("needed").column("duels left");
    for (std::size_t k = 0; k < std::min(open.size(), kMostRows); ++k) {
      const Json& pair = *open[k];
      pairs.row({names.at(text_of(pair, "first")), names.at(text_of(pair, "second")),
                 short_evidence(pair.at("log_evidence").get<double>()),
                 short_evidence(pair.at("log_threshold").get<double>()), duels_left(pair)});
    }
    return pairs;
  });
  std::string text = fmt::format("\nPairs that are still open\n{}", table);
  if (open.size() > kMostRows) text += fmt::format("and {} more\n", open.size() - kMostRows);
  return text;
}

// The rivals of the leader, the one with the least evidence against it first.
std::string Report::evidence() const {
  if (!result_.at("certificate").is_null()) return "";
  if (const Json* order = result_.find("order")) return open_pairs(*order);
  std::vector<const Json*> rivals;
  std::vector<const Json*> others;
  for (const Json& arm : result_.at("arms").items()) {
    if (arm.contains("score")) return "";  // the goal is not about pairs
    (arm.contains("log_evidence") ? rivals : others).push_back(&arm);
  }
  // Too few answers to call anybody the leader; the table is about one all the same.
  const Json& leader = result_.at("leader");
  if (rivals.empty() || (leader.is_null() && others.size() != 1)) return "";
  const std::string leading =
      leader.is_null() ? text_of(*others[0], "arm_id") : leader.get<std::string>();
  std::stable_sort(rivals.begin(), rivals.end(), [](const Json* a, const Json* b) {
    return a->at("log_evidence").get<double>() < b->at("log_evidence").get<double>();
  });
  const std::string table = with_names_that_fit(1, [&](std::size_t most) {
    const auto names = names_within(most);
    Table evidence;
    evidence.column("rival", Align::left).column("won").column("95 %");
    evidence.column("evidence").column("needed").column("duels left");
    for (const Json* rival : rivals) {
      const auto pair = seen(leading, text_of(*rival, "arm_id"));
      evidence.row(
          {names.at(text_of(*rival, "arm_id")),
           pair && decisive(*pair->counts) > 0 ? percent(pair->rate) : "-",
           pair ? fmt::format("{:.0f} .. {:.0f} %", 100 * pair->lower, 100 * pair->upper) : "-",
           short_evidence(rival->at("log_evidence").get<double>()),
           short_evidence(rival->at("log_threshold").get<double>()), duels_left(*rival)});
    }
    return evidence;
  });
  return fmt::format("\nEvidence that {} beats its rivals\n{}", shortened_inside(name(leading), 48),
                     table);
}

std::string Report::health() const {
  std::string text;
  if (result_.at("one_look").get<bool>() && result_.at("certificate").is_null()) {
    text +=
        "\n" +
        wrapped(
            "The order of the rows is unknown, because not every two of a pair have times of their "
            "own: evidence is what all of them together say, not the most that it ever was.",
            report_width()) +
        "\n";
  }
  constexpr std::size_t kDetail = 28;  // where the words of a check begin
  text += "\nHealth\n";
  for (const Json& check : result_.at("health").items()) {
    const std::string word = text_of(check, "verdict");
    const std::string padded = fmt::format("{:<8}", word);
    text += fmt::format("  {}{:<18}{}\n",
                        word == "failed"   ? paint_.red(padded)
                        : word == "passed" ? paint_.green(padded)
                                           : paint_.dim(padded),
                        text_of(check, "name"),
                        wrapped(text_of(check, "detail"), report_width() - kDetail, kDetail));
  }
  return text;
}

std::string Report::strengths() const {
  const Json& fitted = result_.at("bradley_terry");
  if (const Json* why = fitted.find("error")) {
    return fmt::format("\nNo Bradley-Terry strengths: {}\n", why->get<std::string>());
  }
  const auto prior = number_of(fitted, "prior_shape");
  const auto added = number_of(fitted, "added_wins");
  std::string text = fmt::format(
      "Elo is a Bradley-Terry fit{}{}{}; a view, not the verdict.",
      text_of(fitted, "ties") == "davidson" ? " with ties (Davidson)" : "",
      prior
          ? fmt::format(", with a Gamma prior of shape {} on the strengths", format_number(*prior))
          : std::string(),
      added && *added > 0
          ? fmt::format(", with {} wins added to each pair because some arms never lost",
                        format_number(*added))
          : std::string());
  if (const Json* fit = fitted.find("lack_of_fit")) {
    const double p_value = fit->at("p_value").get<double>();
    text += fmt::format(" Lack of fit: p = {:.3g}{}.", p_value,
                        p_value < 0.01 ? ", so strengths alone do not explain who beats whom" : "");
  }
  return "\n" + wrapped(text, report_width()) + "\n" + position(fitted);
}

std::string Report::position(const Json& fitted) {
  const Json* effect = fitted.find("position");
  if (effect == nullptr) return "";
  if (const Json* why = effect->find("error")) {
    return fmt::format("\nThe effect of being shown first was not fitted: {}.\n",
                       why->get<std::string>());
  }
  const auto interval = effect->at("elo_interval").items();
  const std::string text = fmt::format(
      "Being shown first is worth {:+.0f} Elo [{:+.0f} .. {:+.0f}]: of two equal arms, the one "
      "shown first wins {:.1f} % of the decisive duels. The Elo above is net of this effect.",
      effect->at("elo").get<double>(), interval[0].get<double>(), interval[1].get<double>(),
      100 * effect->at("first_wins_against_equal").get<double>());
  return "\n" + wrapped(text, report_width()) + "\n";
}

}  // namespace

std::string duel_counts(const Json& result) {
  const Json& all = result.at("duels");
  return fmt::format(
      "{}: {} decisive, {}, {} both bad, {} skipped, {} invalid, {} expired, {} pending",
      counted(count_of(all, "served"), "duel"), decisive(all),
      counted(count_of(all, "ties"), "tie"), count_of(all, "both_bad"), count_of(all, "skips"),
      count_of(all, "invalid"), count_of(all, "expired"), count_of(all, "pending"));
}

bool is_unhealthy(const Json& result) {
  const auto checks = result.at("health").items();
  return std::any_of(checks.begin(), checks.end(),
                     [](const Json& check) { return text_of(check, "verdict") == "failed"; });
}

std::string result_text(const Json& result, const Paint& paint) {
  const Report report(result, paint);
  std::string text = paint.bold(wrapped(text_of(result, "verdict"), report_width())) + "\n\n";
  text += wrapped(duel_counts(result), report_width()) + "\n\n" + report.arms() + report.matrix();
  text += report.evidence();
  return text + report.health() + report.strengths();
}

}  // namespace duel::cli
