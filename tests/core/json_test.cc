#include "duel/core/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
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

TEST(Json, of_two_members_of_one_name_the_last_counts_in_the_place_of_the_first) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})")->dump(), R"({"a":3,"b":2})");
  // So many that they are sorted: 0 to 999 twice, the second time backwards.
  Json::Object members, expected;
  for (int k = 0; k < 1000; ++k) members.push_back({"member " + std::to_string(k), k});
  for (int k = 999; k >= 0; --k) members.push_back({"member " + std::to_string(k), -k});
  for (int k = 0; k < 1000; ++k) expected.push_back({"member " + std::to_string(k), -k});
  EXPECT_EQ(Json::parse(Json(members).dump())->dump(), Json(expected).dump());
}

TEST(Json, two_members_of_one_name_can_be_refused) {
  const JsonLimits strict{.names_differ = true};
  const auto pointer = [&](const std::string& text) {
    JsonFault fault;
    EXPECT_FALSE(Json::parse(text, strict, &fault)) << text;
    EXPECT_EQ(fault.kind, JsonFault::Kind::repeated_name);
    EXPECT_EQ(fault.message, "is given twice");
    return fault.pointer;
  };
  EXPECT_EQ(pointer(R"({"a":1,"b":2,"a":3})"), "/a");
  EXPECT_EQ(pointer(R"({"x":[0,{"a/b":1,"~":{"\u0063":1,"c":1}}]})"), "/x/1/~0/c");
  Json::Object many;
  for (int k = 0; k < 1000; ++k) many.push_back({std::to_string(k), k});
  EXPECT_TRUE(Json::parse(Json(many).dump(), strict));
  many.push_back({"577", 0});
  EXPECT_EQ(pointer(Json(many).dump()), "/577");
  EXPECT_TRUE(Json::parse(R"([{"a":1},{"a":1}])", strict));
}

TEST(Json, members_and_items_are_counted_together) {
  const JsonLimits limits{.values = 5};
  EXPECT_TRUE(Json::parse(R"({"a":[1,2],"b":{"c":3}})", limits));
  JsonFault fault;
  EXPECT_FALSE(Json::parse(R"({"a":[1,2],"b":{"c":[3]}})", limits, &fault));
  EXPECT_EQ(fault.kind, JsonFault::Kind::too_many);
  EXPECT_EQ(fault.message, "has more than 5 members and items");
}

// Broken beyond its fifth member: a parser that reads on to the end says that it is not JSON.
TEST(Json, what_is_beyond_the_limit_is_not_read) {
  std::string text = "{";
  for (int k = 0; k < 200'000; ++k) text += "\"" + std::to_string(k) + "\":0,";
  text += "nul}";
  JsonFault fault;
  EXPECT_FALSE(Json::parse(text, {.values = 5}, &fault));
  EXPECT_EQ(fault.kind, JsonFault::Kind::too_many);
  EXPECT_FALSE(Json::parse(text, {}, &fault));
  EXPECT_EQ(fault.kind, JsonFault::Kind::not_json);
}

TEST(Json, says_where_a_text_stops_being_json) {
  const auto fault_of = [](std::string_view text) {
    JsonFault fault;
    EXPECT_FALSE(Json::parse(text, {}, &fault)) << text;
    EXPECT_EQ(fault.kind, JsonFault::Kind::not_json) << text;
    return fault.message;
  };
  EXPECT_EQ(fault_of("[1,]"), "is not JSON: column 4");
  EXPECT_EQ(fault_of("{\"a\":1,\n \"b\" 2}"), "is not JSON: line 2, column 6");
  EXPECT_EQ(fault_of("{\"a\":1}x"), "is not JSON: column 8");
  EXPECT_EQ(fault_of("[1"), "is not JSON: column 3");
  EXPECT_EQ(fault_of("[01]"), "is not JSON: column 2");
  EXPECT_EQ(fault_of("1,2"), "is not JSON: column 3");
  EXPECT_EQ(fault_of("1],[2"), "is not JSON: column 3");
  EXPECT_EQ(fault_of("[\"a\xff\"]"), "is not JSON: column 4 is not UTF-8");
  EXPECT_EQ(fault_of("[\"a]"), "is not JSON: column 2: a string does not end");
  EXPECT_EQ(fault_of("[\"a\nb\"]"),
            "is not JSON: line 1, column 4: a string has a control character");
  EXPECT_EQ(fault_of(std::string_view("{}\0{}", 5)), "is not JSON: column 3");
  EXPECT_EQ(fault_of(""), "is empty");
  EXPECT_EQ(fault_of(" \n"), "is empty");
}

TEST(Json, numbers_are_of_three_kinds) {
  const auto json = Json::parse(
      "[0,18446744073709551615,-9223372036854775808,18446744073709551616,-9223372036854775809,"
      "1.0,1e2,123456789012345678901234567890]");
  ASSERT_TRUE(json);
  std::string kinds;
  for (const Json& number : json->items()) {
    kinds += number.is_unsigned() ? 'u' : number.same_kind(Json(-1)) ? 'i' : 'd';
  }
  EXPECT_EQ(kinds, "uuiddddd");
  EXPECT_FALSE(Json::parse("1e400"));
  EXPECT_EQ(Json::parse("123456789012345678901")->get<double>(), 123456789012345678901.0);
  EXPECT_TRUE(Json::parse("null ")->is_null());
}

TEST(Json, a_number_is_written_with_as_few_digits_as_it_takes) {
  for (const char* text : {"0.000649", "0.001298", "861.928877", "0.1", "1e-05", "1e+300", "5e-324",
                           "-0.0", "3.0", "0.30000000000000004", "123456789.25"}) {
    EXPECT_EQ(Json::parse(text)->dump(), text);
  }
}

// simdjson 3.0 makes 0.149 of one third.
TEST(Json, a_number_has_as_many_digits_as_one_likes) {
  const auto number = [](const std::string& text) { return Json::parse(text)->get<double>(); };
  EXPECT_EQ(number("0.33333333333333333333"), 1.0 / 3);
  EXPECT_EQ(number("-0.50000000000000000000000"), -0.5);
  EXPECT_EQ(number("0.1000000000000000055511151231257827"), 0.1);
  EXPECT_EQ(number("0.000000000000000000001234567890123456789012"), 1.234567890123456789e-21);
  EXPECT_EQ(number("1.00000000000000000000000"), 1);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(number("0." + std::string(1000, '3')), 1.0 / 3);
  EXPECT_EQ(number("0.50000000000000000000000e300"), 5e299);
  EXPECT_FALSE(Json::parse("1" + std::string(400, '0') + ".5"));
  EXPECT_FALSE(Json::parse("0.33333333333333333333x"));
}

TEST(Json, numbers_can_be_kept_as_they_were_written) {
  const auto kept = [](const std::string& text) {
    return Json::parse(text, {.numbers_as_written = true});
  };
  for (const std::string text : {"0.30",
                                 "1.0",
                                 "1.00",
                                 "-0",
                                 "0",
                                 "-0.0",
                                 "1e3",
                                 "1E+3",
                                 "1e-5",
                                 "1e-05",
                                 "0.1e1",
                                 "100",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "-9223372036854775809",
                                 "12345678901234567890123",
                                 "0.1000000000000000055511151231257827",
                                 "1e400",
                                 "-1E400",
                                 "1e-400",
                                 "1e99999999999999999999"}) {
    for (const std::string& around :
         {text, "[" + text + "]", "{\"a\":" + text + "}", "[1," + text + ",{\"b\":2}]"}) {
      ASSERT_TRUE(kept(around)) << around;
      EXPECT_EQ(kept(around)->dump(), around);
    }
    EXPECT_TRUE(kept(text)->is_number()) << text;
    EXPECT_EQ(kept(" \n" + text + "\t ")->dump(), text);
    // Only the spelling differs from what is read otherwise.
    if (const auto plain = Json::parse(text)) {
      EXPECT_EQ(*kept(text), *plain) << text;
      EXPECT_EQ(*plain, *kept(text)) << text;
      EXPECT_EQ(kept(text)->get<double>(), plain->get<double>()) << text;
      EXPECT_EQ(kept(text)->with_plain_numbers().dump(), plain->dump()) << text;
      EXPECT_TRUE(kept(text)->with_plain_numbers().same_kind(*plain)) << text;
    }
  }
  EXPECT_EQ(kept("1e400")->get<double>(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(kept("-1e400")->get<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(kept("1" + std::string(400, '0') + "e-5")->get<double>(),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(kept("0." + std::string(400, '0') + "1e5")->get<double>(), 0);
  for (const char* text : {"01", "1.", ".5", "-", "+1", "1e", "1e+", "--1", "0x10", "1e4x", "1.e5",
                           "00", "-01", "1e400.5", "NaN", "Infinity"}) {
    EXPECT_FALSE(kept(text)) << text;
    EXPECT_FALSE(kept("[" + std::string(text) + "]")) << text;
  }
}

TEST(Json, numbers_that_are_kept_as_written_are_equal_by_value) {
  const auto kept = [](std::string_view text) {
    return *Json::parse(text, {.numbers_as_written = true});
  };
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"0.30", "0.3"},
           {"0.30", "3.00e-1"},
           {"1.00", "1"},
           {"1", "1.00"},
           {"10e-1", "0.1e+1"},
           {"-0", "0.000"},
           {"12345678901234567890123", "12345678901234567890123.0"},
           {"1e400", "10E399"},
           // A double stands for whatever is read as this double: earlier versions kept only that.
           {"1.2345678901234568e+22", "12345678901234567890123"}}) {
    EXPECT_EQ(kept(one), kept(other)) << one << " " << other;
    EXPECT_EQ(kept(other), kept(one)) << one << " " << other;
  }
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"12345678901234567890123", "12345678901234567890124"},
           {"18446744073709551616", "18446744073709551615"},
           {"1e400", "1e401"},
           {"1e400", "-1e400"},
           {"1e400", "1.0"},
           {"0.30", "0.31"},
           {"0.30", "true"},
           {"-1.00", "1"}}) {
    EXPECT_NE(kept(one), kept(other)) << one << " " << other;
    EXPECT_NE(kept(other), kept(one)) << one << " " << other;
    EXPECT_NE(kept(one).with_exact_numbers().dump(), kept(other).with_exact_numbers().dump());
  }
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"0.30", "0.3"}, {"3.00e-1", "0.3"}, {"1e400", "10E399"}, {"-0", "0"}}) {
    EXPECT_EQ(kept(one).with_exact_numbers().dump(), kept(other).with_exact_numbers().dump());
  }
  const Json deep = kept(R"({"a":[0.30,{"b":12345678901234567890123}],"c":1e400,"d":"x"})");
  EXPECT_EQ(deep.with_plain_numbers().dump(),
            R"({"a":[0.3,{"b":1.2345678901234568e+22}],"c":1e400,"d":"x"})");
  EXPECT_EQ(deep.with_exact_numbers().dump(),
            R"({"a":[0.3,{"b":12345678901234567890123e0}],"c":1e400,"d":"x"})");
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
  EXPECT_EQ(Json("\xe2\x82(\"\xc3\xa9").dump(), "\"\xef\xbf\xbd(\\\"\xc3\xa9\"");
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
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  Json::Object forwards, backwards;
  for (int k = 0; k < 1000; ++k) forwards.push_back({"member " + std::to_string(k), k});
  backwards.assign(forwards.rbegin(), forwards.rend());
  EXPECT_EQ(Json(forwards), Json(backwards));
  backwards[0].value = 0;
  EXPECT_NE(Json(forwards), Json(backwards));
  backwards[0] = {"another", 999};
  EXPECT_NE(Json(forwards), Json(backwards));
}

TEST(Json, what_is_not_finite_is_null) {
  EXPECT_TRUE(finite_or_null(std::nan("")).is_null());
  EXPECT_TRUE(finite_or_null(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(finite_or_null(0.5).get<double>(), 0.5);
}

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
