#include "duel/core/numbers.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace duel {
namespace {

template <class T>
std::string error_of(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().to_string();
}

TEST(ParseNumber, reads_what_people_write) {
  EXPECT_EQ(parse_number("0.51").value(), 0.51);
  EXPECT_EQ(parse_number("1e6").value(), 1e6);
  EXPECT_EQ(parse_number("1E-3").value(), 1e-3);
  EXPECT_EQ(parse_number("-2.5").value(), -2.5);
  EXPECT_EQ(parse_number("+3").value(), 3.0);
  EXPECT_EQ(parse_number(".5").value(), 0.5);
  EXPECT_EQ(parse_number("5.").value(), 5.0);
  EXPECT_EQ(parse_number(" \t0.1\t ").value(), 0.1);
  EXPECT_EQ(parse_number("1e+21").value(), 1e21);
}

TEST(ParseNumber, refuses_what_is_not_wholly_a_number) {
  for (const char* text : {"", " ", "+", "-", ".", "e5", "1e", "0.5x", "0,5", "1 2", "1_000",
                           "0x10", "++1", "+-1", "--1", "five", "(1)", "1\n2"}) {
    EXPECT_EQ(error_of(parse_number(text)), "'" + std::string(text) + "' is not a number");
  }
}

TEST(ParseNumber, refuses_what_is_not_finite) {
  for (const char* text : {"inf", "-inf", "infinity", "nan", "NaN", "+inf"}) {
    EXPECT_EQ(error_of(parse_number(text)), "'" + std::string(text) + "' is not a number");
  }
}

TEST(ParseNumber, says_that_a_number_is_too_large_for_a_double) {
  EXPECT_EQ(error_of(parse_number("1e999")), "'1e999' is out of range");
  EXPECT_EQ(error_of(parse_number("-1e999")), "'-1e999' is out of range");
  EXPECT_EQ(parse_number("1.7976931348623157e308").value(), std::numeric_limits<double>::max());
}

TEST(ParseNumber, reports_an_invalid_argument) {
  EXPECT_EQ(parse_number("x").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(parse_count("x").error().code, ErrorCode::invalid_argument);
}

TEST(FormatNumber, gives_the_shortest_text) {
  EXPECT_EQ(format_number(0.51), "0.51");
  EXPECT_EQ(format_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(format_number(1), "1");
  EXPECT_EQ(format_number(1'000'000), "1000000");
  EXPECT_EQ(format_number(-2.5), "-2.5");
  EXPECT_EQ(format_number(1e-9), "1e-09");
}

RC_GTEST_PROP(FormatNumber, reads_back_to_the_same_value, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits * 0x9e3779b97f4a7c15u);  // all exponents occur
  RC_PRE(std::isfinite(value));
  const auto back = parse_number(format_number(value));
  RC_ASSERT(back.ok());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(value));
}

TEST(ParseCount, reads_whole_numbers_in_every_notation) {
  EXPECT_EQ(parse_count("0").value(), 0u);
  EXPECT_EQ(parse_count("7").value(), 7u);
  EXPECT_EQ(parse_count("007").value(), 7u);
  EXPECT_EQ(parse_count(" 12\t").value(), 12u);
  EXPECT_EQ(parse_count("1e6").value(), 1'000'000u);
  EXPECT_EQ(parse_count("2.5e3").value(), 2500u);
  EXPECT_EQ(parse_count("10.0").value(), 10u);
  EXPECT_EQ(parse_count("1000e-3").value(), 1u);
  EXPECT_EQ(parse_count("1e18").value(), 1'000'000'000'000'000'000u);
}

TEST(ParseCount, keeps_every_digit_of_a_large_count) {
  EXPECT_EQ(parse_count("9007199254740993").value(), 9'007'199'254'740'993u);  // 2^53 + 1
  EXPECT_EQ(parse_count("9223372036854775807").value(), (std::uint64_t{1} << 63) - 1);
}

TEST(ParseCount, refuses_what_does_not_fit_63_bits) {
  for (const char* text : {"9223372036854775808", "18446744073709551615", "18446744073709551616",
                           "9.3e18", "1e19", "123456789012345678901234567890"}) {
    EXPECT_EQ(error_of(parse_count(text)),
              "'" + std::string(text) + "' is too large (at most 2^63 - 1)");
  }
  EXPECT_EQ(error_of(parse_count("1e999")), "'1e999' is out of range");
}

TEST(ParseCount, refuses_fractions_and_negative_numbers) {
  for (const char* text : {"0.5", "1.5e0", "-1", "-0.5", "1e-3", "-1e6"}) {
    EXPECT_EQ(error_of(parse_count(text)),
              "'" + std::string(text) + "' is not a whole number, 0 or more");
  }
}

TEST(ParseCount, refuses_signs) {
  for (const char* text : {"+5", "-0", "+1e6", "-0.0"})
    EXPECT_FALSE(parse_count(text).ok()) << text;
}

TEST(ParseCount, refuses_what_is_not_a_number) {
  for (const char* text : {"", "ten", "1 000", "1,000", "5x", "0x10", "inf", "nan"}) {
    EXPECT_EQ(error_of(parse_count(text)), "'" + std::string(text) + "' is not a number");
  }
}

RC_GTEST_PROP(ParseCount, reads_back_every_count, (std::uint64_t count)) {
  count &= (std::uint64_t{1} << 63) - 1;
  RC_ASSERT(parse_count(std::to_string(count)).value() == count);
}

RC_GTEST_PROP(ParseCount, agrees_with_the_number_where_both_read, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.eE+- ")));
  const auto count = parse_count(text);
  const auto number = parse_number(text);
  if (count.ok()) {
    RC_ASSERT(number.ok());
    RC_ASSERT(static_cast<double>(*count) == *number);
  }
}

TEST(Counted, one_is_singular_and_all_else_plural) {
  EXPECT_EQ(counted(0, "duel"), "0 duels");
  EXPECT_EQ(counted(1, "duel"), "1 duel");
  EXPECT_EQ(counted(1, "query", "queries"), "1 query");
  EXPECT_EQ(counted(2, "query", "queries"), "2 queries");
}

TEST(Trimmed, cuts_white_space_at_both_ends_only) {
  EXPECT_EQ(trimmed("  a b\t"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \t \t"), "");
}

}  // namespace
}  // namespace duel
