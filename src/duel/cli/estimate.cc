#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/cli/matrix_report.h"
#include "duel/cli/progress.h"
#include "duel/core/csv.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostRankersListed = 10;
// Rankers that are hardly ever told apart: fewer comparisons than this share are a contest.
constexpr double kLeastContests = 0.3;

struct Arguments {
  std::string data;
  std::string rankers = "features";
  std::string interleave = "probabilistic";
  std::string clicks = "navigational";
  std::string normalise = "none";
  std::string ties = "half";
  std::uint64_t comparisons = 4000;
  std::uint64_t length = 10;
  std::uint64_t grades = 0;  // 0: as many as the data has
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  bool exact = false;
  bool json = false;
  std::string output = "-";
  std::string pairs;
};

// What was asked for, made.
struct Experiment {
  RankedQueries queries;
  ClickSetting setting;
  EstimatePlan plan;
};

template <class T>
Result<T> of_option(const std::string& option, Result<T> result) {
  if (!result.ok() && result.error().code != ErrorCode::interrupted) {
    Error error = result.error();
    error.where = error.where.empty() ? option : option + ": " + error.where;
    return error;
  }
  return result;
}

Result<Experiment> prepare(const Arguments& arguments, const JobHooks& hooks) {
  DUEL_ASSIGN(JudgedQueries data, of_option("--data", resolve_judged_queries(arguments.data)));
  if (data.num_queries() == 0) {
    return Error::invalid_data("there is no query in it", arguments.data);
  }
  if (arguments.grades != 0 && arguments.grades < data.num_grades()) {
    return Error::invalid_argument(
        fmt::format("the data has {} grades, 0 .. {}", data.num_grades(), data.num_grades() - 1),
        "--grades", "at least as many");
  }
  const std::size_t num_grades =
      arguments.grades != 0 ? static_cast<std::size_t>(arguments.grades) : data.num_grades();
  ClickSetting setting;
  DUEL_ASSIGN(setting.method,
              of_option("--interleave", configure_interleaver(arguments.interleave)));
  DUEL_ASSIGN(setting.user,
              of_option("--clicks", configure_click_model(arguments.clicks, num_grades)));
  // Rankers of raw features (bm25) are refused by their own maker where they cannot be.
  if (arguments.normalise == "min-max") normalise(data, Normalisation::min_max);
  if (arguments.normalise == "z-score") normalise(data, Normalisation::z_score);
  DUEL_ASSIGN(const Rankers rankers,
              of_option("--rankers", resolve_rankers(arguments.rankers, data)));
  if (rankers.size() < 2) {
    return Error::invalid_argument("there is only one ranker", "--rankers",
                                   "a comparison needs two");
  }
  DUEL_ASSIGN(RankedQueries queries,
              RankedQueries::create(data, rankers, static_cast<std::size_t>(arguments.length),
                                    static_cast<unsigned>(arguments.threads), hooks));
  EstimatePlan plan;
  plan.comparisons = arguments.comparisons;
  plan.ties = arguments.ties == "drop" ? TieShare::drop : TieShare::half;
  plan.seed = arguments.seed;
  plan.threads = static_cast<unsigned>(arguments.threads);
  plan.name = arguments.output == "-" ? "estimate" : file_stem(arguments.output, {".csv", ".txt"});
  return Experiment{std::move(queries), std::move(setting), std::move(plan)};
}

std::string pairs_csv(const MatrixEstimate& estimate) {
  const auto& names = estimate.matrix.arm_names();
  std::string text =
      "first,second,comparisons,first_wins,second_wins,ties,no_feedback,no_contest,probability,"
      "standard_error\n";
  for (const PairEstimate& pair : estimate.pairs) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(names[pair.first]),
                        csv_field(names[pair.second]), pair.comparisons,
                        format_number(pair.outcomes.first_wins),
                        format_number(pair.outcomes.second_wins), format_number(pair.outcomes.ties),
                        format_number(pair.outcomes.no_feedback),
                        format_number(pair.outcomes.no_contest), format_number(pair.probability),
                        pair.standard_error ? format_number(*pair.standard_error) : "");
  }
  return text;
}

Json to_json(const Experiment& experiment, const Arguments& arguments,
             const MatrixEstimate& estimate) {
  const RankedQueries& queries = experiment.queries;
  Json json;
  json["data"] = arguments.data;
  json["queries"] = queries.num_queries();
  json["interleave"] = experiment.setting.method->canonical();
  json["clicks"] = experiment.setting.user->canonical();
  json["length"] = queries.length();
  json["exact"] = arguments.exact;
  json["comparisons"] = arguments.exact ? Json() : Json(arguments.comparisons);
  json["ties"] = arguments.ties;
  json["seed"] = arguments.exact ? Json() : Json(arguments.seed);
  json["rankers"] = Json::array();
  for (std::size_t r = 0; r < queries.num_rankers(); ++r) {
    json["rankers"].push_back({{"name", queries.names()[r]}, {"ndcg", queries.mean_ndcg(r)}});
  }
  json["matrix"] = Json::array();
  for (Arm i = 0; i < estimate.matrix.num_arms(); ++i) {
    json["matrix"].push_back(estimate.matrix.row(i));
  }
  json["pairs"] = Json::array();
  for (const PairEstimate& pair : estimate.pairs) {
    json["pairs"].push_back(
        {{"first", queries.names()[pair.first]},
         {"second", queries.names()[pair.second]},
         {"first_wins", pair.outcomes.first_wins},
         {"second_wins", pair.outcomes.second_wins},
         {"ties", pair.outcomes.ties},
         {"no_feedback", pair.outcomes.no_feedback},
         {"no_contest", pair.outcomes.no_contest},
         {"probability", pair.probability},
         {"standard_error", pair.standard_error ? Json(*pair.standard_error) : Json()}});
  }
  return json;
}

double contest_share(const PairEstimate& pair) {
  return 1.0 - pair.outcomes.no_contest / pair.outcomes.total();
}

std::string summary(const Experiment& experiment, const Arguments& arguments,
                    const MatrixEstimate& estimate) {
  const RankedQueries& queries = experiment.queries;
  const PreferenceMatrix& matrix = estimate.matrix;
  OutcomeShares all;
  double largest_error = 0;
  for (const PairEstimate& pair : estimate.pairs) {
    all += pair.outcomes.scaled(1.0 / pair.outcomes.total());
    largest_error = std::max(largest_error, pair.standard_error.value_or(0));
  }
  all = all.scaled(100.0 / static_cast<double>(estimate.pairs.size()));
  std::string text =
      fmt::format("{} rankers, {} queries, lists of {} by {}, {} users\n", queries.num_rankers(),
                  queries.num_queries(), queries.length(), experiment.setting.method->canonical(),
                  experiment.setting.user->canonical());
  text += arguments.exact
              ? fmt::format("{} pairs, exact\n", estimate.pairs.size())
              : fmt::format("{} pairs, {} comparisons each, standard errors up to {:.4f}\n",
                            estimate.pairs.size(), arguments.comparisons, largest_error);
  text += fmt::format(
      "won by one side {:.1f} %, ties {:.1f} %, no click {:.1f} %, lists alike {:.1f} %\n\n",
      all.first_wins + all.second_wins, all.ties, all.no_feedback, all.no_contest);

  const CopelandScores copeland = copeland_scores(matrix);
  const BordaScores borda = borda_scores(matrix);
  std::vector<Arm> order(matrix.num_arms());
  std::iota(order.begin(), order.end(), Arm{0});
  std::sort(order.begin(), order.end(), [&](Arm a, Arm b) {
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

Result<int> run(const Arguments& arguments, CommandContext& context) {
  if (arguments.pairs == "-" && (arguments.output == "-" || arguments.json)) {
    return Error::invalid_argument("standard output is taken already", "--pairs",
                                   "write it to a file");
  }
  DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  if (!arguments.pairs.empty()) DUEL_RETURN_IF_ERROR(check_output(arguments.pairs));
  const InterruptGuard guard;
  JobHooks hooks;
  hooks.stop = &guard.stop();
  DUEL_ASSIGN(const Experiment experiment, prepare(arguments, hooks));
  const std::uint64_t num_rankers = experiment.queries.num_rankers();
  Progress progress("pairs", num_rankers * (num_rankers - 1) / 2, context.quiet);
  hooks.on_progress = [&](std::uint64_t finished) {
    progress.update(finished, experiment.setting.method->canonical());
  };
  auto estimated =
      arguments.exact
          ? exact_matrix(experiment.queries, experiment.setting, experiment.plan, hooks)
          : estimate_matrix(experiment.queries, experiment.setting, experiment.plan, hooks);
  progress.finish();
  if (!estimated.ok() && arguments.exact && estimated.error().code == ErrorCode::unsupported) {
    Error error = estimated.error();
    error.where = "--exact: " + error.where;
    if (error.hint.empty()) error.hint = "a smaller --length, another method, or no --exact";
    return error;
  }
  DUEL_ASSIGN(const MatrixEstimate estimate, std::move(estimated));

  std::ostringstream csv;
  write_matrix_csv(estimate.matrix, csv);
  if (!arguments.pairs.empty()) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.pairs, pairs_csv(estimate)));
  }
  if (!(arguments.json && arguments.output == "-")) {
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, csv.str()));
  }
  if (arguments.json) {
    context.print(to_json(experiment, arguments, estimate).dump_pretty());
  } else if (arguments.output != "-") {
    context.print(summary(experiment, arguments, estimate));
  }
  const auto alike =
      std::count_if(estimate.pairs.begin(), estimate.pairs.end(),
                    [](const PairEstimate& pair) { return contest_share(pair) < kLeastContests; });
  if (alike > 0) {
    context.warn(fmt::format(
        "{} of {} pairs of rankers show lists that can tell them apart in less than {:.0f} % of "
        "the comparisons",
        alike, estimate.pairs.size(), 100 * kLeastContests));
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
  Arguments& arguments = command.runs(run);
  command.add_judged_data(&arguments.data).required = true;
  command.add("--rankers RANKERS", not_empty(&arguments.rankers),
              "features: one ranker per feature (default); a list such as "
              "'feature(index=3),bm25(tf=25,length=15)'; or a file of linear rankers.");
  command.add_configurable(
      "--interleave METHOD", not_empty(&arguments.interleave),
      "How lists are merged: balanced, team-draft, probabilistic (default) or optimised, "
      "with options such as probabilistic(tau=1).");
  command.add_configurable(
      "--clicks MODEL", not_empty(&arguments.clicks),
      "The simulated user: perfect, navigational (default), informational, almost-random, "
      "position-based, cascade, ...");
  command.add_configurable("--comparisons N", count(&arguments.comparisons, 1, 1'000'000'000),
                           "Comparisons of each pair (default 4000).");
  command.add_configurable("--length N", count(&arguments.length, 1, 1000),
                           "Documents shown (default 10).");
  command.add_configurable(
      "--ties RULE", one_of(&arguments.ties, {"half", "drop"}),
      "What a comparison that nobody wins counts: half a win each (half, the default), or "
      "nothing (drop).");
  command.add_scale(&arguments.normalise, &arguments.grades);
  command.add_seed(&arguments.seed);
  command.add_threads(&arguments.threads, 1);
  command.add("--exact", &arguments.exact,
              "No sampling: go through every list and every pattern of clicks, where these are "
              "not too many.");
  command.add("-o,--output FILE", not_empty(&arguments.output),
              "The matrix as CSV (default -, standard output). With a file, a summary is printed.");
  command.add("--pairs FILE", not_empty(&arguments.pairs),
              "A CSV with a line per pair: outcomes, probability, standard error.");
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
