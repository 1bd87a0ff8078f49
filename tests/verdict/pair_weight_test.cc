#include "duel/verdict/pair_weight.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

// The table of web/tests/unit/charts_test.ts: after 1 : 0, 5 : 1, 15 : 5 and 60 : 20, about.
TEST(PairWeight, follows_the_evidence_and_one_duel_is_none) {
  EXPECT_EQ(pair_weight({0.02, 1}), PairWeight::too_little);
  EXPECT_EQ(pair_weight({0.3, 0.98}), PairWeight::too_little);
  EXPECT_EQ(pair_weight({0.45, 0.92}), PairWeight::leaning);
  EXPECT_EQ(pair_weight({0.08, 0.55}), PairWeight::leaning) << "the same for the one that loses";
  EXPECT_EQ(pair_weight({0.55, 0.85}), PairWeight::told_apart);
  EXPECT_EQ(pair_weight({0.6, 0.75}), PairWeight::beyond);
}

}  // namespace
}  // namespace duel
