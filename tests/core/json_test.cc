#include "duel/core/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace duel {
namespace {

TEST(Json, pairs_of_text_and_value_make_an_object_and_anything_else_an_array) {
  const Json object{{"a", 1}, {"b", Json::array()}};
  EXPECT_TRUE(object.is_object());
  EXPECT_EQ(object.dump(), R"({"a":1,"b":[]})");
  const Json array{1, "two", nullptr, 2.5, true};
  EXPECT_EQ(array.dump(), R"([1,"two",null,2.5,true])");
}

TEST(Json, members_keep_the_order_in_which_they_came) {
  Json json;
  json["z"] = 1;
  json["a"] = std::vector<double>{1, 0.5};
  json["z"] = -2;
  EXPECT_EQ(json.dump(), R"({"z":-2,"a":[1.0,0.5]})");
  json.update(Json{{"a", nullptr}, {"m", "x"}});
  EXPECT_EQ(json.dump(), R"({"z":-2,"a":null,"m":"x"})");
}

TEST(Json, what_was_written_is_read_again) {
  const std::string text =
      R"({"text":"\"é\u0001","whole":-3,"large":18446744073709551615,"real":1e-300,"deep":[[{}]]})";
  const auto json = Json::parse(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("text").get<std::string>(), "\"\u00e9\x01");
  EXPECT_EQ(json->at("whole").get<int>(), -3);
  EXPECT_EQ(json->at("large").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(json->at("real").get<double>(), 1e-300);
  EXPECT_EQ(*Json::parse(json->dump()), *json);
  EXPECT_EQ(*Json::parse(json->dump_pretty()), *json);
}

TEST(Json, of_two_members_of_one_name_the_last_counts) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})")->dump(), R"({"a":3,"b":2})");
}

TEST(Json, what_is_no_json_is_nothing) {
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "1 2", "nul", "\"\xff\"", "NaN"}) {
    EXPECT_FALSE(Json::parse(text)) << text;
  }
}

TEST(Json, nesting_is_limited_so_that_input_cannot_exhaust_the_stack) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Json::parse(nested(500)));
  EXPECT_FALSE(Json::parse(nested(501)));
  EXPECT_FALSE(Json::parse(nested(1'000'000)));
}

TEST(Json, bytes_outside_utf8_are_replaced_when_written) {
  EXPECT_EQ(Json("a\xff").dump(), "\"a\xef\xbf\xbd\"");
}

TEST(Json, a_value_of_another_kind_or_a_missing_member_throws) {
  const Json json{{"a", "text"}, {"n", -1}};
  EXPECT_THROW(json.at("a").get<double>(), JsonError);
  EXPECT_THROW(json.at("a").get<bool>(), JsonError);
  EXPECT_THROW(json.at("n").get<std::uint64_t>(), JsonError);
  EXPECT_THROW(json.at("n").get<std::string>(), JsonError);
  EXPECT_THROW(json.at("n").get<std::vector<int>>(), JsonError);
  EXPECT_THROW(json.at("b"), JsonError);
  EXPECT_EQ(json.find("b"), nullptr);
}

TEST(Json, numbers_are_equal_by_value_and_objects_whatever_their_order) {
  EXPECT_EQ(Json(1), Json(1u));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_FALSE(Json(1).same_kind(Json(1u)));
  EXPECT_NE(Json(1), Json("1"));
  EXPECT_EQ((Json{{"a", 1}, {"b", 2}}), (Json{{"b", 2}, {"a", 1}}));
  EXPECT_NE((Json{{"a", 1}, {"b", 2}}), (Json{{"b", 2}, {"c", 1}}));
  EXPECT_NE((Json{1, 2}), (Json{2, 1}));
}

TEST(Json, what_is_not_finite_is_null) {
  EXPECT_TRUE(finite_or_null(std::nan("")).is_null());
  EXPECT_TRUE(finite_or_null(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(finite_or_null(0.5).get<double>(), 0.5);
}

// The short way and the library's, which indents.
TEST(Json, is_written_in_one_line_as_in_many) {
  Json json;
  json["plain"] = "abc ~";
  json["quote \" and \\"] = "tab\t, \x01, \x7f, \xc3\xa9";
  json["numbers"] = {0,
                     -1,
                     std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::uint64_t>::max(),
                     0.1,
                     1e300,
                     -0.0,
                     3.0};
  json["not finite"] = std::numeric_limits<double>::infinity();
  json["empty"] = {Json::array(), Json::object(), "", nullptr, false};
  std::string one_line;
  bool blank = false;  // a line's end and the blanks after it; none of the texts has either
  for (const char c : json.dump_pretty()) {
    blank = c == '\n' || (blank && c == ' ');
    if (!blank) one_line += c;
  }
  for (std::size_t at = 0; (at = one_line.find("\": ", at)) != std::string::npos;) {
    one_line.erase(at + 2, 1);
  }
  EXPECT_EQ(json.dump(), one_line);
}

}  // namespace
}  // namespace duel
