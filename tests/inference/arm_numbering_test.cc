// Which number an arm has is an accident: certificates of scores must not depend on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/score_certificate.h"

namespace duel {
namespace {

using Wins = std::vector<std::pair<Arm, Arm>>;  // winner, loser

// When a certificate came, which arms it could have named, and which one it did.
struct Ending {
  std::size_t duels = 0;
  std::set<Arm> settled;
  Arm named = 0;
};

// Arm a of the duels is called name[a]; the ending is given back in the old names.
std::optional<Ending> ending_of(const Wins& wins, const std::vector<Arm>& name) {
  auto certifier = ScoreCertifier::make(name.size(), Score::copeland, 0.05).value();
  for (std::size_t k = 0; k < wins.size(); ++k) {
    certifier.observe(name[wins[k].first], name[wins[k].second]);
    if (!certifier.winner()) continue;
    Ending ending{.duels = k + 1, .settled = {}, .named = 0};
    for (Arm a = 0; a < name.size(); ++a) {
      bool settled = true;
      for (Arm b = 0; b < name.size(); ++b) {
        settled = settled && (a == b || certifier.scores()[name[a]].lower >=
                                            certifier.scores()[name[b]].upper);
      }
      if (settled) ending.settled.insert(a);
      if (name[a] == *certifier.winner()) ending.named = a;
    }
    return ending;
  }
  return std::nullopt;
}

// Random pairs with random clear preferences, circles among them.
Wins random_duels(std::size_t num_arms, std::uint32_t trial) {
  RoundRng rng = Stream(37, trial, Purpose::test, "numbering").at(num_arms);
  std::vector<double> p(num_arms * num_arms);
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t j = i + 1; j < num_arms; ++j) {
      p[i * num_arms + j] = rng.coin() ? 0.95 : 0.05;
      if (rng.below(8) == 0) p[i * num_arms + j] = 0.5;
    }
  }
  Wins wins;
  for (int k = 0; k < 200; ++k) {
    const auto i = static_cast<Arm>(rng.below(num_arms));
    auto j = static_cast<Arm>(rng.below(num_arms - 1));
    if (j >= i) ++j;
    const auto [low, high] = std::minmax(i, j);
    const bool first = rng.bernoulli(p[low * num_arms + high]);
    wins.push_back(first ? std::pair{low, high} : std::pair{high, low});
  }
  return wins;
}

TEST(ArmNumbering, does_not_change_whether_when_and_for_whom_a_copeland_certificate_comes) {
  for (const std::size_t num_arms : {3, 4}) {
    std::size_t certified = 0, several = 0;
    for (std::uint32_t trial = 0; trial < 150; ++trial) {
      const Wins wins = random_duels(num_arms, trial);
      std::vector<Arm> name(num_arms);
      std::iota(name.begin(), name.end(), Arm{0});
      const auto expected = ending_of(wins, name);
      certified += expected ? 1 : 0;
      several += expected && expected->settled.size() > 1 ? 1 : 0;
      while (std::next_permutation(name.begin(), name.end())) {
        const auto ending = ending_of(wins, name);
        ASSERT_EQ(ending.has_value(), expected.has_value()) << num_arms << " arms, " << trial;
        if (!ending) continue;
        EXPECT_EQ(ending->duels, expected->duels) << num_arms << " arms, " << trial;
        EXPECT_EQ(ending->settled, expected->settled);
        EXPECT_TRUE(ending->settled.contains(ending->named));
        // Several at once have equal scores, so that the statement is true of each.
        if (ending->settled.size() > 1) continue;
        EXPECT_EQ(ending->named, expected->named);
      }
    }
    EXPECT_GT(certified, 50) << num_arms << " arms";
    RecordProperty("several_" + std::to_string(num_arms), std::to_string(several));
  }
}

// Worked out by hand: 1 beats 2, 2 beats 0, and 0 against 1 is open. Scores are 0: 0 .. 1, 1: 1 ..
// 2, 2: exactly 1. Arms 1 and 2 have the same lower bound, 1 reaches the upper bound of 2 and of 0,
// and 2 does not reach that of 1. Whichever of them has the lower number, it is arm 1.
TEST(ArmNumbering, finds_the_one_that_is_settled_among_arms_with_the_same_lower_bound) {
  Wins wins;
  for (int k = 0; k < 30; ++k) wins.emplace_back(1, 2);
  for (int k = 0; k < 30; ++k) wins.emplace_back(2, 0);
  std::vector<Arm> name = {0, 1, 2};
  do {
    const auto ending = ending_of(wins, name);
    ASSERT_TRUE(ending.has_value());
    EXPECT_EQ(ending->named, Arm{1});
    EXPECT_EQ(ending->settled, std::set<Arm>{1});
  } while (std::next_permutation(name.begin(), name.end()));
}

}  // namespace
}  // namespace duel
