#include <gtest/gtest.h>

#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kPrompts = "/v1/experiments/prompts";

std::string experiment_with(const std::string& policy, const std::string& features_of_b) {
  return R"({"arms":[{"arm_id":"a","features":[1,0]},{"arm_id":"b","features":)" + features_of_b +
         R"(}],"policy":")" + policy + R"(","stopping":{"arms":"open","pairs_independent":true}})";
}

void create(ServedApi& api) {
  ASSERT_EQ(api.put(kPrompts, experiment_with("lin-ts", "[0.5,-2]")).status, 201);
  ASSERT_EQ(api.post(kPrompts + "/start").status, 200);
}

std::string refused_pointer(const Told& told) {
  EXPECT_EQ(told.status, 400) << told.body.dump();
  if (told.status != 400) return "";
  return told.body.at("errors").items()[0].at("pointer").get<std::string>();
}

TEST(FeaturesOfTheServer, and_contexts_are_in_the_log_also_after_a_restart) {
  ServedApi api;
  create(api);
  const auto play = [&](const std::string& body) {
    const Told duel = api.post(kPrompts + "/duels", body);
    ASSERT_EQ(duel.status, 201) << duel.body.dump();
    ASSERT_EQ(api.put(kPrompts + "/duels/" + duel.text("duel_id") + "/outcome",
                      R"({"result":"win","winner":"a"})")
                  .status,
              200);
  };
  play(R"({"context":{"b":[0.25,1],"a":[3,1]}})");
  play("{}");
  api.restart();
  play(R"({"context":{"a":[0,0],"b":[0,1]}})");
  const std::string log = api.streamed(kPrompts + "/export?what=audit");
  EXPECT_NE(log.find(R"("context":{"b":[0.25,1],"a":[3,1]})"), std::string::npos);
  EXPECT_NE(log.find(R"("features":[0.5,-2])"), std::string::npos);
  EXPECT_EQ(api.get(kPrompts).body.at("arms").items()[1].at("features").dump(), "[0.5,-2.0]");
}

TEST(FeaturesOfTheServer, that_do_not_fit_are_refused_by_their_field) {
  ServedApi api;
  const std::string other = "/v1/experiments/other";
  EXPECT_EQ(refused_pointer(api.put(other, experiment_with("lin-ts", "[1]"))), "/arms");
  EXPECT_EQ(refused_pointer(api.put(other, experiment_with("lin-ts", "[1,2e6]"))), "/arms");
  EXPECT_EQ(refused_pointer(api.put(other, experiment_with("lin-ts", "[1,\"x\"]"))),
            "/arms/1/features/1");
  create(api);
  EXPECT_EQ(refused_pointer(api.put(kPrompts + "/arms/c", R"({"features":[1]})")), "/features");
  EXPECT_EQ(refused_pointer(api.put(kPrompts + "/arms/c", "{}")), "/features");
  EXPECT_EQ(api.put(kPrompts + "/arms/c", R"({"features":[1,1]})").status, 201);
}

// Arms with so many numbers each.
std::string experiment_of_width(std::size_t width, const std::string& policy) {
  std::string row = "[1";
  for (std::size_t k = 1; k < width; ++k) row += ",0.5";
  row += "]";
  return R"({"arms":[{"arm_id":"a","features":)" + row + R"(},{"arm_id":"b","features":)" + row +
         R"(}],"policy":")" + policy + R"("})";
}

// Each answer costs the square of the width, on the thread that serves other experiments as well.
TEST(FeaturesOfTheServer, are_bounded_where_the_policy_learns_in_their_square) {
  ServedApi api;
  const std::string other = "/v1/experiments/other";
  EXPECT_EQ(refused_pointer(api.put(other, experiment_of_width(257, "lin-ts"))), "/arms");
  EXPECT_EQ(api.put(other, experiment_of_width(256, "lin-ts")).status, 201);
  // Who does not look at them has nothing to pay for.
  EXPECT_EQ(api.put("/v1/experiments/imed", experiment_of_width(257, "imed")).status, 201);
}

TEST(FeaturesOfTheServer, are_one_for_each_arm_where_none_are_given) {
  ServedApi api;
  std::string arms;
  for (int k = 0; k < 256; ++k) {
    arms += (k > 0 ? R"(,{"arm_id":"a)" : R"({"arm_id":"a)") + std::to_string(k) + R"("})";
  }
  const auto body = [](const std::string& listed) {
    return R"({"arms":[)" + listed +
           R"(],"policy":"lin-ts","stopping":{"arms":"open","pairs_independent":true}})";
  };
  EXPECT_EQ(refused_pointer(api.put(kPrompts, body(arms + R"(,{"arm_id":"more"})"))), "/arms");
  ASSERT_EQ(api.put(kPrompts, body(arms)).status, 201);
  const Told added = api.put(kPrompts + "/arms/more", "{}");
  EXPECT_EQ(added.status, 409) << added.body.dump();
  EXPECT_NE(added.text("detail").find("a server takes 256"), std::string::npos);
  EXPECT_EQ(api.put(kPrompts + "/arms/a7", "{}").status, 200);  // it is there
}

TEST(FeaturesOfTheServer, refuse_contexts_that_do_not_fit) {
  ServedApi api;
  create(api);
  const auto duel = [&](const std::string& context) {
    return api.post(kPrompts + "/duels", R"({"context":)" + context + "}");
  };
  EXPECT_EQ(refused_pointer(duel(R"({"a":[1,2]})")), "/context");
  EXPECT_EQ(refused_pointer(duel(R"({"a":[1,2],"b":[1]})")), "/context");
  EXPECT_EQ(refused_pointer(duel(R"({"a":[1,2],"b":[1,2],"c":[1,2]})")), "/context");
  EXPECT_NE(duel(R"({"a":[1,2],"b":[1]})").text("detail").find("'b' has 1 feature"),
            std::string::npos);
  EXPECT_EQ(duel(R"({"a":[1,2],"b":"near"})").status, 400);

  const std::string other = "/v1/experiments/other";
  ASSERT_EQ(api.put(other, experiment_with("imed", "[1,2]")).status, 201);
  ASSERT_EQ(api.post(other + "/start").status, 200);
  const Told told = api.post(other + "/duels", R"({"context":{"a":[1,2],"b":[1,2]}})");
  EXPECT_EQ(refused_pointer(told), "/context");
  EXPECT_NE(told.text("detail").find("'imed' knows no contexts"), std::string::npos)
      << told.text("detail");
}

}  // namespace
}  // namespace duel
