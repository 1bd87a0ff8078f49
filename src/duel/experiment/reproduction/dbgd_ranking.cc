#include "duel/experiment/reproduction/dbgd_ranking.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "duel/core/jobs.h"
#include "duel/core/numbers.h"
#include "duel/ranking/learners/learning_curve.h"
#include "duel/ranking/letor/folds.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {

Result<DbgdRankingData> dbgd_ranking_data(const ReproductionContext& context) {
  if (!context.data.empty()) {
    DUEL_ASSIGN(const JudgedQueries all, resolve_judged_queries(context.data[0]));
    if (all.num_queries() < 3 || all.num_features() == 0) {
      return Error{ErrorCode::invalid_data, "the data has fewer than three queries or no features",
                   context.data[0], "it is split into training, validation and test queries"};
    }
    const auto parts = split_queries(all.num_queries(), 3, context.seed);
    return DbgdRankingData{
        all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]),
        fmt::format("{}: {} queries, {} features", context.data[0], all.num_queries(),
                    all.num_features()),
        fmt::format("Data: {}, its queries split into three random parts.", context.data[0])};
  }
  SyntheticOptions options;
  options.queries = context.size<std::uint64_t>(600, 3000);
  options.documents = context.size<std::uint64_t>(20, 50);
  options.features = 20;
  options.noise = 3;
  options.seed = 1 + context.seed;
  const JudgedQueries all = make_synthetic(options);
  std::vector<std::vector<std::size_t>> parts(3);
  for (std::size_t q = 0; q < all.num_queries(); ++q) {
    parts[3 * q / all.num_queries()].push_back(q);
  }
  const std::string description =
      fmt::format("synthetic, {} queries a part, {} documents, {} features", options.queries / 3,
                  options.documents, options.features);
  return DbgdRankingData{
      all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]), description,
      fmt::format("The paper's data (1000 queries each to train, validate and "
                  "test, about 50 documents a query, "
                  "367 features, 5 grades) are not public. Ours are {}: grades "
                  "are cut from a hidden linear "
                  "ranker plus noise three times as large. "
                  "The paper's features depend on each other "
                  "strongly; ours are independent, and 367 "
                  "independent ones are a harder problem, on which DBGD is "
                  "still 0.1 or more below the ranking "
                  "SVM after 10^6 duels (0.55 against 0.68 with noise 1). Hence "
                  "fewer of them: the number of features, the noise and the "
                  "step sizes were chosen after such failures, so that learning "
                  "ends within the run, and the verdicts say that there are data "
                  "on which the claims hold, not that they hold on data of the "
                  "paper's size. With less noise a "
                  "majority of 100 duels refuses every "
                  "proposal at delta = 1 near the best ranker, and large "
                  "batches end lower. --data FILE takes any "
                  "LETOR file.",
                  description)};
}

DbgdRankingRun DbgdRankingRun::of_batch(std::uint64_t batch) {
  double gamma = 0.002;
  for (const auto& [least, step] : std::initializer_list<std::pair<std::uint64_t, double>>{
           {5, 0.0057}, {10, 0.009}, {25, 0.016}, {50, 0.026}, {100, 0.04}}) {
    if (batch >= least) gamma = step;
  }
  return {1, gamma, batch};
}

DbgdRankingPlan dbgd_ranking_plan(const ReproductionContext& context) {
  return {context.size<std::uint64_t>(200'000, 1'000'000), context.size<std::uint64_t>(20, 50),
          context.size(2U, 3U)};
}

Result<std::vector<DbgdRankingResult>> play_dbgd_rankings(const ReproductionContext& context,
                                                          const DbgdRankingData& data,
                                                          std::span<const DbgdRankingRun> runs,
                                                          const DbgdRankingPlan& plan) {
  std::vector<LearningSetting> settings;
  for (const DbgdRankingRun& run : runs) {
    const std::string text =
        fmt::format("dbgd(delta={},gamma={},batch={})", format_number(run.delta),
                    format_number(run.gamma), run.batch);
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    LearningSetting setting;
    setting.queries = &data.train;
    DUEL_ASSIGN(setting.learner,
                configure_ranker_learner(
                    call, {data.train.num_features(), kDbgdLength, "", plan.comparisons}));
    setting.answer = DuelAnswer::ndcg_logistic;
    setting.length = kDbgdLength;
    setting.seed = context.seed;
    settings.push_back(std::move(setting));
  }
  std::vector<std::uint64_t> checkpoints;
  for (std::uint64_t i = 1; i <= plan.points; ++i) {
    checkpoints.push_back(i * (plan.comparisons / plan.points));
  }
  std::vector<DbgdRankingResult> results(runs.size());
  for (DbgdRankingResult& result : results) {
    result.curve.resize(plan.trials);
    result.weights.resize(plan.trials);
  }
  const std::uint64_t count = runs.size() * plan.trials;
  JobHooks hooks;
  hooks.stop = context.stop;
  hooks.on_progress = [&](std::uint64_t finished) {
    context.report(static_cast<double>(finished) / static_cast<double>(count), "runs");
  };
  DUEL_ASSIGN(
      const JobsRun done,
      run_jobs(
          count, context.threads, hooks,
          [&](std::uint64_t job, const std::atomic<bool>& stop) {
            const auto trial = static_cast<std::uint32_t>(job / runs.size());
            const std::size_t r = job % runs.size();
            RecordedTrial recorded(settings[r], trial, data.train);
            if (!recorded.play(checkpoints, stop)) return false;
            for (const CurvePoint& point : recorded.curve()) {
              results[r].curve[trial].push_back(point.offline);
            }
            const auto weights = recorded.trial().weights();
            results[r].weights[trial].assign(weights.begin(), weights.end());
            return true;
          },
          [&](std::uint64_t job) { return settings[job % runs.size()].learner->canonical(); }));
  if (done.finished != count) return interrupted_reproduction();
  return results;
}

}  // namespace duel
