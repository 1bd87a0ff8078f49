#include "duel/http/unread_bytes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace duel {
namespace {

// A client, and whether it was cut off.
struct Reader {
  Reader(UnreadBytes& all, const std::string& network) : share(all) {
    share.belongs_to(network, [this] { ++cuts; });
  }
  UnreadBytes::Share share;
  int cuts = 0;
};

TEST(UnreadBytes, within_the_limit_nobody_is_cut_off) {
  UnreadBytes all(100);
  Reader one(all, "a"), two(all, "b");
  one.share.add(60);
  two.share.add(40);
  EXPECT_EQ(all.bytes(), 100U);
  EXPECT_EQ(all.cut_off(), 0U);
  one.share.took(60);
  two.share.done();
  EXPECT_EQ(all.bytes(), 0U);
}

TEST(UnreadBytes, beyond_it_the_one_that_took_nothing_for_the_longest_time_is) {
  UnreadBytes all(100);
  Reader first(all, "a"), second(all, "a"), third(all, "a"), late(all, "a");
  first.share.add(30);
  second.share.add(30);
  third.share.add(30);
  first.share.took(0);  // slow, but it reads
  late.share.add(30);
  EXPECT_EQ(second.cuts, 1);
  EXPECT_EQ(first.cuts + third.cuts + late.cuts, 0);
  EXPECT_EQ(all.bytes(), 90U);
  EXPECT_EQ(all.cut_off(), 1U);
}

TEST(UnreadBytes, it_is_one_of_the_network_that_lets_most_wait) {
  UnreadBytes all(100);
  Reader patient(all, "a"), many1(all, "b"), many2(all, "b"), honest(all, "c");
  patient.share.add(35);  // has waited longer than all others
  many1.share.add(30);
  many2.share.add(30);
  honest.share.add(20);
  EXPECT_EQ(many1.cuts, 1);
  EXPECT_EQ(patient.cuts + many2.cuts + honest.cuts, 0);
}

TEST(UnreadBytes, a_text_that_several_share_counts_once_until_the_last_has_read_it) {
  UnreadBytes all(100);
  const auto text = std::make_shared<const std::string>(80, 'x');
  Reader one(all, "a"), two(all, "a"), three(all, "a");
  one.share.add(1, text);
  two.share.add(1, text);
  three.share.add(1, text);
  EXPECT_EQ(all.bytes(), 83U);
  one.share.done();
  two.share.done();
  EXPECT_EQ(all.bytes(), 81U);
  three.share.done();
  EXPECT_EQ(all.bytes(), 0U);
}

TEST(UnreadBytes, all_who_share_a_text_are_cut_off_where_that_makes_room) {
  UnreadBytes all(100);
  const auto text = std::make_shared<const std::string>(80, 'x');
  Reader one(all, "a"), two(all, "a"), other(all, "b");
  one.share.add(1, text);
  two.share.add(1, text);
  other.share.add(50);
  EXPECT_EQ(one.cuts + two.cuts, 2);
  EXPECT_EQ(all.bytes(), 50U);
}

TEST(UnreadBytes, the_new_answer_itself_always_goes_out) {
  UnreadBytes all(100);
  Reader alone(all, "a");
  alone.share.add(500);
  EXPECT_EQ(alone.cuts, 0);
  Reader next(all, "b");
  next.share.add(200);
  EXPECT_EQ(alone.cuts, 1) << "so never more than the limit and one answer";
  EXPECT_EQ(next.cuts, 0);
  EXPECT_EQ(all.bytes(), 200U);
}

// The connection of a client that was cut off ends a little later, and its stream may be written to
// until then.
TEST(UnreadBytes, who_was_cut_off_counts_no_more) {
  UnreadBytes all(100);
  Reader cut(all, "a"), other(all, "b");
  cut.share.add(80);
  other.share.add(80);
  ASSERT_EQ(cut.cuts, 1);
  cut.share.add(90);
  cut.share.took(90);
  EXPECT_EQ(all.bytes(), 80U);
  EXPECT_EQ(other.cuts, 0);
  cut.share.done();
  cut.share.add(10);
  EXPECT_EQ(all.bytes(), 90U);
}

TEST(UnreadBytes, a_client_that_goes_leaves_nothing_behind) {
  UnreadBytes all(100);
  {
    Reader(all, "a").share.add(70, std::make_shared<const std::string>("text"));
  }
  EXPECT_EQ(all.bytes(), 0U);
}

}  // namespace
}  // namespace duel
