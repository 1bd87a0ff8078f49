// What becomes of duels when nobody answers, when an arm is retired meanwhile, and when the server
// has too much to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

TEST(DuelFate, without_an_answer_a_duel_is_discarded_or_a_tie_as_configured) {
  for (const std::string rule : {"discard", "tie"}) {
    ServedApi api;
    ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7,)"
                          R"("feedback":{"timeout_s":10,"on_timeout":")" +
                              rule + R"("}})")
                  .status,
              201);
    ASSERT_EQ(api.post(kE + "/start").status, 200);
    ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
    api.pass(11'000);
    api.post(kE + "/duels", R"({"duel_id":"r"})");  // the next request expires it
    EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "expired");
    const Json duels = api.get(kE + "/result").body.at("duels");
    EXPECT_EQ(duels.at("expired").get<int>(), rule == "tie" ? 0 : 1);
    EXPECT_EQ(duels.at("ties").get<int>(), rule == "tie" ? 1 : 0);
    EXPECT_EQ(duels.at("first_wins").get<int>() + duels.at("second_wins").get<int>(), 0);
    // The policy hears a tie or nothing, and a certificate hears neither.
    const std::string log = api.streamed(kE + "/export?what=audit");
    EXPECT_NE(log.find(R"("record":"expired")"), std::string::npos);
    const Told late = api.put(kE + "/duels/q/outcome", win_of("a"));
    EXPECT_EQ(late.text("status"), "late");
    const std::string before = api.get(kE + "/result").body.dump();
    api.restart();
    EXPECT_EQ(api.get(kE + "/result").body.dump(), before) << rule;
  }
}

// Fallbacks are not logged. The report token of one proves it, even if the server has forgotten it.
TEST(DuelFate, an_outcome_of_a_fallback_is_ignored_after_a_crash_by_its_report_token) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/pause").status, 200);
  const Told one = api.post(kE + "/duels", R"({"duel_id":"q","subject_id":"s"})");
  ASSERT_EQ(one.text("serving"), "fallback");
  const Told many = api.post(kE + "/duels", R"({"batch_id":"m","count":2})");
  ASSERT_EQ(many.status, 201);
  const auto proof_of = [](const Json& duel) {
    return R"("report_token":")" + duel.at("report_token").get<std::string>() + "\"";
  };
  const std::string head = api.get(kE).text("head");
  const std::string outcome = kE + "/duels/q/outcome";
  const std::string told_by = R"({"result":"win","winner":"b",)" + proof_of(one.body) + "}";
  restart_from_log(api);
  EXPECT_EQ(api.put(outcome, win_of("b")).status, 404) << "nothing tells what it was";
  EXPECT_EQ(api.put(outcome, told_by).text("status"), "ignored");
  std::string items = "[";
  for (const Json& duel : many.body.at("items").items()) {
    items += fmt::format(R"({{"duel_id":"{}","result":"tie",{}}},)",
                         duel.at("duel_id").get<std::string>(), proof_of(duel));
  }
  const Told batch = api.post(kE + "/outcomes", items + R"({"duel_id":"m.2","result":"tie"}])");
  ASSERT_EQ(batch.status, 200) << batch.body.dump();
  const auto status = [&](std::size_t k) {
    return batch.body.at("items").items()[k].at("status").get<std::string>();
  };
  EXPECT_EQ(status(0), "ignored");
  EXPECT_EQ(status(1), "ignored");
  EXPECT_EQ(status(2), "unknown");
  // The same when it comes late, and from a voter. The token still holds for that duel only.
  api.pass(std::int64_t{7} * 86'400'000);
  EXPECT_EQ(api.put(kE + "/duels/r/outcome", told_by).status, 409);
  api.tokens().create(TokenScope::admin, "", "", 0).value();
  EXPECT_EQ(api.put(outcome, told_by).text("status"), "ignored") << "a browser has no other token";
  api.token = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  EXPECT_EQ(api.put(outcome, told_by).text("status"), "ignored");
  api.token = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  EXPECT_EQ(api.get(kE).text("head"), head) << "not logged";
}

TEST(DuelFate, a_voter_with_a_fallback_gets_the_next_duel_once_there_is_one) {
  ServedApi api;
  start_three_arms(api);
  const std::string admin = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  const std::string vote = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  api.token = admin;
  ASSERT_EQ(api.post(kE + "/pause").status, 200);
  api.token = vote;
  const Told fallback = api.post(kE + "/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(fallback.text("serving"), "fallback");
  api.token = admin;
  ASSERT_EQ(api.post(kE + "/resume").status, 200);
  restart_from_log(api);
  api.token = vote;
  const std::string proof =
      R"({"result":"skip","report_token":")" + fallback.text("report_token") + R"("})";
  const Told told = api.put(kE + "/duels/q/outcome?next=1", proof);
  ASSERT_EQ(told.text("status"), "ignored") << told.body.dump();
  EXPECT_EQ(told.body.at("next").at("serving").get<std::string>(), "explore");
  // For the subject of the fallback: with one more it has all that a voter may have open.
  const std::string next = told.body.at("next").at("duel_id").get<std::string>();
  const std::string same = R"({"subject_id":")" + fallback.text("subject_id") + R"("})";
  ASSERT_EQ(api.post(kE + "/duels", same).status, 201);
  const Told again = api.put(kE + "/duels/q/outcome?next=1&next_duel_id=third", proof);
  EXPECT_EQ(again.body.at("next").at("duel_id").get<std::string>(), next);
}

TEST(DuelFate, an_answer_counts_though_an_arm_was_retired_meanwhile) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7,)"
                        R"("stopping":{"arms":"open","pairs_independent":true}})")
                .status,
            201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(duel.status, 201);
  const std::string retired = first_arm(duel);
  ASSERT_EQ(api.call(HttpMethod::del, kE + "/arms/" + retired).status, 200);
  const Told told = api.put(kE + "/duels/q/outcome", win_of(retired));
  EXPECT_EQ(told.text("status"), "applied");
  EXPECT_TRUE(told.body.at("applied").get<bool>());
  const Json duels = api.get(kE + "/result").body.at("duels");
  EXPECT_EQ(duels.at("first_wins").get<int>() + duels.at("second_wins").get<int>(), 1);
  // It is not served again, and its id is not used again.
  for (int k = 0; k < 30; ++k) {
    const Told next = api.post(kE + "/duels", "{}");
    for (const Json& arm : next.body.at("arms").items()) {
      EXPECT_NE(arm.at("arm_id").get<std::string>(), retired);
    }
  }
  EXPECT_EQ(api.put(kE + "/arms/" + retired, R"({"payload":1})").status, 409);
  const std::string head = api.get(kE).text("head");
  api.restart();
  EXPECT_EQ(api.get(kE).text("head"), head);
}

TEST(DuelFate, the_certificate_says_which_share_of_the_duels_an_excluded_arm_has_changed) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7,)"
                        R"("policy":"uniform"})")
                .status,
            201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  Told certificate;
  for (int k = 0; k < 2000 && certificate.status != 200; ++k) {
    const Told duel = api.post(kE + "/duels", k % 4 == 0 ? R"({"exclude":["c"]})" : "{}");
    const auto arms = duel.body.at("arms").items();
    if (arms.size() < 2) break;
    const auto one = arms[0].at("arm_id").get<std::string>();
    const auto other = arms[1].at("arm_id").get<std::string>();
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(std::min(one, other)));
    certificate = api.get(kE + "/certificate");
  }
  ASSERT_EQ(certificate.status, 200);
  const double share = certificate.body.at("excluded_share").get<double>();
  // One in four was asked for without c, and the policy wanted c in two of three of those.
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 0.3);
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_NE(log.find(R"("by":"exclude")"), std::string::npos);
  EXPECT_GT(api.get(kE + "/result").body.at("excluded_share").get<double>(), 0);
}

TEST(DuelFate, beyond_what_may_wait_a_request_is_429_and_those_that_wait_are_answered) {
  ServedApi api;
  api.stop();
  api.most_waiting = 3;  // the one that is worked on among them
  api.start();
  start_three_arms(api);
  // The owner is kept busy until the test lets go.
  std::promise<void> busy, go;
  const auto went = go.get_future().share();
  api.engine().ask<Done>(
      "e", AnswerWhen::appended,
      [&busy, went](const Turn&) -> Status {
        busy.set_value();
        went.wait();
        return Done{};
      },
      [](const Status&, const Delivery&) {});
  busy.get_future().wait();
  const auto ask = [&] {
    const auto exchange = std::make_shared<RecordedExchange>();
    api.api().handle(
        http_request(HttpMethod::post, kE + "/duels", "{}",
                     {{"host", "127.0.0.1:7557"}, {"content-type", "application/json"}}),
        HttpReply(exchange));
    return exchange;
  };
  const auto first = ask(), second = ask();
  const HttpResponse refused = ask()->response();
  EXPECT_EQ(refused.status, 429);
  ASSERT_NE(refused.header("Retry-After"), nullptr);
  const auto problem = Json::parse(refused.body);
  ASSERT_TRUE(problem);
  EXPECT_TRUE(problem->at("retryable").get<bool>());
  go.set_value();
  EXPECT_EQ(first->response().status, 201);
  EXPECT_EQ(second->response().status, 201);
  EXPECT_EQ(api.post(kE + "/duels", "{}").status, 201) << "it has recovered";
}

// No machine expires so many within the time for which others may be kept waiting.
TEST(DuelFate, what_expires_together_is_recorded_in_groups) {
  ServedApi api;
  start_three_arms(api);
  constexpr int kBatches = 20;
  for (int k = 0; k < kBatches; ++k) {
    ASSERT_EQ(api.post(kE + "/duels", R"({"count":1000})").status, 201);
  }
  const auto pending = [&] { return api.get(kE).body.at("pending").get<std::uint64_t>(); };
  ASSERT_EQ(pending(), 1000U * kBatches);
  const std::uint64_t before = api.engine().counts().commits;
  api.pass(7 * 86'400'000);
  while (pending() > 0) std::this_thread::yield();
  EXPECT_GE(api.engine().counts().commits, before + 2);
}

}  // namespace
}  // namespace duel
