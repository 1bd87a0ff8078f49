// The panels of Figure 2 of Komiyama, Honda, Kashima, Nakagawa: Regret Lower Bound and Optimal
// Algorithm in Dueling Bandit Problem (COLT 2015), and what their slides say of two of them.
#include "duel/core/rng.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/submatrix.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

// --- settings and published numbers -------------------------------------------------------------

constexpr Round kCalibrated = 100'000;  // where values of an independent implementation are known
constexpr Round kPanelRounds = 10'000'000;
// Policies whose self-duels cannot be jumped over play so many rounds.
constexpr Round kMostWithoutJumps = 1'000'000;
// The slope of RMED2FH in ln t is measured from kCalibrated to kPanelRounds, and on to here.
constexpr Round kLateSlopeEnd = 1'000'000'000;

// Fresh runs for each horizon; those that explore first and those that play every round have fewer
// trials.
enum class Playing { once, fresh, first, all };

struct PanelPolicy {
  const char* label;
  const char* policy;
  Playing playing;
  // Regret at 1e5 rounds of an independent implementation, mean and standard error of 100 runs, on
  // the four problems in the order of `Calibration`.
  std::array<std::array<double, 2>, 4> known{};
};
enum class Calibration { arxiv, cyclic, arithmetic, sushi, none };
using enum Playing;
constexpr PanelPolicy kPanelPolicies[] = {
    {"RMED1", "rmed1", once, {{{259, 5.6}, {65.9, 1.8}, {177.7, 4.3}, {282.9, 5.1}}}},
    {"RMED2", "rmed2", once, {{{298.8, 6}, {14.1, .6}, {205.2, 3.8}, {473.6, 4.6}}}},
    {"RMED2FH", "rmed2fh", fresh, {{{326.5, 11}, {18.5, 1.2}, {234.9, 4.7}, {592, 9.6}}}},
    {"RUCB", "rucb(alpha=0.51)", once, {{{570.8, 10.2}, {96.5, 2}, {355.8, 5.7}, {1154.7, 12.6}}}},
    {"SAVAGE", "savage-condorcet", first, {{{1658, 20}, {92.8, 1.9}, {1232, 10}, {5625, 35}}}},
    {"BTM", "btm(gamma=1)", first, {{{2310, 28}, {863, 13}, {1745, 20}, {4161, 39}}}},
    {"IF", "if2(ci=jcss)", first, {{{4120, 102}, {463, 20}, {3082, 85}, {6015, 184}}}},
    {"Sparring", "sparring-ucb(alpha=3)", all, {{{1466, 10}, {751, 5}, {1279, 7}, {2476, 31}}}},
    {"MultiSBM", "multisbm(alpha=3)", all},
    {"Random", "uniform", all}};
constexpr auto kOlderPolicies = std::span(kPanelPolicies).subspan(3, 6);  // RUCB .. MultiSBM

// Of RMED and RUCB, of those that explore first, of those that play every round, of the slopes.
struct PanelTrials {
  std::uint32_t most, first, every_round, slopes;
};

struct PanelFacts {
  std::string name, what, description;
  std::string matrix;                      // of the catalogue; a stand-in where one is to be given
  std::string needs{};                     // what is to be given
  std::vector<std::string> given_names{};  // its names
  std::size_t arms = 0;  // the given matrix is cut to so many: the winner and others at random
  PanelTrials full = {1000, 200, 100, 1000};
  PanelTrials quick = {50, 20, 5, 100};
  Round quick_rounds = kCalibrated;
  Calibration calibration = Calibration::none;
  std::array<double, 2> bounds{};  // constants of ln t: LB and TrueLB
  // Best of the older policies / RMED1 at the last round, as the slides say, and what is accepted.
  double slide_ratio = kUndefined;
  Accepted slide_accepted{};
};

constexpr const char* kMslrNeeds =
    "--matrix mslr=FILE, preferences among the 136 single-feature rankers of MSLR-WEB";
const std::vector<std::string> kMslrNames = {"mslr_perfect", "MSLR-Perfect", "mslr", "MSLR"};

const std::vector<PanelFacts> kPanels = {
    {.name = "rmed-arxiv",
     .what = "Figure 2, six rankers",
     .description = "Regret over rounds on the arXiv rankers, with both lower bounds.",
     .matrix = "arxiv",
     .calibration = Calibration::arxiv,
     .bounds = {20.735, 20.735}},
    {.name = "rmed-cyclic",
     .what = "Figure 2, cyclic",
     .description = "Regret over rounds where the cheapest opponent is not the winner.",
     .matrix = "cyclic",
     .calibration = Calibration::cyclic,
     .bounds = {7.4495, 0.8151}},
    {.name = "rmed-arithmetic",
     .what = "Figure 2, arithmetic",
     .description = "Regret over rounds on eight arms with equal steps.",
     .matrix = "arithmetic(k=8,step=0.05)",
     .calibration = Calibration::arithmetic,
     .bounds = {12.712, 12.712}},
    {.name = "rmed-sushi",
     .what = "Figure 2 (d), sushi",
     .description = "Regret over rounds on 16 kinds of sushi.",
     .matrix = "plackett-luce(k=16,seed=1,spread=1)",
     .needs = "--matrix sushi=FILE, preferences among the 16 kinds of sushi with most comparisons "
              "(Kamishima's 5000 orders of 100 kinds)",
     .given_names = {"sushi_b16_popular", "sushi"},
     .arms = 16,
     .full = {400, 100, 50, 400},
     .calibration = Calibration::sushi,
     .slide_ratio = 4,
     .slide_accepted = {1.0 / 6, 1.0 / 3}},
    {.name = "rmed-mslr16",
     .what = "Figure 2 (e), MSLR with 16 rankers",
     .description = "Regret over rounds on single-feature rankers of MSLR-WEB.",
     .matrix = "random-condorcet(k=16,seed=1,gap=0.02)",
     .needs = kMslrNeeds,
     .given_names = kMslrNames,
     .arms = 16,
     .full = {200, 50, 40, 200}},
    {.name = "rmed-mslr64",
     .what = "Figure 2 (f), MSLR with 64 rankers",
     .description = "Regret over rounds on 64 single-feature rankers of MSLR-WEB.",
     .matrix = "random-condorcet(k=64,seed=1,gap=0.02)",
     .needs = kMslrNeeds,
     .given_names = kMslrNames,
     .arms = 64,
     .full = {40, 20, 10, 40},
     .quick = {4, 4, 4, 4},
     .quick_rounds = kPanelRounds,
     .slide_ratio = 5,
     .slide_accepted = {1.0 / 7.5, 1.0 / 3.5}}};

// --- playing ------------------------------------------------------------------------------------

struct PanelMatrix {
  std::shared_ptr<const PreferenceMatrix> matrix;
  std::string title;
  bool is_stand_in = false;
  std::string remark{};
};

Result<PanelMatrix> matrix_of(const PanelFacts& panel, const ReproductionContext& context) {
  const PreferenceMatrix* given =
      context.matrix(panel.given_names, [&](const PreferenceMatrix& matrix) {
        return matrix.num_arms() >= panel.arms && condorcet_winner(matrix);
      });
  if (given == nullptr) {
    const bool is_stand_in = !panel.given_names.empty();
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(panel.matrix));
    return PanelMatrix{std::make_shared<const PreferenceMatrix>(std::move(matrix)),
                       (is_stand_in ? "stand-in " : "") + panel.matrix, is_stand_in};
  }
  const std::optional<Arm> winner = condorcet_winner(*given);
  if (!winner) {
    return Error::unsupported("the panel needs a Condorcet winner", given->name(),
                              "the matrix has none");
  }
  if (given->num_arms() < panel.arms) {
    return Error::unsupported(fmt::format("the panel needs {} arms", panel.arms), given->name(),
                              fmt::format("the matrix has {}", given->num_arms()));
  }
  if (given->num_arms() == panel.arms) {
    return PanelMatrix{std::make_shared<const PreferenceMatrix>(*given), given->name()};
  }
  const Stream draws(context.seed, static_cast<std::uint32_t>(panel.arms), Purpose::generate,
                     "rmed-cut");
  const PreferenceMatrix cut =
      submatrix(*given, winner_and_others(*given, *winner, panel.arms, draws.at(0)),
                fmt::format("{}, {} arms", given->name(), panel.arms));
  return PanelMatrix{
      std::make_shared<const PreferenceMatrix>(cut), cut.name(), false,
      fmt::format("The {} arms are the Condorcet winner of {} and {} of the others at random (seed "
                  "{}): {}. The paper's own draw is not known.",
                  panel.arms, given->name(), panel.arms - 1, context.seed,
                  fmt::join(cut.arm_names(), ", "))};
}

std::vector<Contestant> panel_contestants(const PanelTrials& trials, Round rounds) {
  std::vector<Contestant> contestants;
  for (const auto& [label, policy, playing, known] : kPanelPolicies) {
    if (playing == once) contestants.push_back({label, policy});
    if (playing == all) {
      contestants.push_back({label, policy, false, kMostWithoutJumps, trials.every_round});
    }
    if (playing == fresh || playing == first) {
      contestants.push_back(fresh_runs(label, policy, decades_between(1000, rounds),
                                       playing == first ? trials.first : 0));
    }
  }
  return contestants;
}

// --- what comes out -----------------------------------------------------------------------------

void add_constants(const PanelFacts& panel, const MatrixFacts& ours, Findings& found) {
  const auto [winner, value] = panel.bounds;
  if (value == 0) {
    found.shown("TrueLB, constant of ln t", "-", exactly(ours.lower_bound));
    return;
  }
  const auto same = [](double a, double b) { return std::abs(a - b) <= 6e-5 * std::max(1.0, b); };
  found.that("constants of ln t: LB (target: winner), TrueLB",
             derived(fmt::format("{}, {}", winner, value)),
             fmt::format("{:.4f}, {:.4f}", ours.lower_bound_condorcet_target, ours.lower_bound),
             "to these digits",
             same(ours.lower_bound_condorcet_target, winner) && same(ours.lower_bound, value));
}

void add_calibration(const PanelFacts& panel, const RegretRuns& runs, Findings& found) {
  if (panel.calibration == Calibration::none) return;
  for (const PanelPolicy& policy : kPanelPolicies) {
    const auto [mean, se] = policy.known[static_cast<std::size_t>(panel.calibration)];
    if (mean == 0) continue;
    const Measured ours = runs.find(policy.label).regret_at(kCalibrated);
    const bool is_first = &policy == kPanelPolicies;
    found.within(
        fmt::format("{}, regret at 1e5", policy.label),
        rerun(fmt::format("{} ± {}", mean, se), "100 runs"), ours,
        is_first ? Accepted{0.85 * mean, 1.15 * mean} : around(mean, 4 * std::hypot(ours.se, se)),
        is_first ? "within 15 %" : "within 4 combined standard errors");
  }
}

void add_orders(const PanelFacts& panel, const RegretRuns& runs, Findings& found) {
  const auto at = [&](const char* label) { return runs.find(label).regret_at(kCalibrated).mean; };
  const double best = at("RMED1"), rucb = at("RUCB"), rest = std::min(at("SAVAGE"), at("BTM"));
  if (panel.calibration != Calibration::cyclic) {
    found.that("RMED1 < RUCB < min(SAVAGE, BTM) at 1e5", from_figure("figure"),
               fmt::format("{:.0f} < {:.0f} < {:.0f}", best, rucb, rest), "this order",
               best < rucb && rucb < rest);
    return;
  }
  found.that("RMED1 < RUCB at 1e5", from_figure("figure"),
             fmt::format("{:.1f} < {:.1f}", best, rucb), "this order", best < rucb);
  found.that("RMED2 and RMED2FH at 1e5 below a third of RMED1", from_figure("figure"),
             fmt::format("{:.1f}, {:.1f} < {:.1f}", at("RMED2"), at("RMED2FH"), best / 3), "both",
             std::max(at("RMED2"), at("RMED2FH")) < best / 3);
}

// How much RMED1 pays of the least regret among the older policies.
void add_slide_claim(const PanelFacts& panel, const RegretRuns& runs, Findings& found) {
  const Round last = runs.find("RUCB").markers().back();
  const ContestantRun* best = nullptr;
  for (const PanelPolicy& policy : kOlderPolicies) {
    const ContestantRun& run = runs.find(policy.label);
    if (!run.has(last)) continue;
    if (best == nullptr || run.regret_at(last).mean < best->regret_at(last).mean) best = &run;
  }
  const Measured ratio = ratio_of_means(runs.find("RMED1"), *best, last);
  const std::string claim =
      fmt::format("RMED1 / best older policy ({}) at {}", best->label(), round_label(last));
  const auto [low, high] = panel.slide_accepted;
  if (std::isnan(panel.slide_ratio)) {
    found.shown(claim, "-", ratio);
  } else {
    found.within(claim, fmt::format("about 1/{} (slides)", panel.slide_ratio), ratio, {low, high},
                 fmt::format("[{:.3g}, {:.3g}]", low, high));
  }
}

void add_slopes(const RegretRuns& slopes, Findings& found) {
  const double bound = slopes.facts.lower_bound;
  for (const ContestantRun& run : slopes.runs) {
    const Round from = run.markers().front(), to = run.markers().back();
    Finding& finding = found.within(
        fmt::format("slope of RMED2FH in ln t, {} to {}, T = {}", round_label(from),
                    round_label(to), round_label(to)),
        derived(fmt::format("TrueLB = {:.4g} as T grows", bound)), run.slope(from, to),
        {0.8 * bound, 2 * bound},
        fmt::format("0.8 to 2 times TrueLB: [{:.3g}, {:.3g}]", 0.8 * bound, 2 * bound));
    if (from == kCalibrated && finding.value.mean > 2 * bound) {
      finding.note =
          "at 1e5 rounds the policy has not yet met every arm often enough to leave it alone: what "
          "it pays until then is counted into this slope. The next row begins later.";
    }
  }
}

Result<Reproduction> run_panel(const PanelFacts& panel, const ReproductionContext& context) {
  DUEL_ASSIGN(const PanelMatrix problem, matrix_of(panel, context));
  const Round rounds = context.size(panel.quick_rounds, kPanelRounds);
  const PanelTrials trials = context.size(panel.quick, panel.full);
  const auto slope_run = [](Round from, Round to) {
    return Contestant{
        .label = "RMED2FH with T = " + round_label(to), .policy = "rmed2fh", .markers = {from, to}};
  };
  Reproduction out{context.seed};
  DUEL_ASSIGN(
      const auto played,
      play_figure(
          context,
          {"regret", "Komiyama et al., COLT 2015, " + panel.what,
           "Cumulative average regret, mean and two standard errors. Markers of RMED2FH, SAVAGE, "
           "BTM and IF are fresh runs with that horizon."},
          {{.matrix = problem.matrix.get(),
            .name = problem.title,
            .markers = markers_between(100, rounds),
            .trials = trials.most,
            .contestants = panel_contestants(trials, rounds),
            .panel =
                fmt::format("{}; Sparring, MultiSBM and Random cannot jump and end at {} rounds",
                            problem.title, round_label(std::min(rounds, kMostWithoutJumps)))},
           {.matrix = problem.matrix.get(),
            .name = problem.title,
            .trials = trials.slopes,
            .contestants = {slope_run(kCalibrated, kPanelRounds),
                            slope_run(kPanelRounds, kLateSlopeEnd)}}},
          out));
  const RegretRuns &runs = played[0], &slopes = played[1];
  if (problem.is_stand_in) {
    out.findings.skipped(
        panel.what,
        std::isnan(panel.slide_ratio)
            ? "figure"
            : fmt::format("RMED about 1/{} of the best older policy", panel.slide_ratio),
        "The data may not be shipped; give " + panel.needs +
            ". What follows is the same panel on a generated stand-in.");
  }
  add_constants(panel, runs.facts, out.findings);
  if (!problem.is_stand_in) add_calibration(panel, runs, out.findings);
  add_orders(panel, runs, out.findings);
  if (!problem.is_stand_in) add_slide_claim(panel, runs, out.findings);
  add_slopes(slopes, out.findings);
  if (!problem.remark.empty()) out.remarks.push_back(problem.remark);
  out.remarks.push_back(fmt::format(
      "{} trials of RMED and RUCB, {} of SAVAGE, BTM and IF, {} of Sparring, MultiSBM and Random "
      "(the paper: 1000 by memory). IF is IF2 with the journal's interval, BTM has gamma = 1 and "
      "the tight radius.",
      trials.most, trials.first, trials.every_round));
  return out;
}

const bool rmed_is_registered = [] {
  std::vector<PaperEntry> entries;
  for (const PanelFacts& panel : kPanels) {
    entries.push_back({panel.name, panel.what, panel.description,
                       [&panel](const auto& context) { return run_panel(panel, context); },
                       panel.needs});
  }
  return register_paper("Komiyama, Honda, Kashima, Nakagawa (COLT 2015)", entries);
}();

}  // namespace
}  // namespace duel
