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

// A page is closed by its clicks, by hand or at its time; a duel for which no lists came had no
// page that could have been clicked on.
TEST(RecentDuels, say_that_nobody_clicked_on_a_page_and_that_no_page_was_made) {
  ServedApi api;
  const std::string experiment = "/v1/experiments/e";
  ASSERT_EQ(api.put(experiment, R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                                R"("policy":"uniform","feedback":{"timeout_s":60},"seed":3})")
                .status,
            201);
  ASSERT_EQ(api.post(experiment + "/start").status, 200);
  const std::string lists = R"("lists":{"a":["1","2"],"b":["3","4"]}})";
  const auto show = [&](const std::string& id, const std::string& rest) {
    ASSERT_EQ(api.post(experiment + "/interleavings", R"({"duel_id":")" + id + "\"," + rest).status,
              201);
  };
  show("closed", lists);
  show("left", lists);
  show("alike", R"("lists":{"a":["1","2"],"b":["1","2"]}})");
  ASSERT_EQ(api.post(experiment + "/duels", R"({"duel_id":"bare"})").status, 201);
  ASSERT_EQ(api.post(experiment + "/duels", R"({"duel_id":"bare-closed"})").status, 201);
  for (const char* id : {"closed", "bare-closed"}) {
    const Told told = api.put(experiment + "/duels/" + id + "/outcome", R"({"result":"close"})");
    ASSERT_EQ(told.text("status"), "applied");
  }
  api.pass(61'000);
  show("later", lists);
  const auto expect_all = [&] {
    const Told recent = api.get(experiment + "/duels");
    ASSERT_EQ(recent.status, 200);
    ASSERT_EQ(recent.body.at("items").size(), 6U);
    const auto expect_ended = [&](const std::string& id, const std::string& state,
                                  const std::string& result) {
      for (const Json& duel : recent.body.at("items").items()) {
        if (duel.at("duel_id").get<std::string>() != id) continue;
        EXPECT_EQ(duel.at("state").get<std::string>(), state) << duel.dump();
        EXPECT_EQ(duel.contains("result") ? duel.at("result").get<std::string>() : "", result);
        EXPECT_EQ(duel.contains("reported_at"), !result.empty());
      }
      const Told shown = api.get(experiment + "/duels/" + id);
      EXPECT_EQ(shown.text("state"), state) << shown.body.dump();
      const Json* outcome = shown.body.find("outcome");
      EXPECT_EQ(outcome != nullptr ? outcome->at("result").get<std::string>() : "", result);
    };
    expect_ended("closed", "closed", "no_feedback");
    expect_ended("left", "closed", "no_feedback");
    expect_ended("alike", "closed", "no_contest");
    expect_ended("bare", "expired", "");
    expect_ended("bare-closed", "expired", "");
    expect_ended("later", "served", "");
  };
  expect_all();
  api.restart();
  expect_all();
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
