// Table 1 of Yue and Joachims (ICML 2009): average regret of DBGD on five synthetic problems.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "duel/reproduction/dbgd_problems.h"
#include "duel/reproduction/registry.h"

namespace duel {
namespace {

constexpr std::size_t kScales = 5, kProblems = 5;
constexpr std::array<const char*, kScales> kScaleNames = {"0.6", "0.8", "1", "2", "3"};
constexpr double kPrinted[kScales][kProblems] = {{.465, .803, .687, .500, .710},
                                                 {.398, .767, .628, .378, .663},
                                                 {.334, .760, .604, .325, .674},
                                                 {.303, .780, .637, .304, .798},
                                                 {.415, .807, .663, .418, .887}};
// Single runs of an independent implementation at T = 1e6; 0 where there was none.
constexpr double kIndependent[kScales][kProblems] = {{.439, 0, 0, 0, .695},
                                                     {.349, 0, 0, 0, .659},
                                                     {.299, .751, .586, .299, .667},
                                                     {.290, 0, 0, 0, .790},
                                                     {.405, 0, 0, 0, .879}};
constexpr std::array<std::size_t, kProblems> kBold = {3, 2, 2, 3, 1};
constexpr double kNear = 0.06;
// Single runs differ by at least so much (standard deviation).
constexpr double kLeastDeviation = 0.005;

Result<Reproduction> run_dbgd_table1(const ReproductionContext& context) {
  constexpr Round kComparisons = 1'000'000;
  const std::uint32_t trials = context.size(1U, 8U);
  std::vector<DbgdProblem> problems;
  for (std::size_t scale = 0; scale < kScales; ++scale) {
    for (std::size_t p = 0; p < kProblems; ++p) {
      problems.push_back(
          {fmt::format("dbgd(delta_l={})", kScaleNames[scale]), static_cast<ValueFunction>(p)});
    }
  }
  const std::vector<Round> checkpoints = {kComparisons};
  DUEL_ASSIGN(const AverageRegrets regrets,
              play_dbgd_problems(context, problems, checkpoints, trials));

  Reproduction out;
  TidyTable table("table1", {"delta_l", "problem"}, context.seed, {"printed", "independent"});
  std::vector<Finding> independent, best;
  double lowest = 1, highest = -1;  // ours - printed
  ChartPanel panel{.title = fmt::format("{} trials of 10^6 comparisons", trials),
                   .x_label = "delta_L",
                   .y_label = "average regret"};
  for (std::size_t p = 0; p < kProblems; ++p) {
    ChartCurve ours{.label = fmt::format("P{}", p + 1), .points = {}};
    ChartCurve printed{
        .label = fmt::format("P{}, printed", p + 1), .points = {}, .line = ChartLine::points};
    std::array<double, kScales> means{};
    for (std::size_t scale = 0; scale < kScales; ++scale) {
      const Measured value = measured(regrets[scale * kProblems + p][0]);
      means[scale] = value.mean;
      const double print = kPrinted[scale][p], other = kIndependent[scale][p];
      table.add({kScaleNames[scale], fmt::format("P{}", p + 1)}, value,
                {print, other > 0 ? other : kUndefined});
      const std::string name = fmt::format("P{}, delta_L = {}", p + 1, kScaleNames[scale]);
      // The printed cell is a run or a few; ours is a mean, which may miss by its own error.
      const double near = kNear + (trials == 1 ? 0 : 2 * value.se);
      out.findings.push_back(finding_within(name, fmt::format("{:.3f}", print), value,
                                            {print - near, print + near},
                                            "within 0.06 (+ 2 standard errors)"));
      if (other > 0) {
        // A mean of n runs against one run: variance sd^2/n + sd^2. A single run of ours tells no
        // sd; 0.02 is the largest that was seen.
        const double sd = trials == 1 ? 0.02
                                      : std::max(value.se * std::sqrt(static_cast<double>(trials)),
                                                 kLeastDeviation);
        const double room = 4 * sd * std::sqrt(1 + 1 / static_cast<double>(trials));
        independent.push_back(finding_within(name + ", another implementation",
                                             fmt::format("{:.3f}", other), value,
                                             {other - room, other + room},
                                             fmt::format("within 4 standard errors, {:.3f}", room))
                                  .from(published::rerun(published::kIndependent, "1 run")));
      }
      lowest = std::min(lowest, value.mean - print);
      highest = std::max(highest, value.mean - print);
      const double x = std::stod(kScaleNames[scale]);
      const double band = std::isnan(value.se) ? kUndefined : 2 * value.se;
      ours.points.push_back({x, value.mean, value.mean - band, value.mean + band});
      printed.points.push_back({x, print});
    }
    const auto least =
        static_cast<std::size_t>(std::min_element(means.begin(), means.end()) - means.begin());
    const std::size_t distance = std::max(least, kBold[p]) - std::min(least, kBold[p]);
    best.push_back(finding_that(fmt::format("best delta_L of P{}", p + 1), kScaleNames[kBold[p]],
                                kScaleNames[least], "within one step", distance <= 1));
    panel.curves.push_back(std::move(ours));
    panel.curves.push_back(std::move(printed));
  }
  out.findings.insert(out.findings.end(), independent.begin(), independent.end());
  out.findings.insert(out.findings.end(), best.begin(), best.end());
  out.tables.push_back(std::move(table));
  Chart chart;
  chart.panels.push_back(std::move(panel));
  out.figures.push_back(figure_of(
      "table1", "Average regret over the exploration scale: ours as lines, printed as markers.",
      std::move(chart)));
  out.remarks.push_back(fmt::format(
      "The paper does not print T. T = 10^6 gives its table, T = 10^5 and 5 10^5 do "
      "not. Ours minus "
      "printed lies between {:+.3f} and {:+.3f}: the table sits a little above what "
      "the algorithm as "
      "printed gives at any one T, and we do not know why. P4 differs from P1 by terms of fourth "
      "order and has nearly the same regret "
      "in every row of ours; in print they are .035 apart at delta_L = 0.6, which is the cell that "
      "lies "
      "farthest from ours and tells how far printed runs scatter. |w| in v2 is the L1 norm; "
      "the L2 norm gives "
      "0.54 in place of 0.76 at delta_L = 1.",
      lowest, highest));
  if (context.quick) {
    out.remarks.emplace_back("Quick: one run a cell in place of eight, at the same T.");
  }
  return out;
}

const bool dbgd_table1_is_registered = register_reproduction(
    {.name = "dbgd-table1",
     .paper = "Yue, Joachims (ICML 2009)",
     .what = "Table 1",
     .description =
         "Average regret of DBGD on five synthetic problems, over the exploration scale."},
    run_dbgd_table1);

}  // namespace
}  // namespace duel
