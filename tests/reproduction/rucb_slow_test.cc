// RUCB's figures and lemma and the comparison of interleaving with absolute metrics, in their quick
// form: what is asked of them holds, and the numbers are the same on any number of threads.
#include <gtest/gtest.h>

#include <string>

#include "duel/reproduction/reproduction.h"

namespace duel {
namespace {

Reproduction quick(const std::string& name, unsigned threads) {
  ReproductionContext context;
  context.quick = true;
  context.threads = threads;
  auto done = (*reproduction_catalogue().find(name))->run(context);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().to_string());
  return std::move(done).value();
}

void expect_no_failure(const std::string& name) {
  for (const Finding& finding : quick(name, 0).findings) {
    EXPECT_NE(finding.verdict, FindingVerdict::fail) << finding.claim << ": " << finding.ours;
  }
}

void expect_same_on_one_and_two_threads(const std::string& name) {
  const Reproduction one = quick(name, 1), two = quick(name, 2);
  ASSERT_EQ(one.tables.size(), two.tables.size());
  for (std::size_t k = 0; k < one.tables.size(); ++k) {
    EXPECT_EQ(one.tables[k].to_csv(), two.tables[k].to_csv());
  }
}

// The paper's 5 to 10 times is not reached on every set of rankers (docs/reproduction.md): here,
// that RUCB is ahead of SAVAGE by more than a factor of 2, and Beat-the-Mean behind both.
TEST(RucbReproduction, figure_4_on_simulated_rankers) {
  for (const Finding& finding : quick("rucb-fig4", 0).findings) {
    if (finding.published == "5 to 10" && finding.verdict != FindingVerdict::skipped) {
      EXPECT_GT(finding.value.mean, 2) << finding.claim;
      EXPECT_EQ(finding.tolerance, "[5, 10]");
      EXPECT_EQ(finding.note.empty(), finding.value.mean >= 5) << finding.claim;
    } else {
      EXPECT_NE(finding.verdict, FindingVerdict::fail) << finding.claim << ": " << finding.ours;
    }
  }
}
TEST(RucbReproduction, figure_5_on_simulated_rankers) { expect_no_failure("rucb-fig5"); }
TEST(RucbReproduction, lemma_1_holds_and_narrow_bounds_are_seen_to_fail) {
  const Reproduction done = quick("rucb-lemma1", 0);
  ASSERT_EQ(done.findings.size(), 4U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(done.findings[k].verdict, FindingVerdict::pass);
  // alpha = 0.1: violated in most runs, or the meter is blind.
  EXPECT_GT(done.findings[3].value.mean, 0.5);
}
TEST(RucbReproduction, lemma_1_does_not_depend_on_threads) {
  expect_same_on_one_and_two_threads("rucb-lemma1");
}
TEST(InterleaveReproduction, orders_all_pairs_where_a_metric_does_not) {
  expect_no_failure("interleave-sim");
}
TEST(InterleaveReproduction, does_not_depend_on_threads) {
  expect_same_on_one_and_two_threads("interleave-sim");
}

}  // namespace
}  // namespace duel
