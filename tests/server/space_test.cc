// Points of a space over HTTP: in the shape of arms, with votes and with clicks.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

class ServedSpace : public ::testing::Test {
 protected:
  Told create(const std::string& more = "") {
    const Told made =
        api.put(kE, R"({"space":{"weight":{"low":0,"high":1}},"default_point":{"weight":0.2},)"
                    R"("seed":7)" +
                        more + "}");
    if (made.status == 201) {
      EXPECT_EQ(api.post(kE + "/start").status, 200);
    }
    return made;
  }
  static double weight(const Json& arm) { return arm.at("payload").at("weight").get<double>(); }
  // The arm whose weight is closer to 0.7.
  static std::string closer(const Told& duel) {
    const auto arms = duel.body.at("arms").items();
    const std::size_t k =
        std::fabs(weight(arms[0]) - 0.7) < std::fabs(weight(arms[1]) - 0.7) ? 0 : 1;
    return arms[k].at("arm_id").get<std::string>();
  }
  Told answer(const Told& duel) {
    return api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome",
                   R"({"result":"win","winner":")" + closer(duel) + "\"}");
  }

  ServedApi api;
};

TEST_F(ServedSpace, is_created_with_its_default_point) {
  const Told made = create();
  ASSERT_EQ(made.status, 201) << made.body.dump();
  EXPECT_EQ(made.body.at("arms").size(), 0U);
  EXPECT_EQ(made.body.at("space").at("weight").at("default").get<double>(), 0.2);
  EXPECT_EQ(made.text("policy").substr(0, 9), "kernel-ts");
  EXPECT_EQ(create().status, 200) << "an identical repeat changes nothing";
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 1U);
}

TEST_F(ServedSpace, serves_points_until_one_is_certified) {
  ASSERT_EQ(create().status, 201);
  int duels = 0;
  for (; duels < 400; ++duels) {
    const Told duel = api.post(kE + "/duels");
    if (duel.text("serving") == "fallback") break;
    ASSERT_EQ(duel.status, 201) << duel.body.dump();
    EXPECT_EQ(duel.body.at("arms").size(), 2U);
    EXPECT_EQ(answer(duel).text("status"), "applied");
  }
  const Told result = api.get(kE + "/result");
  ASSERT_EQ(result.text("state"), "certified") << result.body.dump();
  EXPECT_EQ(result.body.at("certificate").at("kind").get<std::string>(), "point");
  EXPECT_EQ(result.body.at("arms").size(), 0U);
  const Json& tried = result.body.at("space").at("tried");
  EXPECT_EQ(tried.items().back().at("state").get<std::string>(), "certified");
  const Told certificate = api.get(kE + "/certificate");
  EXPECT_EQ(certificate.status, 200);
  EXPECT_EQ(certificate.body.at("space").at("in_use").at("weight").get<double>(), 0.2);
  // Whoever asks is given the point that was found.
  const Told after = api.post(kE + "/duels");
  EXPECT_EQ(after.text("serving"), "fallback");
  EXPECT_EQ(after.body.at("arms").items()[0].at("arm_id").get<std::string>(),
            tried.items().back().at("point_id").get<std::string>());
  EXPECT_GT(weight(after.body.at("arms").items()[0]), 0.2);
  EXPECT_EQ(api.get(kE + "/health").status, 200);
  EXPECT_EQ(api.get(kE + "/timeline").status, 200);
  EXPECT_EQ(api.get(kE + "/duels?limit=5").status, 200);
}

TEST_F(ServedSpace, is_the_same_after_a_restart) {
  ASSERT_EQ(create(R"(,"warmup":200)").status, 201);
  for (int k = 0; k < 60; ++k) answer(api.post(kE + "/duels"));
  const Told open = api.post(kE + "/duels", R"({"duel_id":"mine"})");
  const std::string before = api.get(kE + "/result").body.at("space").dump();
  const std::string slices = api.get(kE + "/slices").body.dump();
  api.restart();
  EXPECT_EQ(api.get(kE + "/result").body.at("space").dump(), before);
  EXPECT_EQ(api.get(kE + "/slices").body.dump(), slices);
  const Told again = api.post(kE + "/duels", R"({"duel_id":"mine"})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.at("arms").dump(), open.body.at("arms").dump());
  EXPECT_EQ(answer(again).text("status"), "applied");
}

TEST_F(ServedSpace, shows_what_the_learner_believes) {
  ASSERT_EQ(create(R"(,"warmup":200)").status, 201);
  for (int k = 0; k < 30; ++k) answer(api.post(kE + "/duels"));
  const Told slices = api.get(kE + "/slices");
  ASSERT_EQ(slices.status, 200);
  const Json& slice = slices.body.at("slices").items()[0];
  EXPECT_EQ(slice.at("name").get<std::string>(), "weight");
  EXPECT_EQ(slice.at("points").items().front().at("value").get<double>(), 0);
  EXPECT_EQ(slice.at("points").items().back().at("value").get<double>(), 1);
  EXPECT_EQ(slices.body.find("plane"), nullptr);
  ASSERT_EQ(api.put("/v1/experiments/arms", R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}]})").status,
            201);
  EXPECT_EQ(api.get("/v1/experiments/arms/slices").status, 409);
}

TEST_F(ServedSpace, shows_a_space_of_two_dimensions_whole) {
  ASSERT_EQ(api.put("/v1/experiments/two", R"({"space":{"x":{"low":0,"high":1,"default":0.5},)"
                                           R"("y":{"low":1,"high":16,"default":4,"scale":"log"}}})")
                .status,
            201);
  ASSERT_EQ(api.post("/v1/experiments/two/start").status, 200);
  const std::string two = "/v1/experiments/two/";
  for (int k = 0; k < 5; ++k) {
    const Told duel = api.post(two + "duels");
    api.put(two + "duels/" + duel.text("duel_id") + "/outcome",
            R"({"result":"win","winner":")" +
                duel.body.at("arms").items()[0].at("arm_id").get<std::string>() + R"("})");
  }
  const Told shown = api.get(two + "slices");
  ASSERT_EQ(shown.status, 200);
  const auto plane = shown.body.at("plane").items();
  ASSERT_EQ(plane.size(), 33U * 33);
  EXPECT_EQ(plane.front().at("first").get<double>(), 0);
  EXPECT_EQ(plane.front().at("second").get<double>(), 1);
  EXPECT_EQ(plane[1].at("first").get<double>(), 0);
  EXPECT_GT(plane[1].at("second").get<double>(), 1);
  EXPECT_DOUBLE_EQ(plane.back().at("second").get<double>(), 16);
  // The middle is the point in use, which neither beats nor loses to itself.
  EXPECT_EQ(plane[16 * 33 + 16].at("beats_in_use").get<double>(), 0.5);
}

TEST_F(ServedSpace, counts_a_subject_once) {
  ASSERT_EQ(create().status, 201);
  for (int k = 0; k < 120; ++k) {
    const Told duel = api.post(kE + "/duels", R"({"subject_id":"ann"})");
    answer(duel);
  }
  const Json space = api.get(kE + "/result").body.at("space");
  const Json* const candidate = space.find("candidate");
  ASSERT_TRUE(candidate != nullptr);
  if (!candidate->is_null()) {
    EXPECT_EQ(
        candidate->at("wins").get<std::uint64_t>() + candidate->at("losses").get<std::uint64_t>(),
        0U);
  }
  for (const Json& one : space.at("tried").items()) {
    EXPECT_EQ(one.at("wins").get<std::uint64_t>() + one.at("losses").get<std::uint64_t>(), 0U);
  }
}

TEST_F(ServedSpace, drafts_pages_in_two_steps) {
  ASSERT_EQ(create(R"(,"mode":"interleave")").status, 201);
  const Told in_one =
      api.post(kE + "/interleavings", R"({"duel_id":"q","lists":{"default":["d1"],"p1":["d2"]}})");
  EXPECT_EQ(in_one.status, 409);
  EXPECT_NE(in_one.text("detail").find("ask for a duel first"), std::string::npos);
  for (int k = 0; k < 40; ++k) {
    const std::string id = "q-" + std::to_string(k);
    const Told duel = api.post(kE + "/duels", R"({"duel_id":")" + id + "\"}");
    ASSERT_EQ(duel.status, 201) << duel.body.dump();
    const std::string winner = closer(duel);
    Json lists = Json::object();
    for (const Json& arm : duel.body.at("arms").items()) {
      const std::string arm_id = arm.at("arm_id").get<std::string>();
      lists.add(arm_id, Json(Json::Array{Json(arm_id == winner ? "good" : "bad"), Json("other")}));
    }
    Json body = Json::object();
    body.add("lists", std::move(lists));
    const Told page = api.put(kE + "/duels/" + id + "/interleaving", body.dump());
    ASSERT_EQ(page.status, 200) << page.body.dump();
    api.post("/v1/events", R"({"action_name":"click","query_id":")" + id +
                               R"(","timestamp":"2026-11-15T09:00:00Z","event_attributes":)"
                               R"({"object":{"object_id":"good"}}})");
    EXPECT_EQ(api.put(kE + "/duels/" + id + "/outcome", R"({"result":"close"})").status, 200);
  }
  const Told result = api.get(kE + "/result");
  EXPECT_GT(result.body.at("duels").at("first_wins").get<std::uint64_t>() +
                result.body.at("duels").at("second_wins").get<std::uint64_t>(),
            20U);
  EXPECT_GT(result.body.at("space").at("path").size(), 1U);
}

TEST_F(ServedSpace, names_what_is_wrong) {
  const auto refused = [&](const std::string& body) {
    const Told told = api.put("/v1/experiments/x", body);
    EXPECT_EQ(told.status, 400) << told.body.dump();
    return told.body.at("errors").items()[0].at("pointer").get<std::string>();
  };
  EXPECT_EQ(refused(R"({"space":{"w":{"low":1,"high":0,"default":0}}})"), "/space/w");
  EXPECT_EQ(refused(R"({"space":{"w":{"low":0,"high":"x","default":0}}})"), "/space/w/high");
  EXPECT_EQ(refused(R"({"space":{"w":{"low":0,"high":1,"default":2}}})"), "/space/w/default");
  EXPECT_EQ(refused(R"({"space":{"w":{"low":0,"high":1,"default":0}},"arms":[{"arm_id":"a"}]})"),
            "/arms");
  EXPECT_EQ(refused(R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"default_point":{"w":1}})"),
            "/default_point");
  EXPECT_EQ(refused(R"({"space":{"w":{"low":0,"high":1,"default":0}},"policy":"rucb"})"),
            "/policy");
  EXPECT_EQ(refused(R"({"space":{"w":{"low":0,"high":1,"default":0}},)"
                    R"("stopping":{"on_certified":"exploit"}})"),
            "/stopping/on_certified");
  EXPECT_EQ(refused(R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                    R"("stopping":{"on_certified":"adopt"}})"),
            "/stopping/on_certified");
  EXPECT_EQ(refused(R"({})"), "/arms");
}

// Each answer costs the square of the features, on the thread that serves other experiments too.
TEST_F(ServedSpace, bounds_the_features_of_its_learner) {
  const auto told = [&](const std::string& policy) {
    return api.put("/v1/experiments/x", R"({"space":{"w":{"low":0,"high":1,"default":0}},)"
                                        R"("policy":")" +
                                            policy + R"("})");
  };
  const Told refused = told("kernel-ts(features=514)");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body.at("errors").items()[0].at("pointer").get<std::string>(), "/policy");
  EXPECT_NE(refused.text("detail").find("a server takes 512"), std::string::npos);
  EXPECT_EQ(told("kernel-ts(features=512)").status, 201);
}

TEST_F(ServedSpace, takes_no_arms) {
  ASSERT_EQ(create().status, 201);
  EXPECT_EQ(api.put(kE + "/arms/p1", R"({"payload":{"weight":0.5}})").status, 409);
  EXPECT_EQ(api.post(kE + "/duels", R"({"exclude":["default"]})").status, 400);
}

}  // namespace
}  // namespace duel
