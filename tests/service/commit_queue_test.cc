#include "duel/service/commit_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace duel {
namespace {

struct Numbered {
  char owner;
  int number;
  bool operator==(const Numbered&) const = default;
};

using NumberedOnes = std::vector<Numbered>;

TEST(CommitQueue, lets_one_owner_commit_at_once_and_wakes_nobody_for_it) {
  CommitQueue<Numbered> queue;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(queue.lay({{'a', 1}, {'a', 2}}), (NumberedOnes{{'a', 1}, {'a', 2}}));
    EXPECT_EQ(queue.finish(), std::nullopt);
  }
}

TEST(CommitQueue, gives_what_was_laid_during_a_commit_to_one_owner) {
  CommitQueue<Numbered> queue;
  EXPECT_EQ(queue.lay({{'a', 1}}), (NumberedOnes{{'a', 1}}));
  EXPECT_EQ(queue.lay({{'b', 2}}), NumberedOnes{}) << "a is committing";
  EXPECT_EQ(queue.lay({{'c', 3}}), NumberedOnes{});
  EXPECT_EQ(queue.finish(), 'b') << "whose group lies there longest";
  // b is awake, and c comes before it.
  EXPECT_EQ(queue.lay({{'c', 4}}), (NumberedOnes{{'b', 2}, {'c', 3}, {'c', 4}}));
  EXPECT_EQ(queue.lay({}), NumberedOnes{});
  EXPECT_EQ(queue.finish(), std::nullopt);
  EXPECT_EQ(queue.lay({}), NumberedOnes{}) << "nothing is there, and nobody is committing";
  EXPECT_EQ(queue.lay({{'a', 5}}), (NumberedOnes{{'a', 5}}));
}

}  // namespace
}  // namespace duel
