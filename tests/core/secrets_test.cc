#include "duel/core/secrets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace duel {
namespace {

TEST(ConstantTime, compares_as_equality_does) {
  const std::vector<std::string> texts{"",
                                       "a",
                                       "b",
                                       "ab",
                                       "aa",
                                       std::string("a\0", 2),
                                       std::string(64, 'x'),
                                       std::string(63, 'x') + "y",
                                       "y" + std::string(63, 'x')};
  for (const std::string& one : texts) {
    for (const std::string& other : texts) {
      EXPECT_EQ(equal_in_constant_time(one, other), one == other) << one << " " << other;
    }
  }
}

TEST(ConstantTime, texts_are_compared_as_a_whole) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  for (const char* other : {"abd", "xbc", "ab", "abcd", ""}) {
    EXPECT_FALSE(equal_in_constant_time("abc", other)) << other;
  }
}

// RFC 4231, test cases 1, 2 and 6.
TEST(Hmac, is_that_of_the_standard) {
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?").substr(0, 3), "\x5b\xdc\xc1");
}

// RFC 4648, section 10, in the alphabet of section 5 and without padding.
TEST(Base64Url, is_that_of_the_standard_and_reads_back) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("fo"), "Zm8");
  EXPECT_EQ(base64url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
  EXPECT_EQ(from_base64url("-_8"), "\xfb\xff");
  for (const char* wrong : {"Zg==", "Z", "Zg+", "Z g", "+/8"}) {
    EXPECT_FALSE(from_base64url(wrong)) << wrong;
  }
}

TEST(RandomBytes, are_as_many_as_asked_for_and_others_each_time) {
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

}  // namespace
}  // namespace duel
