#include "duel/reproduction/dbgd_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/jobs/jobs.h"
#include "duel/jobs/ranks.h"
#include "duel/ranking/learners/learning_run.h"
#include "duel/ranking/letor/folds.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {

Result<DbgdRankingData> dbgd_ranking_data(const ReproductionContext& context) {
  if (!context.data.empty()) {
    DUEL_ASSIGN(const JudgedQueries all, resolve_judged_queries(context.data[0]));
    if (all.num_queries() < 3 || all.num_features() == 0) {
      return Error::invalid_data("the data has fewer than three queries or no features",
                                 context.data[0],
                                 "it is split into training, validation and test queries");
    }
    const auto parts = split_queries(all.num_queries(), 3, context.seed);
    return DbgdRankingData{
        all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]),
        fmt::format("{}: {} queries, {} features", context.data[0], all.num_queries(),
                    all.num_features()),
        fmt::format("Data: {}, its queries split into three random parts.", context.data[0])};
  }
  SyntheticOptions options;
  options.queries = context.size<std::uint64_t>(900, 3000);
  options.documents = context.size<std::uint64_t>(20, 50);
  options.features = 367;
  options.factors = context.size<std::uint64_t>(30, 100);
  options.noise = context.size(2.0, 5.0);
  options.seed = 1 + context.seed;
  const JudgedQueries all = make_synthetic(options);
  std::vector<std::vector<std::size_t>> parts(3);
  for (std::size_t q = 0; q < all.num_queries(); ++q) {
    parts[3 * q / all.num_queries()].push_back(q);
  }
  const std::string description =
      fmt::format("synthetic, {} queries a part, {} documents, {} features of {} factors",
                  options.queries / 3, options.documents, options.features, options.factors);
  return DbgdRankingData{
      all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]), description,
      fmt::format(
          "The paper's data (1000 queries each to train, validate and test, about 50 documents a "
          "query, 367 features, 5 grades) are not public. Ours are {}: features depend on each "
          "other, as those of search engines do, and grades are cut from a hidden linear ranker "
          "plus noise of {} times its standard deviation. The number of factors and the noise were "
          "chosen after trial runs of nine settings (twelve of the quick form), so that learning "
          "takes about as long as the run: with 20 "
          "factors and noise 1 it is over long before 10^7 comparisons, the cells with delta up to "
          "1 and gamma 0.005 or 0.01 end within 0.002 of each other, and the best one is at the "
          "edge of the grid, (0.5, 0.01).{} --data FILE takes any LETOR file.",
          description, format_number(options.noise),
          context.quick ? " This quick form has fewer queries, documents, comparisons and factors, "
                          "and less noise (full: 1000, 50, 10^7, 100 and 5)."
                        : "")};
}

DbgdRankingRun DbgdRankingRun::of_batch(std::uint64_t batch, const DbgdRankingPlan& plan) {
  return {1, std::sqrt(10 * static_cast<double>(batch) / static_cast<double>(plan.comparisons)),
          batch};
}

DbgdRankingPlan dbgd_ranking_plan(const ReproductionContext& context) {
  return {context.size<std::uint64_t>(250'000, 10'000'000), context.size<std::uint64_t>(20, 50), 1};
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
    setting.answer = AnswerBasis::ndcg_logistic;
    setting.length = kDbgdLength;
    setting.seed = context.seed;
    setting.same_start = true;
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
  // Runs of one trial meet the same queries and are played side by side, in as many groups as keep
  // the threads busy. Results do not depend on the groups.
  const Ranks* ranks = current_ranks();
  const std::uint64_t all_threads =
      std::uint64_t{resolve_threads(context.threads)} * (ranks != nullptr ? ranks->size() : 1);
  const std::uint64_t groups = std::min<std::uint64_t>(runs.size(), 2 * all_threads);
  const std::uint64_t count = groups * plan.trials;
  std::atomic<std::uint64_t> measured_points = 0;
  JobHooks hooks;
  hooks.stop = context.stop;
  hooks.on_progress = [&](std::uint64_t) {
    context.report(static_cast<double>(measured_points.load()) /
                       static_cast<double>(runs.size() * plan.trials * plan.points),
                   "runs");
  };
  // Every run of the group: its curve, then its weights.
  const auto for_members = [&](std::uint64_t job, const auto& visit) {
    for (std::size_t r = job % groups; r < runs.size(); r += groups) {
      visit(results[r].curve[job / groups]);
      visit(results[r].weights[job / groups]);
    }
  };
  const JobTransfer transfer{
      [&](std::uint64_t job) {
        std::string bytes;
        for_members(job, [&](const std::vector<double>& values) {
          bytes += bytes_of(std::vector<std::uint64_t>{values.size()}) + bytes_of(values);
        });
        return bytes;
      },
      [&](std::uint64_t job, std::string_view bytes) {
        for_members(job, [&](std::vector<double>& values) {
          const std::size_t size = values_from<std::uint64_t>(bytes.substr(0, 8)).at(0);
          values = values_from<double>(bytes.substr(8, size * 8));
          bytes.remove_prefix(8 + size * 8);
        });
        DUEL_CHECK(bytes.empty());
      }};
  DUEL_ASSIGN(const JobsRun done,
              run_jobs(
                  count, context.threads, hooks,
                  [&](std::uint64_t job, const std::atomic<bool>& stop) {
                    const auto trial = static_cast<std::uint32_t>(job / groups);
                    std::vector<std::size_t> members;
                    for (std::size_t r = job % groups; r < runs.size(); r += groups)
                      members.push_back(r);
                    std::vector<std::unique_ptr<LearningTrial>> trials;
                    std::vector<LearningTrial*> together;
                    for (const std::size_t r : members) {
                      trials.push_back(std::make_unique<LearningTrial>(settings[r], trial));
                      together.push_back(trials.back().get());
                    }
                    for (const std::uint64_t checkpoint : checkpoints) {
                      if (!play_together(together, checkpoint, stop)) return false;
                      for (std::size_t i = 0; i < members.size(); ++i) {
                        results[members[i]].curve[trial].push_back(
                            mean_ndcg(data.train, trials[i]->weights(), kDbgdLength));
                      }
                      measured_points += members.size();
                    }
                    for (std::size_t i = 0; i < members.size(); ++i) {
                      const auto weights = trials[i]->weights();
                      results[members[i]].weights[trial].assign(weights.begin(), weights.end());
                    }
                    return true;
                  },
                  [&](std::uint64_t job) { return settings[job % groups].learner->canonical(); },
                  &transfer));
  if (done.finished != count) return interrupted_reproduction();
  return results;
}

}  // namespace duel
