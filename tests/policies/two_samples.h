// Compares two ways of playing that are equal in law but not in path: regrets of many trials, by
// the two-sample Kolmogorov-Smirnov test.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/policies/side_by_side.h"

namespace duel {

// What a trial comes to: rounds at each arm, weighed so that no two arms weigh the same.
inline double loss_of(const PreferenceMatrix& matrix, const std::vector<PlayedPair>& pairs) {
  double sum = 0;
  for (const PlayedPair& pair : pairs) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      sum -= matrix(pair.first, j) + matrix(pair.second, j);
    }
  }
  return sum;
}

// As a Recording, but only what `loss_of` adds up, and the number of informative duels.
class LossMeter {
 public:
  explicit LossMeter(const PreferenceMatrix& matrix) : loss_(matrix.num_arms()) {
    for (Arm i = 0; i < matrix.num_arms(); ++i) {
      for (Arm j = 0; j < matrix.num_arms(); ++j) loss_[i] -= matrix(i, j);
    }
  }
  void played(const Duel& duel) {
    sum_ += loss_[duel.first] + loss_[duel.second];
    informative_ += duel.is_self() ? 0 : 1;
    ++decisions_;
  }
  void jumped(Arm arm, Round from, Round until) {
    sum_ += 2 * loss_[arm] * static_cast<double>(until - from);
  }
  double sum() const { return sum_; }
  double informative() const { return informative_; }
  double decisions() const { return decisions_; }

 private:
  std::vector<double> loss_;
  double sum_ = 0, informative_ = 0, decisions_ = 0;
};

struct LawSample {
  std::vector<double> losses;
  std::vector<double> informative;
  double decisions = 0;
};

template <class P>
LawSample sample_policy(const typename P::Options& options, const PreferenceMatrix& matrix,
                        std::uint64_t seed, std::uint32_t trials, Round rounds, bool jumping) {
  LawSample sample;
  const auto ranks = ranks_by_index(matrix.num_arms());
  const std::vector<Round> checkpoints = {rounds};
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const TrialStreams streams(seed, trial, "two samples");
    MatrixArena arena(matrix, ranks, OutcomeStream(seed, trial));
    P policy(options, matrix.num_arms(), streams.choice.at(0));
    LossMeter meter(matrix);
    IgnoreCheckpoints observer;
    play_trial(policy, arena, streams, {checkpoints, jumping}, observer, meter);
    sample.losses.push_back(meter.sum());
    sample.informative.push_back(meter.informative());
    sample.decisions += meter.decisions();
  }
  return sample;
}

// `make(rng)` gives a fresh twin.
template <class Make>
LawSample sample_twin(Make make, const PreferenceMatrix& matrix, std::uint64_t seed,
                      std::uint32_t trials, Round rounds) {
  LawSample sample;
  const auto ranks = ranks_by_index(matrix.num_arms());
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const TrialStreams streams(seed, trial, "two samples");
    MatrixArena arena(matrix, ranks, OutcomeStream(seed, trial));
    auto twin = make(streams.choice.at(0));
    LossMeter meter(matrix);
    for (Round t = 1; t <= rounds; ++t) {
      const Duel duel = twin.next(t, streams.choice.at(t));
      meter.played(duel);
      RoundRng answer = streams.answer.at(t);
      const Outcome outcome = duel.is_self() ? Outcome::first_wins : arena.meet(duel);
      twin.tell(duel, outcome, answer);
    }
    sample.losses.push_back(meter.sum());
    sample.informative.push_back(meter.informative());
  }
  return sample;
}

inline double two_sample_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest_gap = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    const double slack = 1e-9 * std::abs(x);  // sums of the same duels in another order
    while (i < a.size() && a[i] <= x + slack) ++i;
    while (j < b.size() && b[j] <= x + slack) ++j;
    largest_gap =
        std::max(largest_gap, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                       static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest_gap;
}

// False alarm about 1e-6 for each of the two numbers: c sqrt(1/m + 1/n), c^2 = ln(2e6)/2.
inline void expect_same_law(const LawSample& a, const LawSample& b, const std::string& what) {
  const double bound = std::sqrt(
      std::log(2e6) / 2 *
      (1 / static_cast<double>(a.losses.size()) + 1 / static_cast<double>(b.losses.size())));
  EXPECT_LT(two_sample_distance(a.losses, b.losses), bound) << what << ", regret";
  EXPECT_LT(two_sample_distance(a.informative, b.informative), bound) << what << ", duels";
}

}  // namespace duel
