#include "duel/core/meeting_counts.h"

#include <gtest/gtest.h>

#include <utility>

#include "duel/core/rng.h"

namespace duel {
namespace {

TEST(MeetingCounts, counts_alike_in_the_table_and_in_the_sparse_form) {
  constexpr std::size_t kArms = 60;
  MeetingCounts table(kArms, kArms);
  MeetingCounts sparse(kArms, kArms - 1);
  std::uint64_t state = 5;
  for (int step = 0; step < 20'000; ++step) {
    state = mix64(state + 1);
    Arm low = static_cast<Arm>(state % kArms);
    Arm high = static_cast<Arm>((state >> 32) % kArms);
    if (low == high) continue;
    if (low > high) std::swap(low, high);
    ASSERT_EQ(sparse.next(low, high), table.next(low, high)) << step;
  }
}

TEST(MeetingCounts, takes_memory_for_the_pairs_that_met) {
  MeetingCounts counts(10'000);
  EXPECT_EQ(counts.bytes(), 0u);
  for (Arm high = 1; high <= 5000; ++high) EXPECT_EQ(counts.next(0, high), 0u);
  EXPECT_EQ(counts.next(0, 5000), 1u);
  // A table of all pairs would take 200 MB. 5000 pairs take 16 bytes each, at most half of them
  // used.
  EXPECT_LE(counts.bytes(), 4u * 16 * 5000);
}

}  // namespace
}  // namespace duel
