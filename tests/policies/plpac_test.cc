#include "duel/policies/plpac.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature plpac_signature("plpac", 0x7291757bc43046a2);

static_assert(Policy<Plpac>);

std::vector<Arm> plpac_twin(const PlpacOptions& options, std::size_t num_arms, Replay& duel) {
  const auto k = static_cast<double>(num_arms);
  std::vector<Arm> arms = all_arms(num_arms);
  std::map<std::pair<Arm, Arm>, double> won;
  RoundRng rng = duel.construction();
  while (arms.size() > 1) {
    const Arm pivot = arms[rng.below(arms.size())];
    std::vector<Arm> above, below;
    for (const Arm arm : arms) {
      if (arm != pivot) (duel.wins(arm, pivot) ? above : below).push_back(arm);
    }
    for (const Arm i : above) {
      won[{i, pivot}] += 1;
      for (const Arm j : below) won[{i, j}] += 1;
    }
    for (const Arm j : below) won[{pivot, j}] += 1;
    const auto lower = [&](Arm i, Arm j) {
      const double n = won[{i, j}] + won[{j, i}];
      if (n == 0) return -1.0;
      return won[{i, j}] / n - std::sqrt(std::log(4 * k * k * n * n / options.delta) / (2 * n));
    };
    std::vector<Arm> left;
    for (const Arm j : arms) {
      bool beaten = false;
      for (const Arm i : arms) beaten = beaten || (i != j && lower(i, j) > 0.5);
      if (!beaten) left.push_back(j);
    }
    arms = left;
    for (const Arm i : arms) {
      bool best = true;
      for (const Arm j : arms) best = best && (i == j || lower(i, j) >= 0.5 - options.epsilon);
      if (best) return {i};
    }
    rng = duel.after();
  }
  return arms;
}

TEST(Plpac, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    PlpacOptions options;
    options.epsilon = seed % 3 == 0 ? 0.2 : 0;
    options.delta = seed % 2 == 0 ? 0.1 : 0.4;
    expect_replays_as<Plpac>(options, decisive_problem(seed), 3000, plpac_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Two arms are plain sampling of one pair: the loser leaves once ln(16 n^2/0.05)/(2 n) < 1/4, for
// the first time at n = 24: ln(184320)/48 = 0.2526 does not do, and 25 does: ln(200000)/50 =
// 0.2441.
TEST(Plpac, samples_one_pair_where_there_are_two_arms) {
  const StoppedRun run = where_lower_index_wins<Plpac>({}, 2);
  EXPECT_EQ(run.found, (std::vector<Arm>{0}));
  EXPECT_EQ(run.steps.size(), 25U);
}

// Three arms of which the pivot stands in the middle: the outer two get a sample without a duel.
TEST(Plpac, counts_pairs_from_different_parts_as_samples) {
  const Stream stream(1, 0, Purpose::choice);
  for (std::uint64_t seed = 0;; ++seed) {
    Plpac policy({}, 3, Stream(seed, 0, Purpose::choice).at(0));
    const Duel first = policy.take(1, stream.at(1));
    if (first.second != 1) continue;  // the pivot
    policy.observe(first, Outcome::first_wins, stream.at(1));
    const Duel second = policy.take(2, stream.at(2));
    EXPECT_EQ(second.second, 1U);
    policy.observe(second, Outcome::second_wins, stream.at(2));
    EXPECT_EQ(policy.explorer().tournament().counts().wins(0, 2), 1);
    EXPECT_EQ(policy.explorer().tournament().counts().wins(0, 1), 1);
    EXPECT_EQ(policy.explorer().tournament().counts().wins(1, 2), 1);
    return;
  }
}

}  // namespace
}  // namespace duel
