// What every store does, whatever it is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/store/line.h"
#include "duel/store/store.h"
#include "tests/store/shelf.h"
#include "tests/store/store_kinds.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

class StoreConformance : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << "NOT TESTED: " << GetParam().missing;
    store_ = open();
  }
  std::unique_ptr<Store> open() const { return GetParam().open(directory_); }
  void reopen() {
    store_.reset();
    store_ = open();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreConformance, gives_back_every_line_in_order_also_when_opened_again) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"first"});
  shelf.append({"second", "é \\u0000", ""});
  shelf.append({});
  shelf.append({"fifth"});
  shelf.sync();
  reopen();
  EXPECT_EQ(lines_of(*store_, "tones"), shelf.expected());  // before it is owned, too
  shelf.moves_to(*store_);
  shelf.is_as_expected();
  shelf.append({"sixth"});
}

TEST_P(StoreConformance, begins_to_read_after_any_line) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"1", "2", "3", "4"});
  for (std::size_t after = 0; after <= 5; ++after) {
    const Lines& all = shelf.expected();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(std::min(after, all.size()));
    EXPECT_EQ(lines_of(*store_, "tones", after), Lines(begin, all.end())) << after;
  }
}

TEST_P(StoreConformance, takes_a_group_at_its_head_only) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  const Head none = shelf.head();
  EXPECT_NE(shelf.refusal_at({1, std::string(64, '0')}, {"x"}), "");
  shelf.append({"first"});
  const Head first = shelf.head();
  shelf.append({"second", "third"});
  const Head third = shelf.head();
  EXPECT_NE(shelf.refusal_at(none, {"x"}), "");
  EXPECT_NE(shelf.refusal_at(first, {"x", "y"}), "");
  EXPECT_NE(shelf.refusal_at({third.sequence, first.hash}, {"x"}), "");
  EXPECT_NE(shelf.refusal_at({third.sequence + 1, third.hash}, {"x"}), "");
  shelf.append({"fourth"});
}

TEST_P(StoreConformance, knows_its_head_without_having_been_read) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"first", "second"});
  const Head second = shelf.head();
  for (const Head& wrong : {Head{1, second.hash}, Head{2, std::string(64, '0')}, Head{}}) {
    reopen();
    shelf.moves_to(*store_);
    EXPECT_NE(shelf.refusal_at(wrong, {"x"}), "");
  }
  reopen();
  shelf.moves_to(*store_);
  shelf.append({"third"});
}

TEST_P(StoreConformance, keeps_experiments_apart_and_lists_those_with_a_line) {
  EXPECT_EQ(*store_->list(), Lines());
  Shelf tones(*store_, "tones"), prompts(*store_, "prompts"), empty(*store_, "empty");
  tones.create();
  prompts.create();
  empty.create();
  tones.append({"t1"});
  prompts.append({"p1", "p2"});
  tones.append({"t2", "t3"});
  prompts.is_as_expected();
  EXPECT_EQ(*store_->list(), (Lines{"prompts", "tones"}));
  reopen();
  EXPECT_EQ(*store_->list(), (Lines{"prompts", "tones"}));
}

TEST_P(StoreConformance, never_creates_what_exists_nor_finds_what_does_not) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"first"});
  reopen();
  EXPECT_FALSE(store_->create("tones").ok());
  EXPECT_EQ(lines_of(*store_, "tones"), shelf.expected());
  EXPECT_EQ(store_->own("colours").error().code, ErrorCode::not_found);
  const auto ignore = [](std::string_view) -> Status { return Done{}; };
  EXPECT_EQ(store_->read("colours", 0, ignore).error().code, ErrorCode::not_found);
}

TEST_P(StoreConformance, belongs_to_one_writer_and_to_every_reader) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"first"});
  const auto other = open();
  EXPECT_FALSE(other->own("tones").ok());
  EXPECT_FALSE(other->create("tones").ok());
  EXPECT_EQ(lines_of(*other, "tones"), shelf.expected());
  shelf.append({"second"});
  store_.reset();
  shelf.moves_to(*other);
  shelf.append({"third"});
}

TEST_P(StoreConformance, ends_the_reading_at_an_error_of_the_reader) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"1", "2", "3"});
  std::size_t seen = 0;
  const auto rest = store_->read("tones", 0, [&](std::string_view) -> Status {
    if (++seen == 2) return Error::invalid_data("makes no sense", "tones:2");
    return Done{};
  });
  ASSERT_FALSE(rest.ok());
  EXPECT_EQ(rest.error().to_string(), "tones:2: makes no sense");
  EXPECT_EQ(seen, 2U);
  shelf.append({"4"});
}

TEST_P(StoreConformance, takes_long_lines_and_gives_bytes_to_read_after_each) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({std::string(1, 'a'), std::string(3'000'000, 'b'), std::string(2, 'c')});
  shelf.append({std::string(1 << 20, 'd')});
  // The sanitizers watch that these bytes may be read.
  volatile char byte = 0;
  const auto read = store_->read("tones", 0, [&](std::string_view line) -> Status {
    const char* after = line.data() + line.size();
    for (std::size_t k = 0; k < kReadableAfterLine; ++k) byte = after[k];
    return Done{};
  });
  EXPECT_TRUE(read.ok());
}

TEST_P(StoreConformance, says_where_the_head_is_also_before_it_was_read) {
  Shelf shelf(*store_, "tones");
  EXPECT_EQ(store_->head("tones").error().code, ErrorCode::not_found);
  shelf.create();
  EXPECT_EQ(store_->head("tones")->sequence, 0U);
  shelf.append({"first", "second"});
  EXPECT_EQ(*store_->head("tones"), shelf.head());
  reopen();
  EXPECT_EQ(*store_->head("tones"), shelf.head());
}

TEST_P(StoreConformance, a_head_that_is_not_there_is_a_conflict_and_says_which_one_is) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"first"});
  const Lines lines = shelf.group({"second"});
  const Status status = store_->append_to("tones", {7, std::string(64, '0')}, as_lines(lines));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::conflict);
  EXPECT_NE(status.error().message.find("it ends with record 1"), std::string::npos);
  EXPECT_FALSE(store_->broken());
}

TEST_P(StoreConformance, finds_lines_by_their_key) {
  Shelf tones(*store_, "tones"), prompts(*store_, "prompts");
  tones.create();
  prompts.create();
  EXPECT_EQ(*store_->find("tones", "d1"), std::vector<FoundLine>());
  tones.append({"begins", "d1: served", "d2: served", "d1: won"});
  prompts.append({"begins", "d2: served"});
  const auto found = [&](const Shelf& shelf, std::initializer_list<std::uint64_t> sequences) {
    std::vector<FoundLine> lines;
    for (const std::uint64_t k : sequences) lines.push_back({k, shelf.expected()[k - 1]});
    return lines;
  };
  for (const bool again : {false, true}) {
    if (again) reopen();
    EXPECT_EQ(*store_->find("tones", "d1"), found(tones, {2, 4}));
    EXPECT_EQ(*store_->find("tones", "d2"), found(tones, {3}));
    EXPECT_EQ(*store_->find("prompts", "d2"), found(prompts, {2}));
    EXPECT_EQ(*store_->find("prompts", "d1"), std::vector<FoundLine>());
    EXPECT_EQ(*store_->find("tones", ""), std::vector<FoundLine>());  // no key is not a key
    EXPECT_EQ(*store_->experiments_of("d1"), Lines{"tones"});
    EXPECT_EQ(*store_->experiments_of("d2"), (Lines{"prompts", "tones"}));
    EXPECT_EQ(*store_->experiments_of("d"), Lines());
    EXPECT_EQ(*store_->experiments_of(""), Lines());
    EXPECT_EQ(store_->find("colours", "d1").error().code, ErrorCode::not_found);
  }
}

// A store may put several lines into the database at once, and the rest one by one.
TEST_P(StoreConformance, takes_groups_of_any_size_with_keys_and_without) {
  Shelf tones(*store_, "tones");
  tones.create();
  std::vector<std::uint64_t> with_key;
  for (std::size_t size = 0; size <= 18; ++size) {
    Lines group;
    for (std::size_t k = 0; k < size; ++k) {
      const bool has_key = (size + k) % 3 != 0;
      group.push_back((has_key ? "d1: " : "") + std::to_string(k));
      if (has_key) with_key.push_back(tones.expected().size() + k + 1);
    }
    tones.append(group);
  }
  reopen();
  EXPECT_EQ(lines_of(*store_, "tones"), tones.expected());
  const std::vector<FoundLine> lines = *store_->find("tones", "d1");
  std::vector<std::uint64_t> found;
  for (const FoundLine& line : lines) {
    EXPECT_EQ(line.text, tones.expected()[line.sequence - 1]);
    found.push_back(line.sequence);
  }
  EXPECT_EQ(found, with_key);
}

TEST_P(StoreConformance, takes_groups_of_several_experiments_and_refuses_each_alone) {
  Shelf tones(*store_, "tones"), prompts(*store_, "prompts"), fresh(*store_, "fresh");
  tones.create();
  prompts.create();
  fresh.create();
  tones.append({"t1"});
  prompts.append({"p1"});
  const Lines t2 = tones.group({"t2", "t3"}), p2 = prompts.group({"p2"}), f1 = fresh.group({"f1"});
  const std::string t3_hash(split_line(t2.back())->hash);
  const Lines t4 = {line_of(4, "t4")};
  const auto t2_lines = as_lines(t2), p2_lines = as_lines(p2), f1_lines = as_lines(f1),
             t4_lines = as_lines(t4);
  const std::vector<Group> groups = {{"tones", tones.head(), t2_lines},
                                     {"prompts", tones.head(), p2_lines},  // not its head
                                     {"fresh", fresh.head(), f1_lines},
                                     {"tones", {3, t3_hash}, t4_lines}};
  const auto results = store_->append(groups);
  if (!GetParam().is_database) {
    ASSERT_FALSE(results.ok());
    EXPECT_EQ(results.error().code, ErrorCode::unsupported);
    tones.is_as_expected();
    fresh.is_as_expected();
    return;
  }
  ASSERT_TRUE(results.ok()) << results.error().to_string();
  ASSERT_EQ(results->size(), 4U);
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ((*results)[1].error().code, ErrorCode::conflict);
  EXPECT_TRUE((*results)[2].ok());
  EXPECT_TRUE((*results)[3].ok());
  tones.expect({t2[0], t2[1], t4[0]});
  fresh.expect(f1);
  prompts.is_as_expected();
  prompts.append({"p2"});
  EXPECT_TRUE(store_->append({})->empty());
}

TEST_P(StoreConformance, keeps_the_newest_snapshot_of_each_experiment) {
  Shelf tones(*store_, "tones");
  tones.create();
  tones.append({"t1", "t2"});
  const Snapshot first{1, "h1", "rmed1/3", std::string("a\0b", 3)};
  const Snapshot second{2, "h2", "rmed1/4", std::string(100'000, 'x')};
  if (!GetParam().is_database) {
    EXPECT_EQ(store_->put_snapshot("tones", first).error().code, ErrorCode::unsupported);
    EXPECT_EQ(*store_->snapshot("tones"), std::nullopt);
    return;
  }
  EXPECT_EQ(*store_->snapshot("tones"), std::nullopt);
  ASSERT_TRUE(store_->put_snapshot("tones", first).ok());
  EXPECT_EQ(*store_->snapshot("tones"), first);
  ASSERT_TRUE(store_->put_snapshot("tones", second).ok());
  reopen();
  EXPECT_EQ(*store_->snapshot("tones"), second);
  EXPECT_EQ(store_->snapshot("colours").error().code, ErrorCode::not_found);
  EXPECT_EQ(store_->put_snapshot("colours", first).error().code, ErrorCode::not_found);
}

TEST_P(StoreConformance, remembers_the_tags_of_lines_by_experiment) {
  Shelf tones(*store_, "tones"), colours(*store_, "colours");
  tones.create();
  colours.create();
  const Lines one = tones.group({"t1", "t2", "t3"});
  constexpr std::uint64_t kLarge = ~std::uint64_t{0};
  const std::vector<Line> lines = {{one[0], "", 7}, {one[1], "", 0}, {one[2], "", kLarge}};
  ASSERT_TRUE(store_->append_to("tones", tones.head(), lines).ok());
  tones.expect(one);
  colours.append({"c1"});
  const std::array<std::uint64_t, 3> more = {8, 7, 9};
  ASSERT_TRUE(store_->add_tags("tones", more).ok());
  EXPECT_EQ(store_->add_tags("nothing", more).error().code, ErrorCode::not_found);
  for (int again = 0; again < 2; ++again) {
    for (const std::uint64_t tag : {std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{9}, kLarge}) {
      EXPECT_TRUE(*store_->tagged("tones", tag)) << tag;
      EXPECT_FALSE(*store_->tagged("colours", tag)) << tag;
      EXPECT_FALSE(*store_->tagged("nothing", tag)) << tag;
    }
    EXPECT_FALSE(*store_->tagged("tones", 0));
    EXPECT_FALSE(*store_->tagged("tones", 10));
    if (!GetParam().is_database) return;  // the reader of a log file adds them again
    reopen();
  }
}

TEST_P(StoreConformance, does_not_keep_the_tags_of_a_group_that_it_refuses) {
  if (!GetParam().is_database) return;
  Shelf tones(*store_, "tones");
  tones.create();
  tones.append({"t1"});
  const Lines more = tones.group({"t2"});
  const std::vector<Line> lines = {{more[0], "", 7}};
  ASSERT_FALSE(store_->append_to("tones", {9, std::string(64, '0')}, lines).ok());
  EXPECT_FALSE(*store_->tagged("tones", 7));
}

TEST_P(StoreConformance, outlines_experiments_without_their_states) {
  Shelf tones(*store_, "tones"), colours(*store_, "colours");
  tones.create();
  tones.append({"t1", "t2"});
  colours.create();
  colours.append({"c1"});
  if (!GetParam().is_database) {
    EXPECT_EQ(store_->outlines().error().code, ErrorCode::unsupported);
    return;
  }
  const Snapshot snapshot{1, "h1", "v", std::string(100'000, 'x'), "{\"shown\":{}}"};
  ASSERT_TRUE(store_->put_snapshot("tones", snapshot).ok());
  EXPECT_EQ(*store_->snapshot("tones"), snapshot);
  Snapshot without = snapshot;
  without.bytes.clear();
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(*store_->outlines(), (std::vector<Outline>{{"colours", colours.head(), std::nullopt},
                                                         {"tones", tones.head(), without}}));
    reopen();
  }
}

TEST_P(StoreConformance, keeps_entries_by_space_and_key) {
  using Entries = std::vector<std::pair<std::string, std::string>>;
  if (!GetParam().is_database) {
    EXPECT_EQ(store_->put("tokens", "a", "1").error().code, ErrorCode::unsupported);
    EXPECT_EQ(store_->get("tokens", "a").error().code, ErrorCode::unsupported);
    EXPECT_EQ(store_->entries("tokens").error().code, ErrorCode::unsupported);
    EXPECT_EQ(store_->erase("tokens", "a").error().code, ErrorCode::unsupported);
    return;
  }
  const std::string bytes("\0\xff", 2);
  ASSERT_TRUE(store_->put("tokens", "b", bytes).ok());
  ASSERT_TRUE(store_->put("tokens", "a", "old").ok());
  ASSERT_TRUE(store_->put("tokens", "a", "new").ok());
  ASSERT_TRUE(store_->put("secrets", "a", "").ok());
  for (const bool again : {false, true}) {
    if (again) reopen();
    EXPECT_EQ(*store_->get("tokens", "a"), "new");
    EXPECT_EQ(*store_->get("secrets", "a"), "");
    EXPECT_EQ(*store_->get("secrets", "b"), std::nullopt);
    EXPECT_EQ(*store_->entries("tokens"), (Entries{{"a", "new"}, {"b", bytes}}));
    EXPECT_EQ(*store_->entries("others"), Entries());
  }
  EXPECT_TRUE(*store_->erase("tokens", "a"));
  EXPECT_FALSE(*store_->erase("tokens", "a"));
  EXPECT_EQ(*store_->entries("tokens"), (Entries{{"b", bytes}}));
  EXPECT_EQ(*store_->get("secrets", "a"), "");
}

TEST_P(StoreConformance, a_clean_stop_leaves_the_mark_at_the_head) {
  EXPECT_EQ(*store_->last_stop(), LastStop::clean);
  Shelf shelf(*store_, "tones");
  shelf.create();
  EXPECT_EQ(*store_->synced("tones"), 0U);
  shelf.append({"1", "2", "3"});
  EXPECT_EQ(*store_->synced("tones"), 3U);  // this process has appended: nothing is in doubt
  reopen();
  EXPECT_EQ(*store_->last_stop(), LastStop::clean);
  EXPECT_EQ(*store_->synced("tones"), 3U);
  EXPECT_EQ(store_->synced("colours").error().code, ErrorCode::not_found);
}

TEST_P(StoreConformance, is_checked_backed_up_and_compacted) {
  Shelf shelf(*store_, "tones");
  shelf.create();
  shelf.append({"d1: served", std::string(100'000, 'b')});
  const std::filesystem::path copy = directory_ / "copy.db";
  if (!GetParam().is_database) {
    EXPECT_EQ(store_->check().error().code, ErrorCode::unsupported);
    EXPECT_EQ(store_->backup(copy).error().code, ErrorCode::unsupported);
    EXPECT_EQ(store_->compact().error().code, ErrorCode::unsupported);
    return;
  }
  ASSERT_TRUE(store_->put("tokens", "a", std::string(1'000'000, 'x')).ok());
  EXPECT_TRUE(store_->check().ok());
  if (!GetParam().is_file) {
    EXPECT_EQ(store_->backup(copy).error().code, ErrorCode::unsupported);
    ASSERT_TRUE(store_->compact().ok());
    shelf.append({"after compacting"});
    return;
  }
  const Lines before = shelf.expected();
  const Status saved = store_->backup(copy);
  ASSERT_TRUE(saved.ok()) << saved.error().to_string();
  EXPECT_EQ(store_->backup(copy).error().code, ErrorCode::conflict);
  EXPECT_NE(store_->backup(directory_ / "nowhere/copy.db").error().message, "");
  shelf.append({"after the copy"});
  ASSERT_TRUE(store_->erase("tokens", "a").ok());
  ASSERT_TRUE(store_->compact().ok());
  EXPECT_LT(std::filesystem::file_size(directory_ / "store.db"), 500'000U);
  shelf.append({"after compacting"});
  EXPECT_TRUE(store_->check().ok());
  reopen();
  EXPECT_EQ(lines_of(*store_, "tones"), shelf.expected());
  const auto restored = open_sqlite(copy);
  EXPECT_EQ(lines_of(*restored, "tones"), before);
  EXPECT_TRUE(restored->check().ok());
  EXPECT_EQ(restored->get("tokens", "a")->value().size(), 1'000'000U);
}

INSTANTIATE_TEST_SUITE_P(every, StoreConformance, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST(Line, shows_its_number_and_its_hash_or_nothing) {
  const std::string line = line_of(17, "x");
  EXPECT_EQ(number_of(line), 17U);
  const auto parts = split_line(line);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->body, "{\"seq\":17,\"text\":\"x\"");
  EXPECT_EQ(parts->hash, sha256_hex(parts->body));
  EXPECT_EQ(line.size(), parts->body.size() + closing_bytes());
  for (const std::string& other :
       {std::string(), line.substr(1), line.substr(0, line.size() - 1), std::string("{\"seq\":17}"),
        "{\"seq\":" + std::string(19, '1') + ",", std::string(200, ' ')}) {
    EXPECT_FALSE(number_of(other) && split_line(other)) << other;
  }
}

}  // namespace
}  // namespace duel
