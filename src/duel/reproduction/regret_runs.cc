#include "duel/reproduction/regret_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/checkpoints.h"
#include "duel/pictures/plot.h"

namespace duel {
namespace {

std::vector<Round> markers_of(const Contestant& contestant, const RegretPlan& plan) {
  std::vector<Round> markers;
  for (const Round marker : contestant.markers.empty() ? plan.markers : contestant.markers) {
    if (contestant.most_rounds == 0 || marker <= contestant.most_rounds) markers.push_back(marker);
  }
  return markers;
}

Result<Simulation> simulation_of(const Contestant& contestant, const RegretPlan& plan,
                                 const ReproductionContext& context) {
  SimulationPlan simulation;
  simulation.matrix = plan.matrix;
  DUEL_ASSIGN(CallSpec call, parse_call(contestant.policy));
  simulation.policies = {std::move(call)};
  simulation.checkpoints = markers_of(contestant, plan);
  DUEL_CHECK(!simulation.checkpoints.empty());
  simulation.trials = contestant.trials == 0 ? plan.trials : contestant.trials;
  simulation.seed = context.seed;
  simulation.regrets = plan.regrets;
  simulation.threads = context.threads;
  simulation.horizon_per_checkpoint = contestant.fresh_per_marker;
  return Simulation::create(simulation);
}

// The first rounds say little and would take half of a logarithmic axis.
constexpr double kFirstRound = 100;

void add_bounds(const RegretRuns& runs, RegretNotion notion, double first, double last,
                ChartPanel& panel) {
  const double factor = notion == RegretNotion::average  ? 1
                        : notion == RegretNotion::strong ? 2
                                                         : kUndefined;
  const auto add = [&](const char* label, double bound, ChartLine line) {
    if (!(bound > 0)) return;
    ChartCurve curve;
    curve.label = label;
    curve.line = line;
    curve.formula = fmt::format("x > 1 ? {} * log(x) : NaN", bound);
    for (const double x : {first, last}) {
      curve.points.push_back({x, bound * std::log(std::max(x, 2.0))});
    }
    panel.curves.push_back(std::move(curve));
  };
  const double true_bound = runs.facts.lower_bound * factor;
  const double winner_bound = runs.facts.lower_bound_condorcet_target * factor;
  add("TrueLB ln t", true_bound, ChartLine::bound);
  add("LB ln t (target: Condorcet winner)", winner_bound, ChartLine::second_bound);
}

}  // namespace

std::vector<Round> markers_between(Round from, Round to) {
  std::vector<Round> markers;
  for (const Round round : log_checkpoints(to)) {
    if (round >= from) markers.push_back(round);
  }
  return markers;
}

std::vector<Round> decades_between(Round from, Round to) {
  std::vector<Round> markers;
  for (Round round = 1; round < to; round *= 10) {
    if (round >= from) markers.push_back(round);
  }
  markers.push_back(to);
  return markers;
}

std::string round_label(Round round) {
  Round digits = round;
  int zeros = 0;
  while (digits >= 10 && digits % 10 == 0) {
    digits /= 10;
    ++zeros;
  }
  return zeros >= 3 ? fmt::format("{}e{}", digits, zeros) : fmt::format("{}", round);
}

bool ContestantRun::has(Round marker) const {
  return std::binary_search(markers_.begin(), markers_.end(), marker);
}

std::size_t ContestantRun::index_of(Round marker) const {
  const auto found = std::find(markers_.begin(), markers_.end(), marker);
  DUEL_CHECK(found != markers_.end());
  return static_cast<std::size_t>(found - markers_.begin());
}

std::vector<double> ContestantRun::values_at(Round marker, std::size_t regret) const {
  const std::size_t index = index_of(marker);
  std::vector<double> values;
  for (std::uint32_t trial = 0; trial < trials_.num_trials(); ++trial) {
    values.push_back(trials_.value(trial, index, regret));
  }
  return values;
}

Measured ContestantRun::regret_at(Round marker, std::size_t regret) const {
  return measured(values_at(marker, regret));
}

Summary ContestantRun::summary_at(Round marker, std::size_t regret) const {
  return summarize(values_at(marker, regret));
}

Measured ContestantRun::accuracy_at(Round marker) const {
  const std::size_t index = index_of(marker);
  std::uint64_t right = 0;
  for (std::uint32_t trial = 0; trial < trials_.num_trials(); ++trial) {
    right += trials_.correct(trial, index) ? 1 : 0;
  }
  return measured_share(right, trials_.num_trials());
}

Measured ContestantRun::slope(Round from, Round to, std::size_t regret) const {
  DUEL_CHECK(!contestant_.fresh_per_marker && from < to);
  const std::vector<double> before = values_at(from, regret);
  std::vector<double> slopes = values_at(to, regret);
  const double decades = std::log(static_cast<double>(to) / static_cast<double>(from));
  for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] = (slopes[k] - before[k]) / decades;
  return measured(slopes);
}

const ContestantRun& RegretRuns::find(std::string_view label) const {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const ContestantRun& run) { return run.label() == label; });
  DUEL_CHECK(found != runs.end());
  return *found;
}

Result<RegretRuns> play_regret(const ReproductionContext& context, const RegretPlan& plan,
                               ProgressPart part) {
  DUEL_CHECK(plan.matrix != nullptr && !plan.contestants.empty());
  RegretRuns out;
  out.name = plan.name.empty() ? plan.matrix->name() : plan.name;
  out.facts = facts_of(*plan.matrix, out.name);
  out.regrets = plan.regrets;
  const double width = (part.end - part.begin) / static_cast<double>(plan.contestants.size());
  for (std::size_t c = 0; c < plan.contestants.size(); ++c) {
    const Contestant& contestant = plan.contestants[c];
    DUEL_ASSIGN(const Simulation simulation, simulation_of(contestant, plan, context));
    const double begin = part.begin + width * static_cast<double>(c);
    RunHooks hooks;
    hooks.stop = context.stop;
    hooks.on_progress = [&](std::uint32_t finished) {
      context.report(begin + width * finished / simulation.plan().trials,
                     out.name + " " + contestant.label);
    };
    DUEL_ASSIGN(PolicyRecord record, simulation.run(0, hooks));
    if (record.interrupted) return interrupted_reproduction();
    out.runs.emplace_back(contestant, simulation.plan().checkpoints, std::move(record.trials),
                          record.seconds);
  }
  return out;
}

Measured paired_difference(const ContestantRun& a, const ContestantRun& b, Round marker,
                           std::size_t regret) {
  std::vector<double> differences = a.values_at(marker, regret);
  const std::vector<double> other = b.values_at(marker, regret);
  DUEL_CHECK(differences.size() == other.size());
  for (std::size_t k = 0; k < differences.size(); ++k) differences[k] -= other[k];
  return measured(differences);
}

Measured ratio_of_means(const ContestantRun& a, const ContestantRun& b, Round marker,
                        std::size_t regret) {
  // mean a / mean b ~ r + mean((a_t - r b_t) / mean b), r the ratio of the true means.
  const std::vector<double> above = a.values_at(marker, regret);
  const std::vector<double> below = b.values_at(marker, regret);
  const double ratio = mean(above) / mean(below);
  if (above.size() != below.size()) {  // independent errors then
    const Measured x = measured(above);
    const Measured y = measured(below);
    return {ratio, ratio * std::hypot(x.se / x.mean, y.se / y.mean), std::min(x.trials, y.trials)};
  }
  std::vector<double> influence(above.size());
  for (std::size_t k = 0; k < above.size(); ++k) {
    influence[k] = (above[k] - ratio * below[k]) / mean(below);
  }
  return {ratio, standard_error(influence, mean(influence)), above.size()};
}

TidyTable regret_table(std::string name, std::uint64_t seed) {
  return TidyTable(std::move(name), {"matrix", "policy", "regret", "round"}, seed,
                   {"median", "min", "max", "accuracy", "accuracy_se"});
}

void add_regret_rows(TidyTable& table, const RegretRuns& runs, std::size_t regret) {
  for (const ContestantRun& run : runs.runs) {
    for (const Round marker : run.markers()) {
      const Summary summary = run.summary_at(marker, regret);
      const Measured accuracy = run.accuracy_at(marker);
      table.add(
          {runs.name, run.label(), to_string(runs.regrets[regret]), fmt::format("{}", marker)},
          {summary.mean, summary.se, run.trials().num_trials()},
          {summary.median, summary.min, summary.max, accuracy.mean, accuracy.se});
    }
  }
}

ChartPanel regret_panel(const RegretRuns& runs, std::string title, std::size_t regret,
                        RegretBands bands) {
  ChartPanel panel;
  panel.title = std::move(title);
  panel.x_label = "round";
  panel.y_label = fmt::format("cumulative regret ({})", to_string(runs.regrets[regret]));
  panel.log_x = panel.log_y = true;
  double first = kFirstRound;
  double last = 0;
  for (const ContestantRun& run : runs.runs) {
    ChartCurve curve;
    curve.label = run.label();
    if (bands == RegretBands::min_and_max) curve.band = ChartBand::dotted;
    for (const Round marker : run.markers()) {
      const Summary summary = run.summary_at(marker, regret);
      const double half = std::isnan(summary.se) ? 0 : kBandStandardErrors * summary.se;
      const bool extremes = bands == RegretBands::min_and_max;
      curve.points.push_back({static_cast<double>(marker), summary.mean,
                              extremes ? summary.min : summary.mean - half,
                              extremes ? summary.max : summary.mean + half});
      last = std::max(last, static_cast<double>(marker));
    }
    first = std::min(std::max(first, static_cast<double>(run.markers().front())), last);
    panel.curves.push_back(std::move(curve));
  }
  panel.x_range = {first, last};
  add_bounds(runs, runs.regrets[regret], first, last, panel);
  return panel;
}

ChartPanel accuracy_panel(const RegretRuns& runs, std::string title) {
  ChartPanel panel;
  panel.title = std::move(title);
  panel.x_label = "round";
  panel.y_label = "share of trials that recommend the right arm";
  panel.log_x = true;
  panel.y_range = {0, 1.02};
  for (const ContestantRun& run : runs.runs) {
    ChartCurve curve;
    curve.label = run.label();
    for (const Round marker : run.markers()) {
      const Measured accuracy = run.accuracy_at(marker);
      curve.points.push_back({static_cast<double>(marker), accuracy.mean});
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

}  // namespace duel
