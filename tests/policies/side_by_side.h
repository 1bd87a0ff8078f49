// Plays a policy and its literal twin on the same streams and compares every duel.
//
// A twin is a plain transcription of the numbered steps: `Duel next(Round, RoundRng)` chooses and
// commits, `void tell(const Duel&, Outcome, RoundRng)` takes the answer. It may be as slow as it
// likes, and shares no code with the policy but the random draws.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "duel/policies/policy.h"
#include "duel/policies/trial_loop.h"
#include "duel/truth/arena.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// A random matrix: every entry uniform, or a grid of few values so that exact ties are common, or
// with a Condorcet winner that wins often. Which, depends on the seed.
inline PreferenceMatrix random_matrix(std::size_t num_arms, std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "matrix").at(num_arms);
  const std::uint64_t kind = rng.below(3);
  const auto winner = static_cast<Arm>(rng.below(num_arms));
  std::vector<double> p(num_arms * num_arms, 0.5);
  std::vector<std::string> names;
  for (Arm i = 0; i < num_arms; ++i) {
    names.push_back("a" + std::to_string(i));
    for (Arm j = i + 1; j < num_arms; ++j) {
      double value = rng.uniform();
      if (kind == 1) value = 0.1 * static_cast<double>(rng.below(11));
      if (kind == 2 && i == winner) value = 0.55 + 0.4 * value;
      if (kind == 2 && j == winner) value = 0.45 - 0.4 * value;
      p[i * num_arms + j] = value;
      p[j * num_arms + i] = 1 - value;
    }
  }
  return PreferenceMatrix::create("random", names, p).value();
}

struct PlayedPair {
  Arm first;
  Arm second;
  friend bool operator==(const PlayedPair&, const PlayedPair&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const PlayedPair& pair) {
  return out << '(' << pair.first << ',' << pair.second << ')';
}

// Every round's duel, jumped stretches written out.
struct Recording {
  std::vector<PlayedPair> pairs;
  std::uint64_t decisions = 0;
  void played(const Duel& duel) {
    pairs.push_back({duel.first, duel.second});
    ++decisions;
  }
  void jumped(Arm arm, Round from, Round until) {
    pairs.insert(pairs.end(), until - from, {arm, arm});
  }
};

class IgnoreCheckpoints : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena&, Arm) override {}
};

inline std::vector<std::uint32_t> ranks_by_index(std::size_t num_arms) {
  std::vector<std::uint32_t> ranks(num_arms);
  for (std::size_t i = 0; i < num_arms; ++i) ranks[i] = static_cast<std::uint32_t>(i);
  return ranks;
}

template <class P>
Recording record_trial(const typename P::Options& options, const PreferenceMatrix& matrix,
                       std::uint64_t seed, std::uint32_t trial, Round rounds, bool jumping) {
  const TrialStreams streams(seed, trial, "side by side");
  const auto ranks = ranks_by_index(matrix.num_arms());
  MatrixArena arena(matrix, ranks, OutcomeStream(seed, trial));
  P policy(options, matrix.num_arms(), streams.choice.at(0));
  const std::vector<Round> checkpoints = {rounds};
  Recording recording;
  IgnoreCheckpoints observer;
  play_trial(policy, arena, streams, {checkpoints, jumping}, observer, recording);
  return recording;
}

// Answers of a world where duels also end in ties, both-bad and skips: a pure function of the
// round, so that two players of the same duels get the same answers.
inline Outcome messy_outcome(const PreferenceMatrix& matrix, const Duel& duel, std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "messy").at(duel.round);
  if (duel.is_self()) return rng.coin() ? Outcome::first_wins : Outcome::second_wins;
  const double u = rng.uniform();
  if (u < 0.15) return Outcome::tie;
  if (u < 0.2) return Outcome::both_bad;
  return rng.bernoulli(matrix(duel.first, duel.second)) ? Outcome::first_wins
                                                        : Outcome::second_wins;
}

// The twin's duels in the world of `record_trial`.
template <class Twin>
std::vector<PlayedPair> record_twin(Twin twin, const PreferenceMatrix& matrix, std::uint64_t seed,
                                    std::uint32_t trial, Round rounds) {
  const TrialStreams streams(seed, trial, "side by side");
  const auto ranks = ranks_by_index(matrix.num_arms());
  MatrixArena arena(matrix, ranks, OutcomeStream(seed, trial));
  std::vector<PlayedPair> pairs;
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = twin.next(t, streams.choice.at(t));
    pairs.push_back({duel.first, duel.second});
    RoundRng answer = streams.answer.at(t);
    if (duel.is_self()) {
      const Outcome coin = answer.coin() ? Outcome::first_wins : Outcome::second_wins;
      twin.tell(duel, coin, answer);
    } else {
      twin.tell(duel, arena.meet(duel), answer);
    }
  }
  return pairs;
}

// `make_twin(options, num_arms, construction rng)`. Playing every round and the twin make the same
// choices, and so does jumping where it is exact; and policy and twin also agree where outcomes
// tie.
template <class P, class MakeTwin>
void expect_same_choices_as_twin(const typename P::Options& options, std::size_t num_arms,
                                 std::uint64_t seed, Round rounds, MakeTwin make_twin,
                                 bool jumps_exactly = true) {
  const PreferenceMatrix matrix = random_matrix(num_arms, seed);
  const TrialStreams streams(seed, 0, "side by side");
  const auto twin_pairs =
      record_twin(make_twin(options, num_arms, streams.choice.at(0)), matrix, seed, 0, rounds);
  const auto literal = record_trial<P>(options, matrix, seed, 0, rounds, false);
  ASSERT_EQ(literal.pairs, twin_pairs) << "seed " << seed << ", " << num_arms << " arms";
  if (jumps_exactly) {
    const auto jumped = record_trial<P>(options, matrix, seed, 0, rounds, true);
    ASSERT_EQ(jumped.pairs, twin_pairs) << "jumping, seed " << seed << ", " << num_arms << " arms";
  }

  P policy(options, num_arms, streams.choice.at(0));
  auto twin = make_twin(options, num_arms, streams.choice.at(0));
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = policy.take(t, streams.choice.at(t));
    ASSERT_EQ(duel, twin.next(t, streams.choice.at(t)))
        << "with ties, seed " << seed << ", t " << t;
    const Outcome outcome = messy_outcome(matrix, duel, seed);
    policy.observe(duel, outcome, streams.answer.at(t));
    twin.tell(duel, outcome, streams.answer.at(t));
  }
}

// Tells a policy the counts of a matrix as foreign duels, `plays` per pair.
template <class P>
P told_the_truth(const typename P::Options& options, const PreferenceMatrix& matrix, int plays) {
  const Stream stream(1, 0, Purpose::choice);
  P policy(options, matrix.num_arms(), stream.at(0));
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = i + 1; j < matrix.num_arms(); ++j) {
      const auto wins = static_cast<int>(std::lround(matrix(i, j) * plays));
      for (int k = 0; k < plays; ++k) {
        policy.observe({i, j, 0, true}, k < wins ? Outcome::first_wins : Outcome::second_wins,
                       stream.at(0));
      }
    }
  }
  return policy;
}

}  // namespace duel
