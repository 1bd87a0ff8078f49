#include "duel/core/text_numbers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unordered_map>

namespace duel {
namespace {

TEST(TextNumbers, numbers_texts_as_a_map_does) {
  TextNumbers numbers;
  std::unordered_map<std::string, std::uint32_t> twin;
  EXPECT_FALSE(numbers.find("x"));
  for (Round k = 0; k < 20'000; ++k) {
    RoundRng rng = Stream(1, 0, Purpose::test, "texts").at(k);
    const std::string text = fmt::format("user {}", rng.below(5000));
    const auto next = static_cast<std::uint32_t>(twin.size());
    EXPECT_EQ(numbers.find(text).has_value(), twin.contains(text));
    const std::uint32_t expected = twin.try_emplace(text, next).first->second;
    ASSERT_EQ(numbers.number(text), expected);
    ASSERT_EQ(numbers.find(text), expected);
    ASSERT_EQ(numbers.text(expected), text);
    ASSERT_EQ(numbers.size(), twin.size());
  }
}

TEST(TextNumbers, takes_empty_texts_and_texts_that_begin_alike) {
  TextNumbers numbers;
  EXPECT_EQ(numbers.number(""), 0U);
  EXPECT_EQ(numbers.number("a"), 1U);
  EXPECT_EQ(numbers.number("ab"), 2U);
  EXPECT_EQ(numbers.number(""), 0U);
  EXPECT_EQ(numbers.text(0), "");
  EXPECT_EQ(numbers.text(2), "ab");
}

}  // namespace
}  // namespace duel
