#include "duel/core/tournament_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "duel/core/rng.h"

namespace duel {
namespace {

struct Least {
  int value = std::numeric_limits<int>::max();
  int tied = 0;
  friend Least join(const Least& a, const Least& b) {
    if (a.value != b.value) return a.value < b.value ? a : b;
    return {a.value, a.tied + b.tied};
  }
};

TEST(TournamentTree, keeps_the_least_and_its_ties_like_a_plain_scan) {
  RoundRng rng = Stream(1, 0, Purpose::test, "tree").at(0);
  for (std::size_t size = 1; size <= 33; ++size) {
    TournamentTree<Least> tree(size);
    std::vector<int> values(size);
    for (std::size_t i = 0; i < size; ++i) tree.set(i, {0, 1});
    for (int step = 0; step < 200; ++step) {
      const std::size_t i = rng.below(size);
      values[i] = static_cast<int>(rng.below(5));
      tree.set(i, {values[i], 1});
      const int least = *std::min_element(values.begin(), values.end());
      EXPECT_EQ(tree.all().value, least);
      EXPECT_EQ(tree.all().tied, std::count(values.begin(), values.end(), least));
      // The last of the tied, found by walking to the right where the least is.
      const std::size_t last =
          tree.descend([&](const Least&, const Least& right) { return right.value == least; });
      EXPECT_EQ(values[last], least);
      EXPECT_EQ(
          std::count(values.begin() + static_cast<std::ptrdiff_t>(last) + 1, values.end(), least),
          0);
    }
  }
}

TEST(TournamentTree, a_neutral_leaf_is_forgotten) {
  TournamentTree<Least> tree(3);
  tree.set(0, {4, 1});
  tree.set(2, {1, 1});
  EXPECT_EQ(tree.all().value, 1);
  tree.set(2, {});
  EXPECT_EQ(tree.all().value, 4);
  EXPECT_EQ(tree.leaf(0).tied, 1);
}

}  // namespace
}  // namespace duel
