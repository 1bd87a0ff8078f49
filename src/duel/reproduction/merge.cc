// The large-scale comparison of Li, Markov, de Rijke, Zoghi: MergeDTS, a Method for Effective
// Large-scale Online Ranker Evaluation (ACM TOIS 2020): 136 rankers, 10^8 rounds.
#include "duel/reproduction/regret_runs.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

constexpr Round kMergeRounds = 100'000'000;
constexpr std::size_t kManyArms = 100;
constexpr const char* kMergeStandIn = "random-condorcet(k=136,seed=1,gap=0.02)";
constexpr const char* kMergeNeeds =
    "--matrix NAME=FILE: matrices of 100 rankers or more, such as the 136 of MSLR-WEB";
const std::vector<Contestant> kMergeContestants = {
    {"MergeDTS", "merge-dts(alpha=1.01,p=4)"},
    {"MergeRUCB", "merge-rucb(alpha=1.01,p=4)"},
    // 0.8^6 and 4e5, as the paper tuned them.
    {"MergeDTS, tuned", "merge-dts(alpha=0.262144,c=4e5,p=16)"},
    {"MergeRUCB, tuned", "merge-rucb(alpha=0.262144,c=4e5,p=8)"}};

void add_merge_findings(const RegretRuns& runs, Findings& found) {
  for (const std::size_t first : {0, 2}) {
    const ContestantRun &one = runs.runs[first], &other = runs.runs[first + 1];
    const Measured difference = paired_difference(one, other, kMergeRounds);
    found.that(
        fmt::format("{} pays less than {} at 1e8, {}", one.label(), other.label(), runs.name),
        from_figure("figures"),
        fmt::format("{} against {}", measured_text(one.regret_at(kMergeRounds)),
                    measured_text(other.regret_at(kMergeRounds))),
        "less, by more than two standard errors", difference.mean + 2 * difference.se < 0);
  }
  for (const ContestantRun& run : runs.runs) {
    found.shown(
        fmt::format("{} names the winner at 1e8, share of runs, {}", run.label(), runs.name), "-",
        run.accuracy_at(kMergeRounds));
  }
}

Result<Reproduction> run_merge(const ReproductionContext& context) {
  const std::uint32_t trials = context.size(2U, 20U);
  Reproduction out{context.seed};
  std::vector<GivenMatrix> problems = given_with_winner(context, kManyArms, out.remarks);
  if (problems.empty()) {
    out.findings.skipped(
        "MergeDTS pays less than MergeRUCB on the rankers of MSLR-WEB", from_figure("figures"),
        fmt::format("the data is not shipped; give {}. What follows is a generated stand-in.",
                    kMergeNeeds));
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(kMergeStandIn));
    problems.push_back({fmt::format("stand-in {}", kMergeStandIn),
                        std::make_shared<const PreferenceMatrix>(std::move(matrix))});
  }
  std::vector<RegretPlan> plans;
  for (const auto& [name, matrix] : problems) {
    plans.push_back({.matrix = matrix.get(),
                     .name = name,
                     .markers = markers_between(1000, kMergeRounds),
                     .trials = trials,
                     .contestants = kMergeContestants,
                     .panel = fmt::format("{}, {} trials", name, trials)});
  }
  DUEL_ASSIGN(const auto played,
              play_figure(context,
                          {"regret", "Li et al., TOIS 2020: many rankers",
                           "Cumulative average regret, mean and two standard errors."},
                          plans, out));
  for (const RegretRuns& runs : played) add_merge_findings(runs, out.findings);
  out.remarks.push_back(fmt::format(
      "{} runs. The navigational matrix is not at hand, nor the Yahoo matrices. D-TS and "
      "Self-Sparring, also in the paper, are left out: the one decides 9000 flips in each of its "
      "early rounds, the other cannot jump. Both merging policies forget nothing and end with one "
      "arm, so that their curves become flat; a wrong last arm makes a curve linear.",
      trials));
  return out;
}

const bool merge_is_registered = register_paper(
    "Li, Markov, de Rijke, Zoghi (ACM TOIS 2020)",
    {{"merge", "large-scale comparison",
      "Regret of MergeDTS and MergeRUCB on more than a hundred rankers.", run_merge, kMergeNeeds}});

}  // namespace
}  // namespace duel
