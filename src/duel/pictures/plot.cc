#include "duel/pictures/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/pictures/chart.h"

namespace duel {
namespace {

Result<std::size_t> index_of_regret(const StudyResults& results, const PlotOptions& options) {
  if (!options.regret) return std::size_t{0};
  std::vector<std::string> known;
  for (std::size_t i = 0; i < results.regrets.size(); ++i) {
    if (results.regrets[i] == *options.regret) return i;
    known.push_back(to_string(results.regrets[i]));
  }
  return Error::invalid_argument(
             fmt::format("the results have no {} regret", to_string(*options.regret)))
      .with_hint(fmt::format("they have: {}", fmt::join(known, ", ")));
}

Result<std::vector<const MatrixResult*>> chosen_runs(const StudyResults& results,
                                                     const PlotOptions& options) {
  std::vector<const MatrixResult*> runs;
  if (options.matrices.empty()) {
    for (const MatrixResult& run : results.runs) runs.push_back(&run);
    return runs;
  }
  std::vector<std::string> known;
  for (const MatrixResult& run : results.runs) known.push_back(run.facts.matrix);
  for (const std::string& name : options.matrices) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      return Error::invalid_argument(fmt::format("the results have no matrix '{}'", name))
          .with_hint(spelling_hint(name, known));
    }
    runs.push_back(&results.runs[static_cast<std::size_t>(found - known.begin())]);
  }
  return runs;
}

ChartPanel panel_of(const MatrixResult& run, const StudyResults& results, std::size_t regret) {
  ChartPanel panel;
  std::uint32_t fewest = results.trials;
  for (const PolicyResult& policy : run.policies) fewest = std::min(fewest, policy.trials);
  const std::string arms = run.facts.num_arms == 0 ? "" : counted(run.facts.num_arms, "arm") + ", ";
  panel.title = fmt::format("Regret on {}, {}{} (mean ± {} standard errors)", run.facts.matrix,
                            arms, counted(fewest, "trial"), kBandStandardErrors);
  panel.x_label = "round";
  panel.y_label = fmt::format("cumulative regret ({})", to_string(results.regrets[regret]));
  panel.log_x = panel.log_y = true;
  for (const PolicyResult& policy : run.policies) {
    ChartCurve curve;
    curve.label = policy.policy;
    for (const CheckpointResult& checkpoint : policy.checkpoints) {
      const Summary& summary = checkpoint.regrets[regret];
      if (!(summary.mean > 0)) continue;  // zero has no place on a logarithmic axis
      const double half = std::isnan(summary.se) ? 0 : kBandStandardErrors * summary.se;
      curve.points.push_back({static_cast<double>(checkpoint.round), summary.mean,
                              summary.mean - half, summary.mean + half});
    }
    panel.curves.push_back(std::move(curve));
  }
  // The legend names the curves as they lie above each other at the end.
  std::ranges::stable_sort(panel.curves, [](const ChartCurve& a, const ChartCurve& b) {
    const auto end = [](const ChartCurve& curve) {
      return curve.points.empty() ? 0.0 : curve.points.back().y;
    };
    return end(a) > end(b);
  });
  return panel;
}

void include(ChartRange& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

}  // namespace

double bound_factor(RegretNotion notion) {
  if (notion == RegretNotion::average) return 1;
  if (notion == RegretNotion::strong) return 2;
  return kUndefined;
}

Result<std::string> gnuplot_script(const StudyResults& results, const PlotOptions& options) {
  DUEL_ASSIGN(const std::size_t regret, index_of_regret(results, options));
  DUEL_ASSIGN(const auto runs, chosen_runs(results, options));
  Chart chart;
  chart.title = options.title;
  // All panels have the same axes.
  ChartRange rounds{std::numeric_limits<double>::infinity(), 0};
  ChartRange regrets = rounds;
  for (const MatrixResult* run : runs) {
    chart.panels.push_back(panel_of(*run, results, regret));
    for (const ChartCurve& curve : chart.panels.back().curves) {
      for (const ChartPoint& point : curve.points) include(rounds, point.x);
    }
  }
  if (rounds.low > rounds.high) {
    return Error::unsupported(
        fmt::format("there is nothing to draw: every {} regret is zero or unknown",
                    to_string(results.regrets[regret])));
  }
  // The first rounds say little and would take half of a logarithmic axis.
  if (rounds.high >= 1e4) rounds.low = std::max(rounds.low, std::min(100.0, rounds.high / 1e3));
  if (rounds.low == rounds.high) rounds.low = std::max(1.0, rounds.low / 10);
  for (std::size_t p = 0; p < runs.size(); ++p) {
    ChartPanel& panel = chart.panels[p];
    for (const ChartCurve& curve : panel.curves) {
      for (const ChartPoint& point : curve.points) {
        if (point.x < rounds.low) continue;
        include(regrets, point.y);
        include(regrets, std::max(point.low, point.y / 3));
        include(regrets, point.high);
      }
    }
    const double bound = runs[p]->facts.lower_bound * bound_factor(results.regrets[regret]);
    if (!(bound > 0)) continue;
    include(regrets, bound * std::log(std::max(rounds.low, 2.0)));
    ChartCurve line;
    line.label = "lower bound LB ln t (asymptotic)";
    line.line = ChartLine::bound;
    line.formula = fmt::format("x > 1 ? {} * log(x) : NaN", bound);
    panel.curves.push_back(std::move(line));
  }
  for (ChartPanel& panel : chart.panels) {
    panel.x_range = rounds;
    panel.y_range = {regrets.low / 1.3, regrets.high * 1.3};
  }
  return chart_script(chart, options.format);
}

}  // namespace duel
