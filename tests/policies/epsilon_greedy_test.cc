#include "duel/policies/epsilon_greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/epsilon_greedy_twin.h"

namespace duel {
namespace {

const RecordedSignature epsilon_greedy_signature("epsilon-greedy", 0x6b69d3c48969a052);

TEST(EpsilonGreedy, makes_the_choices_of_its_literal_twin_when_every_round_is_played) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    EpsilonGreedyOptions options;
    options.c = 5 * rng.uniform();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 8;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const EpsilonGreedyTwin twin(options.c, options.ties, options.deterministic_ties, num_arms);
    const auto twin_pairs = record_twin(twin, matrix, seed, 0, 400);
    const auto literal = record_trial<EpsilonGreedy>(options, matrix, seed, 0, 400, false);
    ASSERT_EQ(literal.pairs, twin_pairs) << "seed " << seed;
  }
}

// A leader without rivals, so that only the clock decides.
EpsilonGreedy settled_policy(double c) {
  EpsilonGreedyOptions options;
  options.c = c;
  const Stream stream(1, 0, Purpose::answer);
  EpsilonGreedy policy(options, 3, stream.at(0));
  policy.observe({0, 1, 0, true}, Outcome::first_wins, stream.at(0));
  policy.observe({0, 2, 0, true}, Outcome::first_wins, stream.at(0));
  return policy;
}

// P(next exploration > s) = prod_{u = t}^{s} (1 - epsilon_u): the exact law of the jump, by
// Kolmogorov-Smirnov at a false alarm of 1e-6: sqrt(ln(2e6)/2 / n).
TEST(EpsilonGreedy, jump_has_the_exact_law_of_the_next_exploration) {
  const int n = 20000;
  for (const Round from : {Round{2}, Round{16}, Round{100}, Round{5000}}) {
    const EpsilonGreedy policy = settled_policy(1);
    const Round limit = from * 40;
    std::map<Round, int> observed;
    for (int k = 0; k < n; ++k) {
      const Stream stream(77, static_cast<std::uint32_t>(k), Purpose::choice);
      const Jump jump = policy.jump(from, limit, stream.at(from));
      ASSERT_GE(jump.idle_until, from);
      ASSERT_LE(jump.idle_until, limit);
      if (jump.idle_until < limit) {
        ASSERT_TRUE(jump.next);
        ASSERT_EQ(jump.next->round, jump.idle_until);
        ASSERT_EQ(jump.next->first, 0U);
        ASSERT_NE(jump.next->second, 0U);
      }
      ++observed[jump.idle_until];
    }
    double survival = 1, largest_gap = 0;
    int later = n;
    for (Round s = from; s < limit; ++s) {
      survival *= 1 - std::min(1.0, 3.0 / static_cast<double>(s));
      later -= observed[s];
      largest_gap = std::max(largest_gap, std::abs(survival - static_cast<double>(later) / n));
    }
    EXPECT_LT(largest_gap, std::sqrt(std::log(2e6) / 2 / n)) << "from round " << from;
  }
}

// The same through whole trials: regret with and without jumping, two samples.
TEST(EpsilonGreedy, regret_with_jumping_has_the_law_of_playing_every_round) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("three", {"a", "b", "c"}, {.5, .6, .7, .4, .5, .6, .3, .4, .5})
          .value();
  const auto regrets = [&](bool jumping, std::uint64_t seed) {
    std::vector<double> values;
    for (std::uint32_t trial = 0; trial < 1500; ++trial) {
      const Recording recording =
          record_trial<EpsilonGreedy>({}, matrix, seed, trial, 2000, jumping);
      double regret = 0;
      for (const PlayedPair& pair : recording.pairs) {
        regret += 0.5 * (matrix.gap(0, pair.first) + matrix.gap(0, pair.second));
      }
      values.push_back(regret);
    }
    std::sort(values.begin(), values.end());
    return values;
  };
  const auto a = regrets(true, 1), b = regrets(false, 2);
  double largest_gap = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    largest_gap = std::max(largest_gap, std::abs(static_cast<double>(i) / a.size() -
                                                 static_cast<double>(j) / b.size()));
  }
  EXPECT_LT(largest_gap, std::sqrt(std::log(2e6) / 1500));  // false alarm about 1e-6
}

}  // namespace
}  // namespace duel
