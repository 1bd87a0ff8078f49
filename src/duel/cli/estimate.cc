#include "duel/ranking/estimation/estimate.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <tuple>

#include "duel/cli/commands.h"
#include "duel/cli/progress.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostRankersListed = 10;
// Rankers that most lists cannot distinguish: fewer comparisons than this share are a contest.
constexpr double kLeastContests = 0.3;

struct EstimateArguments {
  EstimateSpec spec;
  bool json = false;
  std::string output = "-";
  std::string pairs;
};

std::string summary(const Estimate& estimate) {
  const RankedQueries& queries = estimate.setup->queries;
  const ClickSetting& setting = estimate.setup->setting;
  const EstimateSpec& spec = estimate.setup->spec;
  const PreferenceMatrix& matrix = estimate.matrix;
  OutcomeShares all;
  double largest_error = 0;
  for (const PairEstimate& pair : estimate.pairs) {
    all += pair.outcomes.scaled(1.0 / pair.outcomes.total());
    largest_error = std::max(largest_error, pair.standard_error.value_or(0));
  }
  all = all.scaled(100.0 / static_cast<double>(estimate.pairs.size()));
  std::string text =
      fmt::format("{}, {}, lists of {} by {}, {} users\n", counted(queries.num_rankers(), "ranker"),
                  counted(queries.num_queries(), "query", "queries"), queries.length(),
                  estimate.setup->method(), setting.user->canonical());
  text += spec.exact ? fmt::format("{}, exact\n", counted(estimate.pairs.size(), "pair"))
                     : fmt::format("{}, {} each, standard errors up to {:.4f}\n",
                                   counted(estimate.pairs.size(), "pair"),
                                   counted(spec.comparisons, "comparison"), largest_error);
  text += fmt::format(
      "won by one side {:.1f} %, ties {:.1f} %, no click {:.1f} %, lists alike {:.1f} %\n\n",
      all.first_wins + all.second_wins, all.ties, all.no_feedback, all.no_contest);

  const CopelandScores copeland = copeland_scores(matrix);
  const BordaScores borda = borda_scores(matrix);
  std::vector<Arm> order(matrix.num_arms());
  std::iota(order.begin(), order.end(), Arm{0});
  std::ranges::sort(order, [&](Arm a, Arm b) {
    return std::tie(copeland.wins[b], borda.scores[b], a) <
           std::tie(copeland.wins[a], borda.scores[a], b);
  });
  const std::size_t listed = std::min(order.size(), kMostRankersListed);
  Table table;
  table.column(listed < order.size() ? fmt::format("best {} rankers", listed) : "ranker",
               Align::left);
  table.column("beats").column("Borda").column(fmt::format("NDCG@{}", queries.length()));
  for (std::size_t k = 0; k < listed; ++k) {
    const Arm arm = order[k];
    table.row({shortened(matrix.arm_name(arm), 40), fmt::format("{}", copeland.wins[arm]),
               fmt::format("{:.4f}", borda.scores[arm]),
               fmt::format("{:.4f}", queries.mean_ndcg(arm))});
  }
  text += table.to_string();
  const auto winner = condorcet_winner(matrix);
  text += fmt::format("\nCondorcet winner: {}\n", winner ? matrix.arm_name(*winner) : "none");
  return text;
}

Result<int> run_estimate(const EstimateArguments& arguments, CommandContext& context) {
  if (arguments.pairs == "-" && (arguments.output == "-" || arguments.json)) {
    return Error::invalid_argument("standard output is already in use", "--pairs",
                                   "write it to a file");
  }
  DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  if (!arguments.pairs.empty()) DUEL_RETURN_IF_ERROR(check_output(arguments.pairs));
  const InterruptGuard guard;
  JobHooks hooks;
  hooks.stop = &guard.stop();
  EstimateSpec spec = arguments.spec;
  if (arguments.output != "-") spec.name = file_stem(arguments.output, {".csv", ".txt"});
  DUEL_ASSIGN(const auto setup, prepare_estimate(std::move(spec), hooks));
  Progress progress(setup->jobs_word(), setup->num_jobs(), context.quiet);
  hooks.on_progress = [&](std::uint64_t finished) { progress.update(finished, setup->method()); };
  auto estimated = run_estimate(setup, hooks);
  progress.finish();
  DUEL_ASSIGN(const Estimate estimate, std::move(estimated));

  std::ostringstream csv;
  write_matrix_csv(estimate.matrix, csv);
  if (!arguments.pairs.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.pairs, estimate.pairs_table().to_csv()));
  }
  if (!(arguments.json && arguments.output == "-")) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, csv.str()));
  }
  if (arguments.json) {
    context.print(estimate.to_json().dump_pretty());
  } else if (arguments.output != "-") {
    context.print(summary(estimate));
  }
  const auto alike = std::ranges::count_if(estimate.pairs, [](const PairEstimate& pair) {
    return 1.0 - pair.outcomes.no_contest / pair.outcomes.total() < kLeastContests;
  });
  if (alike > 0) {
    context.warn(
        "{} of {} pairs of rankers show lists that can distinguish them in less than "
        "{:.0f} % of the comparisons",
        alike, estimate.pairs.size(), 100 * kLeastContests);
  }
  return kExitDone;
}

}  // namespace

void add_estimate_command(Command& program) {
  Command& command = program.add_command(
      "estimate",
      "Compares rankers by simulated clicks and writes their preference matrix.\n"
      "Each comparison draws a query, merges the two rankers' result lists, lets a simulated user "
      "click, and credits the clicks. Entry (i, j) of the matrix is how often ranker i wins "
      "against ranker j. Results depend on the seed alone, never on the number of threads.");
  EstimateArguments& arguments = command.runs(run_estimate);
  EstimateSpec& spec = arguments.spec;
  command.add_judged_data(&spec.data).required = true;
  command.add_rankers(&spec.rankers);
  command.add_configurable(
      "--interleave METHOD", not_empty(&spec.interleave),
      "How lists are merged: balanced, team-draft, probabilistic (default) or optimised, "
      "with options such as probabilistic(tau=1); or all rankers at once by "
      "team-draft-multileave, probabilistic-multileave, ...");
  command.add_configurable(
      "--clicks MODEL", not_empty(&spec.clicks),
      "The simulated user: perfect, navigational (default), informational, almost-random, "
      "position-based, cascade, ...");
  command.add_configurable("--comparisons N", count(&spec.comparisons, EstimateSpec::kComparisons),
                           "Comparisons of each pair (default 4000).");
  command.add_configurable("--length N", count(&spec.length, EstimateSpec::kLength),
                           "Documents shown (default 10).");
  command.add_configurable(
      "--ties RULE", one_of(&spec.ties, {"half", "answered", "drop"}),
      "How a comparison without a winner counts: as half a win each (half, the default), the same "
      "but not at all without a click or a contest (answered), or not at all (drop).");
  command.add_scale(&spec.normalise, &spec.grades);
  command.add_seed(&spec.seed);
  command.add_threads(&spec.threads, 1);
  command.add("--exact", &spec.exact,
              "Do not sample: enumerate every list and every pattern of clicks, if there are not "
              "too many.");
  command.add("-o,--output FILE", not_empty(&arguments.output),
              "The matrix as CSV (default -, standard output). With a file, a summary is printed.");
  command.add("--pairs FILE", not_empty(&arguments.pairs),
              "CSV with one line per pair: outcomes, probability, standard error.");
  command.add("--json", &arguments.json, "Print JSON: rankers, matrix, pairs.");
  command.footer =
      "Examples:\n"
      "  duel estimate --data train.txt.gz --interleave probabilistic --clicks navigational "
      "-o matrix.csv\n"
      "  duel estimate --data 'synthetic(queries=200,features=20)' --interleave team-draft "
      "--exact | duel matrix show -\n"
      "  duel simulate --policy rmed1 --matrix matrix.csv";
}

}  // namespace duel::cli
