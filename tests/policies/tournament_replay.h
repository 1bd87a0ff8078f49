// A literal twin of a policy that stops: its pseudo-code as the paper prints it, with loops and
// calls, which asks `duel(i, j)` for each answer. The policy is played first; the replay then gives
// the twin the policy's answers, and says where the two part.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/policies/stopping.h"
#include "tests/policies/exploration_problems.h"

namespace duel {

class Replay {
 public:
  struct Ended {};  // thrown where the policy's run ends before the twin's
  struct Step {
    Duel duel;
    Points points;
  };

  Replay(std::vector<Step> steps, std::uint64_t seed)
      : steps_(std::move(steps)),
        choices_(seed, 0, Purpose::choice),
        answers_(seed, 0, Purpose::answer) {}

  // Half wins of both arms.
  Points operator()(Arm i, Arm j) {
    if (next_ == steps_.size()) throw Ended{};
    const Step& step = steps_[next_++];
    if (difference_.empty() && (step.duel.first != i || step.duel.second != j)) {
      difference_ = "duel " + std::to_string(next_) + ": (" + std::to_string(step.duel.first) +
                    ", " + std::to_string(step.duel.second) + ") instead of (" + std::to_string(i) +
                    ", " + std::to_string(j) + ")";
      throw Ended{};
    }
    return step.points;
  }
  bool wins(Arm i, Arm j) { return (*this)(i, j).first == 2; }
  // The draws that belong to the answer of the last duel.
  RoundRng after() const { return answers_.at(steps_[next_ - 1].duel.round); }
  // Those that belong to the choice of the next.
  RoundRng before() const {
    if (next_ == steps_.size()) throw Ended{};
    return choices_.at(steps_[next_].duel.round);
  }
  RoundRng construction() const { return choices_.at(0); }

  const std::string& difference() const { return difference_; }
  bool used_up() const { return next_ == steps_.size(); }

 private:
  std::vector<Step> steps_;
  Stream choices_;
  Stream answers_;
  std::size_t next_ = 0;
  std::string difference_;
};

struct StoppedRun {
  std::vector<Replay::Step> steps;
  std::optional<std::vector<Arm>> found;
};

// Plays until the policy has found something, or for so many duels.
template <class P>
StoppedRun play_until_found(const typename P::Options& options, const ExplorationProblem& problem,
                            std::size_t most_duels) {
  const Stream choices(problem.seed, 0, Purpose::choice);
  const Stream answers(problem.seed, 0, Purpose::answer);
  const Stream nature(problem.seed, 0, Purpose::test, "nature");
  P policy(options, problem.num_arms, choices.at(0));
  StoppedRun run;
  for (Round t = 1; run.steps.size() < most_duels && !found_by(policy); ++t) {
    const Duel duel = policy.take(t, choices.at(t));
    RoundRng draw = nature.at(t);
    const Outcome outcome = problem.answer(duel, draw);
    RoundRng ties = answers.at(t);
    if (const auto points = points_of(outcome, options.ties, ties)) {
      run.steps.push_back({duel, *points});
    }
    policy.observe(duel, outcome, answers.at(t));
  }
  run.found = found_by(policy);
  return run;
}

// `twin(options, num_arms, replay)` returns what it finds.
template <class P, class Twin>
void expect_replays_as(const typename P::Options& options, const ExplorationProblem& problem,
                       std::size_t most_duels, Twin twin) {
  const StoppedRun run = play_until_found<P>(options, problem, most_duels);
  Replay replay(run.steps, problem.seed);
  std::optional<std::vector<Arm>> found;
  try {
    found = twin(options, problem.num_arms, replay);
  } catch (const Replay::Ended&) {
  }
  ASSERT_EQ(replay.difference(), "") << "seed " << problem.seed;
  ASSERT_EQ(found, run.found) << "seed " << problem.seed;
  ASSERT_TRUE(replay.used_up()) << "seed " << problem.seed;
}

// Problems for it: answers that are lost, and ties that count for nothing, but no coins, which
// would be drawn before what the twin draws.
inline ExplorationProblem decisive_problem(std::uint64_t seed, std::size_t most_arms = 8) {
  return random_problem(seed, 2, most_arms);
}

// What it has found where the arm with the lower number always wins.
template <class P>
StoppedRun where_lower_index_wins(const typename P::Options& options, std::size_t num_arms,
                                  std::size_t most_duels = 1'000'000, std::uint64_t seed = 1) {
  return play_until_found<P>(options, easy_problem(num_arms, 0, 0.5, seed), most_duels);
}

}  // namespace duel
