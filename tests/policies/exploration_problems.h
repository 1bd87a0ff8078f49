// Random problems and ways to play them for the tests of the explore-then-exploit policies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/archive.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/policies/any_policy.h"
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"

namespace duel {

// A problem with all kinds of answers.
struct ExplorationProblem {
  std::size_t num_arms = 2;
  std::vector<double> p;  // row-major
  double tie_rate = 0;    // tie or both bad
  double lost_rate = 0;   // skip or none
  Round horizon = 1;
  std::uint64_t seed = 0;

  Outcome answer(const Duel& duel, RoundRng& rng) const {
    if (rng.uniform() < lost_rate) return rng.coin() ? Outcome::skip : Outcome::none;
    if (rng.uniform() < tie_rate) return rng.coin() ? Outcome::tie : Outcome::both_bad;
    const double win = duel.is_self() ? 0.5 : p[duel.first * num_arms + duel.second];
    return rng.uniform() < win ? Outcome::first_wins : Outcome::second_wins;
  }
};

// 2 to 8 arms; from hopeless to decided within few duels; a horizon of 1 to `most_rounds`.
inline ExplorationProblem random_problem(std::uint64_t seed, Round most_rounds,
                                         std::size_t most_arms = 8) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "problem").at(0);
  ExplorationProblem problem;
  problem.seed = seed;
  problem.num_arms = 2 + rng.below(most_arms - 1);
  const std::size_t k = problem.num_arms;
  problem.p.assign(k * k, 0.5);
  const double sharpness = rng.uniform();    // how far from 1/2
  const bool ordered = rng.below(3) != 0;    // arm order decides, else cycles too
  const std::uint64_t shift = rng.below(k);  // the best arm is anywhere
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i + 1; j < k; ++j) {
      double gap = 0.5 * sharpness * rng.uniform();
      if (rng.below(4) == 0) gap = 0.5;
      if (ordered ? (i + shift) % k > (j + shift) % k : rng.coin()) gap = -gap;
      problem.p[i * k + j] = 0.5 + gap;
      problem.p[j * k + i] = 0.5 - gap;
    }
  }
  if (rng.coin()) problem.tie_rate = 0.3 * rng.uniform();
  if (rng.below(4) == 0) problem.lost_rate = 0.2 * rng.uniform();
  const double scale = rng.uniform();
  problem.horizon = 1 + static_cast<Round>(static_cast<double>(most_rounds - 1) * scale * scale);
  return problem;
}

inline Ties random_ties(RoundRng& rng) {
  return std::vector<Ties>{Ties::coin, Ties::half, Ties::drop}[rng.below(3)];
}

// Plays the policy and its twin side by side and says where they part, or nothing.
template <class P, class Twin>
std::string first_difference(P policy, Twin twin, const ExplorationProblem& problem, Round rounds) {
  const Stream choices(problem.seed, 0, Purpose::choice);
  const Stream answers(problem.seed, 0, Purpose::answer);
  const Stream nature(problem.seed, 0, Purpose::test, "nature");
  const Stream recommend(problem.seed, 0, Purpose::recommend);
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = policy.select(t, choices.at(t));
    if (t % 2 == 0) {
      policy.issued(duel, choices.at(t));
    } else if (policy.take(t, choices.at(t)) != duel) {
      return "take and select differ at round " + std::to_string(t);
    }
    const Duel expected = twin.next(t, choices.at(t));
    if (duel != expected) {
      return "round " + std::to_string(t) + ": (" + std::to_string(duel.first) + ", " +
             std::to_string(duel.second) + ") instead of (" + std::to_string(expected.first) +
             ", " + std::to_string(expected.second) + ")";
    }
    RoundRng draw = nature.at(t);
    const Outcome outcome = problem.answer(duel, draw);
    policy.observe(duel, outcome, answers.at(t));
    twin.tell(duel, outcome, answers.at(t));
    if (policy.settled() != twin.settled()) {
      return "settled differs after round " + std::to_string(t);
    }
    const bool compare_recommended = t % 8 == 0 || t >= problem.horizon;
    if (compare_recommended &&
        policy.recommend(recommend.at(t)) != twin.recommend(recommend.at(t))) {
      return "recommend differs after round " + std::to_string(t);
    }
  }
  return "";
}

// Whether the policy settles before the horizon.
template <class P>
bool settles(P& policy, const ExplorationProblem& problem) {
  const Stream choices(problem.seed, 0, Purpose::choice);
  const Stream answers(problem.seed, 0, Purpose::answer);
  const Stream nature(problem.seed, 0, Purpose::test, "nature");
  for (Round t = 1; t < problem.horizon && !policy.settled(); ++t) {
    const Duel duel = policy.take(t, choices.at(t));
    RoundRng draw = nature.at(t);
    policy.observe(duel, problem.answer(duel, draw), answers.at(t));
  }
  return policy.settled();
}

// One round, answered as `first_wins` says; `rng` is for choosing and observing.
template <class P>
Duel step(P& policy, Round t, RoundRng rng, const std::function<bool(const Duel&)>& first_wins) {
  const Duel duel = policy.take(t, rng);
  policy.observe(duel, first_wins(duel) ? Outcome::first_wins : Outcome::second_wins, rng);
  return duel;
}

inline bool lower_index_wins(const Duel& duel) { return duel.first < duel.second; }

// What became of a run with many duels outstanding.
struct AsynchronousRun {
  bool settled = false;
  Arm recommended = 0;
  Round rounds = 0;
};

// Up to `most_outstanding` duels are out; answers come in any order, a share never. Checks that the
// pairs are legal. Stops when the policy plays only self-duels with nothing outstanding.
inline AsynchronousRun play_asynchronously(AnyPolicy& policy, const ExplorationProblem& problem,
                                           std::size_t most_outstanding, Round most_rounds) {
  const Stream choices(problem.seed, 1, Purpose::choice);
  const Stream answers(problem.seed, 1, Purpose::answer);
  RoundRng rng = Stream(problem.seed, 1, Purpose::test, "delays").at(0);
  std::vector<Duel> outstanding;
  AsynchronousRun run;
  Round t = 0;
  while (t < most_rounds) {
    const bool full = outstanding.size() >= most_outstanding;
    if (!full && (outstanding.empty() || rng.below(2) == 0)) {
      ++t;
      const Duel duel = policy.select(t, choices.at(t));
      EXPECT_LT(duel.first, problem.num_arms);
      EXPECT_LT(duel.second, problem.num_arms);
      EXPECT_EQ(duel, policy.select(t, choices.at(t)));
      policy.issued(duel, choices.at(t));
      outstanding.push_back(duel);
      continue;
    }
    const std::size_t k = rng.below(outstanding.size());
    const Duel duel = outstanding[k];
    outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(k));
    policy.observe(duel, problem.answer(duel, rng), answers.at(duel.round));
    if (outstanding.empty() &&
        policy.jump(t + 1, most_rounds + 1, choices.at(t + 1)).idle_until > t + 1) {
      run.settled = true;
      break;
    }
  }
  run.rounds = t;
  run.recommended = policy.recommend(answers.at(0));
  return run;
}

// Arm `winner` beats every other by `gap`, the rest are in index order.
inline ExplorationProblem easy_problem(std::size_t num_arms, Arm winner, double gap,
                                       std::uint64_t seed) {
  ExplorationProblem problem;
  problem.num_arms = num_arms;
  problem.seed = seed;
  problem.horizon = 100000;
  problem.p.assign(num_arms * num_arms, 0.5);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      if (i == j) continue;
      const bool wins = i == winner || (j != winner && i < j);
      problem.p[i * num_arms + j] = 0.5 + (wins ? gap : -gap);
    }
  }
  return problem;
}

inline std::unique_ptr<AnyPolicy> make_policy(const std::string& call, std::size_t num_arms,
                                              Round rounds, std::uint64_t seed) {
  const auto parsed = parse_call(call);
  EXPECT_TRUE(parsed.ok());
  const auto configured = configure_policy(*parsed, {.num_arms = num_arms, .rounds = rounds});
  EXPECT_TRUE(configured.ok()) << configured.error().to_string();
  return (*configured)->make(Stream(seed, 0, Purpose::choice, call).at(0));
}

}  // namespace duel
