#include "duel/cli/result_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/pictures/plot.h"

namespace duel::cli {
namespace {

// Decimals that show `value` to `digits` significant digits, between 0 and 6.
int decimals_for(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return 0;
  // The digit that rounding may carry into counts: 0.0996 to two digits is 0.10.
  const double exponent = std::floor(std::log10(value) + 1e-12);
  return std::clamp(digits - 1 - static_cast<int>(exponent), 0, 6);
}

// Four significant digits, more for whole numbers.
Cell plain(double value) { return {value, decimals_for(std::abs(value), 4)}; }

double bound_of(const MatrixResult& run, RegretNotion notion) {
  return bound_factor(notion) * run.facts.lower_bound;
}

Cell bound_cell(double coefficient, Round round) {
  if (std::isnan(coefficient)) return "";
  return plain(coefficient * std::log(static_cast<double>(round)));
}

// Rounds of the checkpoints before the last that are worth a column, latest first: those the user
// chose, or where they are log-spaced the powers of ten.
std::vector<std::size_t> earlier_checkpoints(const PolicyResult& policy) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> powers;
  for (std::size_t i = policy.checkpoints.size() - 1; i-- > 0;) {
    const Round round = policy.checkpoints[i].round;
    all.push_back(i);
    const double exponent = std::log10(static_cast<double>(round));
    if (round >= 100 && std::abs(exponent - std::round(exponent)) < 1e-12) powers.push_back(i);
  }
  return all.size() <= 6 ? all : powers;
}

// What a table has beside the policy and its regrets, which give way where it would be too wide.
struct TableColumns {
  std::vector<std::size_t> regrets;  // indices of the study's
  bool medians = true;
  bool seconds = true;
  std::vector<std::size_t> earlier;  // checkpoints
};

Table table_of(const MatrixResult& run, const StudyResults& results, const TableColumns& shown) {
  const Round last = run.policies.front().checkpoints.back().round;
  Table table;
  // A policy's string is whole, so that it can be pasted.
  table.column("policy", Align::left, Fold::above);
  for (const std::size_t k : shown.regrets) {
    table.column(to_string(results.regrets[k]) + " regret").column("± se", Align::left);
    if (shown.medians) table.column("median");
  }
  table.column("accuracy").column("informative");
  if (shown.seconds) table.column("seconds");
  for (const std::size_t checkpoint : shown.earlier) {
    table.column("at " + round_text(run.policies.front().checkpoints[checkpoint].round));
    table.column("± se", Align::left);
  }
  const std::size_t first = shown.regrets.front();
  for (const PolicyResult& policy : run.policies) {
    std::vector<Cell> cells = {policy.policy};
    const CheckpointResult& final = policy.checkpoints.back();
    for (const std::size_t k : shown.regrets) {
      const Summary& summary = final.regrets[k];
      const MeanText text = mean_text(summary.mean, summary.se);
      cells.insert(cells.end(), {text.mean, text.se});
      if (shown.medians) cells.emplace_back(summary.median, text.decimals);
    }
    cells.emplace_back(final.accuracy_se > 0
                           ? fmt::format("{:.2f} ± {:.2f}", final.accuracy, final.accuracy_se)
                           : fmt::format("{:.2f}", final.accuracy));
    cells.emplace_back(final.informative, 0);
    if (shown.seconds) cells.emplace_back(policy.seconds, policy.seconds < 10 ? 2 : 0);
    for (const std::size_t checkpoint : shown.earlier) {
      const Summary& summary = policy.checkpoints[checkpoint].regrets[first];
      const MeanText text = mean_text(summary.mean, summary.se);
      cells.insert(cells.end(), {text.mean, text.se});
    }
    table.row(std::move(cells));
  }
  const bool any_bound = std::ranges::any_of(
      shown.regrets, [&](std::size_t k) { return !std::isnan(bound_of(run, results.regrets[k])); });
  if (any_bound) {
    std::vector<Cell> cells = {"lower bound LB ln T"};
    for (const std::size_t k : shown.regrets) {
      cells.insert(cells.end(), {bound_cell(bound_of(run, results.regrets[k]), last), ""});
      if (shown.medians) cells.emplace_back("");
    }
    cells.insert(cells.end(), {"", ""});
    if (shown.seconds) cells.emplace_back("");
    const double bound = bound_of(run, results.regrets[first]);
    for (const std::size_t checkpoint : shown.earlier) {
      cells.insert(cells.end(),
                   {bound_cell(bound, run.policies.front().checkpoints[checkpoint].round), ""});
    }
    table.row(std::move(cells));
  }
  return table;
}

// One table, or one for each regret where they do not fit side by side. Earlier checkpoints are
// shown as far as there is room, wall times and medians only where there is.
std::string tables_text(const MatrixResult& run, const StudyResults& results, std::size_t width) {
  TableColumns shown;
  for (std::size_t k = 0; k < results.regrets.size(); ++k) shown.regrets.push_back(k);
  const auto too_wide = [&](const TableColumns& columns) {
    return table_of(run, results, columns).least_width() > width;
  };
  if (table_of(run, results, shown).width() > width) shown.seconds = false;
  if (too_wide(shown)) shown.medians = false;
  if (too_wide(shown) && shown.regrets.size() > 1) {
    std::string text;
    for (std::size_t k = 0; k < results.regrets.size(); ++k) {
      TableColumns one{.regrets = {k}, .medians = true, .seconds = false, .earlier = {}};
      one.medians = !too_wide(one);
      text += (text.empty() ? "" : "\n") + table_of(run, results, one).to_string(width);
    }
    return text;
  }
  for (const std::size_t candidate : earlier_checkpoints(run.policies.front())) {
    shown.earlier.push_back(candidate);
    if (table_of(run, results, shown).width() <= width) continue;
    shown.earlier.pop_back();
    break;
  }
  return table_of(run, results, shown).to_string(width);
}

// What the numbers are measured against.
std::string truth_of(const MatrixResult& run) {
  if (!run.policies.empty() && !run.policies.front().checkpoints.empty() &&
      std::isnan(run.policies.front().checkpoints.front().regrets.front().mean)) {
    return "no known truth (accuracy: the ranker of highest NDCG is recommended)";
  }
  return run.facts.condorcet_winner.empty() ? "no Condorcet winner"
                                            : "Condorcet winner " + run.facts.condorcet_winner;
}

std::string heading(const MatrixResult& run, const StudyResults& results, const Paint& paint) {
  std::string text = paint.bold(run.facts.matrix);
  if (run.facts.num_arms > 0) {
    text += fmt::format(": {}, {}", counted(run.facts.num_arms, "arm"), truth_of(run));
  }
  std::uint32_t fewest = results.trials;
  std::uint32_t most = 0;
  for (const PolicyResult& policy : run.policies) {
    fewest = std::min(fewest, policy.trials);
    most = std::max(most, policy.trials);
  }
  std::string trials = counted(results.trials, "trial");
  if (fewest < results.trials) {
    trials = fewest == most ? fmt::format("{} of {}", fewest, trials)
                            : fmt::format("{} to {} of {}", fewest, most, trials);
  }
  text += fmt::format("; {} {}, {}, seed {}", round_text(results.rounds),
                      results.rounds == 1 ? "round" : "rounds", trials, results.seed);
  if (results.feedback.batch > 1) {
    text += fmt::format(", in batches of {}", results.feedback.batch);
  }
  if (results.feedback.delay > 0) {
    text += fmt::format(", answers {} late", counted(results.feedback.delay, "round"));
  }
  return wrapped(text, report_width()) + "\n";
}

std::string run_text(const MatrixResult& run, const StudyResults& results, std::size_t width,
                     const Paint& paint) {
  if (run.policies.empty()) return "";
  std::string text = heading(run, results, paint) + "\n" + tables_text(run, results, width);
  if (!std::isnan(run.facts.lower_bound)) {
    text += fmt::format("LB = {} (average regret; asymptotic, so a short run may lie below it)\n",
                        plain(run.facts.lower_bound).for_people());
  }
  if (!run.not_run.empty()) {
    text += fmt::format("not run: {}\n", fmt::join(run.not_run, ", "));
  }
  return text;
}

}  // namespace

MeanText mean_text(double mean, double se) {
  if (!(se > 0)) {
    const int decimals = decimals_for(std::abs(mean), 4);
    return {Cell(mean, decimals), se == 0 ? "± 0" : "", decimals};
  }
  const int decimals = decimals_for(se, 2);
  return {Cell(mean, decimals), fmt::format("± {:.{}f}", se, decimals), decimals};
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string capped_duels(double duels, std::uint64_t most) {
  const auto cap = static_cast<double>(most);
  return duels >= cap ? fmt::format(">{:.0f}", cap) : fmt::format("{:.0f}", duels);
}

std::string round_text(Round round) {
  Round digits = round;
  int exponent = 0;
  while (digits >= 10 && digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  if (exponent < 3 || digits > 99) return fmt::format("{}", round);
  if (digits < 10) return fmt::format("{}e{}", digits, exponent);
  return fmt::format("{}.{}e{}", digits / 10, digits % 10, exponent + 1);
}

std::string results_text(const StudyResults& results, std::size_t width, const Paint& paint) {
  std::string text;
  for (const MatrixResult& run : results.runs) {
    const std::string part = run_text(run, results, width, paint);
    if (part.empty()) continue;
    if (!text.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace duel::cli
