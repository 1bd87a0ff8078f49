// Three nodes and their database through crashes, outages, kills and pauses: cluster.h. DUEL_SEED=n
// runs one seed and tells its story.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/simulated_cluster/cluster.h"

namespace duel {
namespace {

TEST(SimulatedCluster, loses_nothing_doubles_nothing_and_denies_nothing) {
  const char* const asked = std::getenv("DUEL_SEED");
  if (asked != nullptr) {
    const ClusterRun run = run_cluster(std::strtoull(asked, nullptr, 10), &std::cout);
    for (const std::string& violation : run.violations) ADD_FAILURE() << violation;
    return;
  }
  ClusterRun all;
  constexpr std::uint64_t kSeeds = 100;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ClusterRun run = run_cluster(seed);
    for (const std::string& violation : run.violations) {
      ADD_FAILURE() << "DUEL_SEED=" << seed << ": " << violation;
    }
    all.serves += run.serves;
    all.outcomes += run.outcomes;
    all.fallbacks += run.fallbacks;
    all.retries += run.retries;
    all.kills += run.kills;
    all.crashes += run.crashes;
    all.lost_serves += run.lost_serves;
    all.tails_appended_again += run.tails_appended_again;
    all.taken_over += run.taken_over;
    all.certificates += run.certificates;
  }
  std::cout << all.serves << " serves, " << all.outcomes << " outcomes, " << all.fallbacks
            << " fallbacks, " << all.retries << " retries, " << all.kills << " kills, "
            << all.crashes << " crashes, " << all.lost_serves << " serves lost, "
            << all.tails_appended_again << " tails appended again, " << all.taken_over
            << " take-overs, " << all.certificates << " certificates\n";
  // Otherwise this proves less.
  EXPECT_GT(all.outcomes, 10 * kSeeds);
  EXPECT_GT(all.kills, 0U);
  EXPECT_GT(all.crashes, 0U);
  EXPECT_GT(all.tails_appended_again, 0U);
  EXPECT_GT(all.taken_over, 0U);
}

TEST(SimulatedCluster, repeats_a_seed_bit_for_bit) {
  for (const std::uint64_t seed : {1000U, 1001U, 1002U}) {
    EXPECT_EQ(run_cluster(seed).trace, run_cluster(seed).trace) << seed;
  }
  EXPECT_NE(run_cluster(1000).trace, run_cluster(1003).trace);
}

}  // namespace
}  // namespace duel
