// The random-walk model of Interleaved Filter (Yue, Broder, Kleinberg, Joachims, COLT 2009, section
// 4): the sequence of candidates, where each loses to a uniformly chosen better one. From node K
// the walk goes to a uniform lower node until it is at node 1. Node i < K is visited with
// probability 1/i, independently of the others, so 1 + H_{K-1} nodes are visited in the mean.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "duel/core/rng.h"
#include "duel/jobs/jobs.h"
#include "duel/reproduction/registry.h"

namespace duel {
namespace {

struct Walks {
  std::vector<double> nodes;               // visited by each walk, with the first
  std::vector<std::uint64_t> visits;       // of node i, 1-based
  std::vector<std::uint64_t> both_visits;  // of nodes i and i + 1
};

Walks walk(std::uint64_t arms, std::uint32_t walks, std::uint64_t seed) {
  Walks out;
  out.visits.assign(arms + 1, 0);
  out.both_visits.assign(arms + 1, 0);
  const Stream stream(seed, static_cast<std::uint32_t>(arms), Purpose::generate, "if-walk");
  for (std::uint32_t w = 0; w < walks; ++w) {
    RoundRng rng = stream.at(w);
    std::uint64_t node = arms;
    std::uint64_t nodes = 1;
    while (node > 1) {
      const std::uint64_t next = 1 + rng.below(node - 1);
      ++out.visits[next];
      if (next + 1 == node && node != arms) ++out.both_visits[next];
      node = next;
      ++nodes;
    }
    out.nodes.push_back(static_cast<double>(nodes));
  }
  return out;
}

// chi^2 of the visits of nodes 2 .. K-1 against 1/i: independent counts, so K - 2 degrees.
double chi_squared(const std::vector<std::uint64_t>& visits, std::uint64_t arms, double walks) {
  double sum = 0;
  for (std::uint64_t i = 2; i < arms; ++i) {
    const double p = 1.0 / static_cast<double>(i);
    const double difference = static_cast<double>(visits[i]) - walks * p;
    sum += difference * difference / (walks * p * (1 - p));
  }
  return sum;
}

Result<Reproduction> run_if_walk(const ReproductionContext& context) {
  const std::uint32_t walks = context.size(10'000U, 100'000U);
  const std::vector<std::uint64_t> sizes = {2, 4, 16, 64, 256};
  Reproduction out;
  TidyTable lengths("lengths", {"arms"}, context.seed, {"expected"});
  TidyTable visits("visits", {"arms", "node"}, context.seed, {"expected"});
  ChartCurve ours{.label = "nodes visited", .points = {}, .line = ChartLine::points};
  ChartCurve theory{.label = "1 + H_{K-1}", .points = {}, .line = ChartLine::bound};
  std::vector<Finding> shares;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (context.stopped()) return interrupted_reproduction();
    const std::uint64_t arms = sizes[s];
    context.report(static_cast<double>(s) / static_cast<double>(sizes.size()),
                   fmt::format("{} arms", arms));
    const Walks walked = walk(arms, walks, context.seed);
    double expected = 1;
    double variance = 0;  // of the sum of independent visits
    for (std::uint64_t i = 1; i < arms; ++i) {
      const double p = 1.0 / static_cast<double>(i);
      expected += p;
      variance += p * (1 - p);
    }
    const Measured length = measured(walked.nodes);
    lengths.add({fmt::format("{}", arms)}, length, {expected});
    const auto x = static_cast<double>(arms);
    ours.points.push_back(
        {x, length.mean, length.mean - 2 * length.se, length.mean + 2 * length.se});
    theory.points.push_back({x, expected});
    // The error is known exactly; K = 2 has none, the walk always has two nodes.
    const double room = 4 * std::sqrt(variance / walks) + 1e-12;
    out.findings.push_back(finding_within(fmt::format("nodes of the walk, K = {}", arms),
                                          fmt::format("1 + H_{} = {:.4f}", arms - 1, expected),
                                          length, {expected - room, expected + room},
                                          "within 4 standard errors"));
    for (std::uint64_t i = 1; i < arms; ++i) {
      visits.add({fmt::format("{}", arms), fmt::format("{}", i)},
                 measured_share(walked.visits[i], walks), {1.0 / static_cast<double>(i)});
    }
    if (arms < 4) continue;
    // Mean K - 2; the counts are binomial and independent, so the variance of each term is
    // 2 + (1 - 6 p (1 - p)) / (n p (1 - p)).
    double term_variance = 0;
    for (std::uint64_t i = 2; i < arms; ++i) {
      const double pq = (1.0 / static_cast<double>(i)) * (1 - 1.0 / static_cast<double>(i));
      term_variance += 2 + (1 - 6 * pq) / (walks * pq);
    }
    const auto degrees = static_cast<double>(arms - 2);
    const double statistic = chi_squared(walked.visits, arms, walks);
    shares.push_back(finding_within(
        fmt::format("P(visit i) = 1/i for all i, K = {}: chi^2 of {} nodes", arms, arms - 2),
        fmt::format("{} in the mean", arms - 2), {statistic, std::sqrt(term_variance), walks},
        {0, degrees + 4 * std::sqrt(term_variance)}, "at most mean + 4 sd"));
    // Nodes 2 and 3 by way of each other: P = 1/2 * 1/3.
    if (arms < 16) continue;
    const double p = 1.0 / 6;
    const double spread = 4 * std::sqrt(p * (1 - p) / walks);
    shares.push_back(
        finding_within(fmt::format("visits of nodes 2 and 3 are independent, K = {}", arms),
                       "1/2 * 1/3 = 0.1667", measured_share(walked.both_visits[2], walks),
                       {p - spread, p + spread}, "within 4 standard errors"));
  }
  out.findings.insert(out.findings.end(), shares.begin(), shares.end());
  out.tables = {std::move(lengths), std::move(visits)};
  Chart chart;
  chart.panels.push_back({.title = fmt::format("walk from node K to node 1, {} walks each", walks),
                          .x_label = "arms K",
                          .y_label = "nodes visited, mean",
                          .log_x = true,
                          .curves = {ours, theory}});
  out.figures.push_back(figure_of("lengths", "Nodes that the walk visits, against its expectation.",
                                  std::move(chart)));
  out.remarks.emplace_back(
      "The walk is counted as the paper counts it, with the node it starts from: K = 2 has two.");
  return out;
}

const bool if_walk_is_registered = register_reproduction(
    {.name = "if-walk",
     .paper = "Yue, Broder, Kleinberg, Joachims (COLT 2009)",
     .what = "random-walk model, section 4",
     .description =
         "Length of the sequence of candidates in the worst case, and which are visited."},
    run_if_walk);

}  // namespace
}  // namespace duel
