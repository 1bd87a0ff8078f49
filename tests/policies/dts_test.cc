#include "duel/policies/dts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/dts_twin.h"
#include "tests/policies/two_samples.h"

namespace duel {
namespace {

const RecordedSignature dts_signature("dts", 0x20f77e5cb296c266);
const RecordedSignature dts_plus_signature("dts-plus", 0xf5dcf05bb8295b0f);

using PlainDts = Dts;
using PlusDts = DtsPlus;

DtsOptions some_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  DtsOptions options;
  options.alpha = rng.coin() ? 0.51 : 0.1 + 2 * rng.uniform();
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  return options;
}

// Without the jump: that is equal in law alone.
template <class P>
void expect_plain_loop_agreement(bool plus, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 1000; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    const Round rounds = seed % 20 == 0 ? 3000 : 250;
    expect_same_choices_as_twin<P>(
        some_options(seed), num_arms, seed, rounds,
        [plus](const DtsOptions& options, std::size_t k, RoundRng) {
          return DtsTwin(plus, options.alpha, options.ties, options.deterministic_ties, k);
        },
        false);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Dts, makes_the_choices_of_its_literal_twin_when_every_round_is_played) {
  expect_plain_loop_agreement<PlainDts>(false, 1);
}

TEST(DtsPlus, makes_the_choices_of_its_literal_twin_when_every_round_is_played) {
  expect_plain_loop_agreement<PlusDts>(true, 50001);
}

// The slow test has more matrices and trials.
template <class P>
void expect_laws_agree(bool plus, const std::string& matrix_name) {
  const PreferenceMatrix matrix = resolve_matrix(matrix_name).value();
  const LawSample jumped = sample_policy<P>({}, matrix, 1, 1500, 1500, true);
  const LawSample played = sample_policy<P>({}, matrix, 2, 1500, 1500, false);
  const LawSample beta = sample_twin(
      [&](RoundRng) { return DtsBetaTwin(plus, 0.51, Ties::coin, false, matrix.num_arms()); },
      matrix, 3, 200, 1500);
  expect_same_law(jumped, played, matrix_name);
  expect_same_law(played, beta, matrix_name + " against Beta draws");
  EXPECT_LT(jumped.decisions, played.decisions);
}

TEST(Dts, jumping_has_the_law_of_playing_every_round) {
  expect_laws_agree<PlainDts>(false, "cyclic");
}

TEST(DtsPlus, jumping_has_the_law_of_playing_every_round) {
  expect_laws_agree<PlusDts>(true, "cyclic");
}

template <class P>
P with_wins(std::size_t num_arms, const std::vector<std::vector<int>>& wins, double alpha = 0.51) {
  DtsOptions options;
  options.alpha = alpha;
  const Stream stream(1, 0, Purpose::answer);
  P policy(options, num_arms, stream.at(0));
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      for (int k = 0; k < wins[i][j]; ++k) {
        policy.observe({i, j, 0, true}, Outcome::first_wins, stream.at(0));
      }
    }
  }
  return policy;
}

// With the data fixed, the next duel that is not a self-duel, found by jumping on and on or by
// asking every round: its round and its pair have the same law. The data have no Condorcet winner
// (a cycle at the top, one arm that all beat) or a likely one, and bounds cross 1/2 on the way.
TEST(Dts, jump_and_plain_loop_agree_on_the_next_informative_duel) {
  const std::vector<std::vector<std::vector<int>>> problems = {
      {{0, 9, 3, 8}, {3, 0, 9, 8}, {9, 3, 0, 9}, {1, 1, 2, 0}},
      {{0, 14, 13, 20}, {3, 0, 9, 0}, {4, 3, 0, 2}, {6, 1, 2, 0}},
      {{0, 30, 30, 2}, {2, 0, 9, 30}, {3, 3, 0, 40}, {18, 1, 2, 0}},
  };
  constexpr int kTrials = 8000;
  for (const auto& wins : problems) {
    const PlainDts data = with_wins<PlainDts>(4, wins);
    std::vector<double> by_jump, by_round, pair_by_jump(16), pair_by_round(16);
    const Round limit = 60;
    for (int trial = 0; trial < kTrials; ++trial) {
      const Stream stream(5, static_cast<std::uint32_t>(trial), Purpose::choice);
      PlainDts policy = data;
      std::optional<Duel> next;
      Round t = 20;
      while (t < limit) {
        const Duel duel = next ? *next : policy.select(t, stream.at(t));
        next.reset();
        policy.issued(duel, stream.at(t));
        if (!duel.is_self()) {
          ++pair_by_jump[4 * duel.first + duel.second];
          break;
        }
        const Jump jump = policy.jump(t + 1, limit, stream.at(t + 1));
        t = jump.idle_until;
        next = jump.next;
      }
      by_jump.push_back(static_cast<double>(t));
      const Stream other(6, static_cast<std::uint32_t>(trial), Purpose::choice);
      for (t = 20; t < limit; ++t) {
        const Duel duel = data.select(t, other.at(t));
        if (!duel.is_self()) {
          ++pair_by_round[4 * duel.first + duel.second];
          break;
        }
      }
      by_round.push_back(static_cast<double>(t));
    }
    EXPECT_LT(two_sample_distance(by_jump, by_round), std::sqrt(std::log(2e6) / kTrials));
    for (std::size_t k = 0; k < 16; ++k) {
      // Difference of two counts of at most kTrials: five standard deviations.
      const double sd = std::sqrt(pair_by_jump[k] + pair_by_round[k] + 1);
      EXPECT_NEAR(pair_by_jump[k], pair_by_round[k], 5 * sd) << k / 4 << " against " << k % 4;
    }
  }
}

// Arm 0 surely loses to 3 and is still the only Copeland winner: its self-duels are jumped too, and
// the round that ends the stretch may have turned a flip between two other arms.
TEST(Dts, jumps_where_the_copeland_winner_loses_to_somebody) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("winner loses once", {"a", "b", "c", "d"},
                               {.5, .8, .8, .1, .2, .5, .8, .8, .2, .2, .5, .8, .9, .2, .2, .5})
          .value();
  // Arm 1 also has two wins; make arm 0 unique by a fifth arm that only arm 1 does not beat.
  const PreferenceMatrix five =
      PreferenceMatrix::create("five", {"a", "b", "c", "d", "e"},
                               {.5, .8, .8, .1, .9, .2, .5, .8, .8, .1, .2, .2, .5,
                                .8, .6, .9, .2, .2, .5, .4, .1, .9, .4, .6, .5})
          .value();
  for (const PreferenceMatrix& problem : {matrix, five}) {
    const LawSample jumped = sample_policy<PlainDts>({}, problem, 1, 1000, 1500, true);
    const LawSample played = sample_policy<PlainDts>({}, problem, 2, 1000, 1500, false);
    expect_same_law(jumped, played, problem.name());
    if (problem.num_arms() == 5) {
      EXPECT_LT(jumped.decisions, 0.8 * played.decisions);
    }
  }
}

// w_12 = 50, w_21 = 0: C = {1} until ln t > 50 * .25/.51 = 24.5, and meanwhile a round that is no
// self-duel has probability 2^-51.
TEST(Dts, hardly_ever_meets_an_arm_that_never_won) {
  const PlainDts policy = with_wins<PlainDts>(2, {{0, 50}, {0, 0}});
  const Round limit = 1'000'000'000;
  for (std::uint32_t trial = 0; trial < 100; ++trial) {
    const Stream stream(5, trial, Purpose::choice);
    PlainDts run = policy;
    const Duel duel = run.take(10, stream.at(10));
    ASSERT_EQ(duel, (Duel{0, 0, 10}));
    const Jump jump = run.jump(11, limit, stream.at(11));
    EXPECT_EQ(jump.idle_until, limit);
  }
}

TEST(Dts, plays_any_pair_in_the_first_round) {
  std::vector<int> seen(9);
  for (std::uint32_t trial = 0; trial < 2000; ++trial) {
    const Stream stream(8, trial, Purpose::choice);
    const PlainDts policy({}, 3, stream.at(0));
    const Duel duel = policy.select(1, stream.at(1));
    ++seen[3 * duel.first + duel.second];
  }
  // The first arm is uniform; given it, two fair coins decide whether it meets itself: 1/4.
  for (std::size_t k = 0; k < 9; ++k) {
    const double p = k % 4 == 0 ? 1.0 / 12 : 1.0 / 8;
    EXPECT_NEAR(seen[k], 2000 * p, 5 * std::sqrt(2000 * p)) << k;
  }
}

// A huge alpha makes every arm a candidate: Relative Thompson Sampling's first stage. A small one
// leaves the arm with most upper wins alone.
TEST(Dts, alpha_decides_who_is_a_candidate) {
  const std::vector<std::vector<int>> wins = {{0, 12, 12}, {8, 0, 10}, {8, 10, 0}};
  const PlainDts wide = with_wins<PlainDts>(3, wins, 1e6);
  const PlainDts narrow = with_wins<PlainDts>(3, wins, 1e-6);
  std::vector<int> first(3);
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    const Stream stream(9, trial, Purpose::choice);
    ++first[wide.select(100, stream.at(100)).first];
    EXPECT_EQ(narrow.select(100, stream.at(100)).first, 0U);
  }
  for (const int count : first) EXPECT_GT(count, 0);
}

TEST(Dts, one_arm_is_jumped_to_the_end) {
  const Stream stream(1, 0, Purpose::choice);
  PlainDts policy({}, 1, stream.at(0));
  EXPECT_EQ(policy.take(1, stream.at(1)), (Duel{0, 0, 1}));
  EXPECT_EQ(policy.jump(2, 1000, stream.at(2)).idle_until, 1000U);
}

}  // namespace
}  // namespace duel
