#include "duel/reproduction/filter_exploration.h"

#include <fmt/format.h>

#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/jobs/jobs.h"

namespace duel {
namespace {

constexpr Round kStopInterval = 1 << 14;

// False where it was stopped.
bool explore(const FilterPlan& plan, std::uint64_t seed, std::uint32_t trial,
             const std::atomic<bool>& stop, FilterExploration& out) {
  const PreferenceMatrix& matrix = *plan.matrix;
  const std::size_t arms = matrix.num_arms();
  InterleavedFilterOptions options;
  options.horizon = plan.horizon;
  options.ci = plan.interval;
  const Stream choice(seed, trial, Purpose::choice, plan.prunes ? "if2" : "if1");
  const Stream answer(seed, trial, Purpose::answer, plan.prunes ? "if2" : "if1");
  const OutcomeStream outcomes(seed, trial);
  InterleavedFilter explorer(options, plan.prunes, arms, choice.at(0));
  std::vector<std::uint32_t> meetings(arms * arms, 0);
  Arm candidate = explorer.candidate();
  out.candidates = 1;
  Round round = 1;
  for (; round <= plan.most_duels && !explorer.finished(); ++round) {
    const auto chosen = explorer.choose(round, choice.at(round));
    explorer.commit(chosen);
    const Duel& duel = chosen.duel;
    const Arm low = std::min(duel.first, duel.second);
    const Arm high = std::max(duel.first, duel.second);
    std::uint32_t& meeting = meetings[low * arms + high];
    out.matches += meeting == 0 ? 1 : 0;
    const auto draw = static_cast<double>(outcomes.draw(low, high, meeting++));
    const bool low_wins = draw < matrix(low, high) * 0x1p53;
    RoundRng rng = answer.at(round);
    const Outcome outcome =
        low_wins == (duel.first == low) ? Outcome::first_wins : Outcome::second_wins;
    explorer.answered(duel, *points_of(outcome, Ties::coin, rng), rng);
    if (explorer.candidate() != candidate) {
      candidate = explorer.candidate();
      ++out.candidates;
    }
    if (round % kStopInterval == 0 && stop.load(std::memory_order_relaxed)) return false;
  }
  out.answer = explorer.candidate();
  out.finished = explorer.finished();
  out.duels = round - 1;
  return true;
}

}  // namespace

Result<std::vector<FilterExploration>> explore_with_filter(const ReproductionContext& context,
                                                           const FilterPlan& plan) {
  std::vector<FilterExploration> out(plan.trials);
  JobHooks hooks;
  hooks.stop = context.stop;
  const JobTransfer transfer = transfer_of(out);
  DUEL_ASSIGN(const JobsRun ran,
              run_jobs(
                  plan.trials, context.threads, hooks,
                  [&](std::uint64_t trial, const std::atomic<bool>& stop) {
                    return explore(plan, context.seed, static_cast<std::uint32_t>(trial), stop,
                                   out[trial]);
                  },
                  [](std::uint64_t trial) { return fmt::format("trial {}", trial); }, &transfer));
  if (ran.finished < plan.trials) return interrupted_reproduction();
  return out;
}

Result<PreferenceMatrix> equal_gaps(std::size_t arms, double gap) {
  std::vector<std::string> names;
  std::vector<double> p;
  for (std::size_t i = 0; i < arms; ++i) {
    names.push_back(fmt::format("a{}", i + 1));
    for (std::size_t j = 0; j < arms; ++j) {
      p.push_back(i == j ? 0.5 : (i < j ? 0.5 + gap : 0.5 - gap));
    }
  }
  return PreferenceMatrix::create(fmt::format("{} arms, gap {}", arms, gap), std::move(names),
                                  std::move(p));
}

}  // namespace duel
