// The large-scale comparison of Li, Markov, de Rijke, Zoghi: MergeDTS, a Method for Effective
// Large-scale Online Ranker Evaluation (ACM TOIS 2020): 136 rankers, 10^8 rounds.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/reproduction/registry.h"
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr Round kMergeRounds = 100'000'000;
constexpr std::size_t kManyArms = 100;
constexpr const char* kStandIn = "random-condorcet(k=136,seed=1,gap=0.02)";
constexpr const char* kMergeNeeds =
    "--matrix NAME=FILE: matrices of 100 rankers or more, such as the 136 of MSLR-WEB";

struct Problem {
  std::string name;
  std::shared_ptr<const PreferenceMatrix> matrix;
};

Result<std::vector<Problem>> merge_problems(const ReproductionContext& context, Reproduction& out) {
  std::vector<Problem> problems;
  for (const GivenMatrix& given : context.matrices) {
    if (given.matrix->num_arms() < kManyArms) continue;
    if (condorcet_winner(*given.matrix)) {
      problems.push_back({given.name, given.matrix});
    } else {
      out.remarks.push_back(fmt::format(
          "The given matrix {} was not taken: it has no Condorcet winner.", given.name));
    }
  }
  if (!problems.empty()) return problems;
  out.findings.push_back(
      finding_skipped(
          "MergeDTS pays less than MergeRUCB on the rankers of MSLR-WEB", "figures",
          fmt::format("the data is not shipped; give {}. What follows is a generated stand-in.",
                      kMergeNeeds))
          .from(published::kFigure));
  DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(kStandIn));
  problems.push_back({fmt::format("stand-in {}", kStandIn),
                      std::make_shared<const PreferenceMatrix>(std::move(matrix))});
  return problems;
}

void add_merge_findings(const RegretRuns& runs, Reproduction& out) {
  const auto below = [&](const char* one, const char* other) {
    const Measured difference = paired_difference(runs.find(one), runs.find(other), kMergeRounds);
    out.findings.push_back(
        finding_that(
            fmt::format("{} pays less than {} at 1e8, {}", one, other, runs.name), "figures",
            fmt::format("{} against {}", measured_text(runs.find(one).regret_at(kMergeRounds)),
                        measured_text(runs.find(other).regret_at(kMergeRounds))),
            "less, by more than two standard errors", difference.mean + 2 * difference.se < 0)
            .from(published::kFigure));
  };
  below("MergeDTS", "MergeRUCB");
  below("MergeDTS, tuned", "MergeRUCB, tuned");
  for (const ContestantRun& run : runs.runs) {
    out.findings.push_back(finding_shown(
        fmt::format("{} names the winner at 1e8, share of runs, {}", run.label(), runs.name), "-",
        run.accuracy_at(kMergeRounds)));
  }
}

Result<Reproduction> run_merge(const ReproductionContext& context) {
  Reproduction out;
  DUEL_ASSIGN(const std::vector<Problem> problems, merge_problems(context, out));
  TidyTable table = regret_table("regret", context.seed);
  Chart chart;
  chart.title = "Li et al., TOIS 2020: many rankers";
  RegretPlan plan;
  plan.markers = markers_between(1000, kMergeRounds);
  plan.trials = context.size(2U, 20U);
  plan.contestants = {
      {.label = "MergeDTS", .policy = "merge-dts(alpha=1.01,p=4)"},
      {.label = "MergeRUCB", .policy = "merge-rucb(alpha=1.01,p=4)"},
      // 0.8^6 and 4e5, as the paper tuned them.
      {.label = "MergeDTS, tuned", .policy = "merge-dts(alpha=0.262144,c=4e5,p=16)"},
      {.label = "MergeRUCB, tuned", .policy = "merge-rucb(alpha=0.262144,c=4e5,p=8)"}};
  const double width = 1.0 / static_cast<double>(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    plan.matrix = problems[i].matrix.get();
    plan.name = problems[i].name;
    const double begin = width * static_cast<double>(i);
    DUEL_ASSIGN(const RegretRuns runs, play_regret(context, plan, {begin, begin + width}));
    add_regret_rows(table, runs);
    add_merge_findings(runs, out);
    chart.panels.push_back(
        regret_panel(runs, fmt::format("{}, {} trials", problems[i].name, plan.trials)));
  }
  out.tables.push_back(std::move(table));
  out.figures.push_back(figure_of(
      "regret", "Cumulative average regret, mean and two standard errors.", std::move(chart)));
  out.remarks.push_back(fmt::format(
      "{} runs. The navigational matrix is not at hand, nor the Yahoo matrices. D-TS and "
      "Self-Sparring, also in the paper, are left out: the one decides 9000 flips in each of its "
      "early rounds, the other cannot jump. Both merging policies forget nothing and end with one "
      "arm, so that their curves become flat; a wrong last arm makes a curve linear.",
      plan.trials));
  return out;
}

const bool merge_is_registered = register_reproduction(
    {.name = "merge",
     .paper = "Li, Markov, de Rijke, Zoghi (ACM TOIS 2020)",
     .what = "large-scale comparison",
     .description = "Regret of MergeDTS and MergeRUCB on more than a hundred rankers.",
     .needs = kMergeNeeds,
     .uses_matrices = true},
    run_merge);

}  // namespace
}  // namespace duel
