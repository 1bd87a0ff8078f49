#include "duel/experiment/remarks.h"

#include <gtest/gtest.h>

#include <string>

namespace duel {
namespace {

Said said(const std::string& reason, double cost, std::uint64_t tokens) {
  Said said = Outcome::first_wins;
  said.reason = reason;
  said.cost = cost;
  said.tokens = tokens;
  return said;
}

TEST(Remarks, of_several_answers_are_added_up) {
  Said last = said("for it is short", 0.5, 4);
  last.cached = true;
  const Remarks all = remarks_of({said("", 0.25, 3), said("it rhymes", 0.25, 0), last});
  EXPECT_EQ(all.reason, "it rhymes\nfor it is short");
  EXPECT_EQ(all.cost, 1);
  EXPECT_EQ(all.tokens, 7U);
  EXPECT_TRUE(all.cached);
  EXPECT_TRUE(all.features.is_null());
}

TEST(Remarks, reasons_together_are_no_longer_than_one_may_be) {
  const Remarks all = remarks_of(
      {said(std::string(1500, 'x'), 0, 0), said("\n", 0, 0), said(std::string(1500, 'y'), 0, 0)});
  EXPECT_EQ(all.reason.size(), 2000U);
  // A character of two bytes that does not fit in whole is left out.
  std::string accents(1999, 'x');
  for (int k = 0; k < 10; ++k) accents += "\u00e9";
  EXPECT_EQ(reason_within_bounds(accents), std::string(1999, 'x'));
}

}  // namespace
}  // namespace duel
