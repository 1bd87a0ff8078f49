#include "duel/policies/parts/pending_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "duel/core/rng.h"

namespace duel {
namespace {

TEST(PendingPairs, count_as_a_plain_map_does) {
  RoundRng rng = Stream(5, 0, Purpose::test, "pending pairs").at(1);
  PendingPairs pending;
  std::map<std::pair<Arm, Arm>, std::uint32_t> twin;
  for (int step = 0; step < 20'000; ++step) {
    const Arm i = static_cast<Arm>(rng.below(6)), j = static_cast<Arm>(rng.below(6));
    const std::pair<Arm, Arm> pair = std::minmax(i, j);
    if (rng.coin()) {
      pending.issued(i, j);
      ++twin[pair];
    } else {
      EXPECT_EQ(pending.settled(i, j), twin.contains(pair));
      if (twin.contains(pair) && --twin[pair] == 0) twin.erase(pair);
    }
    ASSERT_EQ(pending.count(j, i), twin.contains(pair) ? twin[pair] : 0);
    ASSERT_EQ(pending.empty(), twin.empty());
    ASSERT_EQ(pending.pairs().size(), twin.size());
    auto at = twin.begin();
    for (const PendingPairs::Pair& one : pending.pairs()) {
      ASSERT_EQ(std::pair(one.low, one.high), at->first);
      ASSERT_EQ(one.count, at->second);
      ++at;
    }
    ASSERT_TRUE(pending.valid_for(6));
  }
  EXPECT_FALSE(pending.valid_for(2));
}

}  // namespace
}  // namespace duel
