// The same as simulated_cluster_test.cc for ten thousand seeds.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/simulated_cluster/cluster.h"

namespace duel {
namespace {

// Nodes that were killed are kept, so that each hundred is a process of its own.
class SimulatedClusters : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatedClusters, lose_nothing_double_nothing_and_deny_nothing) {
  constexpr std::uint64_t kSeeds = 100;
  for (std::uint64_t seed = GetParam() * kSeeds; seed < (GetParam() + 1) * kSeeds; ++seed) {
    for (const std::string& violation : run_cluster(seed).violations) {
      ADD_FAILURE() << "DUEL_SEED=" << seed << ": " << violation;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hundreds, SimulatedClusters, testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace duel
