#include "duel/cli/result_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/numbers.h"
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
  // Of one arm against another, as the first sees it.
  std::string matrix_cell(const std::string& row, const std::string& column) const;
  const std::string& name(const std::string& arm_id) const { return names_.at(arm_id); }

  const Json& result_;
  const Paint& paint_;
  std::map<std::string, std::string> names_;
  std::map<std::pair<std::string, std::string>, const Json*> pairs_;
};

std::string Report::arms() const {
  Table table;
  table.column("arm", Align::left).column("won").column("lost").column("tied").column("both bad");
  table.column("rate").column("Elo").column("95 %").column("P(best)");
  for (const Json& arm : result_.at("arms").items()) {
    const auto elo = number_of(arm, "elo");
    const auto interval = arm.at("elo_interval").items();
    table.row({text_of(arm, "name"), fmt::format("{}", count_of(arm, "wins")),
               fmt::format("{}", count_of(arm, "losses")), fmt::format("{}", count_of(arm, "ties")),
               fmt::format("{}", count_of(arm, "both_bad")), percent(arm.at("rate").get<double>()),
               elo ? fmt::format("{:+.0f}", *elo) : "",
               interval.size() == 2 ? fmt::format("{:+.0f} .. {:+.0f}", interval[0].get<double>(),
                                                  interval[1].get<double>())
                                    : "",
               fmt::format("{:.3f}", arm.at("probability_best").get<double>())});
  }
  return table.to_string();
}

std::string Report::matrix_cell(const std::string& row, const std::string& column) const {
  if (row == column) return "";
  auto found = pairs_.find({row, column});
  const bool mirrored = found == pairs_.end();
  if (mirrored) found = pairs_.find({column, row});
  if (found == pairs_.end()) return "-";
  const Json& pair = *found->second;
  double rate = pair.at("rate").get<double>();
  double lower = pair.at("interval").items()[0].get<double>();
  double upper = pair.at("interval").items()[1].get<double>();
  if (mirrored) {
    rate = 1 - rate;
    lower = 1 - std::exchange(upper, 1 - lower);
  }
  std::string cell = fmt::format("{:.2f} [{:.2f} {:.2f}]", rate, lower, upper);
  const Json& counts = pair.at("counts");
  const std::uint64_t ties = count_of(counts, "ties") + count_of(counts, "both_bad");
  if (ties > 0) {
    cell += fmt::format(
        " {:.0f}%", 100 * static_cast<double>(ties) / static_cast<double>(ties + decisive(counts)));
  }
  return cell;
}

// Rows against columns: the share of decisive duels that the row won, and the interval that holds
// whenever one looks.
std::string Report::matrix() const {
  Table table;
  table.column("won against", Align::left);
  const auto arms = result_.at("arms").items();
  for (const Json& arm : arms) table.column(text_of(arm, "name"));
  for (const Json& row : arms) {
    std::vector<std::string> cells = {text_of(row, "name")};
    for (const Json& column : arms) {
      cells.push_back(matrix_cell(text_of(row, "arm_id"), text_of(column, "arm_id")));
    }
    table.row(cells);
  }
  return table.to_string();
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
  Table table;
  table.column("arm", Align::left).column("over", Align::left);
  table.column("evidence").column("needed").column("duels left");
  for (std::size_t k = 0; k < std::min(open.size(), kMostRows); ++k) {
    const Json& pair = *open[k];
    table.row({name(text_of(pair, "first")), name(text_of(pair, "second")),
               short_evidence(pair.at("log_evidence").get<double>()),
               short_evidence(pair.at("log_threshold").get<double>()), duels_left(pair)});
  }
  std::string text = fmt::format("\nPairs that are still open\n{}", table.to_string());
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
  Table table;
  table.column("rival", Align::left).column("evidence").column("needed").column("duels left");
  for (const Json* rival : rivals) {
    table.row({text_of(*rival, "name"), short_evidence(rival->at("log_evidence").get<double>()),
               short_evidence(rival->at("log_threshold").get<double>()), duels_left(*rival)});
  }
  return fmt::format("\nEvidence that {} beats its rivals\n{}", name(leading), table.to_string());
}

std::string Report::health() const {
  std::string text;
  if (result_.at("one_look").get<bool>() && result_.at("certificate").is_null()) {
    text +=
        "\nThe order of the rows is unknown, as not every two of a pair have times of their own: "
        "evidence is what all of them together say, not the most that it ever was.\n";
  }
  text += "\nHealth\n";
  for (const Json& check : result_.at("health").items()) {
    const std::string word = text_of(check, "verdict");
    const std::string padded = fmt::format("{:<8}", word);
    text += fmt::format("  {}{:<18}{}\n",
                        word == "failed"   ? paint_.red(padded)
                        : word == "passed" ? paint_.green(padded)
                                           : paint_.dim(padded),
                        text_of(check, "name"), text_of(check, "detail"));
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
      "\nElo is a Bradley-Terry fit{}{}{}; a view, not the verdict.",
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
  return text + "\n" + position(fitted);
}

std::string Report::position(const Json& fitted) {
  const Json* effect = fitted.find("position");
  if (effect == nullptr) return "";
  if (const Json* why = effect->find("error")) {
    return fmt::format("\nThe effect of being shown first was not fitted: {}.\n",
                       why->get<std::string>());
  }
  const auto interval = effect->at("elo_interval").items();
  return fmt::format(
      "\nBeing shown first is worth {:+.0f} Elo [{:+.0f} .. {:+.0f}]: of two equal arms, the one "
      "shown first\nwins {:.1f} % of the decisive duels. The Elo above is net of this effect.\n",
      effect->at("elo").get<double>(), interval[0].get<double>(), interval[1].get<double>(),
      100 * effect->at("first_wins_against_equal").get<double>());
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
  std::string text = paint.bold(text_of(result, "verdict")) + "\n\n";
  text += duel_counts(result) + "\n\n" + report.arms();
  text += fmt::format("\nShare won, [95 %{}], ties\n",
                      result.at("one_look").get<bool>() ? "" : " at any time");
  text += report.matrix();
  text += report.evidence();
  return text + report.health() + report.strengths();
}

}  // namespace duel::cli
