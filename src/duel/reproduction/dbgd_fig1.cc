// Figure 1 of Yue and Joachims (ICML 2009): the relative loss eps_t(w) = P(w_t beats w) - 1/2 for
// v(w) = -w^2 on the line, w_t in {-3, -2, -1}, logistic link. Nothing is drawn at random.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "duel/continuous/point_trial.h"
#include "duel/reproduction/registry.h"

namespace duel {
namespace {

double loss(double at, double w) {
  const double first[] = {at}, second[] = {w};
  return win_probability(PointProblem{ValueFunction::v1, Link::logistic}, first, second) - 0.5;
}

// With s = sigma(w^2 - w_t^2): eps_t'' = s (1 - s) (2 + 4 w^2 (1 - 2 s)). It is positive on |w| <
// b, and changes sign once on w > 0: bisected.
double convex_until(double at) {
  double low = 0, high = 10;
  for (int step = 0; step < 100; ++step) {
    const double w = 0.5 * (low + high);
    const double s = loss(at, w) + 0.5;
    (2 + 4 * w * w * (1 - 2 * s) > 0 ? low : high) = w;
  }
  return low;
}

Result<Reproduction> run_dbgd_fig1(const ReproductionContext& context) {
  Reproduction out;
  TidyTable table("fig1", {"w_t", "w"}, context.seed);
  ChartPanel panel{.title = "v(w) = -w^2, logistic link", .x_label = "w", .y_label = "eps_t(w)"};
  for (const int at : {-3, -2, -1}) {
    ChartCurve curve{.label = fmt::format("w_t = {}", at), .points = {}, .line = ChartLine::plain};
    double least = 1, where = 0;
    for (int step = -400; step <= 400; ++step) {
      const double w = step / 100.0, value = loss(at, w);
      table.add({fmt::format("{}", at), fmt::format("{}", w)}, exactly(value));
      curve.points.push_back({w, value});
      if (value < least) {
        least = value;
        where = w;
      }
    }
    panel.curves.push_back(std::move(curve));
    const double square = static_cast<double>(at) * at;
    const double expected = 1 / (1 + std::exp(square)) - 0.5;
    out.findings.push_back(
        finding_within(fmt::format("least loss, w_t = {}", at),
                       fmt::format("sigma(-{}) - 1/2 = {:.5f}", square, expected), exactly(least),
                       {expected - 1e-12, expected + 1e-12}, "equal up to rounding"));
    out.findings.push_back(finding_that(fmt::format("its place, w_t = {}", at), "w* = 0",
                                        fmt::format("{}", where), "0", where == 0));
    const double until = convex_until(at);
    out.findings.push_back(finding_that(
        fmt::format("convex around w*, w_t = {}", at), "convex in the area around w* = 0",
        fmt::format("for |w| < {:.3f}", until), "an interval around 0", until > 0.1));
  }
  out.tables.push_back(std::move(table));
  Chart chart;
  chart.panels.push_back(std::move(panel));
  out.figures.push_back(
      figure_of("fig1",
                "The relative loss of one dimension: not convex, but convex around "
                "the best point, where every curve has its least value.",
                std::move(chart)));
  return out;
}

const bool dbgd_fig1_is_registered = register_reproduction(
    {.name = "dbgd-fig1",
     .paper = "Yue, Joachims (ICML 2009)",
     .what = "Figure 1",
     .description = "The relative loss of one dimension around three points; exact."},
    run_dbgd_fig1);

}  // namespace
}  // namespace duel
