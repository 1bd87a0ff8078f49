#include "duel/reproduction/regret_runs.h"

#include "duel/core/check.h"
#include "duel/core/checkpoints.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

Result<Simulation> simulation_of(const Contestant& contestant, const RegretPlan& plan,
                                 const ReproductionContext& context) {
  DUEL_ASSIGN(const CallSpec call, parse_call(contestant.policy));
  std::vector<Round> markers = contestant.markers.empty() ? plan.markers : contestant.markers;
  if (contestant.most_rounds > 0) {
    std::erase_if(markers, [&](Round marker) { return marker > contestant.most_rounds; });
  }
  DUEL_CHECK(!markers.empty());
  return Simulation::create({.matrix = plan.matrix,
                             .policies = {call},
                             .checkpoints = std::move(markers),
                             .trials = contestant.trials == 0 ? plan.trials : contestant.trials,
                             .seed = context.seed,
                             .regrets = plan.regrets,
                             .threads = context.threads,
                             .horizon_per_checkpoint = contestant.fresh_per_marker});
}

// The first rounds say little and would take half of a logarithmic axis.
constexpr double kFirstRound = 100;

// REQUIRES: the panel has an x range.
void add_bound(ChartPanel& panel, const char* label, double bound, ChartLine line) {
  if (!(bound > 0)) return;
  ChartCurve curve{.label = label, .line = line};
  curve.formula = fmt::format("x > 1 ? {} * log(x) : NaN", bound);
  for (const double x : {panel.x_range->low, panel.x_range->high}) {
    curve.points.push_back({x, bound * std::log(std::max(x, 2.0))});
  }
  panel.curves.push_back(std::move(curve));
}

}  // namespace

Contestant fresh_runs(std::string label, std::string policy, std::vector<Round> markers,
                      std::uint32_t trials) {
  return {.label = std::move(label),
          .policy = std::move(policy),
          .fresh_per_marker = true,
          .trials = trials,
          .markers = std::move(markers)};
}

std::vector<Round> markers_between(Round from, Round to) {
  std::vector<Round> markers = log_checkpoints(to);
  std::erase_if(markers, [&](Round round) { return round < from; });
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
  const Summary& summary = at(marker).regrets[regret];
  return {summary.mean, summary.se, summary_.trials};
}

Measured ContestantRun::accuracy_at(Round marker) const {
  return {at(marker).accuracy, at(marker).accuracy_se, summary_.trials};
}

Measured ContestantRun::slope(Round from, Round to) const {
  DUEL_CHECK(!contestant_.fresh_per_marker && from < to);
  const std::vector<double> before = values_at(from);
  std::vector<double> slopes = values_at(to);
  const double decades = std::log(static_cast<double>(to) / static_cast<double>(from));
  for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] = (slopes[k] - before[k]) / decades;
  return measured(slopes);
}

const ContestantRun& RegretRuns::find(std::string_view label) const {
  const auto found = std::ranges::find(runs, label, &ContestantRun::label);
  DUEL_CHECK(found != runs.end());
  return *found;
}

Result<RegretRuns> play_regret(const ReproductionContext& context, const RegretPlan& plan) {
  DUEL_CHECK(plan.matrix != nullptr && !plan.contestants.empty());
  RegretRuns out;
  out.name = plan.name.empty() ? plan.matrix->name() : plan.name;
  out.facts = facts_of(*plan.matrix, out.name);
  out.regrets = plan.regrets;
  for (std::size_t c = 0; c < plan.contestants.size(); ++c) {
    const Contestant& contestant = plan.contestants[c];
    const ReproductionContext part = context.part_of(c, plan.contestants.size());
    DUEL_ASSIGN(const Simulation simulation, simulation_of(contestant, plan, context));
    const auto tell = [&](std::uint64_t finished) {
      part.report(static_cast<double>(finished) / simulation.plan().trials,
                  out.name + " " + contestant.label);
    };
    DUEL_ASSIGN(PolicyRecord record,
                simulation.run(0, {{.stop = context.stop, .on_progress = tell}}));
    if (record.interrupted) return interrupted_reproduction();
    out.runs.emplace_back(contestant, simulation.plan().checkpoints, std::move(record));
  }
  return out;
}

Measured paired_difference(const ContestantRun& a, const ContestantRun& b, Round marker) {
  return paired_difference(a.values_at(marker), b.values_at(marker));
}

Measured ratio_of_means(const ContestantRun& a, const ContestantRun& b, Round marker) {
  // mean a / mean b ~ r + mean((a_t - r b_t) / mean b), r the ratio of the true means.
  const std::vector<double> above = a.values_at(marker);
  const std::vector<double> below = b.values_at(marker);
  const double ratio = mean(above) / mean(below);
  if (above.size() != below.size()) {  // independent errors then
    const Measured x = measured(above), y = measured(below);
    return {ratio, ratio * std::hypot(x.se / x.mean, y.se / y.mean), std::min(x.trials, y.trials)};
  }
  std::vector<double> influence(above.size());
  for (std::size_t k = 0; k < above.size(); ++k) {
    influence[k] = (above[k] - ratio * below[k]) / mean(below);
  }
  return {ratio, standard_error(influence, mean(influence)), above.size()};
}

TidyTable& add_regret_table(Reproduction& out, std::string name) {
  return out.add_table(std::move(name), "matrix,policy,regret,round",
                       "median,min,max,accuracy,accuracy_se");
}

void add_regret_rows(TidyTable& table, const RegretRuns& runs) {
  for (const ContestantRun& run : runs.runs) {
    for (const Round marker : run.markers()) {
      const CheckpointResult& at = run.at(marker);
      const Summary& regret = at.regrets[0];
      table.add({runs.name, run.label(), to_string(runs.regrets[0]), marker}, run.regret_at(marker),
                {regret.median, regret.min, regret.max, at.accuracy, at.accuracy_se});
    }
  }
}

ChartPanel regret_panel(const RegretRuns& runs, std::string title, RegretBands bands) {
  const RegretNotion notion = runs.regrets[0];
  ChartPanel panel =
      panel_of(std::move(title), "round", fmt::format("cumulative regret ({})", to_string(notion)),
               Axes::log_log);
  double first = kFirstRound;
  double last = 0;
  for (const ContestantRun& run : runs.runs) {
    for (const Round marker : run.markers()) {
      const auto round = static_cast<double>(marker);
      plot(panel, run.label(), round, run.regret_at(marker));
      if (bands == RegretBands::min_and_max) {
        const Summary& summary = run.at(marker).regrets[0];
        panel.curves.back().band = ChartBand::dotted;
        panel.curves.back().points.back() = {round, summary.mean, summary.min, summary.max};
      }
      last = std::max(last, round);
    }
    first = std::min(std::max(first, static_cast<double>(run.markers().front())), last);
  }
  panel.x_range = {first, last};
  if (bands == RegretBands::min_and_max || notion != RegretNotion::average) return panel;
  add_bound(panel, "TrueLB ln t", runs.facts.lower_bound, ChartLine::bound);
  add_bound(panel, "LB ln t (target: Condorcet winner)", runs.facts.lower_bound_condorcet_target,
            ChartLine::second_bound);
  return panel;
}

ChartPanel accuracy_panel(const RegretRuns& runs, std::string title) {
  ChartPanel panel =
      panel_of(std::move(title), "round", "share of trials that recommend the right arm",
               Axes::log_x, ChartRange{0, 1.02});
  for (const ContestantRun& run : runs.runs) {
    for (const Round marker : run.markers()) {
      plot(panel, run.label(), static_cast<double>(marker), exactly(run.accuracy_at(marker).mean));
    }
  }
  return panel;
}

Result<std::vector<RegretRuns>> play_figure(const ReproductionContext& context,
                                            const RegretFigure& figure,
                                            const std::vector<RegretPlan>& plans,
                                            Reproduction& out) {
  TidyTable& table = add_regret_table(out, figure.name);
  Chart chart{.title = figure.title};
  std::vector<RegretRuns> all;
  for (const RegretPlan& plan : plans) {
    DUEL_ASSIGN(RegretRuns runs, play_regret(context.part_of(all.size(), plans.size()), plan));
    add_regret_rows(table, runs);
    if (!plan.panel.empty()) chart.panels.push_back(regret_panel(runs, plan.panel));
    all.push_back(std::move(runs));
  }
  out.draw(figure.name, figure.caption, std::move(chart));
  return all;
}

std::vector<GivenMatrix> given_with_winner(const ReproductionContext& context, std::size_t arms,
                                           std::vector<std::string>& remarks) {
  std::vector<GivenMatrix> taken;
  for (const GivenMatrix& given : context.matrices) {
    if (given.matrix->num_arms() < arms) continue;
    if (condorcet_winner(*given.matrix)) {
      taken.push_back(given);
    } else {
      remarks.push_back(fmt::format(
          "The given matrix {} was not taken: it has no Condorcet winner.", given.name));
    }
  }
  return taken;
}

Result<PreferenceMatrix> made_matrix(std::string name, std::size_t arms,
                                     const std::function<double(std::size_t, std::size_t)>& p) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (std::size_t i = 0; i < arms; ++i) {
    names.push_back(fmt::format("a{}", i + 1));
    for (std::size_t j = 0; j < arms; ++j) values.push_back(p(i, j));
  }
  return PreferenceMatrix::create(std::move(name), std::move(names), std::move(values));
}

}  // namespace duel
