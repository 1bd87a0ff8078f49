#include "duel/core/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace duel {
namespace {

const Error kError{ErrorCode::not_found, "no such file", "data/x.csv", "try data/y.csv"};

TEST(Error, is_written_as_where_message_and_hint) {
  EXPECT_EQ(kError.to_string(), "data/x.csv: no such file (try data/y.csv)");
}

TEST(Error, leaves_out_what_it_does_not_know) {
  EXPECT_EQ((Error::io("disk full")).to_string(), "disk full");
  EXPECT_EQ((Error::io("disk full", "out.csv")).to_string(), "out.csv: disk full");
  EXPECT_EQ((Error::io("disk full").with_hint("make room")).to_string(), "disk full (make room)");
}

TEST(Result, holds_a_value) {
  const Result<int> result = 7;
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), 7);
  EXPECT_EQ(*result, 7);
}

TEST(Result, holds_an_error) {
  const Result<int> result = kError;
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
  EXPECT_EQ(result.error().message, "no such file");
  EXPECT_EQ(result.error().where, "data/x.csv");
  EXPECT_EQ(result.error().hint, "try data/y.csv");
}

TEST(Result, gives_access_to_members_and_lets_the_value_be_changed) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
  result.value() += "d";
  *result += "e";
  EXPECT_EQ(result.value(), "abcde");
  const Result<std::string>& constant = result;
  EXPECT_EQ(constant->size(), 5u);
}

TEST(Result, throws_where_the_wrong_side_is_asked) {
  Result<int> failed = kError;
  EXPECT_THROW(static_cast<void>(failed.value()), CheckFailure);
  EXPECT_THROW(static_cast<void>(*failed), CheckFailure);
  EXPECT_THROW(static_cast<void>(std::as_const(failed).value()), CheckFailure);
  EXPECT_THROW(static_cast<void>(Result<int>(kError).value()), CheckFailure);
  EXPECT_THROW(static_cast<void>(Result<std::string>(kError)->size()), CheckFailure);
  const Result<int> good = 1;
  EXPECT_THROW(static_cast<void>(good.error()), CheckFailure);
}

TEST(Result, hands_over_a_value_that_cannot_be_copied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 3);
  const std::unique_ptr<int> starred = *Result<std::unique_ptr<int>>(std::make_unique<int>(4));
  EXPECT_EQ(*starred, 4);
}

TEST(Status, is_done_or_an_error) {
  EXPECT_TRUE(Status(Done{}).ok());
  EXPECT_FALSE(Status(kError).ok());
}

Result<int> number(bool good, int value) {
  if (!good) return kError;
  return value;
}

Result<int> sum(bool first_good, bool second_good, int& reached) {
  reached = 0;
  DUEL_ASSIGN(const int a, number(first_good, 2));
  reached = 1;
  DUEL_ASSIGN(int b, number(second_good, 3));
  reached = 2;
  b += a;
  return b;
}

TEST(DuelAssign, sets_the_variable_or_leaves_with_the_error) {
  int reached = 0;
  EXPECT_EQ(sum(true, true, reached).value(), 5);
  EXPECT_EQ(reached, 2);
  EXPECT_EQ(sum(false, true, reached).error().message, "no such file");
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(sum(true, false, reached).error().where, "data/x.csv");
  EXPECT_EQ(reached, 1);
}

TEST(DuelAssign, moves_and_evaluates_once) {
  int calls = 0;
  const auto make = [&]() -> Result<std::unique_ptr<int>> {
    ++calls;
    return std::make_unique<int>(9);
  };
  const auto use = [&]() -> Result<int> {
    DUEL_ASSIGN(const std::unique_ptr<int> pointer, make());
    return *pointer;
  };
  EXPECT_EQ(use().value(), 9);
  EXPECT_EQ(calls, 1);
}

TEST(DuelReturnIfError, goes_on_after_success_and_leaves_with_the_error) {
  const auto run = [](bool good, int& calls) -> Status {
    const auto step = [&]() -> Status {
      ++calls;
      if (good) return Done{};
      return kError;
    };
    if (calls == 0) DUEL_RETURN_IF_ERROR(step());  // one statement, fit for an if without braces
    ++calls;
    return Done{};
  };
  int calls = 0;
  EXPECT_TRUE(run(true, calls).ok());
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(run(false, calls).error().to_string(), kError.to_string());
  EXPECT_EQ(calls, 1);
}

TEST(DuelCheck, throws_with_condition_and_place) {
  EXPECT_NO_THROW(DUEL_CHECK(1 + 1 == 2));
  try {
    DUEL_CHECK(1 + 1 == 3);
    FAIL() << "nothing was thrown";
  } catch (const CheckFailure& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("check failed: 1 + 1 == 3"), std::string::npos) << text;
    EXPECT_NE(text.find("result_test.cc:"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace duel
