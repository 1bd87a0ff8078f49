// The same as simulated_cluster_test.cc for ten thousand seeds, and 1200 of disks.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/simulated_cluster/cluster.h"

namespace duel {
namespace {

// Nodes that were killed are kept, so that each hundred is a process of its own.
class SimulatedClusters : public testing::TestWithParam<std::uint64_t> {};

void expect_no_violation(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    for (const std::string& violation : run_cluster(seed).violations) {
      ADD_FAILURE() << "DUEL_SEED=" << seed << ": " << violation;
    }
  }
}

TEST_P(SimulatedClusters, lose_nothing_double_nothing_and_deny_nothing) {
  expect_no_violation(GetParam() * 100, 100);
}

TEST_P(SimulatedClusters, lose_nothing_on_disks_that_lose_power) {
  expect_no_violation(kFirstDiskSeed + GetParam() * 12, 12);
}

INSTANTIATE_TEST_SUITE_P(Hundreds, SimulatedClusters, testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace duel
