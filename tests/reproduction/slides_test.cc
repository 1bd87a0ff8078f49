// The exact examples of the slides, run as `duel reproduce` runs them.
#include <gtest/gtest.h>

#include "duel/reproduction/reproduction.h"

namespace duel {
namespace {

TEST(SlidesReproduction, every_exact_finding_passes) {
  for (const char* name : {"slides-matrix", "slides-tdi", "slides-abc"}) {
    const auto kind = reproduction_catalogue().find(name);
    ASSERT_TRUE(kind.ok()) << name;
    const auto done = (*kind)->run(ReproductionContext{});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_FALSE(done->findings.empty());
    for (const Finding& finding : done->findings) {
      EXPECT_EQ(finding.verdict, FindingVerdict::pass) << name << ": " << finding.claim;
    }
    ASSERT_EQ(done->tables.size(), 1U);
    EXPECT_GT(done->tables[0].num_rows(), 0U);
  }
}

// Eight sequences of coins give two lists with four attributions each.
TEST(SlidesReproduction, the_draft_has_eight_equally_likely_forms) {
  const auto done = (*reproduction_catalogue().find("slides-tdi"))->run(ReproductionContext{});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->tables[0].num_rows(), 8U);
  EXPECT_NE(done->tables[0].to_csv().find("142356,ABBAAB,0.125,0,0,0"), std::string::npos);
}

}  // namespace
}  // namespace duel
