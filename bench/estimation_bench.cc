// What it costs to compare rankers by clicks: 64 rankers, every pair, 4000 comparisons each.
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "bench/workloads.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {

void estimation_workload() {
  const std::string name = "synthetic(queries=200,documents=40,features=64,seed=1)";
  const JudgedQueries data = resolve_judged_queries(name).value();
  const Rankers rankers = resolve_rankers("features", data).value();
  const RankedQueries queries = RankedQueries::create(data, rankers, 10, 0).value();
  const std::uint64_t comparisons = 4000;
  const std::size_t num_pairs = rankers.size() * (rankers.size() - 1) / 2;
  const double impressions = static_cast<double>(num_pairs * comparisons);
  fmt::print(
      "\n## From rankers to a matrix: {}, one ranker per feature, navigational users, {} pairs, {} "
      "comparisons each, wall time on {} threads\n\n",
      name, num_pairs, comparisons, resolve_threads(0));
  fmt::print("| method | seconds | impressions per second |\n|---|---|---|\n");
  // Not `optimised`: it solves a linear programme of 2 ms for each of the 403 200 pairs and
  // queries.
  for (const char* method : {"team-draft", "balanced", "probabilistic"}) {
    const ClickSetting setting{configure_interleaver(method).value(),
                               configure_click_model("navigational", data.num_grades()).value()};
    const auto begin = std::chrono::steady_clock::now();
    if (!estimate_matrix(queries, setting, {.comparisons = comparisons}).ok()) return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("| {} | {:.1f} | {:.0f} |\n", method, seconds, impressions / seconds);
  }
}

}  // namespace duel
