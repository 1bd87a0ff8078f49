// What the body of a request may ask of the server, and what is said of one that asks for more.
#include "duel/wire/received_body.h"

#include <gtest/gtest.h>

#include <string>

#include "duel/wire/requests.h"
#include "tests/http/http_call.h"

namespace duel {
namespace {

HttpRequest request_with(std::string body, const std::string& type = "application/json") {
  return http_request(HttpMethod::post, "/v1/events", std::move(body), {{"content-type", type}});
}

// An object of members that no body has.
std::string object_of(std::size_t count) {
  std::string text = "{";
  for (std::size_t k = 0; k < count; ++k) {
    text += (k > 0 ? ",\"m" : "\"m") + std::to_string(k) + "\":0";
  }
  return text + "}";
}

std::string detail_of(const ServerAnswer& answer) {
  return answer.body.at("detail").get<std::string>();
}

TEST(ReceivedBody, with_more_values_than_its_route_takes_is_413) {
  const JsonLimits limits{.values = 1000};
  EXPECT_TRUE(json_of(request_with(object_of(1000)), limits).json);
  const Parsed parsed = json_of(request_with(object_of(200'000)), limits);
  ASSERT_FALSE(parsed.json);
  EXPECT_EQ(parsed.refused.status, 413);
  EXPECT_EQ(detail_of(parsed.refused), "the body has more than 1000 members and items");
}

TEST(ReceivedBody, says_where_it_is_not_json_too_deep_or_says_two_things) {
  const auto refused = [](const std::string& text) {
    const JsonLimits limits{.depth = 3, .names_differ = true};
    const Parsed parsed = json_of(request_with(text), limits);
    EXPECT_FALSE(parsed.json);
    EXPECT_EQ(parsed.refused.status, 400);
    return parsed.refused;
  };
  EXPECT_EQ(detail_of(refused(R"({"a":1,})")), "the body is not JSON: column 8");
  EXPECT_EQ(detail_of(refused(R"([1,[2,[3,[4]]]])")), "/1/1/1 is nested more than 3 deep");
  const ServerAnswer twice = refused(R"({"a":{"b":1,"b":1}})");
  EXPECT_EQ(detail_of(twice), "/a/b is given twice");
  EXPECT_EQ(twice.body.at("errors").items()[0].at("pointer").get<std::string>(), "/a/b");
}

TEST(ReceivedBody, of_many_wrong_fields_twenty_are_listed_and_all_are_counted) {
  ServerAnswer refused;
  const auto read = [&](std::size_t unknown) {
    const auto json = Json::parse(object_of(unknown)).value();
    return read_body<DuelBody>(json, UnknownFields::refused, refused).has_value();
  };
  EXPECT_TRUE(read(0));
  EXPECT_FALSE(read(20));
  EXPECT_EQ(refused.body.at("errors").size(), 20U);
  EXPECT_EQ(detail_of(refused).find("listed"), std::string::npos);
  EXPECT_FALSE(read(50'000));
  EXPECT_EQ(refused.body.at("errors").size(), 20U);
  EXPECT_EQ(refused.body.at("errors").items()[19].at("pointer").get<std::string>(), "/m19");
  EXPECT_TRUE(detail_of(refused).starts_with("/m0 is unknown"));
  EXPECT_TRUE(detail_of(refused).ends_with("; 50000 fields are wrong, the first 20 are listed"))
      << detail_of(refused);
}

// A check of a field that could not be read would be about nothing, also where no error is listed.
TEST(ReceivedBody, a_field_of_the_wrong_kind_is_one_error_however_many_came_before) {
  ServerAnswer refused;
  std::string text = R"({"arms":[{"arm_id":1})";
  for (int k = 1; k < 30; ++k) text += R"(,{"arm_id":1})";
  const auto json = Json::parse(text + "]}").value();
  EXPECT_FALSE(read_body<ExperimentBody>(json, UnknownFields::refused, refused));
  EXPECT_TRUE(detail_of(refused).ends_with("; 30 fields are wrong, the first 20 are listed"))
      << detail_of(refused);
}

TEST(ReceivedBody, a_batch_is_one_value_an_array_or_lines) {
  const JsonLimits limits{.values = 100};
  EXPECT_EQ(batch_of(request_with("{}"), false, limits, "events").items.size(), 1U);
  EXPECT_EQ(batch_of(request_with("[{},{},7]"), false, limits, "events").items.size(), 3U);
  for (const bool lines : {false, true}) {
    const Batch batch = batch_of(request_with("{}\n\r\n{\"a\":}\n[1]"), lines, limits, "events");
    ASSERT_EQ(batch.items.size(), 3U);
    EXPECT_TRUE(batch.items[0].ok());
    ASSERT_FALSE(batch.items[1].ok());
    EXPECT_EQ(batch.items[1].error().message, "the line is not JSON: column 6");
    EXPECT_EQ(batch.items[2]->dump(), "[1]");
  }
}

TEST(ReceivedBody, the_lines_of_a_batch_share_its_limits) {
  const std::string three_lines = object_of(40) + "\n" + object_of(40) + "\n" + object_of(40);
  EXPECT_FALSE(batch_of(request_with(three_lines), true, {.values = 120}, "events").refused);
  const Batch over = batch_of(request_with(three_lines), true, {.values = 119}, "events");
  ASSERT_TRUE(over.refused);
  EXPECT_EQ(over.refused->status, 413);
  EXPECT_EQ(detail_of(*over.refused), "the body has more than 119 members and items");
  std::string many;
  for (std::size_t k = 0; k < kMostItems; ++k) many += "{}\n";
  EXPECT_EQ(batch_of(request_with(many), true, {}, "events").items.size(), kMostItems);
  const Batch longer = batch_of(request_with(many + "{}"), true, {}, "events");
  ASSERT_TRUE(longer.refused);
  EXPECT_EQ(longer.refused->status, 413);
  EXPECT_EQ(detail_of(*longer.refused), "more than 10000 events");
}

}  // namespace
}  // namespace duel
