// What a caller is served when some arms cannot be shown, what is served again, and what nobody may
// choose or see.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "duel/core/digest.h"
#include "tests/experiment/played_log.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kOf = "/v1/experiments/e";

std::set<std::string> arms_of(const Told& duel) {
  std::set<std::string> arms;
  for (const Json& arm : duel.body.at("arms").items()) {
    arms.insert(arm.at("arm_id").get<std::string>());
  }
  return arms;
}

void start_with(ServedApi& api, const std::string& fields) {
  ASSERT_EQ(api.put(kOf, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7)" +
                             fields + "}")
                .status,
            201);
  ASSERT_EQ(api.post(kOf + "/start").status, 200);
}

Told import_log(ServedApi& api, const std::string& text) {
  return api.call(HttpMethod::post, kOf + "/import", text,
                  {{"content-type", "application/x-ndjson"}});
}

// The smaller name wins until there is a certificate.
void certify(ServedApi& api) {
  for (int k = 0; k < 2000; ++k) {
    const Told duel = api.post(kOf + "/duels", "{}");
    if (duel.text("serving") == "exploit" || duel.text("serving") == "fallback") return;
    api.put(kOf + "/duels/" + duel.text("duel_id") + "/outcome", win_of(*arms_of(duel).begin()));
  }
  FAIL() << "no certificate";
}

TEST(Serving, duels_of_an_arm_with_itself_show_no_excluded_arm) {
  ServedApi api;
  start_with(api, R"(,"guardrails":{"aa_rate":0.5})");
  int with_itself = 0;
  for (int k = 0; k < 40; ++k) {
    const Told duel = api.post(kOf + "/duels", R"({"exclude":["c"]})");
    if (duel.text("serving") == "aa") ++with_itself;
    EXPECT_FALSE(arms_of(duel).contains("c"));
  }
  EXPECT_GT(with_itself, 0);
}

TEST(Serving, a_winner_that_cannot_be_shown_gives_way_to_a_fallback_that_can) {
  ServedApi api;
  start_with(api, R"(,"stopping":{"on_certified":"exploit"})");
  certify(api);
  const Told alone = api.post(kOf + "/duels", "{}");
  EXPECT_EQ(alone.text("serving"), "exploit");
  // It waits for no answer, wherever it is shown.
  EXPECT_EQ(api.get(kOf + "/duels/" + alone.text("duel_id")).text("state"), "closed");
  const Told recent = api.get(kOf + "/duels?limit=1");
  EXPECT_EQ(recent.body.at("items").items()[0].at("state").get<std::string>(), "closed");
  const Told other = api.post(kOf + "/duels", R"({"exclude":["a"]})");
  EXPECT_EQ(other.text("serving"), "fallback");
  EXPECT_EQ(arms_of(other), std::set<std::string>{"b"});
}

TEST(Serving, a_retired_winner_is_not_served_again) {
  ServedApi api;
  start_with(api,
             R"(,"stopping":{"on_certified":"exploit","arms":"open","pairs_independent":true})");
  certify(api);
  ASSERT_EQ(api.call(HttpMethod::del, kOf + "/arms/a").status, 200);
  for (int k = 0; k < 5; ++k) {
    const Told duel = api.post(kOf + "/duels", "{}");
    EXPECT_EQ(duel.status, 201);
    EXPECT_FALSE(arms_of(duel).contains("a")) << duel.text("serving");
  }
  ASSERT_EQ(api.post(kOf + "/pause").status, 200);
  EXPECT_EQ(arms_of(api.post(kOf + "/duels", "{}")), std::set<std::string>{"b"});
  ASSERT_EQ(api.call(HttpMethod::del, kOf + "/arms/b").status, 200);
  EXPECT_EQ(api.call(HttpMethod::del, kOf + "/arms/c").status, 409) << "something has to be shown";
}

TEST(Serving, a_fallback_is_an_arm_that_can_be_shown_if_there_is_one) {
  ServedApi api;
  start_with(api, "");
  ASSERT_EQ(api.post(kOf + "/pause").status, 200);
  EXPECT_EQ(arms_of(api.post(kOf + "/duels", R"({"exclude":["a"]})")), std::set<std::string>{"b"});
  EXPECT_EQ(arms_of(api.post(kOf + "/duels", R"({"exclude":["a","b","c"]})")),
            std::set<std::string>{"a"});
}

TEST(Serving, an_outcome_of_a_fallback_is_ignored_after_a_restart_too) {
  ServedApi api;
  start_with(api, "");
  ASSERT_EQ(api.post(kOf + "/pause").status, 200);
  const std::string id = api.post(kOf + "/duels", "{}").text("duel_id");
  ASSERT_EQ(api.post(kOf + "/resume").status, 200);
  api.restart();
  const Told told = api.put(kOf + "/duels/" + id + "/outcome?next=1", win_of("a"));
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.text("status"), "ignored");
  EXPECT_EQ(told.body.at("next").at("serving").get<std::string>(), "explore");
  EXPECT_EQ(api.put(kOf + "/duels/f.unknown/outcome", win_of("a")).status, 404);
}

TEST(Serving, a_batch_that_is_asked_for_again_serves_nothing_new) {
  ServedApi api;
  start_with(api, R"(,"guardrails":{"max_pending":1})");
  const std::string body = R"({"count":3,"batch_id":"b"})";
  const auto servings = [](const Told& batch) {
    std::string all;
    for (const Json& one : batch.body.at("items").items()) {
      all += one.at("serving").get<std::string>() + " ";
    }
    return all;
  };
  EXPECT_EQ(servings(api.post(kOf + "/duels", body)), "explore fallback fallback ");
  ASSERT_EQ(api.put(kOf + "/duels/b.1/outcome", win_of("a")).status, 200);
  const Told again = api.post(kOf + "/duels", body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(servings(again), "explore fallback fallback ") << "though there is room now";
}

TEST(Serving, an_error_of_the_next_duel_comes_before_the_outcome_counts) {
  ServedApi api;
  start_with(api, "");
  const Told duel = api.post(kOf + "/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(api.post(kOf + "/duels", R"({"duel_id":"taken","exclude":["c"]})").status, 201);
  const auto report = [&](const std::string& next) {
    return api.put(kOf + "/duels/q/outcome?next=1&next_duel_id=" + next,
                   win_of(*arms_of(duel).begin()));
  };
  EXPECT_EQ(report("taken").status, 409);
  EXPECT_EQ(report("q").status, 409);
  EXPECT_EQ(report("bad%20id").status, 400);
  EXPECT_EQ(api.get(kOf + "/duels/q").text("state"), "served");
  EXPECT_EQ(report("free").text("status"), "applied");
  const Told again = report("free");
  EXPECT_EQ(again.text("status"), "duplicate");
  EXPECT_EQ(again.body.at("next").at("duel_id").get<std::string>(), "free");
}

// As Python's base64.b32encode(hashlib.sha256(b"q").digest()) has it.
TEST(Serving, the_id_of_the_next_duel_can_be_told_from_the_one_before) {
  ServedApi api;
  start_with(api, "");
  const Told duel = api.post(kOf + "/duels", R"({"duel_id":"q"})");
  const Told told = api.put(kOf + "/duels/q/outcome?next=1", win_of(*arms_of(duel).begin()));
  EXPECT_EQ(told.body.at("next").at("duel_id").get<std::string>(),
            "n.RY24FTJ36ZSBXWYOEBILO2JSZOZOMA2KBXNMYHM35KBKNOSX67HQ");
}

TEST(Serving, an_answer_that_was_refused_is_kept_once) {
  ServedApi api;
  start_with(api, "");
  const Told duel = api.post(kOf + "/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(api.put(kOf + "/duels/q/outcome", win_of(*arms_of(duel).begin())).status, 200);
  const std::string other = win_of(*arms_of(duel).rbegin());
  ASSERT_EQ(api.put(kOf + "/duels/q/outcome", other).status, 409);
  const std::string head = api.get(kOf).text("head");
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome", other).status, 409);
  EXPECT_EQ(api.get(kOf).text("head"), head);
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome", R"({"result":"tie"})").status, 409);
  EXPECT_NE(api.get(kOf).text("head"), head) << "another one is kept too";
}

TEST(Serving, a_late_answer_that_is_repeated_is_late_again) {
  ServedApi api;
  start_with(api, R"(,"feedback":{"timeout_s":10})");
  const Told duel = api.post(kOf + "/duels", R"({"duel_id":"q"})");
  api.pass(11'000);
  const std::string first = win_of(*arms_of(duel).begin());
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome", first).text("status"), "late");
  const std::string head = api.get(kOf).text("head");
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome", first).text("status"), "late");
  EXPECT_EQ(api.get(kOf).text("head"), head) << "and is not kept again";
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome", R"({"result":"tie"})").text("status"), "late");
}

TEST(Serving, a_batch_of_which_one_id_is_taken_serves_none) {
  ServedApi api;
  start_with(api, "");
  ASSERT_EQ(api.post(kOf + "/duels", R"({"duel_id":"b.2"})").status, 201);
  EXPECT_EQ(api.post(kOf + "/duels", R"({"count":3,"batch_id":"b"})").status, 422);
  EXPECT_EQ(api.get(kOf + "/duels/b.1").status, 404);
}

TEST(Serving, a_body_about_another_duel_is_refused) {
  ServedApi api;
  start_with(api, "");
  const Told duel = api.post(kOf + "/duels", R"({"duel_id":"q"})");
  const std::string first = *arms_of(duel).begin();
  EXPECT_EQ(api.put(kOf + "/duels/q/outcome",
                    R"({"duel_id":"r","result":"win","winner":")" + first + R"("})")
                .status,
            400);
  EXPECT_EQ(api.get(kOf + "/duels/q").text("state"), "served");
}

TEST(Serving, who_may_read_is_not_shown_how_to_report) {
  ServedApi api;
  start_with(api, "");
  EXPECT_NE(api.post(kOf + "/duels", R"({"duel_id":"q"})").text("report_token"), "");
  EXPECT_FALSE(api.get(kOf + "/duels/q").body.contains("report_token"));
}

TEST(Serving, a_voter_cannot_choose_what_it_is_asked) {
  ServedApi api;
  start_with(api, "");
  api.token = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  const std::string vote = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  api.token = vote;
  EXPECT_EQ(api.post(kOf + "/duels", R"({"exclude":["a"]})").status, 400);
  EXPECT_EQ(api.post(kOf + "/duels", R"({"task_id":"t"})").status, 400);
  EXPECT_EQ(api.post(kOf + "/duels", "{}").status, 201);
}

TEST(Serving, the_log_does_not_tell_who_was_asked_to_those_who_guess) {
  ServedApi api;
  start_with(api, "");
  const std::string body = R"({"duel_id":"q","subject_id":"alice"})";
  ASSERT_EQ(api.post(kOf + "/duels", body).status, 201);
  const std::string log = api.streamed(kOf + "/export?what=audit");
  ASSERT_NE(log.find(R"("request":")"), std::string::npos);
  EXPECT_EQ(log.find(sha256_hex(body).substr(0, 32)), std::string::npos);
  EXPECT_EQ(api.post(kOf + "/duels", body).status, 200) << "and it is known again";
}

// As `duel run` writes a log: tasks are counted and not held, and duels have no deadline.
TEST(Serving, tasks_that_a_log_only_counts_are_named_by_the_caller) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.experiment_id = "e";
  experiment.stopping.shared_causes = true;
  experiment.tasks = {2, std::string(64, '0'), TaskScope::tasks_like_these, Json()};
  const PlayedLog log(experiment);
  ServedApi api;
  ASSERT_EQ(import_log(api, log.text()).status, 201);
  const Told nameless = api.post(kOf + "/duels", "{}");
  EXPECT_EQ(nameless.status, 400);
  EXPECT_EQ(nameless.body.at("errors").items()[0].at("pointer").get<std::string>(), "/task_id");
  EXPECT_EQ(api.post(kOf + "/duels", R"({"task_id":"no id"})").status, 400);
  const Told named = api.post(kOf + "/duels", R"({"task_id":"t1"})");
  EXPECT_EQ(named.status, 201);
  EXPECT_EQ(named.body.at("task").at("task_id").get<std::string>(), "t1");
}

TEST(Serving, a_duel_that_an_imported_log_left_open_expires) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.experiment_id = "e";
  PlayedLog log(experiment);
  log.add(*log.next("q"));
  ServedApi api;
  ASSERT_EQ(import_log(api, log.text()).status, 201);
  EXPECT_EQ(api.get(kOf + "/duels/q").text("state"), "served");
  api.pass(86'400'000);
  api.post(kOf + "/duels", "{}");
  EXPECT_EQ(api.get(kOf + "/duels/q").text("state"), "expired");
}

// Each pair has one probability, whichever way it came about.
TEST(Serving, the_only_pair_is_certain_but_for_duels_of_an_arm_with_itself) {
  ServedApi api;
  start_with(api, R"(,"guardrails":{"aa_rate":0.25,"explore_floor":0.5})");
  for (int k = 0; k < 40; ++k) {
    const Told duel = api.post(kOf + "/duels", R"({"exclude":["c"]})");
    const double propensity = duel.body.at("propensity").get<double>();
    EXPECT_EQ(propensity, duel.text("serving") == "aa" ? 0.125 : 0.75) << duel.text("serving");
  }
}

}  // namespace
}  // namespace duel
