#include <algorithm>
#include <numeric>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/ranking/estimation/ranking_measures.h"
#include "duel/ranking/metrics/click_log.h"
#include "duel/ranking/metrics/click_metrics.h"

namespace duel::cli {
namespace {

struct MetricsArguments {
  RankingMeasuresSpec spec;
  std::string clicks;
  double session_gap = 30;  // minutes
  std::uint64_t resamples = 1000;
  std::uint64_t seed = 1;
  bool json = false;
};

std::string estimate_text(double mean, const std::optional<double>& error) {
  return error ? fmt::format("{:.4f} ± {:.4f}", mean, *error) : fmt::format("{:.4f}", mean);
}

// --- judged data --------------------------------------------------------------------------------

std::string measures_text(const RankingMeasures& measures) {
  std::string text = fmt::format("{}, {}", counted(measures.rankers.size(), "ranker"),
                                 counted(measures.queries, "query", "queries"));
  if (measures.skipped > 0) {
    text += fmt::format(" ({} without a relevant document left out)", measures.skipped);
  }
  Table table;
  table.column("ranker", Align::left);
  for (const std::string& name : measures.measures) table.column(name);
  std::vector<std::size_t> order(measures.rankers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
    return measures.at(one, 0).mean > measures.at(other, 0).mean;
  });
  for (const std::size_t ranker : order) {
    std::vector<Cell> row{measures.rankers[ranker]};
    for (std::size_t m = 0; m < measures.measures.size(); ++m) {
      const MeasureEstimate& estimate = measures.at(ranker, m);
      row.emplace_back(estimate_text(estimate.mean, estimate.standard_error));
    }
    table.row(std::move(row));
  }
  return text + "\n\n" + table.to_string() + "\n± is a standard error over queries.\n";
}

// --- click logs ---------------------------------------------------------------------------------

std::string estimate_cell(const std::optional<ClickEstimate>& estimate) {
  return estimate ? estimate_text(estimate->mean, estimate->standard_error) : "-";
}

std::string clicks_text(const ClickLog& log, const ClickResults& results) {
  Table table;
  table.column("metric", Align::left).column("by query").column("by user").column("users");
  table.column("worse is", Align::left);
  for (const ClickMetricResult& result : results) {
    table.row({std::string(result.fact.name), estimate_cell(result.query_weighted),
               estimate_cell(result.user_weighted), result.users,
               result.fact.rises ? "higher" : "lower"});
  }
  return fmt::format("{}, {}\n\n", counted(log.queries.size(), "query", "queries"),
                     counted(log.num_users, "user")) +
         table.to_string() +
         "\n± is a standard error over users (bootstrap). No such metric orders rankings reliably; "
         "interleave them to compare.\n";
}

Result<int> run_clicks(const MetricsArguments& arguments, CommandContext& context) {
  if (!(arguments.session_gap > 0 && arguments.session_gap < 1e6)) {
    return Error::invalid_argument(fmt::format("{} is out of range", arguments.session_gap),
                                   "--session-gap", "minutes, above 0");
  }
  DUEL_ASSIGN(const ClickLog log, read_click_log_file(arguments.clicks));
  const ClickResults results =
      compute_click_metrics(log, {.session_gap_seconds = 60 * arguments.session_gap,
                                  .resamples = static_cast<std::uint32_t>(arguments.resamples),
                                  .seed = arguments.seed});
  return context.done(arguments.json ? to_json(log, results).dump_pretty()
                                     : clicks_text(log, results));
}

Result<int> run_metrics(const MetricsArguments& arguments, CommandContext& context) {
  if (arguments.clicks.empty() == arguments.spec.data.empty()) {
    return Error::invalid_argument(
        arguments.clicks.empty() ? "there is nothing to measure"
                                 : "judged data and a click log are measured one at a time",
        "metrics", "duel metrics --data FILE, or duel metrics --clicks LOG");
  }
  if (!arguments.clicks.empty()) return run_clicks(arguments, context);
  const InterruptGuard guard;
  JobHooks hooks;
  hooks.stop = &guard.stop();
  DUEL_ASSIGN(const RankingMeasures measures, measure_rankings(arguments.spec, hooks));
  return context.done(arguments.json ? measures.to_json().dump_pretty() : measures_text(measures));
}

}  // namespace

void add_metrics_command(Command& program) {
  Command& command = program.add_command(
      "metrics",
      "Measures rankers against judgements, or the clicks of a log.\n"
      "With --data: NDCG, MAP, MRR, ERR and precision of every ranker, with standard errors over "
      "queries. With --clicks: the absolute click metrics of a log (abandonment, clicks per query, "
      "reciprocal ranks, ..), with standard errors over users.");
  MetricsArguments& arguments = command.runs(run_metrics);
  RankingMeasuresSpec& spec = arguments.spec;
  command.add_judged_data(&spec.data);
  command.add_rankers(&spec.rankers);
  command.add("--k N", count(&spec.k, RankingMeasuresSpec::kDepth),
              "Depth of NDCG, ERR and precision (default 10).");
  command.add("--gain KIND", one_of(&spec.gain, {"exponential", "linear"}),
              "Gain of a grade in NDCG: 2^grade - 1 (exponential, the default) or the grade.");
  command.add("--discount KIND", one_of(&spec.discount, {"log2", "letor"}),
              "Discount in NDCG: 1/log2(rank + 1) (log2, the default), or as the LETOR tools have "
              "it, 1 at rank 1 and 1/log2(rank) below.");
  command.add("--relevant GRADE", count(&spec.relevant, RankingMeasuresSpec::kRelevant),
              "Grade from which a document is relevant for MAP, MRR and precision (default 1).");
  command.add("--no-relevant RULE", one_of(&spec.no_relevant, {"zero", "skip"}),
              "A query without a relevant document counts 0 (zero, the default) or is left out.");
  command.add_scale(&spec.normalise, &spec.grades);
  command.add_threads(&spec.threads, 1);
  command.add("--clicks LOG", not_empty(&arguments.clicks),
              "A click log: user,time,query,ranks,seconds. - is standard input.");
  command.add("--session-gap MINUTES", &arguments.session_gap,
              "A longer pause between two queries begins a new session (default 30).");
  command.add("--resamples N", count(&arguments.resamples, 2, 1'000'000),
              "Bootstrap samples of users (default 1000).");
  command.add("--seed N", count(&arguments.seed, 0, (std::uint64_t{1} << 63) - 1),
              "Seed of the bootstrap (default 1).");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel metrics --data test.txt --rankers rankers.txt --k 5\n"
      "  duel metrics --data 'letor(file=test.svm,zero-based=true)' --discount letor\n"
      "  duel metrics --clicks log.csv";
}

}  // namespace duel::cli
