#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

// ServedApi holds every answer against /openapi.json, so the types of the fields are tested, too.
TEST(RecentDuels, say_the_answer_and_the_place_of_an_arm_shown_twice) {
  ServedApi api;
  const std::string experiment = "/v1/experiments/e";
  ASSERT_EQ(api.put(experiment, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":1,)"
                                R"("guardrails":{"aa_rate":0.2}})")
                .status,
            201);
  ASSERT_EQ(api.post(experiment + "/start").status, 200);
  Told served;
  for (int k = 0; k < 100; ++k) {  // the seed shows one of them twice much earlier
    served = api.post(experiment + "/duels", R"({})");
    if (served.text("serving") == "aa") break;
  }
  ASSERT_EQ(served.text("serving"), "aa");
  const std::string arm = served.body.at("arms").items()[0].at("arm_id").get<std::string>();
  ASSERT_EQ(api.put(experiment + "/duels/" + served.text("duel_id") + "/outcome",
                    R"({"result":"win","place":2,"winner":")" + arm + R"("})")
                .status,
            200);
  const Told recent = api.get(experiment + "/duels");
  ASSERT_EQ(recent.status, 200);
  const Json& duel = recent.body.at("items").items()[0];
  EXPECT_EQ(duel.at("state").get<std::string>(), "reported");
  EXPECT_EQ(duel.at("result").get<std::string>(), "win");
  EXPECT_EQ(duel.at("place").get<std::uint64_t>(), 2U);
}

// Many answers to duels that were served long before: the last lines hold no serve.
TEST(RecentDuels, are_found_however_many_lines_came_after_them) {
  ServedApi api;
  start_three_arms(api);
  constexpr int kDuels = 34;
  const Told served = api.post("/v1/experiments/e/duels", R"({"count":34})");
  ASSERT_EQ(served.status, 201);
  const auto duels = served.body.at("items").items();
  for (const Json& duel : duels) {
    const std::string id = duel.at("duel_id").get<std::string>();
    ASSERT_EQ(api.put("/v1/experiments/e/duels/" + id + "/outcome", R"({"result":"tie"})").status,
              200);
  }
  for (const int limit : {1, 2, 20, kDuels, 200}) {
    const Told recent = api.get("/v1/experiments/e/duels?limit=" + std::to_string(limit));
    ASSERT_EQ(recent.status, 200);
    const auto items = recent.body.at("items").items();
    ASSERT_EQ(items.size(), static_cast<std::size_t>(std::min(limit, kDuels)));
    EXPECT_EQ(items[0].at("duel_id").get<std::string>(),
              duels.back().at("duel_id").get<std::string>());
    EXPECT_EQ(items[0].at("state").get<std::string>(), "reported");
  }
}

TEST(RecentDuels, of_an_experiment_that_is_not_there_say_so_and_nothing_of_the_store) {
  ServedApi api;
  const Told told = api.get("/v1/experiments/none/duels");
  EXPECT_EQ(told.status, 404);
  EXPECT_EQ(told.text("detail"), "there is no experiment 'none'");
  EXPECT_EQ(told.body.dump().find(api.store_file().string()), std::string::npos);
}

}  // namespace
}  // namespace duel
