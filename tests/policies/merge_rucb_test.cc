#include "duel/policies/merge_rucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "duel/policies/registry.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/merge_twin.h"

namespace duel {
namespace {

const RecordedSignature merge_rucb_signature("merge-rucb", 0x2a0e233b2c97cced);
const RecordedSignature merge_dts_signature("merge-dts", 0x5ae523cfc9df9858);

// Small C and wide gaps, so that batches empty and merge within the rounds played.
template <class P>
void expect_twin_agreement(bool dts, std::uint64_t first_seed) {
  std::size_t ended = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + 600; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    typename P::Options options;
    const std::uint64_t kind = rng.below(4);
    options.alpha = kind == 0 ? 1.01 : 0.05 + 0.4 * rng.uniform();
    options.c = kind == 0 ? 0 : 1 + 100 * rng.uniform();
    options.p = 2 + rng.below(5);
    options.reset_clock = rng.coin();
    options.pseudo_counts = rng.coin();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 23;
    const Round rounds = seed % 20 == 0 ? 4000 : 600;
    expect_same_choices_as_twin<P>(
        options, num_arms, seed, rounds,
        [dts](const typename P::Options& o, std::size_t k, RoundRng start) {
          return MergeTwin({dts, o.alpha, o.delta, o.p, o.c, o.reset_clock, o.pseudo_counts, o.ties,
                            o.deterministic_ties},
                           k, start);
        });
    if (testing::Test::HasFatalFailure()) return;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const Recording run = record_trial<P>(options, matrix, seed, 0, rounds, true);
    ended += run.decisions < rounds ? 1 : 0;
  }
  EXPECT_GT(ended, 100U);  // the twins met all the way to the last arm
}

TEST(MergeRucb, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  expect_twin_agreement<MergeRucb>(false, 1);
}

TEST(MergeDts, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  expect_twin_agreement<MergeDts>(true, 10001);
}

// Batches partition the survivors, nobody meets an arm of another batch, and no merge makes a batch
// of more than 3/2 p arms.
template <class P>
void expect_batches_hold(std::size_t p) {
  const PreferenceMatrix matrix = resolve_matrix("random-condorcet(k=40,seed=3,gap=0.2)").value();
  typename P::Options options;
  options.alpha = 0.3;
  options.c = 10;
  options.p = p;
  const Stream stream(3, 0, Purpose::choice);
  P policy(options, 40, stream.at(0));
  std::size_t survivors = 40;
  std::uint32_t merges = 0;
  for (Round t = 1; t <= 30000; ++t) {
    const std::uint32_t stage = policy.batches().stage;
    const auto choice = policy.choose(t, stream.at(t));
    const Batches before = choice.changed ? policy.batches() : Batches{};
    policy.commit(choice);
    const Batches& batches = policy.batches();
    ASSERT_TRUE(batches.consistent(40));
    ASSERT_LE(batches.num_survivors(), survivors);
    survivors = batches.num_survivors();
    if (batches.stage != stage) {
      ++merges;
      for (const auto& group : batches.groups) ASSERT_LE(2 * group.size(), 3 * p);
    } else {
      const bool together =
          std::any_of(batches.groups.begin(), batches.groups.end(), [&](const auto& group) {
            return std::count(group.begin(), group.end(), choice.duel.first) == 1 &&
                   std::count(group.begin(), group.end(), choice.duel.second) == 1;
          });
      ASSERT_TRUE(together);
    }
    policy.observe(choice.duel, messy_outcome(matrix, choice.duel, 3), stream.at(t));
  }
  EXPECT_GE(merges, 2U);
  EXPECT_EQ(survivors, 1U);
  EXPECT_EQ(policy.recommend(stream.at(1)), policy.batches().groups[0][0]);
}

TEST(MergeRucb, keeps_arms_in_their_batches) {
  expect_batches_hold<MergeRucb>(4);
  expect_batches_hold<MergeRucb>(8);
}

TEST(MergeDts, keeps_arms_in_their_batches) {
  // Lonely arms join a batch at once, so that one can grow by one.
  const PreferenceMatrix matrix = resolve_matrix("random-condorcet(k=40,seed=3,gap=0.2)").value();
  MergeDts::Options options;
  options.alpha = 0.3;
  options.c = 10;
  const Stream stream(3, 0, Purpose::choice);
  MergeDts policy(options, 40, stream.at(0));
  for (Round t = 1; t <= 20000; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    ASSERT_TRUE(policy.batches().consistent(40));
    // No self-duel until one arm remains.
    ASSERT_EQ(duel.is_self(), policy.batches().num_survivors() == 1);
    policy.observe(duel, messy_outcome(matrix, duel, 3), stream.at(t));
  }
  EXPECT_EQ(policy.batches().num_survivors(), 1U);
}

// C(delta) = ((4 alpha - 1) K^2/((2 alpha - 1) delta))^(1/(2 alpha - 1)): 61203.7 for K = 16. The
// first bound of 1/2 is crossed where it says: w = 0 of n, sqrt(1.01 ln(t + C)/n) < 1/2 iff n >
// 4.04 ln(t + C) = 44.5 at t = 1.
TEST(MergeRucb, widens_its_bounds_by_the_constant_of_the_paper) {
  const Stream stream(1, 0, Purpose::choice);
  MergeRucb policy({}, 16, stream.at(0));
  const std::vector<Arm> group = policy.batches().groups[1];
  const auto survivors_after = [&](int losses) {
    MergeRucb copy = policy;
    for (int k = 0; k < losses; ++k) {
      copy.observe({group[0], group[1], 0, true}, Outcome::second_wins, stream.at(0));
    }
    copy.take(1, stream.at(1));  // round 1 works on batch 1
    return copy.batches().num_survivors();
  };
  EXPECT_EQ(survivors_after(44), 16U);
  EXPECT_EQ(survivors_after(45), 15U);
}

TEST(MergeRucb, asks_for_the_constant_where_alpha_makes_none) {
  const auto configured = [](const std::string& text) {
    return configure_policy(parse_call(text).value(), {16, 1000});
  };
  EXPECT_FALSE(configured("merge-rucb(alpha=0.262)").ok());
  EXPECT_FALSE(configured("merge-dts(alpha=0.5)").ok());
  EXPECT_FALSE(configured("merge-rucb(alpha=0.5001)").ok());
  EXPECT_TRUE(configured("merge-rucb(alpha=0.262,c=4e5,p=8)").ok());
  const auto refused = configured("merge-dts(alpha=0.262)");
  EXPECT_NE(refused.error().to_string().find("give c"), std::string::npos);
}

TEST(Batches, merge_joins_small_with_large_and_passes_the_full_through) {
  RoundRng rng = Stream(1, 0, Purpose::choice).at(1);
  Batches batches;
  batches.groups = {{0, 1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}, {11, 12}};
  batches.merge(4, 7,
                rng);  // at most 6: 6 alone, 4 + 1, 2 alone; 2 <= p/2, so once more: none fits
  std::vector<std::size_t> sizes;
  for (const auto& group : batches.groups) sizes.push_back(group.size());
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 5, 6}));
  EXPECT_EQ(batches.stage, 2U);
  EXPECT_EQ(batches.stage_start, 7U);
  EXPECT_EQ(batches.num_survivors(), 13U);
}

}  // namespace
}  // namespace duel
