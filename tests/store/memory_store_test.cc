#include "duel/store/memory_store.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/store/shelf.h"

namespace duel {
namespace {

TEST(MemoryStore, gives_back_lines_and_takes_a_group_at_its_head_only) {
  MemoryStore store;
  Shelf shelf(store, "tones");
  shelf.create();
  const Head none = shelf.head();
  shelf.append({"first", "second"});
  EXPECT_NE(shelf.refusal_at(none, {"x"}), "");
  shelf.append({"third"});
  shelf.is_as_expected();
  EXPECT_EQ(store.head("tones")->sequence, 3U);
  EXPECT_EQ(*store.synced("tones"), 3U);
  EXPECT_FALSE(store.create("tones").ok());
  EXPECT_EQ(store.own("colours").error().code, ErrorCode::not_found);
  EXPECT_EQ(store.head("colours").error().code, ErrorCode::not_found);
}

TEST(MemoryStore, finds_lines_by_key_and_remembers_tags_by_experiment) {
  MemoryStore store;
  Shelf tones(store, "tones"), colours(store, "colours");
  tones.create();
  colours.create();
  const Lines one = tones.group({"t1", "t2", "t3"});
  const std::vector<Line> lines = {{one[0], "d1", 7}, {one[1], "d2", 0}, {one[2], "d1", 9}};
  ASSERT_TRUE(store.append_to("tones", tones.head(), lines).ok());
  EXPECT_EQ(*store.find("tones", "d1"), (std::vector<FoundLine>{{1, one[0]}, {3, one[2]}}));
  EXPECT_TRUE(store.find("tones", "d9")->empty());
  EXPECT_EQ(*store.experiments_of("d2"), (std::vector<std::string>{"tones"}));
  EXPECT_TRUE(*store.tagged("tones", 9));
  EXPECT_FALSE(*store.tagged("tones", 8));
  EXPECT_FALSE(*store.tagged("colours", 9));
  EXPECT_FALSE(*store.tagged("nothing", 9));
  const std::array<std::uint64_t, 1> more = {8};
  ASSERT_TRUE(store.add_tags("tones", more).ok());
  EXPECT_TRUE(*store.tagged("tones", 8));
  EXPECT_EQ(store.add_tags("nothing", more).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace duel
