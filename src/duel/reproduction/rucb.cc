// Figures 4 and 5 of Zoghi, Whiteson, Munos, de Rijke, Relative Upper Confidence Bound (ICML 2014):
// regret and accuracy of RUCB, Condorcet SAVAGE and Beat-the-Mean on 16, 32 and 64 rankers, and how
// likely a random subset of rankers has a Condorcet winner or a total order; and its Lemma 1.
//
// The paper's own matrix, 64 features of LETOR NP2004, is not public; in its place stand one that
// follows the same recipe on data that anyone can make again, and what the user gives.
#include "duel/policies/rucb.h"

#include "duel/core/pair_counts.h"
#include "duel/core/rng.h"
#include "duel/policies/trial_loop.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/arena.h"
#include "duel/truth/assumptions.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/submatrix.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

// --- settings and published numbers -------------------------------------------------------------

constexpr const char* kRucbNeeds = "--matrix NAME=FILE: matrices of 64 rankers or more";
constexpr std::size_t kPublishedRankers = 64;
constexpr std::uint64_t kComparisons = 4000;  // of a pair of rankers

// SAVAGE and Beat-the-Mean need a horizon: each marker of theirs is a fresh set of runs.
constexpr Round kFig4Rounds = 4'500'000;
const std::vector<Round> kFig4Markers = {1'000,   3'000,   10'000,    30'000,
                                         100'000, 300'000, 1'000'000, kFig4Rounds};
struct Fig4Panel {
  std::size_t arms;
  const char* gamma;  // of Beat-the-Mean, of the paper's own problem
};
constexpr Fig4Panel kFig4Panels[] = {{16, "4.85"}, {32, "11.6"}, {64, "47.3"}};
constexpr Accepted kPublishedRatio = {5, 10};  // of SAVAGE's regret to RUCB's
constexpr double kAccuracy = 0.9;
constexpr double kNearZero = 0.01;  // what counts as about 0 in Figure 5

// --- matrices -----------------------------------------------------------------------------------

// Single features of synthetic judged queries with binary grades, as those of NP2004, two of them
// compared by probabilistic interleaving and a dependent-click user.
Result<PreferenceMatrix> compare_features(const ReproductionContext& context,
                                          const SyntheticOptions& options) {
  const JudgedQueries data = make_synthetic(options);
  DUEL_ASSIGN(const Rankers rankers, resolve_rankers("features", data));
  ClickSetting setting;
  // As the paper's simulations did, whose matrices are signs of marginal values.
  DUEL_ASSIGN(setting.method, configure_interleaver("probabilistic(tau=3,credit=marginal)"));
  DUEL_ASSIGN(setting.user, configure_click_model("navigational", options.grades));
  JobHooks hooks{.stop = context.stop};
  DUEL_ASSIGN(const RankedQueries queries,
              RankedQueries::create(data, rankers, 10, context.threads, hooks));
  const EstimatePlan plan{.comparisons = kComparisons,
                          .seed = context.seed,
                          .threads = context.threads,
                          .name = "simulated"};
  const double num_pairs = static_cast<double>(rankers.size() * (rankers.size() - 1)) / 2;
  hooks.on_progress = [&](std::uint64_t pairs) {
    context.report(static_cast<double>(pairs) / num_pairs, "comparing rankers by clicks");
  };
  DUEL_ASSIGN(MatrixEstimate estimate, estimate_matrix(queries, setting, plan, hooks));
  return std::move(estimate.matrix);
}

// Of a sequence of data sets the first whose matrix has a Condorcet winner, as the paper's has.
Result<GivenMatrix> simulated_matrix(ReproductionContext context,
                                     std::vector<std::string>& remarks) {
  constexpr std::uint64_t kMostDataSets = 20;
  for (std::uint64_t attempt = 1; attempt <= kMostDataSets; ++attempt) {
    SyntheticOptions options{
        .queries = 200, .documents = 50, .features = kPublishedRankers, .grades = 2};
    options.seed = context.seed + attempt;
    // Each attempt takes half of what is left, so that progress never goes back.
    DUEL_ASSIGN(PreferenceMatrix matrix, compare_features(context.part(0, 0.5), options));
    context = context.part(0.5, 1);
    if (!condorcet_winner(matrix)) continue;
    remarks.push_back(fmt::format(
        "The paper's matrix (64 features of LETOR NP2004) is not public. The simulated one follows "
        "its recipe on {}: each feature is a ranker, two rankers are compared {} times by "
        "probabilistic interleaving with tau = 3 (the sign of the marginal credit) and a "
        "navigational dependent-click user, and a comparison that nobody wins counts half for "
        "each.",
        synthetic_options().canonical("synthetic", options), kComparisons));
    return GivenMatrix{"simulated", std::make_shared<const PreferenceMatrix>(std::move(matrix))};
  }
  return Error::unsupported(
             fmt::format("none of {} simulated matrices has a Condorcet winner", kMostDataSets))
      .with_hint("another `seed`");
}

// The simulated one first, then the given ones with a Condorcet winner and 64 arms or more.
Result<std::vector<GivenMatrix>> ranker_matrices(const ReproductionContext& context,
                                                 std::vector<std::string>& remarks) {
  DUEL_ASSIGN(GivenMatrix simulated, simulated_matrix(context, remarks));
  std::vector<GivenMatrix> matrices = given_with_winner(context, kPublishedRankers, remarks);
  matrices.insert(matrices.begin(), std::move(simulated));
  std::vector<std::string> small;
  for (const GivenMatrix& given : context.matrices) {
    if (given.matrix->num_arms() < kPublishedRankers) small.push_back(given.name);
  }
  if (!small.empty()) {
    remarks.push_back(fmt::format("Given and not taken, with fewer than {} arms: {}.",
                                  kPublishedRankers, fmt::join(small, ", ")));
  }
  return matrices;
}

void add_skipped(std::size_t num_matrices, const char* published, Findings& found) {
  if (num_matrices > 1) return;
  found.skipped("the same on a matrix of real rankers", published,
                "give one of at least 64 arms: --matrix mslr=FILE (docs/reproduction.md)");
}

// --- rucb-fig4 ----------------------------------------------------------------------------------

// The round at which the share of right trials first reaches `level`: between two markers on a
// straight line over ln t, as the figure draws it; nullopt where it does not.
std::optional<double> reaches(const ContestantRun& run, double level) {
  double last_round = 0, last_share = 0;
  for (const Round marker : run.markers()) {
    const double share = run.accuracy_at(marker).mean;
    const auto round = static_cast<double>(marker);
    if (share >= level) {
      if (last_round == 0) return round;
      const double part = (level - last_share) / (share - last_share);
      return last_round * std::pow(round / last_round, part);
    }
    last_round = round;
    last_share = share;
  }
  return std::nullopt;
}

void add_fig4_findings(const RegretRuns& runs, const Fig4Panel& panel,
                       const PreferenceMatrix& matrix, double gamma, Findings& found) {
  const ContestantRun &rucb = runs.find("RUCB"), &savage = runs.find("SAVAGE"),
                      &btm = runs.find("BTM");
  Finding& ratio =
      found.within(runs.name + ": regret of SAVAGE over that of RUCB at 4.5e6", "5 to 10",
                   ratio_of_means(savage, rucb, kFig4Rounds), kPublishedRatio);
  if (ratio.value.mean < kPublishedRatio.low) {
    ratio.note = fmt::format("the winner beats its nearest rival by only {:.2g}",
                             matrix_gaps(matrix).winner.value_or(0));
  }
  found.that(runs.name + ": Beat-the-Mean is far worse at 4.5e6", "far worse",
             fmt::format("{:.3g} times the regret of SAVAGE, {:.3g} that of RUCB",
                         ratio_of_means(btm, savage, kFig4Rounds).mean,
                         ratio_of_means(btm, rucb, kFig4Rounds).mean),
             "above both",
             btm.regret_at(kFig4Rounds).mean >
                 std::max(savage.regret_at(kFig4Rounds).mean, rucb.regret_at(kFig4Rounds).mean));
  const auto soon = reaches(rucb, kAccuracy), late = reaches(savage, kAccuracy);
  const auto text = [](const std::optional<double>& round) {
    return round ? fmt::format("{:.2g} rounds", *round) : std::string("not by 4.5e6");
  };
  Finding& time = found.shown(
      fmt::format("{}: RUCB's time to {:.0f} % accuracy, in SAVAGE's", runs.name, 100 * kAccuracy),
      "about 20 %", {});
  time.ours = fmt::format("RUCB {}, SAVAGE {}", text(soon), text(late));
  if (soon && late) {
    time.ours =
        fmt::format("{:.0f} % ({:.2g} of {:.2g} rounds)", 100 * *soon / *late, *soon, *late);
    time.value.mean = *soon / *late;
  }
  found.shown(runs.name + ": gamma of relaxed transitivity, which Beat-the-Mean is given",
              fmt::format("{} on the paper's {} rankers", panel.gamma, panel.arms), exactly(gamma));
}

// The three sizes of one matrix: a figure, rows of the table, findings.
Status add_fig4_matrix(const ReproductionContext& context, const GivenMatrix& source,
                       TidyTable& table, Reproduction& out) {
  const Arm winner = condorcet_winner(*source.matrix).value();
  const Stream draws(context.seed, 0, Purpose::generate, "rucb-fig4");
  Chart chart{.title = fmt::format("Regret and accuracy on the {} rankers", source.name),
              .columns = std::size(kFig4Panels)};
  std::vector<ChartPanel> accuracies;
  for (std::size_t p = 0; p < std::size(kFig4Panels); ++p) {
    const Fig4Panel& panel = kFig4Panels[p];
    const auto arms = winner_and_others(*source.matrix, winner, panel.arms, draws.at(panel.arms));
    const PreferenceMatrix matrix =
        submatrix(*source.matrix, arms, fmt::format("{}, {} rankers", source.name, panel.arms));
    const double gamma = relaxed_sst_gamma(matrix).value();
    const RegretPlan plan{.matrix = &matrix,
                          .markers = kFig4Markers,
                          .trials = context.size(4U, 100U),
                          .contestants = {{"RUCB", "rucb(alpha=0.51)"},
                                          fresh_runs("SAVAGE", "savage-condorcet"),
                                          fresh_runs("BTM", fmt::format("btm(gamma={})", gamma), {},
                                                     context.size(2U, 20U))}};
    DUEL_ASSIGN(const RegretRuns runs,
                play_regret(context.part_of(p, std::size(kFig4Panels)), plan));
    add_regret_rows(table, runs);
    add_fig4_findings(runs, panel, matrix, gamma, out.findings);
    const std::string title = fmt::format("K = {}", panel.arms);
    chart.panels.push_back(regret_panel(runs, title, RegretBands::min_and_max));
    accuracies.push_back(accuracy_panel(runs, title));
  }
  chart.panels.insert(chart.panels.end(), accuracies.begin(), accuracies.end());
  out.draw("fig4-" + source.name,
           fmt::format("Cumulative regret with its smallest and largest value over {} runs "
                       "(dotted), and the share of runs that return the winner: {}.",
                       context.size(4, 100), source.name),
           std::move(chart));
  return Done{};
}

Result<Reproduction> run_rucb_fig4(const ReproductionContext& context) {
  Reproduction out{context.seed};
  DUEL_ASSIGN(const auto matrices, ranker_matrices(context.part(0, 0.02), out.remarks));
  TidyTable& table = add_regret_table(out, "fig4");
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const ReproductionContext part = context.part(0.02, 1).part_of(m, matrices.size());
    DUEL_RETURN_IF_ERROR(add_fig4_matrix(part, matrices[m], table, out));
  }
  add_skipped(matrices.size(), "5 to 10", out.findings);
  out.remarks.insert(
      out.remarks.end(),
      {"The problems of 16 and 32 rankers are the winner of the whole matrix and others drawn at "
       "random, and so is that of 64 where the matrix has more.",
       "Beat-the-Mean is given the gamma that the problem really has, as in the paper, and the "
       "radius 3 gamma^2 sqrt(ln(1/delta)/n) that goes with it; with it no arm is dropped within "
       "4.5e6 rounds or almost none, and its regret grows linearly. There are 20 runs of it in "
       "place of 100, because each plays every round.",
       "The paper's appendix prints the condition of relaxed transitivity with probabilities p; it "
       "is meant with p - 1/2, since with p a gamma of 2 would always do.",
       "How much better RUCB is at 4.5e6 rounds depends on the rankers next to the winner: on "
       "eight other subsets of each size (2 runs each) the ratio was 3.6 to 5.2 on the MSLR "
       "rankers with perfect users and 2.4 to 5.0 with informational ones, who click on nearly "
       "everything.",
       "Before SAVAGE has stopped it names the arm with the most victories among those left, so "
       "its accuracy is above that of a policy which names nobody before it is done."});
  if (context.quick) {
    out.remarks.emplace_back("Quick: 4 runs in place of 100; the accuracies say little.");
  }
  return out;
}

// --- rucb-fig5 ----------------------------------------------------------------------------------

ChartPanel add_fig5_matrix(const GivenMatrix& source, std::uint32_t samples, std::uint64_t seed,
                           TidyTable& table, Findings& found) {
  const std::vector<double> winners = subset_condorcet_shares(*source.matrix);
  const std::vector<std::uint32_t> orders = subset_total_orders(*source.matrix, samples, seed);
  ChartPanel panel =
      panel_of(fmt::format("Random subsets of the {} rankers", source.name),
               "rankers k of the subset", "probability", Axes::linear, ChartRange{0, 1.02});
  std::size_t vanished = winners.size();  // the first size with hardly any order
  for (std::size_t k = 1; k <= winners.size(); ++k) {
    const Measured winner = exactly(winners[k - 1]), order = measured_share(orders[k - 1], samples);
    const auto x = static_cast<double>(k);
    table.add({source.name, "condorcet winner", k}, winner);
    table.add({source.name, "total order", k}, order);
    plot(panel, "a Condorcet winner (exact)", x, winner, ChartLine::plain);
    plot(panel, fmt::format("a total order ({} subsets)", samples), x, exactly(order.mean),
         ChartLine::plain);
    if (order.mean <= kNearZero) vanished = std::min(vanished, k);
  }
  const auto least = std::min_element(winners.begin(), winners.end());
  found.shown(fmt::format("{}: smallest probability of a Condorcet winner, at k = {}", source.name,
                          least - winners.begin() + 1),
              "above 0.97 for every k", exactly(*least));
  // A winner in a subset of two needs no more than that they do not tie.
  const bool ties = !copeland_scores(*source.matrix).ties.empty();
  const auto is_one = [](double share) { return std::abs(share - 1) < 1e-9; };
  found.that(source.name + ": the probability dips and rises to 1", "1, a dip, 1 at k = K",
             fmt::format("{:.6g} at k = 1, {:.6g} at k = 2, {:.3g}, {:.6g} at k = {}",
                         winners.front(), winners[1], *least, winners.back(), winners.size()),
             ties ? "1 at k = 1 and K" : "1 at k = 1, 2 and K",
             is_one(winners.front()) && (ties || is_one(winners[1])) && is_one(winners.back()) &&
                 *least < 1);
  found.that(source.name + ": total orders vanish quickly", "falls quickly to about 0",
             fmt::format("at most {} from k = {} on", kNearZero, vanished),
             fmt::format("at most {} at k = K/2", kNearZero), vanished <= winners.size() / 2);
  return panel;
}

Result<Reproduction> run_rucb_fig5(const ReproductionContext& context) {
  const std::uint32_t samples = context.size(10'000U, 100'000U);
  Reproduction out{context.seed};
  DUEL_ASSIGN(const auto matrices, ranker_matrices(context.part(0, 0.9), out.remarks));
  TidyTable& table = out.add_table("fig5", "matrix,property,arms");
  Chart chart;
  for (const GivenMatrix& source : matrices) {
    if (context.stopped()) return interrupted_reproduction();
    chart.panels.push_back(add_fig5_matrix(source, samples, context.seed, table, out.findings));
  }
  add_skipped(matrices.size(), "above 0.97 for every k", out.findings);
  out.draw("fig5",
           "Probability that a random subset of k rankers has a Condorcet winner, or a total "
           "order.",
           std::move(chart));
  out.remarks.insert(
      out.remarks.end(),
      {"The paper prints the number of subsets of k rankers with a Condorcet winner as the sum "
       "over rankers r of C(N_r, k), N_r being how many r beats. The winner is one of the k, so it "
       "is C(N_r, k - 1): with the printed form all subsets of one ranker together would have K - "
       "1 over 2 winners each.",
       "How often a subset has a Condorcet winner is a property of the matrix: on the paper's own "
       "it is above 0.97 for every k, on others the dip is deeper. Random orders of all rankers "
       "give the subsets for total orders, their first k being a uniform subset of k."});
  return out;
}

// --- rucb-lemma1 --------------------------------------------------------------------------------

// With probability at least 1 - delta every p_ij lies between l_ij(t) and u_ij(t) for all t above
// C(delta) = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1/(2 alpha - 1)).
constexpr double kAlpha = 1;
// Outside the theory, which needs alpha > 1/2: to see that bounds can fail at all.
constexpr double kNarrow = 0.1;
constexpr std::size_t kArms = 5;
constexpr double kLemmaDelta = 0.1;
constexpr Round kLemmaRounds = 100'000;

// C(delta), and the delta that goes with a round.
double settled_after(double delta) {
  return std::pow((4 * kAlpha - 1) * kArms * kArms / ((2 * kAlpha - 1) * delta),
                  1 / (2 * kAlpha - 1));
}
double delta_after(double round) {
  return (4 * kAlpha - 1) * kArms * kArms / ((2 * kAlpha - 1) * std::pow(round, 2 * kAlpha - 1));
}

// Follows one run and remembers the last round at which some p_ij lay outside its bounds. Both see
// the run: the loop tells the round of each duel, then asks for its outcome.
class Coverage final : public OutcomeSource {
 public:
  Coverage(const PreferenceMatrix& matrix, double alpha, OutcomeStream outcomes)
      : matrix_(matrix), alpha_(alpha), outcomes_(outcomes), counts_(matrix.num_arms()) {}

  void played(const Duel& duel) { round_ = duel.round; }
  static void jumped(Arm, Round, Round) {}

  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    leave(low, high, round_);
    const bool low_wins =
        static_cast<double>(outcomes_.draw(low, high, meeting)) < matrix_(low, high) * 0x1p53;
    counts_.add(low, high, low_wins ? Points{2, 0} : Points{0, 2});
    since_[low * kArms + high] = round_ + 1;
    return low_wins ? Outcome::first_wins : Outcome::second_wins;
  }

  // After the last round.
  Round last_violation() {
    for (Arm low = 0; low < kArms; ++low) {
      for (Arm high = low + 1; high < kArms; ++high) leave(low, high, kLemmaRounds);
    }
    return last_;
  }

 private:
  // The pair had its present counts up to round `until`. Its bounds hold p from the round t on with
  // alpha ln t >= n (mean - p)^2, since they only widen while it does not meet.
  void leave(Arm low, Arm high, Round until) {
    const double n = counts_.duels(low, high);
    if (n == 0) return;  // x/0 := 1: the bounds of a pair that never met are -1 and 2
    const double error = counts_.mean(low, high) - matrix_(low, high);
    const double covered_from = std::exp(n * error * error / alpha_);
    const double last_outside = std::min(std::ceil(covered_from) - 1, static_cast<double>(until));
    if (last_outside >= static_cast<double>(since_[low * kArms + high])) {
      last_ = std::max(last_, static_cast<Round>(last_outside));
    }
  }

  const PreferenceMatrix& matrix_;
  double alpha_;
  OutcomeStream outcomes_;
  PairCounts counts_;
  std::array<Round, kArms * kArms> since_{};  // round from which the counts of a pair stand
  Round round_ = 0;
  Round last_ = 0;
};

class Nobody final : public TrialObserver {
  void at_checkpoint(std::size_t, const TrialArena&, Arm) override {}
};

Round last_violation(const PreferenceMatrix& matrix, const std::vector<std::uint32_t>& ranks,
                     double alpha, std::uint64_t seed, std::uint32_t trial) {
  const OutcomeStream outcomes(seed, trial);
  Coverage coverage(matrix, alpha, outcomes);
  MatrixArena arena(matrix, ranks, outcomes, &coverage);
  const TrialStreams streams(seed, trial, "rucb-seed");
  RucbOptions options;
  options.alpha = alpha;
  Rucb<RucbForm::seed> policy(options, kArms, streams.choice.at(0));
  const std::vector<Round> end = {kLemmaRounds};
  Nobody nobody;
  play_trial(policy, arena, streams, {.checkpoints = end}, nobody, coverage);
  return coverage.last_violation();
}

// What is played; the lemma is for alpha = 1.
struct LemmaProblem {
  const char* label;
  const char* matrix;
  double alpha = kAlpha;
};
constexpr LemmaProblem kLemmaProblems[] = {
    {"arithmetic", "arithmetic(k=5)"},
    {"a winner among cycles", "random-condorcet(k=5,seed=1,gap=0.05)"},
    {"hardly a difference", "arithmetic(k=5,step=0.001)"},
    {"arithmetic, alpha = 0.1", "arithmetic(k=5)", kNarrow}};

Result<Reproduction> run_rucb_lemma1(const ReproductionContext& context) {
  const std::uint32_t trials = context.size(200U, 2000U);
  const double settled = settled_after(kLemmaDelta);
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("coverage", "problem,after_round", "bound");
  ChartPanel panel = panel_of(
      fmt::format("K = {}, alpha = {} unless said, {} runs of 1e5 rounds", kArms, kAlpha, trials),
      "round t", "share of runs with a p outside its bounds after t", Axes::log_x,
      ChartRange{0, 1.02});
  for (std::size_t k = 0; k < std::size(kLemmaProblems); ++k) {
    const auto& [label, matrix_name, alpha] = kLemmaProblems[k];
    DUEL_ASSIGN(const PreferenceMatrix matrix, resolve_matrix(matrix_name));
    const std::vector<std::uint32_t> ranks = merit_ranks(matrix);
    const bool is_lemma = alpha == kAlpha;
    DUEL_ASSIGN(
        const std::vector<Round> last,
        run_each<Round>(context.part_of(k, std::size(kLemmaProblems)), trials, label,
                        [&, alpha = alpha](std::uint64_t trial, const auto&, Round& last_round) {
                          last_round = last_violation(matrix, ranks, alpha, context.seed,
                                                      static_cast<std::uint32_t>(trial));
                          return true;
                        }));
    for (const double round : {10., 20., 50., 100., 200., 500., settled, 1e3, 2e3, 5e3, 1e4}) {
      const auto violated = std::count_if(last.begin(), last.end(),
                                          [&](Round t) { return static_cast<double>(t) > round; });
      const Measured share = measured_share(static_cast<std::uint64_t>(violated), trials);
      table.add({label, fmt::format("{:.0f}", round)}, share,
                {is_lemma ? std::min(1.0, delta_after(round)) : kUndefined});
      plot(panel, label, round, share);
      if (round != settled) continue;
      const std::string claim =
          fmt::format("{}: share of runs with a violation after t = {:.0f}", label, round);
      if (is_lemma) {
        out.findings.within(claim, fmt::format("at most delta = {}", kLemmaDelta), share,
                            {0, kLemmaDelta});
      } else {
        out.findings.shown(claim, "none: the lemma needs alpha > 1/2", share);
      }
    }
  }
  for (double round = 75; round < 10'001; round *= 1.05) {
    plot(panel, "delta of Lemma 1", round, exactly(delta_after(round)), ChartLine::bound);
  }
  out.draw("coverage",
           "Runs in which some p_ij lies outside its bounds after round t, against Lemma 1.",
           std::move(panel));
  out.remarks = {
      "A run is followed for 1e5 rounds. Bounds only widen while a pair does not meet, so the last "
      "round at which one fails is known exactly from the rounds at which its pair met.",
      "The lemma is far from tight: with alpha = 1 a bound fails only where a mean is off by more "
      "than sqrt(ln t / n), five standard errors at t = 750. Runs with alpha = 0.1, outside the "
      "theory, show that failures would be seen.",
      "Two slips of the paper near this lemma: the regret bound prints D_1j with the smaller of "
      "Delta_1^2 = 0 and Delta_j^2 in the denominator, which is infinite, where the proof gives 4 "
      "alpha / Delta_j^2; and step (I.b) of the theorem's proof has p_1j for p_1i."};
  return out;
}

const bool rucb_is_registered = register_paper(
    "Zoghi, Whiteson, Munos, de Rijke (ICML 2014)",
    {{"rucb-fig4", "Figure 4",
      "Regret and accuracy of RUCB, SAVAGE and Beat-the-Mean on 16, 32, 64 rankers.", run_rucb_fig4,
      kRucbNeeds},
     {"rucb-fig5", "Figure 5",
      "How likely random subsets have a Condorcet winner, and a total order.", run_rucb_fig5,
      kRucbNeeds},
     {"rucb-lemma1", "Lemma 1",
      "Coverage of RUCB's confidence bounds after C(delta), for alpha = 1 and K = 5.",
      run_rucb_lemma1}});

}  // namespace
}  // namespace duel
