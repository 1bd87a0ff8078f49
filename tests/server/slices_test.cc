#include <gtest/gtest.h>

#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kAnswers = "/v1/experiments/answers";

void create(ServedApi& api) {
  ASSERT_EQ(api.put(kAnswers, R"({"arms":[{"arm_id":"short"},{"arm_id":"long"}],
                                  "stopping":{"alpha":0.1,"on_certified":"notify"},
                                  "slices":{"language":["de","en"]},
                                  "tasks":[{"task_id":"t1","slices":{"language":"de"}},
                                           {"task_id":"t2"}],
                                  "about":"these-tasks"})")
                .status,
            201);
  ASSERT_EQ(api.post(kAnswers + "/start").status, 200);
}

// One duel of a language, won by the arm.
void play(ServedApi& api, const std::string& language, const std::string& winner) {
  const Told duel = api.post(kAnswers + "/duels",
                             R"({"task_id":"t2","slices":{"language":")" + language + "\"}}");
  ASSERT_EQ(duel.status, 201) << duel.body.dump();
  ASSERT_EQ(api.put(kAnswers + "/duels/" + duel.text("duel_id") + "/outcome",
                    R"({"result":"win","winner":")" + winner + "\"}")
                .status,
            200);
}

TEST(SlicesOfTheServer, have_results_of_their_own_also_after_a_restart) {
  ServedApi api;
  create(api);
  for (int k = 0; k < 20; ++k) {
    play(api, "de", "short");
    play(api, "en", "long");
  }
  for (int k = 0; k < 3; ++k) play(api, "fr", "short");
  const auto check = [&] {
    const Told result = api.get(kAnswers + "/result");
    const Json& languages = result.body.at("by_slice").at("language");
    ASSERT_EQ(languages.members().size(), 3U);
    EXPECT_EQ(languages.at("de").at("certificate").at("winner").get<std::string>(), "short");
    EXPECT_EQ(languages.at("en").at("certificate").at("winner").get<std::string>(), "long");
    EXPECT_EQ(languages.at("de").at("alpha").get<double>(), 0.05);
    EXPECT_TRUE(languages.at("other").at("certificate").is_null());
    EXPECT_EQ(languages.at("other").at("duels").at("served").get<std::uint64_t>(), 3U);
    EXPECT_EQ(result.body.at("slices_differ").items()[0].get<std::string>(),
              "The winner differs by language: 'short' (de), 'long' (en).");
  };
  check();
  play(api, "de", "short");
  EXPECT_EQ(api.get(kAnswers + "/result")
                .body.at("by_slice")
                .at("language")
                .at("de")
                .at("duels")
                .at("served")
                .get<std::uint64_t>(),
            21U)
      << "the view goes on with the log";
  api.restart();
  check();
}

TEST(SlicesOfTheServer, are_taken_from_the_task_where_the_request_names_none) {
  ServedApi api;
  create(api);
  ASSERT_EQ(api.post(kAnswers + "/duels", R"({"task_id":"t1"})").status, 201);
  ASSERT_EQ(api.post(kAnswers + "/duels", R"({"task_id":"t1","slices":{"language":"en"}})").status,
            201);
  const Told result = api.get(kAnswers + "/result");
  const Json& languages = result.body.at("by_slice").at("language");
  EXPECT_EQ(languages.at("de").at("duels").at("served").get<std::uint64_t>(), 1U);
  EXPECT_EQ(languages.at("en").at("duels").at("served").get<std::uint64_t>(), 1U);
}

TEST(SlicesOfTheServer, that_cannot_be_are_refused_by_their_field) {
  ServedApi api;
  create(api);
  const Told unknown = api.post(kAnswers + "/duels", R"({"slices":{"device":"phone"}})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_NE(unknown.text("detail").find("no slice 'device'"), std::string::npos);
  EXPECT_EQ(unknown.body.at("errors").items()[0].at("pointer").get<std::string>(), "/slices");
  EXPECT_EQ(api.put("/v1/experiments/bad", R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],
                                               "slices":{"language":["other"]}})")
                .status,
            400);
  EXPECT_EQ(api.get(kAnswers).body.at("slices").dump(), R"({"language":["de","en"]})");
}

}  // namespace
}  // namespace duel
