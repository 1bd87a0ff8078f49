// How the workloads measure: CPU time of trials and of literal loops.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "duel/policies/registry.h"
#include "duel/truth/arena.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {

// CPU time of this thread: what one core spends, whatever else the machine does.
inline double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class NoObserver : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena&, Arm) override {}
};

struct BenchProblem {
  explicit BenchProblem(const std::string& text)
      : matrix(resolve_matrix(text).value()), ranks(merit_ranks(matrix)) {}
  PreferenceMatrix matrix;
  std::vector<std::uint32_t> ranks;
};

struct TrialCost {
  double seconds;
  double informative;
};

// Median seconds of a trial, and the mean number of its informative duels.
inline TrialCost trial_cost(const BenchProblem& problem, const std::string& policy_text,
                            Round rounds, int trials) {
  const auto policy =
      configure_policy(parse_call(policy_text).value(), {problem.matrix.num_arms(), rounds})
          .value();
  const std::vector<Round> checkpoints = {rounds};
  std::vector<double> seconds;
  double informative = 0;
  for (int k = 0; k < trials; ++k) {
    const auto trial = static_cast<std::uint32_t>(k);
    NoObserver observer;
    seconds.push_back(seconds_of([&] {
      MatrixArena arena(problem.matrix, problem.ranks, OutcomeStream(1, trial));
      const TrialStreams streams(1, trial, policy->facts().name);
      policy->play(arena, streams, {checkpoints}, observer);
      informative += static_cast<double>(arena.informative());
    }));
  }
  return {median_of(seconds), informative / trials};
}

// Seconds per round of a literal loop over `rounds` rounds.
template <class Twin>
double literal_seconds_per_round(const BenchProblem& problem, Twin twin, const std::string& name,
                                 Round rounds) {
  const TrialStreams streams(1, 0, name);
  MatrixArena arena(problem.matrix, problem.ranks, OutcomeStream(1, 0));
  return seconds_of([&] {
           for (Round t = 1; t <= rounds; ++t) {
             const Duel duel = twin.next(t, streams.choice.at(t));
             const Outcome outcome = duel.is_self() ? Outcome::first_wins : arena.meet(duel);
             twin.tell(duel, outcome, streams.answer.at(t));
           }
         }) /
         static_cast<double>(rounds);
}

}  // namespace duel
