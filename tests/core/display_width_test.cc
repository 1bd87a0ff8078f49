#include "duel/core/display_width.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

TEST(DisplayWidth, counts_the_columns_of_a_terminal) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("±é…"), 3U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // a combining accent
  EXPECT_EQ(display_width("寿司"), 4U);
  EXPECT_EQ(display_width("\U0001f363"), 2U);
  EXPECT_EQ(display_width("\033[1mbold\033[0m"), 4U);
  EXPECT_EQ(display_width("a\xff\xc3"), 3U);  // broken bytes
}

TEST(DisplayWidth, shortens_and_says_so) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("寿司屋", 4), "寿…");  // half a character is not shown
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(DisplayWidth, shortens_names_inside_so_that_their_ends_differ) {
  EXPECT_EQ(shortened_inside("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened_inside("prompt-version-01", 9), "prom…n-01");
  EXPECT_EQ(shortened_inside("prompt-version-02", 9), "prom…n-02");
  EXPECT_EQ(display_width(shortened_inside("寿司屋寿司屋", 6)),
            5U);  // half a character is not shown
  EXPECT_EQ(shortened_inside("abc", 2), "a…");
}

TEST(DisplayWidth, keeps_what_a_terminal_would_obey_out_of_a_line) {
  EXPECT_EQ(printable_line("a \xc3\xa9 \xe4\xb8\xad"), "a \xc3\xa9 \xe4\xb8\xad");
  EXPECT_EQ(printable_line("a\tb\nc\033[2J\x7f"), "a?b?c?[2J?");
  EXPECT_EQ(printable_line("\xff\x80x\xc3"), "??x?");
  EXPECT_EQ(printable_line("\xc2\x9b"
                           "2J"),
            "?2J");  // a control of two bytes
}

TEST(DisplayWidth, fills_lines_with_words) {
  EXPECT_EQ(wrapped("one two  three", 8), "one two\nthree");
  EXPECT_EQ(wrapped("one two", 3, 2), "one\n  two");
  EXPECT_EQ(wrapped("a\nlongword b", 4), "a\nlongword\nb");
}

}  // namespace
}  // namespace duel
