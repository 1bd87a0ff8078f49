#include "duel/cli/result_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/display_width.h"
#include "duel/core/table.h"

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

// The bound is one of average regret; strong regret is twice that.
double bound_of(const MatrixResult& run, RegretNotion notion) {
  if (notion == RegretNotion::average) return run.facts.lower_bound;
  if (notion == RegretNotion::strong) return 2 * run.facts.lower_bound;
  return kUndefined;
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

// Policy strings, cut to `most` columns where that keeps them apart.
std::vector<std::string> policy_names(const MatrixResult& run, std::size_t most) {
  std::vector<std::string> names;
  std::vector<std::string> short_names;
  for (const PolicyResult& policy : run.policies) {
    names.push_back(policy.policy);
    short_names.push_back(shortened(policy.policy, most));
  }
  std::vector<std::string> sorted = short_names;
  std::sort(sorted.begin(), sorted.end());
  const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  return distinct ? short_names : names;
}

Table table_of(const MatrixResult& run, const StudyResults& results,
               const std::vector<std::size_t>& earlier, const std::vector<std::string>& names) {
  const Round last = run.policies.front().checkpoints.back().round;
  Table table;
  table.column("policy", Align::left);
  for (const RegretNotion notion : results.regrets) {
    table.column(to_string(notion) + " regret").column("± se", Align::left).column("median");
  }
  table.column("accuracy").column("informative").column("seconds");
  for (const std::size_t checkpoint : earlier) {
    table.column("at " + round_text(run.policies.front().checkpoints[checkpoint].round));
    table.column("± se", Align::left);
  }
  for (std::size_t p = 0; p < run.policies.size(); ++p) {
    const PolicyResult& policy = run.policies[p];
    std::vector<Cell> cells = {names[p]};
    const CheckpointResult& final = policy.checkpoints.back();
    for (const Summary& summary : final.regrets) {
      const MeanText text = mean_text(summary.mean, summary.se);
      cells.insert(cells.end(), {text.mean, text.se, Cell(summary.median, text.decimals)});
    }
    cells.push_back(final.accuracy_se > 0
                        ? fmt::format("{:.2f} ± {:.2f}", final.accuracy, final.accuracy_se)
                        : fmt::format("{:.2f}", final.accuracy));
    cells.emplace_back(final.informative, 0);
    cells.emplace_back(policy.seconds, policy.seconds < 10 ? 2 : 0);
    for (const std::size_t checkpoint : earlier) {
      const Summary& summary = policy.checkpoints[checkpoint].regrets.front();
      const MeanText text = mean_text(summary.mean, summary.se);
      cells.insert(cells.end(), {text.mean, text.se});
    }
    table.row(std::move(cells));
  }
  const double bound = bound_of(run, results.regrets.front());
  const bool any_bound =
      std::any_of(results.regrets.begin(), results.regrets.end(),
                  [&](RegretNotion notion) { return !std::isnan(bound_of(run, notion)); });
  if (any_bound) {
    std::vector<Cell> cells = {"lower bound LB ln T"};
    for (const RegretNotion notion : results.regrets) {
      cells.insert(cells.end(), {bound_cell(bound_of(run, notion), last), "", ""});
    }
    cells.insert(cells.end(), {"", "", ""});
    for (const std::size_t checkpoint : earlier) {
      cells.insert(cells.end(),
                   {bound_cell(bound, run.policies.front().checkpoints[checkpoint].round), ""});
    }
    table.row(std::move(cells));
  }
  return table;
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
    text += fmt::format(": {} arm{}, {}", run.facts.num_arms, run.facts.num_arms == 1 ? "" : "s",
                        truth_of(run));
  }
  std::uint32_t fewest = results.trials;
  std::uint32_t most = 0;
  for (const PolicyResult& policy : run.policies) {
    fewest = std::min(fewest, policy.trials);
    most = std::max(most, policy.trials);
  }
  std::string trials = fmt::format("{} trials", results.trials);
  if (results.trials == 1) trials = "1 trial";
  if (fewest < results.trials) {
    trials = fewest == most ? fmt::format("{} of {}", fewest, trials)
                            : fmt::format("{} to {} of {}", fewest, most, trials);
  }
  return text + fmt::format("; {} rounds, {}, seed {}\n", round_text(results.rounds), trials,
                            results.seed);
}

std::string run_text(const MatrixResult& run, const StudyResults& results, std::size_t width,
                     const Paint& paint) {
  if (run.policies.empty()) return "";
  std::string text = heading(run, results, paint) + "\n";
  const std::vector<std::size_t> candidates = earlier_checkpoints(run.policies.front());
  std::vector<std::size_t> earlier;
  std::vector<std::string> names = policy_names(run, 1000);
  Table table = table_of(run, results, earlier, names);
  for (std::size_t most = 60; table.width() > width && most >= 20; most -= 4) {
    names = policy_names(run, most);
    table = table_of(run, results, earlier, names);
  }
  for (const std::size_t candidate : candidates) {
    earlier.push_back(candidate);
    Table wider = table_of(run, results, earlier, names);
    if (wider.width() > width) break;
    table = std::move(wider);
  }
  text += table.to_string();
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
