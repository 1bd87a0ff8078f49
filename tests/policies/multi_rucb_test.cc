#include "duel/policies/multi_rucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/policies/parts/arms.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature multi_rucb_signature("multi-rucb", 0xf14809a8defc1b88);

static_assert(Policy<MultiRucb>);
static_assert(JumpingPolicy<MultiRucb>);

TEST(MultiRucb, jumps_to_the_very_round_in_which_another_arm_is_shown) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    MultiRucbOptions options;
    options.beta = 1 + 0.25 * static_cast<double>(seed % 3);
    const auto stepped = record_trial<MultiRucb>(options, matrix, seed, 0, 3000, false);
    const auto jumped = record_trial<MultiRucb>(options, matrix, seed, 0, 3000, true);
    ASSERT_EQ(jumped.pairs, stepped.pairs) << seed;
  }
}

// The paper's u_ij and v_ij as tables, all worked out anew each round.
class MultiRucbTwin {
 public:
  MultiRucbTwin(const MultiRucbOptions& options, std::size_t num_arms)
      : options_(options), k_(num_arms), won_(num_arms, std::vector<double>(num_arms)) {}

  std::vector<Arm> set(Round round, RoundRng& rng) const {
    const auto e = none_below_half(options_.alpha, round);
    if (e.size() == 1) return e;
    auto f = none_below_half(options_.alpha * options_.beta, round);
    if (f.empty()) {
      for (Arm i = 0; i < k_; ++i) f.push_back(i);
    }
    if (f.size() <= options_.max) return f;
    if (!options_.deterministic_ties) shuffle(f, rng);
    std::vector<Arm> fewest;
    while (fewest.size() < options_.max) {
      auto least = f.begin();
      for (auto one = f.begin(); one != f.end(); ++one) {
        if (duels_of(*one) < duels_of(*least)) least = one;
      }
      fewest.push_back(*least);
      f.erase(least);
    }
    std::sort(fewest.begin(), fewest.end());
    return fewest;
  }
  Duel next(Round round, RoundRng rng) const {
    RoundRng of_set = rng;
    auto shown = set(round, of_set);
    if (shown.size() == 1) return {shown[0], shown[0], round};
    if (!options_.deterministic_ties) shuffle(shown, rng);
    return {shown[0], shown[1], round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      won_[duel.first][duel.second] += 0.5 * points->first;
      won_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  std::vector<Arm> none_below_half(double width, Round round) const {
    std::vector<Arm> arms;
    for (Arm i = 0; i < k_; ++i) {
      bool all = true;
      for (Arm j = 0; j < k_; ++j) {
        const double n = won_[i][j] + won_[j][i];
        const double bound =
            n == 0 ? 1
                   : won_[i][j] / n + std::sqrt(width * std::log(static_cast<double>(round)) / n);
        if (j != i && bound < 0.5) all = false;
      }
      if (all) arms.push_back(i);
    }
    return arms;
  }
  double duels_of(Arm i) const {
    double sum = 0;
    for (Arm j = 0; j < k_; ++j) sum += won_[i][j] + won_[j][i];
    return sum;
  }

  MultiRucbOptions options_;
  std::size_t k_;
  std::vector<std::vector<double>> won_;
};

TEST(MultiRucb, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    MultiRucbOptions options;
    options.alpha = 0.1 + 0.1 * static_cast<double>(seed % 6);
    options.beta = 1 + 0.25 * static_cast<double>(seed % 4);
    options.max = 2 + seed % 4;
    options.ties = static_cast<Ties>(seed % 3);
    options.deterministic_ties = seed % 5 == 0;
    expect_same_choices_as_twin<MultiRucb>(options, 1 + seed % 8, seed, 1000,
                                           [](const MultiRucbOptions& given, std::size_t k,
                                              RoundRng) { return MultiRucbTwin(given, k); });
  }
}

// The sets themselves, each told as the pairs of one choice.
TEST(MultiRucb, shows_the_sets_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::size_t num_arms = 3 + seed % 6;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    MultiRucbOptions options;
    options.max = 3 + seed % 3;
    const Stream stream(seed, 0, Purpose::choice);
    MultiRucb policy(options, num_arms, stream.at(0));
    MultiRucbTwin twin(options, num_arms);
    for (Round t = 1; t <= 400; ++t) {
      RoundRng rng = stream.at(t);
      const auto shown = policy.select_set(t, 20, rng);
      ASSERT_EQ(shown, twin.set(t, rng)) << "seed " << seed << ", t " << t;
      for (std::size_t k = 1; k < shown.size(); ++k) {
        const Duel duel{shown[0], shown[k], t, true};
        const Outcome outcome = messy_outcome(matrix, duel, seed);
        policy.observe(duel, outcome, stream.at(t));
        twin.tell(duel, outcome, stream.at(t));
      }
    }
  }
}

MultiRucb told(const MultiRucbOptions& options, std::size_t num_arms,
               const std::vector<std::vector<int>>& wins) {
  const Stream stream(1, 0, Purpose::answer);
  MultiRucb policy(options, num_arms, stream.at(0));
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      for (int n = 0; n < wins[i][j]; ++n) {
        policy.observe({i, j, 0, true}, Outcome::first_wins, stream.at(0));
      }
    }
  }
  return policy;
}

TEST(MultiRucb, shows_all_arms_at_first) {
  const Stream stream(1, 0, Purpose::choice);
  MultiRucb policy({}, 7, stream.at(0));
  EXPECT_EQ(policy.select_set(1, 20, stream.at(1)), (std::vector<Arm>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(policy.select_set(1, 4, stream.at(1)).size(), 4U);
  MultiRucbOptions three;
  three.max = 3;
  EXPECT_EQ(MultiRucb(three, 7, stream.at(0)).select_set(1, 20, stream.at(1)).size(), 3U);
}

// Arm 0 has beaten both others 20 times of 20, arm 1 arm 2 10 times of 20. Arm 1 against 0: radius
// sqrt(.51 ln t/20) reaches 1/2 at ln t = 9.80, that of F, with 1.5 times alpha, at 6.54.
TEST(MultiRucb, shows_the_bounds_worked_out_by_hand) {
  const MultiRucb policy = told({}, 3, {{0, 20, 20}, {0, 0, 10}, {0, 10, 0}});
  const Stream stream(1, 0, Purpose::choice);
  const auto round = [](double log) { return static_cast<Round>(std::exp(log)); };
  EXPECT_EQ(policy.select_set(round(9.79), 5, stream.at(1)), (std::vector<Arm>{0}));
  EXPECT_EQ(policy.select_set(round(9.82), 5, stream.at(1)), (std::vector<Arm>{0, 1, 2}));
  EXPECT_EQ(policy.possible(0.51 * 1.5, round(6.52)), (std::vector<Arm>{0}));
  EXPECT_EQ(policy.possible(0.51 * 1.5, round(6.56)), (std::vector<Arm>{0, 1, 2}));
  EXPECT_EQ(policy.recommend(stream.at(2)), 0U);
  const Jump jump = policy.jump(100, 1'000'000, stream.at(3));
  EXPECT_NEAR(std::log(static_cast<double>(jump.idle_until)), 20 * 0.25 / 0.51, 1e-3);
}

// Beyond `max` those of the fewest duels are shown.
TEST(MultiRucb, shows_those_of_the_fewest_duels_where_too_many_may_be_best) {
  MultiRucbOptions options;
  options.max = 2;
  const MultiRucb policy =
      told(options, 4, {{0, 5, 1, 0}, {5, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}});
  const Stream stream(1, 0, Purpose::choice);
  EXPECT_EQ(policy.select_set(1000, 9, stream.at(1)), (std::vector<Arm>{2, 3}));
}

TEST(MultiRucb, asks_any_two_of_the_set_where_only_two_can_be_shown) {
  const Stream stream(1, 0, Purpose::choice);
  MultiRucb policy({}, 4, stream.at(0));
  std::vector<int> shown(4);
  for (Round t = 1; t <= 4000; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    ASSERT_NE(duel.first, duel.second);
    ++shown[duel.first];
    ++shown[duel.second];
  }
  for (const int n : shown) EXPECT_NEAR(n, 2000, 5 * std::sqrt(4000 * 0.25));
}

}  // namespace
}  // namespace duel
