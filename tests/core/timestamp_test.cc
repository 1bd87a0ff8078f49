#include "duel/core/timestamp.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace duel {
namespace {

constexpr std::int64_t kStart = 1'763'197'200'000;

TEST(Timestamp, is_read_as_it_is_written_and_nothing_else_is_taken) {
  EXPECT_EQ(format_timestamp(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_timestamp(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_timestamp(kStart), "2025-11-15T09:00:00.000Z");
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{-1}, kStart,
                                  std::int64_t{951'782'400'123}, std::int64_t{4'102'444'799'999}}) {
    EXPECT_EQ(parse_timestamp(format_timestamp(time)), time);
  }
  for (const char* text :
       {"2025-02-29T00:00:00.000Z", "2025-13-01T00:00:00.000Z", "2025-01-01T24:00:00.000Z",
        "2025-01-01T00:60:00.000Z", "2025-01-01T00:00:60.000Z", "2025-01-01T00:00:00.000",
        "2025-01-01", "2025-01-01 00:00:00.000Z", "2025-01-01T00:00:0x.000Z",
        "2025-01-01T00:00:00.00Z", "2025-01-01T00:00:00.0000Z", "2025-01-01T00:00:00Z",
        "2025-01-01T00:00:00+0000", "2025-01-01T00:00:00.000Z ", "x2025-01-01T00:00:00.00Z", ""}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, reads_every_millisecond_of_a_second) {
  for (std::int64_t ms = 0; ms < 1000; ++ms) {
    EXPECT_EQ(parse_timestamp(format_timestamp(kStart + ms)), kStart + ms);
  }
}

TEST(Timestamp, people_may_leave_the_milliseconds_out) {
  EXPECT_EQ(parse_time("2025-11-15T09:00:00Z"), kStart);
  EXPECT_EQ(parse_time("2025-11-15T09:00:00.007Z"), kStart + 7);
  for (const char* text : {"2025-11-15T09:00Z", "2025-11-15T09:00:00", "2025-11-15 09:00:00Z",
                           "2025-11-15T09:00:00.0Z", "2025-11-15T09:00:00.Z",
                           "2025-11-15T09:00:00+00:00", "1763197200"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Timestamp, other_programs_write_it_in_many_ways) {
  using Form = WrittenTime::Form;
  const auto expect = [](const char* text, Form form, double seconds) {
    const auto time = parse_written_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->form, form) << text;
    EXPECT_DOUBLE_EQ(time->seconds, seconds) << text;
  };
  constexpr double kSeconds = 1'763'197'200;
  expect("1763197200.5", Form::seconds, kSeconds + 0.5);
  expect("2025-11-15T09:00", Form::local, kSeconds);
  expect("2025-11-15 09:00:30", Form::local, kSeconds + 30);
  expect("2025-11-15T09:00:60", Form::local, kSeconds + 60);
  expect("2025-11-15T09:00:00.25Z", Form::zoned, kSeconds + 0.25);
  expect("2025-11-15T10:30:00+01:30", Form::zoned, kSeconds);
  expect("2025-11-15T10:30+0130", Form::zoned, kSeconds);
  expect("2025-11-15T08:00:00-01:00", Form::zoned, kSeconds);
  for (const char* text : {"", "4.2", "2025-11-15", "2025-11-15T09", "2025-11-15T09:00:61",
                           "2025-11-15T09:00:00.", "2025-11-15T09:00:00+01", "2025-11-15T09:00 Z",
                           "2025-11-15T09:00:00ZZ", "2025-02-30T09:00", "soon"}) {
    EXPECT_FALSE(parse_written_time(text)) << text;
  }
}

}  // namespace
}  // namespace duel
