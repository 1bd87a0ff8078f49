// Figure 5 of Zoghi, Whiteson, Munos, de Rijke, Relative Upper Confidence Bound (ICML 2014): how
// likely a random subset of k rankers has a Condorcet winner, and how likely it has a total order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/reproduction/ranker_matrices.h"
#include "duel/reproduction/registry.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/subset_orders.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

// What counts as about 0.
constexpr double kNearZero = 0.01;

void add_matrix(const RankerMatrix& source, std::uint32_t samples, std::uint64_t seed,
                TidyTable& table, Chart& chart, Reproduction& out) {
  const std::vector<double> winners = subset_condorcet_shares(source.matrix);
  const std::vector<std::uint32_t> orders = subset_total_orders(source.matrix, samples, seed);
  ChartCurve winner_curve{
      .label = "a Condorcet winner (exact)", .points = {}, .line = ChartLine::plain};
  ChartCurve order_curve{.label = fmt::format("a total order ({} subsets)", samples),
                         .points = {},
                         .line = ChartLine::plain};
  std::size_t vanished = winners.size();  // the first size with hardly any order
  for (std::size_t k = 1; k <= winners.size(); ++k) {
    const Measured order = measured_share(orders[k - 1], samples);
    const std::string size = fmt::format("{}", k);
    table.add({source.name, "condorcet winner", size}, exactly(winners[k - 1]));
    table.add({source.name, "total order", size}, order);
    winner_curve.points.push_back({static_cast<double>(k), winners[k - 1]});
    order_curve.points.push_back({static_cast<double>(k), order.mean});
    if (order.mean <= kNearZero) vanished = std::min(vanished, k);
  }
  const auto least = std::min_element(winners.begin(), winners.end());
  out.findings.push_back(
      finding_shown(fmt::format("{}: smallest probability of a Condorcet winner, at k = {}",
                                source.name, least - winners.begin() + 1),
                    "above 0.97 for every k", exactly(*least)));
  // A winner in a subset of two needs no more than that they do not tie.
  const bool ties = !copeland_scores(source.matrix).ties.empty();
  out.findings.push_back(finding_that(
      fmt::format("{}: the probability dips and rises to 1", source.name), "1, a dip, 1 at k = K",
      fmt::format("{:.6g} at k = 1, {:.6g} at k = 2, {:.3g}, {:.6g} at k = {}", winners.front(),
                  winners[1], *least, winners.back(), winners.size()),
      ties ? "1 at k = 1 and K" : "1 at k = 1, 2 and K",
      std::abs(winners.front() - 1) < 1e-9 && (ties || std::abs(winners[1] - 1) < 1e-9) &&
          std::abs(winners.back() - 1) < 1e-9 && *least < 1));
  out.findings.push_back(finding_that(
      fmt::format("{}: total orders vanish quickly", source.name), "falls quickly to about 0",
      fmt::format("at most {} from k = {} on", kNearZero, vanished),
      fmt::format("at most {} at k = K/2", kNearZero), vanished <= winners.size() / 2));
  chart.panels.push_back({.title = fmt::format("Random subsets of the {} rankers", source.name),
                          .x_label = "rankers k of the subset",
                          .y_label = "probability",
                          .y_range = ChartRange{0, 1.02},
                          .curves = {std::move(winner_curve), std::move(order_curve)}});
}

Result<Reproduction> run_rucb_fig5(const ReproductionContext& context) {
  const std::uint32_t samples = context.size(10'000U, 100'000U);
  DUEL_ASSIGN(const RankerMatrices matrices, ranker_matrices(context, {0, 0.9}));
  Reproduction out;
  TidyTable table("fig5", {"matrix", "property", "arms"}, context.seed);
  Chart chart;
  for (const RankerMatrix& source : matrices.all) {
    if (context.stopped()) return interrupted_reproduction();
    add_matrix(source, samples, context.seed, table, chart, out);
  }
  if (matrices.all.size() == 1) {
    out.findings.push_back(
        finding_skipped("the same on a matrix of real rankers", "above 0.97 for every k",
                        "give one of at least 64 arms: --matrix mslr=FILE (docs/reproduction.md)"));
  }
  out.tables.push_back(std::move(table));
  out.figures.push_back(figure_of(
      "fig5",
      "Probability that a random subset of k rankers has a Condorcet winner, or a total order.",
      std::move(chart)));
  out.remarks = matrices.remarks;
  out.remarks.emplace_back(
      "The paper prints the number of subsets of k rankers with a Condorcet winner as the sum over "
      "rankers r of C(N_r, k), N_r being how many r beats. The winner is one of the k, so it is "
      "C(N_r, k - 1): with the printed form all subsets of one ranker together would have K - 1 "
      "over 2 winners each.");
  out.remarks.emplace_back(
      "How often a subset has a Condorcet winner is a property of the matrix: on the paper's own "
      "it "
      "is above 0.97 for every k, on others the dip is deeper. Random orders of all rankers give "
      "the "
      "subsets for total orders, their first k being a uniform subset of k.");
  return out;
}

const bool rucb_fig5_is_registered = register_reproduction(
    {.name = "rucb-fig5",
     .paper = "Zoghi, Whiteson, Munos, de Rijke (ICML 2014)",
     .what = "Figure 5",
     .description = "How likely random subsets have a Condorcet winner, and a total order.",
     .needs = "--matrix NAME=FILE: matrices of 64 rankers or more",
     .uses_matrices = true},
    run_rucb_fig5);

}  // namespace
}  // namespace duel
