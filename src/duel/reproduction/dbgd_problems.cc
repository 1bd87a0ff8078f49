#include "duel/reproduction/dbgd_problems.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_trial.h"
#include "duel/core/check.h"
#include "duel/jobs/jobs.h"

namespace duel {

Result<AverageRegrets> play_dbgd_problems(const ReproductionContext& context,
                                          std::span<const DbgdProblem> problems,
                                          std::span<const Round> checkpoints,
                                          std::uint32_t trials) {
  constexpr std::size_t kDimension = 50;
  DUEL_ASSIGN(const PointSetPtr ball, make_ball(kDimension, 10));
  std::vector<std::shared_ptr<const ConfiguredPointLearner>> learners;
  for (const DbgdProblem& problem : problems) {
    DUEL_ASSIGN(auto learner, configure_point_learner(problem.learner, ball, checkpoints.back()));
    learners.push_back(std::move(learner));
  }
  AverageRegrets regrets(problems.size(),
                         std::vector(checkpoints.size(), std::vector<double>(trials)));
  const std::uint64_t count = problems.size() * trials;
  JobHooks hooks;
  hooks.stop = context.stop;
  hooks.on_progress = [&](std::uint64_t finished) {
    context.report(static_cast<double>(finished) / static_cast<double>(count), "runs");
  };
  const JobTransfer transfer{[&](std::uint64_t job) {
                               std::vector<double> values;
                               for (const auto& at : regrets[job % problems.size()])
                                 values.push_back(at[job / problems.size()]);
                               return bytes_of(values);
                             },
                             [&](std::uint64_t job, std::string_view bytes) {
                               const std::vector<double> values = values_from<double>(bytes);
                               DUEL_CHECK(values.size() == checkpoints.size());
                               for (std::size_t i = 0; i < values.size(); ++i) {
                                 regrets[job % problems.size()][i][job / problems.size()] =
                                     values[i];
                               }
                             }};
  DUEL_ASSIGN(
      const JobsRun run,
      run_jobs(
          count, context.threads, hooks,
          [&](std::uint64_t job, const std::atomic<bool>&) {
            const auto trial = static_cast<std::uint32_t>(job / problems.size());
            const std::size_t p = job % problems.size();
            const auto learner =
                learners[p]->make(std::vector<double>(kDimension, std::sqrt(5.0 / kDimension)));
            const std::vector<double> sums =
                play_points(*learner, {problems[p].value, Link::logistic}, checkpoints,
                            context.seed, trial, learners[p]->canonical());
            for (std::size_t i = 0; i < sums.size(); ++i) {
              regrets[p][i][trial] = sums[i] / static_cast<double>(checkpoints[i]);
            }
            return true;
          },
          [&](std::uint64_t job) { return problems[job % problems.size()].learner; }, &transfer));
  if (run.finished != count) return interrupted_reproduction();
  return regrets;
}

}  // namespace duel
