#include "duel/core/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace duel {
namespace {

TEST(Utf8, a_character_has_one_to_four_bytes) {
  const std::string_view text = "a\u00e9\u20ac\U0001f600";
  std::size_t at = 0;
  for (const std::uint32_t point : {0x61U, 0xe9U, 0x20acU, 0x1f600U}) {
    const Utf8Character character = utf8_character(text, at);
    EXPECT_TRUE(character.valid);
    EXPECT_EQ(character.point, point);
    at += character.bytes;
  }
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(find_invalid_utf8(text), std::string_view::npos);
}

TEST(Utf8, longer_forms_surrogates_and_what_is_beyond_unicode_are_not_utf8) {
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    const Utf8Character character = utf8_character(text, 0);
    EXPECT_FALSE(character.valid) << text;
    EXPECT_EQ(character.bytes, 1U) << text;
    EXPECT_EQ(character.point, 0xfffdU) << text;
  }
  for (const char* text : {"\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(utf8_character(text, 0).valid) << text;
  }
}

TEST(Utf8, what_was_begun_and_not_ended_is_one_broken_character) {
  EXPECT_EQ(utf8_character("\xf0\x9f\x98(", 0).bytes, 3U);
  EXPECT_EQ(utf8_character("\xf0\x9f\x98", 0).bytes, 3U);
  EXPECT_EQ(utf8_character("\xe2(", 0).bytes, 1U);
  EXPECT_EQ(find_invalid_utf8("ab\xc3\xa9\xe2\x82"), 4U);
}

TEST(Utf8, finds_the_first_broken_byte_wherever_it_is) {
  for (std::size_t at = 0; at < 20; ++at) {
    std::string text(20, 'a');
    text[at] = '\xff';
    EXPECT_EQ(find_invalid_utf8(text), at);
    EXPECT_EQ(find_invalid_utf8(text.substr(0, at) + "\u20ac" + text.substr(at)), at + 3);
  }
}

}  // namespace
}  // namespace duel
