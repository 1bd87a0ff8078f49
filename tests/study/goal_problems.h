// Problems in which a certificate of a set, an order or an arm that is good enough is most easily
// false: two arms that are even at the edge of what is asked for, all else clear; circles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/goal.h"
#include "duel/study/plan.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

struct GoalProblem {
  std::string name;
  PreferenceMatrix matrix;
  Goal goal;
};

// Earlier arms win 9 of 10 against later ones, but for the pairs that are given.
inline PreferenceMatrix clear_but_for(
    std::size_t num_arms, const std::vector<std::pair<std::pair<Arm, Arm>, double>>& pairs) {
  std::vector<double> p(num_arms * num_arms, 0.5);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < num_arms; ++i) {
    names.emplace_back(1, static_cast<char>('a' + i));
    for (std::size_t j = i + 1; j < num_arms; ++j) {
      p[i * num_arms + j] = 0.9;
      p[j * num_arms + i] = 0.1;
    }
  }
  for (const auto& [pair, value] : pairs) {
    p[pair.first * num_arms + pair.second] = value;
    p[pair.second * num_arms + pair.first] = 1 - value;
  }
  return PreferenceMatrix::create("clear", names, p).value();
}

inline std::vector<GoalProblem> goal_problems() {
  std::vector<GoalProblem> problems;
  // Arms k and k + 1 are even.
  problems.push_back(
      {"clones at the edge, set of 3", clear_but_for(6, {{{2, 3}, 0.5}}), Goal(Goal::set, 3)});
  problems.push_back(
      {"clones at the edge, order of 3", clear_but_for(6, {{{2, 3}, 0.5}}), Goal(Goal::order, 3)});
  problems.push_back(
      {"clones in the order of 3", clear_but_for(6, {{{0, 1}, 0.5}}), Goal(Goal::order, 3)});
  problems.push_back(
      {"clones in front, order of 2", clear_but_for(4, {{{0, 1}, 0.5}}), Goal(Goal::order, 2)});
  problems.push_back(
      {"clones in the middle, ranking", clear_but_for(6, {{{2, 3}, 0.5}}), Goal::ranking});
  // The set or order exists, and is taken to.
  problems.push_back({"an order is known, set of 2", clear_but_for(5, {{{1, 2}, 0.5005}}),
                      Goal(Goal::set, 2, 0, Assumption::order)});
  problems.push_back({"an order is known, order of 2", clear_but_for(5, {{{0, 1}, 0.5005}}),
                      Goal(Goal::order, 2, 0, Assumption::order)});
  // Three arms that barely beat each other in a circle.
  const double little = 0.501;
  const auto circle = [&](std::size_t num_arms, Arm first) {
    return clear_but_for(num_arms, {{{first, first + 1}, little},
                                    {{first + 1, first + 2}, little},
                                    {{first, first + 2}, 1 - little}});
  };
  problems.push_back({"a circle of three, set of 1", circle(4, 0), Goal(Goal::set, 1)});
  problems.push_back({"a circle of three, set of 2", circle(5, 1), Goal(Goal::set, 2)});
  problems.push_back({"a circle of three, order of 2", circle(5, 1), Goal(Goal::order, 2)});
  // Every arm but the last loses to the next by a little more than epsilon.
  problems.push_back({"a little worse than epsilon, in a circle",
                      clear_but_for(3, {{{0, 1}, 0.449}, {{1, 2}, 0.449}, {{0, 2}, 0.551}}),
                      Goal(Goal::epsilon, 0, 0.05)});
  return problems;
}

// Certificates that are not true, of so many simulated experiments, looked at after every duel.
inline std::uint64_t false_certificates(const GoalProblem& problem, const std::string& policy,
                                        double alpha, std::uint32_t trials, unsigned threads,
                                        std::uint64_t max_duels = 2000) {
  PlanSpec spec;
  spec.truth = known_truth(problem.matrix);
  spec.policies = {{policy, {}}};
  spec.round_robin = false;
  spec.goal = problem.goal;
  spec.alpha = alpha;
  spec.max_duels = max_duels;
  spec.trials = trials;
  spec.threads = threads;
  spec.seed = 3;
  return run_plan(spec).value().entries[0].wrong;
}

}  // namespace duel
