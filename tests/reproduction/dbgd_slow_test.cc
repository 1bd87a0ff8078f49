// Table 1 and figure 2 of Yue and Joachims (ICML 2009) at their full size: every cell is near the
// printed one and near another implementation's, and the learners are in the printed order.
#include <gtest/gtest.h>

#include "duel/reproduction/reproduction.h"

namespace duel {
namespace {

void expect_all_pass(const char* name, std::size_t num_findings) {
  const auto done = (*reproduction_catalogue().find(name))->run(ReproductionContext{});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(done->findings.size(), num_findings);
  for (const Finding& finding : done->findings) {
    EXPECT_EQ(finding.verdict, FindingVerdict::pass) << finding.claim << ": " << finding.ours;
  }
}

// 25 printed cells, 13 of another implementation, and the best delta_L of five problems.
TEST(DbgdReproduction, table_1) { expect_all_pass("dbgd-table1", 43); }

// Six values of another implementation, and three orders on each of four problems.
TEST(DbgdReproduction, figure_2) { expect_all_pass("dbgd-fig2", 18); }

}  // namespace
}  // namespace duel
