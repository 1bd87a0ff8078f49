// What every store does, whatever it is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "duel/store/line.h"
#include "duel/store/store.h"
#include "tests/store/shelf.h"
#include "tests/store/store_kinds.h"
#include "tests/study/temporary_directory.h"

namespace duel {
namespace {

class StoreConformance : public ::testing::TestWithParam<StoreKind> {
 protected:
  std::unique_ptr<Store> open() const { return GetParam().open(directory_); }
  void reopen() {
    store_.reset();
    store_ = open();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_ = open();
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
    const Lines all = shelf.expected();
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
    for (std::size_t k = 0; k < kReadableAfterLine; ++k) byte = line.data()[line.size() + k];
    return Done{};
  });
  EXPECT_TRUE(read.ok());
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
