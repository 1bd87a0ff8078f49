// Comparisons made elsewhere, sent again after an answer was lost.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kComparisons = "/v1/experiments/e/comparisons";

std::string comparison(const std::string& id, const std::string& winner = "a") {
  return R"({"first":"a","second":"b","result":"win","winner":")" + winner +
         R"(","source":{"type":"human","id":"eve"},"made_at":"2026-11-01","comparison_id":")" + id +
         R"("})";
}

void expect_taken(const Told& told, int accepted, int duplicates) {
  EXPECT_EQ(told.status, 200) << told.body.dump();
  EXPECT_EQ(told.body.at("accepted").get<int>(), accepted);
  EXPECT_EQ(told.body.at("duplicates").get<int>(), duplicates);
}

std::uint64_t counted(ServedApi& api) {
  std::uint64_t comparisons = 0;
  api.engine().ask<std::uint64_t>(
      "e", AnswerWhen::appended,
      [](const Turn& turn) -> Result<std::uint64_t> {
        return turn.experiment.ledger().comparisons();
      },
      [&](const Result<std::uint64_t>& answer, const Delivery&) { comparisons = *answer; });
  api.engine().wait_for_all();
  return comparisons;
}

TEST(Comparisons, with_ids_are_counted_once_however_often_they_are_sent) {
  ServedApi api;
  start_three_arms(api);
  const std::string batch = "[" + comparison("one") + "," + comparison("two", "b") + "]";
  expect_taken(api.post(kComparisons, batch), 2, 0);
  expect_taken(api.post(kComparisons, batch), 2, 2);
  api.restart();  // from the snapshot
  expect_taken(api.post(kComparisons, batch), 2, 2);
  restart_from_log(api);
  expect_taken(api.post(kComparisons, batch), 2, 2);
  // Some of them, and others.
  expect_taken(
      api.post(kComparisons, "[" + comparison("three") + "," + comparison("two", "b") + "]"), 2, 1);
  expect_taken(api.post(kComparisons, "[" + comparison("four") + "," + comparison("four") + "]"), 2,
               1);
  EXPECT_EQ(counted(api), 4U);
}

TEST(Comparisons, with_an_id_that_has_other_content_are_refused_and_none_of_the_batch_is_taken) {
  ServedApi api;
  start_three_arms(api);
  expect_taken(api.post(kComparisons, "[" + comparison("one") + "]"), 1, 0);
  for (const std::string& batch : {"[" + comparison("new") + "," + comparison("one", "b") + "]",
                                   "[" + comparison("new") + "," + comparison("new", "b") + "]"}) {
    const Told told = api.post(kComparisons, batch);
    EXPECT_EQ(told.status, 422) << told.body.dump();
    EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(), "/1");
    EXPECT_FALSE(told.body.at("retryable").get<bool>());
  }
  EXPECT_EQ(api.post(kComparisons, "[" + comparison("not an id") + "]").status, 400);
  EXPECT_EQ(counted(api), 1U);
}

TEST(Comparisons, without_ids_are_counted_each_time) {
  ServedApi api;
  start_three_arms(api);
  const std::string one = R"([{"first":"a","second":"b","result":"tie"}])";
  expect_taken(api.post(kComparisons, one), 1, 0);
  expect_taken(api.post(kComparisons, one), 1, 0);
  EXPECT_EQ(counted(api), 2U);
}

// No machine records so many within the time that a request may keep others waiting.
TEST(Comparisons, are_recorded_in_groups_between_which_others_have_their_turn) {
  ServedApi api;
  start_three_arms(api);
  constexpr int kMany = 20'000;
  std::string batch = "[";
  for (int k = 0; k < kMany; ++k) {
    batch += k > 0 ? "," : "";
    batch += comparison("c" + std::to_string(k), k % 3 == 0 ? "a" : "b");
  }
  const std::uint64_t before = api.engine().counts().commits;
  expect_taken(api.post(kComparisons, batch + "]"), kMany, 0);
  EXPECT_GE(api.engine().counts().commits, before + 2);
  // Also of many a mistake in the last refuses all.
  const Told told = api.post(kComparisons, batch + "," + comparison("c0", "b") + "]");
  EXPECT_EQ(told.status, 422) << told.body.dump();
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(),
            "/" + std::to_string(kMany));
  EXPECT_EQ(counted(api), static_cast<std::uint64_t>(kMany));
  expect_taken(api.post(kComparisons, batch + "]"), kMany, kMany);
}

TEST(Comparisons, may_have_the_id_of_a_duel) {
  ServedApi api;
  start_three_arms(api);
  const Told duel = api.post("/v1/experiments/e/duels", R"({"duel_id":"one"})");
  expect_taken(api.post(kComparisons, "[" + comparison("one") + "]"), 1, 0);
  EXPECT_EQ(api.put("/v1/experiments/e/duels/one/outcome", win_of(first_arm(duel))).text("status"),
            "applied");
  expect_taken(api.post(kComparisons, "[" + comparison("one") + "]"), 1, 1);
}

}  // namespace
}  // namespace duel
