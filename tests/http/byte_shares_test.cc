#include "duel/http/byte_shares.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

TEST(ByteShares, no_caller_gets_more_than_its_part_and_all_no_more_than_there_is) {
  ByteShares shares(100, 60);
  EXPECT_TRUE(shares.take("a", 60));
  EXPECT_FALSE(shares.take("a", 1));
  EXPECT_FALSE(shares.take("b", 41)) << "only 40 are left";
  EXPECT_TRUE(shares.take("b", 40));
  EXPECT_FALSE(shares.take("c", 1));
  EXPECT_EQ(shares.taken(), 100U);
}

TEST(ByteShares, what_is_given_back_can_be_taken_again) {
  ByteShares shares(100, 60);
  ASSERT_TRUE(shares.take("a", 50));
  shares.give_back("a", 20);
  EXPECT_TRUE(shares.take("a", 30));
  EXPECT_FALSE(shares.take("a", 1));
  shares.give_back("a", 60);
  EXPECT_EQ(shares.taken(), 0U);
  EXPECT_TRUE(shares.take("b", 60));
}

TEST(ByteShares, a_refusal_takes_nothing) {
  ByteShares shares(100, 60);
  EXPECT_FALSE(shares.take("a", 61));
  EXPECT_FALSE(shares.take("a", ~std::size_t{0}));
  EXPECT_EQ(shares.taken(), 0U);
  EXPECT_TRUE(shares.take("a", 60));
}

TEST(ByteShares, addresses_of_one_ipv6_network_are_one_caller) {
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2::1"));
  EXPECT_NE(network_of("2001:db8:1:2::1"), network_of("2001:db8:1:3::1"));
  EXPECT_NE(network_of("10.0.0.1"), network_of("10.0.0.2"));
  EXPECT_EQ(network_of("10.0.0.1"), "10.0.0.1");
}

}  // namespace
}  // namespace duel
