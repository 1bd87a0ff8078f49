// Trials of problems in which a round is more than a duel (truth/round_problem.h).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "duel/simulation/simulation.h"

namespace duel {
namespace {

bool is_of_utilities(RegretNotion notion) {
  return notion == RegretNotion::utility || notion == RegretNotion::utility_weak ||
         notion == RegretNotion::utility_strong;
}

// What a round costs in which these arms are shown together. One alone stands for two of it.
double cost_of(RegretNotion notion, const RoundTrial::Scene& scene, std::span<const Arm> shown) {
  const std::span<const double> gaps = is_of_utilities(notion) ? scene.utility_gaps : scene.gaps;
  double sum = 0, least = gaps[shown.front()], most = least;
  for (const Arm arm : shown) {
    sum += gaps[arm];
    least = std::min(least, gaps[arm]);
    most = std::max(most, gaps[arm]);
  }
  switch (notion) {
    case RegretNotion::weak:
    case RegretNotion::utility_weak:
      return least;
    case RegretNotion::utility_strong:
      return most;
    case RegretNotion::strong:
      return 2 * sum / static_cast<double>(shown.size());
    default:
      return sum / static_cast<double>(shown.size());
  }
}

}  // namespace

Status Simulation::check_round_problem(const SimulationPlan& plan) {
  const RoundProblem& problem = *plan.by_round;
  for (const RegretNotion notion : plan.regrets) {
    if (is_of_utilities(notion)
            ? problem.has_utilities()
            : notion == RegretNotion::average || notion == RegretNotion::strong ||
                  notion == RegretNotion::weak) {
      continue;
    }
    return Error::unsupported(
        fmt::format("{} regret is not defined for {}", to_string(notion), problem.name()), "",
        problem.has_utilities() ? "average, strong, weak and utility regret are"
                                : "average, strong and weak regret are");
  }
  if (plan.feedback.at_once()) return Done{};
  return Error::unsupported(
      fmt::format("{} has answers at once; batches and delays are for duels", problem.name()));
}

// Every round is played, but for those in which one arm is shown alone where the arms stay the same
// and the policy can jump.
bool Simulation::play_rounds(const ConfiguredPolicy& configured, std::uint32_t trial,
                             std::span<const Round> checkpoints, std::size_t first,
                             const std::atomic<bool>& stop, TrialTable& table,
                             std::uint32_t row) const {
  const RoundProblem& problem = *plan_.by_round;
  const TrialStreams streams(plan_.seed, trial, configured.facts().name);
  const auto policy = configured.make(streams.choice.at(0));
  const auto played = problem.trial(plan_.seed, trial);
  const bool shows_sets = configured.facts().chooses_sets && problem.most_shown() > 2;
  const bool sees = configured.facts().uses_features;

  std::vector<double> regrets(plan_.regrets.size());
  std::uint64_t informative = 0;
  std::size_t next_checkpoint = 0;
  constexpr Round kStopInterval = 1 << 12;
  for (Round t = 1; t <= checkpoints.back();) {
    if (t % kStopInterval == 0 && stop.load(std::memory_order_relaxed)) return false;
    const RoundTrial::Scene scene = played->begin(t);
    if (sees && scene.context != nullptr) policy->see(*scene.context);
    RoundRng answer = streams.answer.at(t);
    Round until = t + 1;  // rounds before it are like this one
    std::vector<Arm> shown;
    if (shows_sets) {
      shown = policy->select_set(t, problem.most_shown(), streams.choice.at(t));
    } else {
      const Duel duel = policy->select(t, streams.choice.at(t));
      policy->issued(duel, streams.choice.at(t));
      shown = {duel.first, duel.second};
      if (duel.is_self()) {
        policy->observe(duel, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
        shown.pop_back();
      } else {
        const RoundTrial::Answer told = played->answer(shown);
        Outcome outcome = told.chosen == duel.first ? Outcome::first_wins : Outcome::second_wins;
        if (!told.chosen) {
          const auto& pair = told.pairs.front();
          outcome = pair.first == duel.first ? pair.outcome : mirrored(pair.outcome);
        }
        policy->observe(duel, outcome, answer);
      }
    }
    if (shown.size() == 1) {
      if (scene.context == nullptr && configured.facts().jumping != Jumping::none) {
        const Jump jump =
            policy->jump(t + 1, checkpoints[next_checkpoint] + 1, streams.choice.at(t + 1));
        // What a jump in law has drawn is drawn again.
        until = configured.facts().jumping == Jumping::exact ? jump.idle_until : t + 1;
      }
    } else {
      ++informative;
      if (shows_sets) {
        const RoundTrial::Answer told = played->answer(shown);
        if (told.chosen) policy->observe_choice(shown, *told.chosen, t, answer);
        for (const auto& pair : told.pairs) {
          policy->observe({pair.first, pair.second, t, true}, pair.outcome, answer);
        }
      }
    }
    for (std::size_t r = 0; r < regrets.size(); ++r) {
      regrets[r] += static_cast<double>(until - t) * cost_of(plan_.regrets[r], scene, shown);
    }
    t = until;
    while (next_checkpoint < checkpoints.size() && checkpoints[next_checkpoint] < t) {
      const std::size_t checkpoint = first + next_checkpoint;
      for (std::size_t r = 0; r < regrets.size(); ++r) table.set(row, checkpoint, r, regrets[r]);
      const Arm recommended = policy->recommend(streams.recommend.at(t - 1));
      table.set_facts(row, checkpoint, recommended == scene.best, informative);
      ++next_checkpoint;
    }
  }
  return true;
}

}  // namespace duel
