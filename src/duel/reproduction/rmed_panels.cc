// The panels of Figure 2 of Komiyama, Honda, Kashima, Nakagawa: Regret Lower Bound and Optimal
// Algorithm in Dueling Bandit Problem (COLT 2015), and what their slides say of two of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "duel/core/rng.h"
#include "duel/reproduction/registry.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr Round kCalibrated = 100'000;  // where values of an independent implementation are known
// Policies whose self-duels cannot be jumped over play so many rounds.
constexpr Round kMostWithoutJumps = 1'000'000;

// What an independent implementation gave at 1e5 rounds.
struct Calibration {
  std::string label;
  double mean;
  double se;
};

struct PanelFacts {
  std::string name;
  std::string what;
  std::string description;
  std::string needs{};
  // The matrix: one of the catalogue, or one the user gives and, without it, a stand-in.
  std::string built_in{};
  std::vector<std::string> given_names{};
  std::size_t arms = 0;  // the given matrix is cut to so many: the winner and others at random
  std::string stand_in{};
  // Sizes of the full run.
  std::uint32_t trials = 1000;       // of RMED and RUCB
  std::uint32_t trials_first = 200;  // of those that explore first
  std::uint32_t trials_no_jump = 100;
  Round quick_rounds = 100'000;
  std::vector<Calibration> calibration{};
  std::string calibration_runs{};
  // RMED1 / best of the older policies at the last round, as the slides say.
  double slide_ratio = kUndefined;
  Accepted slide_accepted{};
  bool cyclic = false;
};

struct PanelMatrix {
  std::shared_ptr<const PreferenceMatrix> matrix;
  std::string title;
  bool is_stand_in = false;
  std::string remark{};
};

// The winner and `arms` - 1 others at random, in their order.
Result<PreferenceMatrix> cut(const PreferenceMatrix& matrix, Arm winner, std::size_t arms,
                             std::uint64_t seed) {
  std::vector<Arm> others;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (i != winner) others.push_back(i);
  }
  RoundRng rng =
      Stream(seed, static_cast<std::uint32_t>(arms), Purpose::generate, "rmed-cut").at(0);
  for (std::size_t i = 0; i + 1 < arms; ++i) {
    std::swap(others[i], others[i + rng.below(others.size() - i)]);
  }
  std::vector<Arm> kept(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(arms - 1));
  kept.push_back(winner);
  std::sort(kept.begin(), kept.end());
  std::vector<std::string> names;
  std::vector<double> p;
  for (const Arm i : kept) {
    names.push_back(matrix.arm_name(i));
    for (const Arm j : kept) p.push_back(matrix(i, j));
  }
  return PreferenceMatrix::create(fmt::format("{}, {} arms", matrix.name(), arms), std::move(names),
                                  std::move(p));
}

// One that bears a name of the panel's; else one whose name holds it and that will do.
const PreferenceMatrix* given_matrix(const PanelFacts& facts, const ReproductionContext& context) {
  for (const std::string& name : facts.given_names) {
    for (const GivenMatrix& given : context.matrices) {
      if (given.name == name) return given.matrix.get();
    }
  }
  for (const std::string& name : facts.given_names) {
    for (const GivenMatrix& given : context.matrices) {
      if (given.name.find(name) != std::string::npos && given.matrix->num_arms() >= facts.arms &&
          condorcet_winner(*given.matrix)) {
        return given.matrix.get();
      }
    }
  }
  return nullptr;
}

Result<PanelMatrix> matrix_of(const PanelFacts& facts, const ReproductionContext& context) {
  PanelMatrix out;
  const PreferenceMatrix* given = given_matrix(facts, context);
  if (given == nullptr) {
    out.is_stand_in = facts.built_in.empty();
    const std::string& name = out.is_stand_in ? facts.stand_in : facts.built_in;
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(name));
    out.title = out.is_stand_in ? "stand-in " + name : name;
    out.matrix = std::make_shared<const PreferenceMatrix>(std::move(matrix));
    return out;
  }
  const std::optional<Arm> winner = condorcet_winner(*given);
  if (!winner) {
    return Error::unsupported("the panel needs a Condorcet winner", given->name(),
                              "the matrix has none");
  }
  if (given->num_arms() < facts.arms) {
    return Error::unsupported(fmt::format("the panel needs {} arms", facts.arms), given->name(),
                              fmt::format("the matrix has {}", given->num_arms()));
  }
  out.title = given->name();
  if (given->num_arms() == facts.arms) {
    out.matrix = std::make_shared<const PreferenceMatrix>(*given);
    return out;
  }
  DUEL_ASSIGN(PreferenceMatrix matrix, cut(*given, *winner, facts.arms, context.seed));
  out.title = matrix.name();
  out.remark = fmt::format(
      "The {} arms are the Condorcet winner of {} and {} of the others at random (seed {}): {}. "
      "The "
      "paper's own draw is not known.",
      facts.arms, given->name(), facts.arms - 1, context.seed, fmt::join(matrix.arm_names(), ", "));
  out.matrix = std::make_shared<const PreferenceMatrix>(std::move(matrix));
  return out;
}

std::vector<Contestant> contestants_of(const PanelFacts& facts, const ReproductionContext& context,
                                       Round rounds) {
  const std::uint32_t first = context.size(std::min(20U, facts.trials_first), facts.trials_first);
  const std::uint32_t no_jump = context.size(5U, facts.trials_no_jump);
  const std::vector<Round> fresh = decades_between(1000, rounds);
  return {
      {.label = "RMED1", .policy = "rmed1"},
      {.label = "RMED2", .policy = "rmed2"},
      {.label = "RMED2FH", .policy = "rmed2fh", .fresh_per_marker = true, .markers = fresh},
      {.label = "RUCB", .policy = "rucb(alpha=0.51)"},
      {.label = "SAVAGE",
       .policy = "savage-condorcet",
       .fresh_per_marker = true,
       .trials = first,
       .markers = fresh},
      {.label = "BTM",
       .policy = "btm(gamma=1)",
       .fresh_per_marker = true,
       .trials = first,
       .markers = fresh},
      {.label = "IF",
       .policy = "if2(ci=jcss)",
       .fresh_per_marker = true,
       .trials = first,
       .markers = fresh},
      {.label = "Sparring",
       .policy = "sparring-ucb(alpha=3)",
       .most_rounds = kMostWithoutJumps,
       .trials = no_jump},
      {.label = "MultiSBM",
       .policy = "multisbm(alpha=3)",
       .most_rounds = kMostWithoutJumps,
       .trials = no_jump},
      {.label = "Random", .policy = "uniform", .most_rounds = kMostWithoutJumps, .trials = no_jump},
  };
}

const std::vector<std::string>& older_policies() {
  static const std::vector<std::string> labels = {"RUCB", "SAVAGE",   "BTM",
                                                  "IF",   "Sparring", "MultiSBM"};
  return labels;
}

void add_calibration(const PanelFacts& facts, const RegretRuns& runs, Reproduction& out) {
  for (const Calibration& known : facts.calibration) {
    const Measured ours = runs.find(known.label).regret_at(kCalibrated);
    const std::string claim = known.label + ", regret at 1e5";
    const std::string published = fmt::format("{} ± {}", known.mean, known.se);
    const std::string source =
        published::rerun(published::kIndependent, facts.calibration_runs + " runs");
    if (known.label == "RMED1") {
      out.findings.push_back(finding_within(claim, published, ours,
                                            {0.85 * known.mean, 1.15 * known.mean}, "within 15 %")
                                 .from(source));
      continue;
    }
    const double room = 4 * std::hypot(ours.se, known.se);
    out.findings.push_back(finding_within(claim, published, ours,
                                          {known.mean - room, known.mean + room},
                                          "within 4 combined standard errors")
                               .from(source));
  }
}

void add_orders(const PanelFacts& facts, const RegretRuns& runs, Reproduction& out) {
  const auto at = [&](const char* label) { return runs.find(label).regret_at(kCalibrated).mean; };
  if (facts.cyclic) {
    out.findings.push_back(finding_that("RMED1 < RUCB at 1e5", "figure",
                                        fmt::format("{:.1f} < {:.1f}", at("RMED1"), at("RUCB")),
                                        "this order", at("RMED1") < at("RUCB"))
                               .from(published::kFigure));
    out.findings.push_back(
        finding_that(
            "RMED2 and RMED2FH at 1e5 below a third of RMED1", "figure",
            fmt::format("{:.1f}, {:.1f} < {:.1f}", at("RMED2"), at("RMED2FH"), at("RMED1") / 3),
            "both", std::max(at("RMED2"), at("RMED2FH")) < at("RMED1") / 3)
            .from(published::kFigure));
    return;
  }
  const double rest = std::min(at("SAVAGE"), at("BTM"));
  out.findings.push_back(
      finding_that("RMED1 < RUCB < min(SAVAGE, BTM) at 1e5", "figure",
                   fmt::format("{:.0f} < {:.0f} < {:.0f}", at("RMED1"), at("RUCB"), rest),
                   "this order", at("RMED1") < at("RUCB") && at("RUCB") < rest)
          .from(published::kFigure));
}

// How much RMED1 pays of the least regret among the older policies.
void add_slide_claim(const PanelFacts& facts, const RegretRuns& runs, Reproduction& out) {
  const Round last = runs.find("RUCB").markers().back();
  const ContestantRun* best = nullptr;
  for (const std::string& label : older_policies()) {
    const ContestantRun& run = runs.find(label);
    if (!run.has(last)) continue;
    if (best == nullptr || run.regret_at(last).mean < best->regret_at(last).mean) best = &run;
  }
  const Measured ratio = ratio_of_means(runs.find("RMED1"), *best, last);
  const std::string claim =
      fmt::format("RMED1 / best older policy ({}) at {}", best->label(), round_label(last));
  if (std::isnan(facts.slide_ratio)) {
    out.findings.push_back(finding_shown(claim, "-", ratio));
    return;
  }
  const std::string published = fmt::format("about 1/{:.0f} (slides)", 1 / facts.slide_ratio);
  out.findings.push_back(finding_within(
      claim, published, ratio, facts.slide_accepted,
      fmt::format("[{:.3g}, {:.3g}]", facts.slide_accepted.low, facts.slide_accepted.high)));
}

void add_bounds(const PanelFacts& facts, const RegretRuns& runs, Reproduction& out) {
  struct Known {
    const char* name;
    double winner;
    double value;
  };
  static const std::vector<Known> published = {{"rmed-arxiv", 20.735, 20.735},
                                               {"rmed-cyclic", 7.4495, 0.8151},
                                               {"rmed-arithmetic", 12.712, 12.712}};
  const MatrixFacts& ours = runs.facts;
  for (const Known& known : published) {
    if (facts.name != known.name) continue;
    const auto same = [](double a, double b) { return std::abs(a - b) <= 6e-5 * std::max(1.0, b); };
    out.findings.push_back(
        finding_that(
            "constants of ln t: LB (target: winner), TrueLB",
            fmt::format("{}, {}", known.winner, known.value),
            fmt::format("{:.4f}, {:.4f}", ours.lower_bound_condorcet_target, ours.lower_bound),
            "to these digits",
            same(ours.lower_bound_condorcet_target, known.winner) &&
                same(ours.lower_bound, known.value))
            .from(published::kDerived));
    return;
  }
  out.findings.push_back(finding_shown("TrueLB, constant of ln t", "-", exactly(ours.lower_bound)));
}

constexpr Round kSlopeEnd = 10'000'000;
constexpr Round kLateSlopeEnd = 1'000'000'000;

// Runs of RMED2FH whose slope is measured from inside.
Result<RegretRuns> slope_runs(const PanelFacts& facts, const PanelMatrix& panel,
                              const ReproductionContext& context, ProgressPart part) {
  RegretPlan plan;
  plan.matrix = panel.matrix.get();
  plan.name = panel.title;
  plan.trials = context.size(std::min(facts.arms > 16 ? 4U : 100U, facts.trials), facts.trials);
  plan.contestants = {
      {.label = "RMED2FH with T = 1e7", .policy = "rmed2fh", .markers = {kCalibrated, kSlopeEnd}},
      {.label = "RMED2FH with T = 1e9",
       .policy = "rmed2fh",
       .markers = {kSlopeEnd, kLateSlopeEnd}}};
  return play_regret(context, plan, part);
}

void add_slopes(const RegretRuns& runs, const RegretRuns& slopes, Reproduction& out) {
  const double bound = runs.facts.lower_bound;
  const auto add = [&](const std::string& horizon, Round from, Round to) {
    out.findings.push_back(
        finding_within(
            fmt::format("slope of RMED2FH in ln t, {} to {}, T = {}", round_label(from),
                        round_label(to), horizon),
            fmt::format("TrueLB = {:.4g} as T grows", bound),
            slopes.find("RMED2FH with T = " + horizon).slope(from, to), {0.8 * bound, 2 * bound},
            fmt::format("0.8 to 2 times TrueLB: [{:.3g}, {:.3g}]", 0.8 * bound, 2 * bound))
            .from(published::kDerived));
  };
  add("1e7", kCalibrated, kSlopeEnd);
  if (out.findings.back().value.mean > 2 * bound) {
    out.findings.back().note =
        "at 1e5 rounds the policy has not yet met every arm often enough to leave it alone: what "
        "it "
        "pays until then is counted into this slope. The next row begins later.";
  }
  add("1e9", kSlopeEnd, kLateSlopeEnd);
}

Result<Reproduction> run_rmed_panels(const PanelFacts& facts, const ReproductionContext& context) {
  DUEL_ASSIGN(const PanelMatrix panel, matrix_of(facts, context));
  const Round rounds = context.size(facts.quick_rounds, Round{10'000'000});
  RegretPlan plan;
  plan.matrix = panel.matrix.get();
  plan.name = panel.title;
  plan.markers = markers_between(100, rounds);
  plan.trials = context.size(std::min(facts.arms > 16 ? 4U : 50U, facts.trials), facts.trials);
  plan.contestants = contestants_of(facts, context, rounds);
  if (context.quick && facts.arms > 16) {
    for (Contestant& contestant : plan.contestants) contestant.trials = 4;
  }
  DUEL_ASSIGN(const RegretRuns runs, play_regret(context, plan, {0, 0.8}));
  DUEL_ASSIGN(const RegretRuns slopes, slope_runs(facts, panel, context, {0.8, 1}));

  Reproduction out;
  if (panel.is_stand_in) {
    out.findings.push_back(finding_skipped(
        facts.what,
        std::isnan(facts.slide_ratio)
            ? "figure"
            : fmt::format("RMED about 1/{:.0f} of the best older policy", 1 / facts.slide_ratio),
        "The data may not be shipped; give " + facts.needs +
            ". What follows is the same panel on a generated stand-in."));
  }
  add_bounds(facts, runs, out);
  if (!panel.is_stand_in) add_calibration(facts, runs, out);
  add_orders(facts, runs, out);
  if (!panel.is_stand_in) add_slide_claim(facts, runs, out);
  add_slopes(runs, slopes, out);

  TidyTable table = regret_table("regret", context.seed);
  add_regret_rows(table, runs);
  add_regret_rows(table, slopes);
  out.tables.push_back(std::move(table));
  Chart chart;
  chart.title = "Komiyama et al., COLT 2015, " + facts.what;
  chart.panels.push_back(regret_panel(
      runs, fmt::format("{}; Sparring, MultiSBM and Random cannot jump and end at {} rounds",
                        panel.title, round_label(std::min(rounds, kMostWithoutJumps)))));
  out.figures.push_back(figure_of("regret",
                                  "Cumulative average regret, mean and two standard errors. "
                                  "Markers of RMED2FH, SAVAGE, BTM and "
                                  "IF are fresh runs with that horizon.",
                                  std::move(chart)));
  if (!panel.remark.empty()) out.remarks.push_back(panel.remark);
  out.remarks.push_back(fmt::format(
      "{} trials of RMED and RUCB, {} of SAVAGE, BTM and IF, {} of Sparring, MultiSBM and Random "
      "(the paper: 1000 by memory). IF is IF2 with the journal's interval, BTM has gamma = 1 and "
      "the tight radius.",
      plan.trials, plan.contestants[4].trials, plan.contestants[7].trials));
  return out;
}

bool add_panel(PanelFacts facts) {
  ReproductionFacts about{.name = facts.name,
                          .paper = "Komiyama, Honda, Kashima, Nakagawa (COLT 2015)",
                          .what = facts.what,
                          .description = facts.description,
                          .needs = facts.needs,
                          .uses_matrices = !facts.given_names.empty()};
  return register_reproduction(std::move(about),
                               [facts = std::move(facts)](const ReproductionContext& context) {
                                 return run_rmed_panels(facts, context);
                               });
}

const bool arxiv =
    add_panel({.name = "rmed-arxiv",
               .what = "Figure 2, six rankers",
               .description = "Regret over rounds on the arXiv rankers, with both lower bounds.",
               .built_in = "arxiv",
               .arms = 6,
               .calibration = {{"RMED1", 259.0, 5.6},
                               {"RMED2", 298.8, 6.0},
                               {"RMED2FH", 326.5, 11.0},
                               {"RUCB", 570.8, 10.2},
                               {"SAVAGE", 1658, 20},
                               {"BTM", 2310, 28},
                               {"IF", 4120, 102},
                               {"Sparring", 1466, 10}},
               .calibration_runs = "100"});
const bool cyclic =
    add_panel({.name = "rmed-cyclic",
               .what = "Figure 2, cyclic",
               .description = "Regret over rounds where the cheapest opponent is not the winner.",
               .built_in = "cyclic",
               .arms = 4,
               .calibration = {{"RMED1", 65.9, 1.8},
                               {"RMED2", 14.1, 0.6},
                               {"RMED2FH", 18.5, 1.2},
                               {"RUCB", 96.5, 2.0},
                               {"SAVAGE", 92.8, 1.9},
                               {"BTM", 863, 13},
                               {"IF", 463, 20},
                               {"Sparring", 751, 5}},
               .calibration_runs = "100",
               .cyclic = true});
const bool arithmetic =
    add_panel({.name = "rmed-arithmetic",
               .what = "Figure 2, arithmetic",
               .description = "Regret over rounds on eight arms with equal steps.",
               .built_in = "arithmetic(k=8,step=0.05)",
               .arms = 8,
               .calibration = {{"RMED1", 177.7, 4.3},
                               {"RMED2", 205.2, 3.8},
                               {"RMED2FH", 234.9, 4.7},
                               {"RUCB", 355.8, 5.7},
                               {"SAVAGE", 1232, 10},
                               {"BTM", 1745, 20},
                               {"IF", 3082, 85},
                               {"Sparring", 1279, 7}},
               .calibration_runs = "100"});
const bool sushi = add_panel(
    {.name = "rmed-sushi",
     .what = "Figure 2 (d), sushi",
     .description = "Regret over rounds on 16 kinds of sushi.",
     .needs = "--matrix sushi=FILE, preferences among the 16 kinds of sushi with most comparisons "
              "(Kamishima's 5000 orders of 100 kinds)",
     .given_names = {"sushi_b16_popular", "sushi"},
     .arms = 16,
     .stand_in = "plackett-luce(k=16,seed=1,spread=1)",
     .trials = 400,
     .trials_first = 100,
     .trials_no_jump = 50,
     .calibration = {{"RMED1", 282.9, 5.1},
                     {"RMED2", 473.6, 4.6},
                     {"RMED2FH", 592.0, 9.6},
                     {"RUCB", 1154.7, 12.6},
                     {"SAVAGE", 5625, 35},
                     {"BTM", 4161, 39},
                     {"IF", 6015, 184},
                     {"Sparring", 2476, 31}},
     .calibration_runs = "100",
     .slide_ratio = 1.0 / 4,
     .slide_accepted = {1.0 / 6, 1.0 / 3}});
const bool mslr16 = add_panel(
    {.name = "rmed-mslr16",
     .what = "Figure 2 (e), MSLR with 16 rankers",
     .description = "Regret over rounds on single-feature rankers of MSLR-WEB.",
     .needs = "--matrix mslr=FILE, preferences among the 136 single-feature rankers of MSLR-WEB",
     .given_names = {"mslr_perfect", "MSLR-Perfect", "mslr", "MSLR"},
     .arms = 16,
     .stand_in = "random-condorcet(k=16,seed=1,gap=0.02)",
     .trials = 200,
     .trials_first = 50,
     .trials_no_jump = 40});
const bool mslr64 = add_panel(
    {.name = "rmed-mslr64",
     .what = "Figure 2 (f), MSLR with 64 rankers",
     .description = "Regret over rounds on 64 single-feature rankers of MSLR-WEB.",
     .needs = "--matrix mslr=FILE, preferences among the 136 single-feature rankers of MSLR-WEB",
     .given_names = {"mslr_perfect", "MSLR-Perfect", "mslr", "MSLR"},
     .arms = 64,
     .stand_in = "random-condorcet(k=64,seed=1,gap=0.02)",
     .trials = 40,
     .trials_first = 20,
     .trials_no_jump = 10,
     .quick_rounds = 10'000'000,
     .slide_ratio = 1.0 / 5,
     .slide_accepted = {1.0 / 7.5, 1.0 / 3.5}});

}  // namespace
}  // namespace duel
