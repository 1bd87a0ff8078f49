// What a body says wrong is named where it is.
#include "duel/wire/requests.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";
const std::string kTwo = R"("arms":[{"arm_id":"a"},{"arm_id":"b"}])";

void expect_pointer(const Told& told, const std::string& pointer) {
  EXPECT_EQ(told.status, 400) << pointer << told.body.dump();
  ASSERT_NE(told.body.find("errors"), nullptr) << pointer << told.body.dump();
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(), pointer)
      << told.body.dump();
}

TEST(Bodies, an_experiment_that_makes_no_sense_is_refused_at_the_field) {
  ServedApi api;
  const auto create = [&](const std::string& body) { return api.put(kE, "{" + body + "}"); };
  expect_pointer(create(kTwo + R"(,"stopping":{"alpha":0})"), "/stopping/alpha");
  expect_pointer(create(kTwo + R"(,"stopping":{"alpha":1})"), "/stopping/alpha");
  expect_pointer(create(kTwo + R"(,"guardrails":{"aa_rate":0.6})"), "/guardrails/aa_rate");
  expect_pointer(create(R"("arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"a"}])"),
                 "/arms/2/arm_id");
  expect_pointer(create(R"("arms":[{"arm_id":"a"}])"), "/arms");
  expect_pointer(create(kTwo + R"(,"tasks":[{"task_id":"t"},{"task_id":"u"},{"task_id":"t"}])"),
                 "/tasks/2/task_id");
  expect_pointer(create(kTwo + R"(,"goal":"set")"), "/top");
  expect_pointer(create(kTwo + ",\"policy\":\"rucb(alpha=-1)\""), "/policy");
  expect_pointer(create(kTwo + R"(,"mode":"interleave","presentation":{"order":"both"})"),
                 "/presentation/order");
  const std::string open = R"(,"stopping":{"arms":"open","pairs_independent":true})";
  for (const char* goal : {"copeland", "borda"}) {
    const Told told = create(kTwo + open + R"(,"goal":")" + goal + "\"");
    expect_pointer(told, "/stopping/arms");
    EXPECT_NE(told.text("detail").find("`fixed`"), std::string::npos) << told.body.dump();
  }
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 0U);
}

TEST(Bodies, a_plan_is_refused_at_the_field) {
  ServedApi api;
  const auto plan = [&](const std::string& body) { return api.post("/v1/plan", body); };
  expect_pointer(plan(R"({"gap":0})"), "/gap");
  expect_pointer(plan(R"({"gap":0.6})"), "/gap");
  expect_pointer(plan(R"({"alpha":0})"), "/alpha");
  expect_pointer(plan(R"({"alpha":0.7})"), "/alpha");
  expect_pointer(plan(R"({"tie_rate":1})"), "/tie_rate");
  expect_pointer(plan(R"({"parallel":0})"), "/parallel");
}

TEST(Bodies, ids_and_texts_are_held_to_their_bounds) {
  ServedApi api;
  start_three_arms(api);
  expect_pointer(api.post(kE + "/duels", R"({"duel_id":"a b"})"), "/duel_id");
  expect_pointer(api.post(kE + "/duels", R"({"count":2,"batch_id":"../x"})"), "/batch_id");
  const std::string large(1'000'000, 'x');
  expect_pointer(api.post(kE + "/duels", R"({"task_id":")" + large + R"("})"), "/task_id");
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"d"})").status, 201);
  expect_pointer(api.put(kE + "/duels/d/outcome",
                         R"({"result":"tie","source":{"type":")" + large + R"(","id":"i"}})"),
                 "/source");
  EXPECT_EQ(
      api.put(kE + "/duels/d/outcome", R"({"result":"tie","source":{"type":"human","id":"i"}})")
          .status,
      200);
}

TEST(Bodies, an_empty_id_is_an_error_and_not_the_same_as_none) {
  ServedApi api;
  start_three_arms(api);
  for (const std::string field : {"duel_id", "batch_id", "subject_id", "task_id"}) {
    expect_pointer(api.post(kE + "/duels", "{\"" + field + R"(":""})"), "/" + field);
  }
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  const std::string outcome = kE + "/duels/q/outcome";
  expect_pointer(api.put(outcome, R"({"duel_id":"","result":"tie"})"), "/duel_id");
  expect_pointer(api.put(outcome, R"({"duel_id":"q q","result":"tie"})"), "/duel_id");
  const Told unnamed = api.put(outcome + "?next=1&next_duel_id=", R"({"result":"tie"})");
  EXPECT_EQ(unnamed.status, 400);
  EXPECT_NE(unnamed.text("detail").find("next_duel_id"), std::string::npos) << unnamed.body.dump();
  const Told batch = api.post(kE + "/outcomes", R"([{"duel_id":"","result":"tie"}])");
  ASSERT_EQ(batch.status, 200);
  const Json& item = batch.body.at("items").items()[0];
  EXPECT_EQ(item.at("status").get<std::string>(), "invalid");
  EXPECT_TRUE(item.at("detail").get<std::string>().starts_with("/duel_id")) << item.dump();
  EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "served");
  ASSERT_EQ(api.put("/v1/experiments/p", R"({"mode":"interleave",)" + kTwo + "}").status, 201);
  ASSERT_EQ(api.post("/v1/experiments/p/start").status, 200);
  for (const std::string field : {"duel_id", "subject_id", "task_id"}) {
    expect_pointer(api.post("/v1/experiments/p/interleavings",
                            "{\"" + field + R"(":"","lists":{"a":["1"],"b":["2"]}})"),
                   "/" + field);
  }
}

TEST(Bodies, outcomes_without_a_body_are_an_error_and_an_empty_list_is_none) {
  ServedApi api;
  start_three_arms(api);
  for (const char* type : {"application/json", "application/x-ndjson"}) {
    for (const char* body : {"", " ", "\n\r\n"}) {
      const Told told =
          api.call(HttpMethod::post, kE + "/outcomes", body, {{"content-type", type}});
      ASSERT_EQ(told.status, 400) << type << '[' << body << ']';
      EXPECT_NE(told.text("detail").find("the body is empty"), std::string::npos);
    }
  }
  const Told none = api.post(kE + "/outcomes", "[]");
  EXPECT_EQ(none.status, 200);
  EXPECT_EQ(none.body.at("items").size(), 0U);
}

TEST(Bodies, numbers_in_the_query_are_numbers_within_bounds) {
  ServedApi api;
  start_three_arms(api);
  for (const char* target :
       {"/v1/experiments?limit=abc", "/v1/experiments?limit=0", "/v1/experiments/e/duels?limit=abc",
        "/v1/experiments/e/duels?limit=0", "/v1/experiments/e/duels?limit=201",
        "/v1/experiments/e/duels?limit=1.5", "/v1/experiments/e/timeline?points=abc",
        "/v1/experiments/e/timeline?points=1", "/v1/experiments/e/timeline?points=2001"}) {
    EXPECT_EQ(api.get(target).status, 400) << target;
  }
  EXPECT_EQ(api.get("/v1/experiments/e/duels?limit=200").status, 200);
  EXPECT_EQ(api.get("/v1/experiments/e/timeline?points=2").status, 200);
}

}  // namespace
}  // namespace duel
