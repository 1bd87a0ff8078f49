#include "duel/core/json_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace duel {
namespace {

std::string written(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonLine, escapes_what_has_to_be_wherever_it_stands) {
  for (int code = 0; code < 256; ++code) {
    const char c = static_cast<char>(code);
    std::string escaped(1, c);
    if (c == '"' || c == '\\') escaped = std::string("\\") + c;
    if (code < 0x20 || code == 0x7f) escaped = fmt::format("\\u{:04x}", code);
    if (c == '\n') escaped = "\\n";
    if (c == '\r') escaped = "\\r";
    if (c == '\t') escaped = "\\t";
    for (const std::size_t size : {1, 7, 8, 9, 17, 24}) {
      for (std::size_t at = 0; at < size; ++at) {
        const std::string before(at, 'x'), after(size - at - 1, 'y');
        EXPECT_EQ(written(before + c + after), '"' + before + escaped + after + '"') << code;
      }
    }
    EXPECT_EQ(written(std::string(9, c)).size(), 9 * escaped.size() + 2) << code;
  }
  EXPECT_EQ(written(""), "\"\"");
}

TEST(JsonLine, a_number_is_written_as_json_writes_it) {
  for (const double number : {0.0, -0.0, 1.0, 0.1, -2.5, 1e300, 5e-324, 123456789012345680.0}) {
    std::string out = "x";
    append_json_number(out, number);
    EXPECT_EQ(out, "x" + Json(number).dump());
    EXPECT_FALSE(Json::parse(out.substr(1))->is_unsigned());
    EXPECT_EQ(Json::parse(out.substr(1))->get<double>(), number);
  }
  std::string out;
  append_json_number(out, std::numeric_limits<double>::infinity());
  append_json_number(out, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(out, "nullnull");
}

}  // namespace
}  // namespace duel
