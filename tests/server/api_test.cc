#include "duel/server/api.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "duel/log/experiment_log.h"
#include "duel/verdict/verification.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// Serves and answers: `a` beats all by `p`, `b` beats `c`.
void answer_duels(ServedApi& api, int count, double p, std::uint64_t seed = 1) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "api").at(1);
  for (int k = 0; k < count; ++k) {
    const Told duel = api.post(kE + "/duels", "{}");
    ASSERT_EQ(duel.status, 201);
    if (duel.text("serving") == "fallback") return;
    const auto arms = duel.body.at("arms").items();
    std::string first = arms[0].at("arm_id").get<std::string>();
    std::string second = arms[1].at("arm_id").get<std::string>();
    const bool wins = rng.bernoulli(first < second ? p : 1 - p);
    const Told told =
        api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(wins ? first : second));
    ASSERT_EQ(told.status, 200) << told.body.dump();
    ASSERT_EQ(told.text("status"), "applied");
  }
}

// --- Experiments --------------------------------------------------------------------------------

TEST(Api, creates_an_experiment_once_and_compares_repeats_with_the_first_body) {
  ServedApi api;
  EXPECT_EQ(api.put(kE, kThreeArms).status, 201);
  EXPECT_EQ(api.put(kE, kThreeArms).status, 200);
  EXPECT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}]})").status, 409);
  const Told patched = api.call(HttpMethod::patch, kE, R"({"name":"Other"})", {{"if-match", "*"}});
  EXPECT_EQ(patched.text("name"), "Other");
  EXPECT_EQ(api.put(kE, kThreeArms).status, 200);  // also after a change
  const Told shown = api.get(kE);
  EXPECT_EQ(shown.text("state"), "draft");
  EXPECT_EQ(shown.body.at("arms").items()[0].at("payload").at("x").get<int>(), 1);
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 1U);
  EXPECT_EQ(api.get("/v1/experiments/none").status, 404);
}

TEST(Api, names_every_wrong_field_by_its_pointer) {
  ServedApi api;
  const Told told = api.put(
      kE, R"({"nam":"x","arms":[{"arm_id":"a b"},{}],"stopping":{"alpha":"x"},"mode":"duell"})");
  EXPECT_EQ(told.status, 400);
  std::set<std::string> pointers;
  for (const Json& error : told.body.at("errors").items()) {
    pointers.insert(error.at("pointer").get<std::string>());
  }
  EXPECT_EQ(pointers, (std::set<std::string>{"/nam", "/arms/0/arm_id", "/arms/1/arm_id",
                                             "/stopping/alpha", "/mode"}));
  EXPECT_EQ(api.put(kE, "{").status, 400);
  EXPECT_EQ(api.call(HttpMethod::put, kE, kThreeArms, {{"content-type", "text/plain"}}).status,
            415);
  EXPECT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"}]})").status, 400);
  EXPECT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"policy":"rucbb"})").status,
            400);
  EXPECT_EQ(api.put("/v1/experiments/a%20b", kThreeArms).status, 400);
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 0U);
}

TEST(Api, changes_states_as_the_contract_says) {
  ServedApi api;
  api.put(kE, kThreeArms);
  EXPECT_EQ(api.post(kE + "/pause").status, 409);  // a draft
  EXPECT_EQ(api.post(kE + "/resume").status, 409);
  EXPECT_EQ(api.post(kE + "/start").text("state"), "running");
  EXPECT_EQ(api.post(kE + "/start").status, 200);  // a repeat is a no-op
  EXPECT_EQ(api.post(kE + "/pause").text("state"), "paused");
  EXPECT_EQ(api.post(kE + "/resume").text("state"), "running");
  EXPECT_EQ(api.post(kE + "/archive").status, 409);
  EXPECT_EQ(api.post(kE + "/complete").text("state"), "completed");
  EXPECT_EQ(api.post(kE + "/start").status, 409);
  EXPECT_EQ(api.post(kE + "/archive").text("state"), "archived");
}

TEST(Api, patches_only_what_may_change_and_only_at_the_right_version) {
  ServedApi api;
  start_three_arms(api);
  const std::string etag = api.get(kE).text("etag");
  EXPECT_EQ(api.call(HttpMethod::patch, kE, R"({"name":"x"})").status, 428);
  EXPECT_EQ(api.call(HttpMethod::patch, kE, R"({"name":"x"})", {{"if-match", "\"1\""}}).status,
            412);
  EXPECT_EQ(api.call(HttpMethod::patch, kE, R"({"policy":"rucb"})", {{"if-match", etag}}).status,
            409);
  const Told told =
      api.call(HttpMethod::patch, kE, R"({"feedback":{"timeout_s":5}})", {{"if-match", etag}});
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.body.at("feedback").at("timeout_s").get<std::uint64_t>(), 5U);
  EXPECT_NE(told.text("etag"), etag);
}

// RFC 7386: what a patch does not name stays, and null stands for the default.
class Patches : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(api.put(kE, R"({"name":"Logos","arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7,
      "feedback":{"timeout_s":60,"on_timeout":"tie"},
      "guardrails":{"explore_floor":0.1,"aa_rate":0.05,"max_duels_per_subject_per_day":200,
                    "max_pending":50}})")
                  .status,
              201);
  }
  Told patch(const std::string& body) {
    return api.call(HttpMethod::patch, kE, body, {{"if-match", "*"}});
  }

  ServedApi api;
};

TEST_F(Patches, a_patch_of_feedback_leaves_the_rest_of_it) {
  const Told told = patch(R"({"feedback":{"timeout_s":90}})");
  ASSERT_EQ(told.status, 200);
  EXPECT_EQ(told.body.at("feedback").dump(),
            R"({"timeout_s":90,"on_timeout":"tie","late":"record"})");
  EXPECT_EQ(told.text("name"), "Logos");
  EXPECT_EQ(patch(R"({"feedback":{"on_timeout":null}})").body.at("feedback").dump(),
            R"({"timeout_s":90,"on_timeout":"discard","late":"record"})");
  EXPECT_EQ(patch(R"({"feedback":null})").body.at("feedback").dump(),
            R"({"timeout_s":1800,"on_timeout":"discard","late":"record"})");
}

// Clicks come within a visit. What is patched back to the default has that of its mode.
TEST(Api, an_experiment_of_pages_waits_five_minutes_unless_it_says) {
  ServedApi api;
  const std::string arms = R"("arms":[{"arm_id":"a"},{"arm_id":"b"}])";
  const auto waits = [](const Told& told) {
    return told.body.at("feedback").at("timeout_s").get<std::uint64_t>();
  };
  EXPECT_EQ(waits(api.put("/v1/experiments/d", "{" + arms + "}")), 1800U);
  EXPECT_EQ(waits(api.put("/v1/experiments/p", R"({"mode":"interleave",)" + arms + "}")), 300U);
  EXPECT_EQ(waits(api.put("/v1/experiments/q",
                          R"({"mode":"interleave","feedback":{"timeout_s":1800},)" + arms + "}")),
            1800U);
  const Told shown = api.get("/v1/experiments/q");
  const Told patched =
      api.call(HttpMethod::patch, "/v1/experiments/q", R"({"feedback":{"timeout_s":null}})",
               {{"if-match", shown.text("etag")}});
  EXPECT_EQ(waits(patched), 300U) << patched.body.dump();
  // A log that names no time was written when the default was another, and keeps it.
  ExperimentRecord old;
  old.service.mode = Mode::interleave;
  EXPECT_EQ(old.service.feedback.timeout_s, 1800U);
}

TEST_F(Patches, a_patch_of_guardrails_leaves_the_rest_of_them) {
  const Told told = patch(R"({"guardrails":{"explore_floor":0.2}})");
  ASSERT_EQ(told.status, 200);
  EXPECT_EQ(told.body.at("guardrails").dump(),
            R"({"explore_floor":0.2,"aa_rate":0.05,"max_duels_per_subject_per_day":200,)"
            R"("max_pending":50})");
  const Told reset = patch(R"({"guardrails":{"max_duels_per_subject_per_day":null}})");
  EXPECT_EQ(reset.body.at("guardrails").dump(),
            R"({"explore_floor":0.2,"aa_rate":0.05,"max_duels_per_subject_per_day":0,)"
            R"("max_pending":50})");
  EXPECT_EQ(reset.body.at("feedback").dump(),
            R"({"timeout_s":60,"on_timeout":"tie","late":"record"})");
  // It is in the log.
  restart_from_log(api);
  EXPECT_EQ(api.get(kE).body.at("guardrails").dump(), reset.body.at("guardrails").dump());
}

TEST_F(Patches, a_patch_without_content_changes_nothing_and_the_name_alone_is_one) {
  const std::string before = api.get(kE).body.at("guardrails").dump();
  EXPECT_EQ(patch("{}").body.at("guardrails").dump(), before);
  EXPECT_EQ(patch(R"({"guardrails":{},"feedback":{}})").body.at("guardrails").dump(), before);
  const Told named = patch(R"({"name":"Slogans"})");
  EXPECT_EQ(named.text("name"), "Slogans");
  EXPECT_EQ(named.body.at("guardrails").dump(), before);
  EXPECT_EQ(patch(R"({"name":null})").text("name"), "");
}

TEST_F(Patches, what_cannot_change_and_what_is_unknown_is_refused_and_changes_nothing) {
  const std::string before = api.get(kE).body.dump();
  EXPECT_EQ(patch(R"({"guardrails":{"aa_rate":0.1}})").status, 409);
  EXPECT_EQ(patch(R"({"guardrails":{"aa_rate":null}})").status, 409);
  EXPECT_EQ(patch(R"({"guardrails":null})").status, 409);
  const Told unknown = patch(R"({"guardrails":{"max_pendng":null}})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_NE(unknown.text("detail").find("/guardrails/max_pendng is unknown; did you mean"),
            std::string::npos)
      << unknown.text("detail");
  EXPECT_EQ(patch(R"({"guardrails":7})").status, 400);
  EXPECT_EQ(patch(R"({"feedback":{"timeout_s":"long"}})").status, 400);
  EXPECT_EQ(patch(R"({"nme":null})").status, 400);
  EXPECT_EQ(patch(R"([])").status, 400);
  EXPECT_EQ(api.get(kE).body.dump(), before);
}

TEST(Api, changes_the_arms_of_a_fixed_set_until_its_start) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, kThreeArms).status, 201);
  const std::string etag = api.get(kE).text("etag");
  EXPECT_EQ(api.put(kE + "/arms/d", R"({"payload":4})").status, 201);
  EXPECT_EQ(api.put(kE + "/arms/d", R"({"payload":4})").status, 200);
  EXPECT_EQ(api.call(HttpMethod::del, kE + "/arms/a").text("state"), "retired");
  EXPECT_EQ(api.call(HttpMethod::del, kE + "/arms/a").status, 200);  // a repeat is a no-op
  EXPECT_EQ(api.put(kE + "/arms/a", "{}").status, 409);              // an id is never used again
  EXPECT_NE(api.get(kE).text("etag"), etag);
  EXPECT_EQ(api.put(kE, kThreeArms).status, 200);  // compared with the first body
  api.restart();
  std::map<std::string, std::string> states;
  const Told shown = api.get(kE);
  for (const Json& arm : shown.body.at("arms").items()) {
    states[arm.at("arm_id").get<std::string>()] = arm.at("state").get<std::string>();
  }
  EXPECT_EQ(states, (std::map<std::string, std::string>{
                        {"a", "retired"}, {"b", "active"}, {"c", "active"}, {"d", "active"}}));
  // A fallback of the draft shows an arm that is still there.
  const Told fallback = api.post(kE + "/duels", "{}");
  EXPECT_EQ(fallback.text("serving"), "fallback");
  EXPECT_EQ(fallback.body.at("arms").items()[0].at("arm_id").get<std::string>(), "b");
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  EXPECT_EQ(api.put(kE + "/arms/e", "{}").status, 409);
  EXPECT_EQ(api.call(HttpMethod::del, kE + "/arms/b").status, 409);
  answer_duels(api, 200, 0.95);  // b beats c and d
  api.restart();
  const Told certificate = api.get(kE + "/certificate");
  ASSERT_EQ(certificate.status, 200);
  EXPECT_EQ(certificate.text("winner"), "b");
  EXPECT_EQ(certificate.body.at("rule").at("arms_at_the_start").get<int>(), 3);
  const Told timeline = api.get(kE + "/timeline");
  for (const Json& point : timeline.body.at("points").items()) {
    EXPECT_EQ(point.at("shown").size(), 3U);
  }
}

TEST(Api, adds_and_retires_arms_of_an_open_set_only) {
  ServedApi api;
  start_three_arms(api);
  EXPECT_EQ(api.put(kE + "/arms/d", "{}").status, 409);
  EXPECT_EQ(api.call(HttpMethod::del, kE + "/arms/a").status, 409);
  const std::string o = "/v1/experiments/o";
  EXPECT_EQ(
      api.put(o, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"stopping":{"arms":"open"}})").status,
      400);  // needs a declaration
  EXPECT_EQ(api.put(o, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                       R"("stopping":{"arms":"open","pairs_independent":true}})")
                .status,
            201);
  EXPECT_EQ(api.put(o + "/arms/c", R"({"payload":3})").status, 201);
  EXPECT_EQ(api.put(o + "/arms/c", R"({"payload":3})").status, 200);
  EXPECT_EQ(api.put(o + "/arms/c", R"({"payload":4})").status, 409);
  EXPECT_EQ(api.call(HttpMethod::del, o + "/arms/a").status, 200);
  EXPECT_EQ(api.call(HttpMethod::del, o + "/arms/a").status, 200);
  EXPECT_EQ(api.put(o + "/arms/a", "{}").status, 409);  // an id is never used again
  EXPECT_EQ(api.call(HttpMethod::del, o + "/arms/z").status, 404);
}

// --- What happens when things go wrong ----------------------------------------------------------

TEST(Api, a_serve_that_is_retried_is_the_same_duel) {
  ServedApi api;
  start_three_arms(api);
  const std::string body = R"({"duel_id":"q1","subject_id":"s"})";
  const Told one = api.post(kE + "/duels", body);
  EXPECT_EQ(one.status, 201);
  const Told again = api.post(kE + "/duels", body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.dump(), one.body.dump());
  EXPECT_EQ(again.headers[0].first, "Idempotent-Replayed");
  EXPECT_EQ(api.post(kE + "/duels", R"({"duel_id":"q1"})").status, 422);
  api.restart();
  EXPECT_EQ(api.post(kE + "/duels", body).body.dump(), one.body.dump());
  EXPECT_EQ(api.get(kE).body.at("served").get<int>(), 1);
}

TEST(Api, an_outcome_counts_once_and_the_first_one_counts) {
  ServedApi api;
  start_three_arms(api);
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q1"})");
  const std::string path = kE + "/duels/q1/outcome";
  const std::string win = win_of(first_arm(duel));
  EXPECT_EQ(api.put(path, win_of("nobody")).status, 400);
  EXPECT_EQ(api.put(path, win).text("status"), "applied");
  EXPECT_EQ(api.put(path, win).text("status"), "duplicate");
  EXPECT_EQ(api.put(path, R"({"result":"tie"})").status, 409);
  api.restart();
  EXPECT_EQ(api.put(path, win).text("status"), "duplicate");
  const Told shown = api.get(kE + "/duels/q1");
  EXPECT_EQ(shown.text("state"), "reported");
  EXPECT_EQ(shown.body.at("outcome").at("winner").get<std::string>(), first_arm(duel));
  EXPECT_EQ(api.put(kE + "/duels/q2/outcome", win).status, 404);
}

TEST(Api, what_comes_after_the_deadline_is_late_and_counts_for_nothing) {
  ServedApi api;
  start_three_arms(api);
  api.pass(120'000);  // nothing expires in the first minute after a start
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q1"})");
  api.pass(1'800'001);
  const Told late = api.put(kE + "/duels/q1/outcome", win_of(first_arm(duel)));
  EXPECT_EQ(late.status, 200);
  EXPECT_EQ(late.text("status"), "late");
  EXPECT_EQ(api.get(kE + "/duels/q1").text("state"), "expired");
  EXPECT_EQ(api.get(kE + "/result").body.at("duels").at("expired").get<int>(), 1);
}

TEST(Api, a_pause_of_the_server_is_not_taken_for_silence_of_the_people) {
  ServedApi api;
  start_three_arms(api);
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q1"})");
  api.stop();
  api.pass(3'600'000);
  api.start();
  const Told told = api.put(kE + "/duels/q1/outcome", win_of(first_arm(duel)));
  EXPECT_EQ(told.text("status"), "applied");
}

TEST(Api, a_paused_or_completed_experiment_still_answers_with_a_usable_choice) {
  ServedApi api;
  start_three_arms(api);
  const Told flying = api.post(kE + "/duels", R"({"duel_id":"q1"})");
  api.post(kE + "/pause");
  const Told fallback = api.post(kE + "/duels", R"({"duel_id":"q2"})");
  EXPECT_EQ(fallback.status, 201);
  EXPECT_EQ(fallback.text("serving"), "fallback");
  EXPECT_FALSE(fallback.body.at("learn").get<bool>());
  EXPECT_EQ(fallback.body.at("arms").size(), 1U);
  EXPECT_EQ(first_arm(fallback), "b");  // the default arm
  EXPECT_EQ(api.put(kE + "/duels/q2/outcome", win_of("b")).text("status"), "ignored");
  // What was served before still counts.
  EXPECT_EQ(api.put(kE + "/duels/q1/outcome", win_of(first_arm(flying))).text("status"), "applied");
  EXPECT_EQ(api.get(kE).body.at("served").get<int>(), 1);
}

TEST(Api, batches_answer_item_by_item) {
  ServedApi api;
  start_three_arms(api);
  const Told batch = api.post(kE + "/duels", R"({"batch_id":"m","count":3})");
  EXPECT_EQ(batch.status, 201);
  ASSERT_EQ(batch.body.at("items").size(), 3U);
  EXPECT_EQ(api.post(kE + "/duels", R"({"batch_id":"m","count":3})").body.dump(),
            batch.body.dump());
  std::set<std::string> pairs;
  for (const Json& duel : batch.body.at("items").items()) {
    std::set<std::string> pair;
    for (const Json& arm : duel.at("arms").items())
      pair.insert(arm.at("arm_id").get<std::string>());
    pairs.insert(fmt::format("{}", fmt::join(pair, "-")));
  }
  EXPECT_GE(pairs.size(), 2U);  // a burst does not repeat one pair
  const auto arm_of = [&](int k) {
    return batch.body.at("items").items()[k].at("arms").items()[0].at("arm_id").get<std::string>();
  };
  const std::string lines =
      fmt::format(R"({{"duel_id":"m.1","result":"win","winner":"{}"}})", arm_of(0)) +
      "\nnonsense\n" + R"({"duel_id":"m.9","result":"tie"})" + "\n" +
      R"({"duel_id":"m.2","result":"wn"})" + "\n" +
      fmt::format(R"({{"duel_id":"m.1","result":"win","winner":"{}"}})", arm_of(0)) + "\n" +
      R"({"duel_id":"m.1","result":"tie"})" + "\n";
  const Told told = api.call(HttpMethod::post, kE + "/outcomes", lines,
                             {{"content-type", "application/x-ndjson"}});
  EXPECT_EQ(told.status, 200);
  std::vector<std::string> statuses;
  for (const Json& item : told.body.at("items").items()) {
    statuses.push_back(item.at("status").get<std::string>());
  }
  EXPECT_EQ(statuses, (std::vector<std::string>{"applied", "invalid", "unknown", "invalid",
                                                "duplicate", "conflict"}));
}

TEST(Api, excluded_arms_are_not_shown_and_the_share_is_printed) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 20; ++k) {
    const Told duel = api.post(kE + "/duels", R"({"exclude":["c"]})");
    for (const Json& arm : duel.body.at("arms").items()) {
      EXPECT_NE(arm.at("arm_id").get<std::string>(), "c");
    }
  }
  EXPECT_EQ(api.post(kE + "/duels", R"({"exclude":["c","b"]})").text("serving"), "fallback");
  EXPECT_EQ(api.post(kE + "/duels", R"({"exclude":["z"]})").status, 400);
  EXPECT_GT(api.get(kE + "/result").body.at("excluded_share").get<double>(), 0.2);
}

TEST(Api, of_one_subjects_answers_to_a_pair_only_the_first_is_evidence) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 12; ++k) {
    const Told duel = api.post(kE + "/duels", R"({"subject_id":"one"})");
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(first_arm(duel)));
  }
  const std::string log = api.streamed(kE + "/export?what=audit");
  std::size_t evidence = 0, serves = 0;
  const auto read = read_log_text(log, "log", [&](const LogEntry& entry) -> Status {
    const auto* serve = std::get_if<ServeRecord>(&entry.record);
    if (serve == nullptr) return Done{};
    ++serves;
    evidence += serve->evidence ? 1 : 0;
    EXPECT_NE(serve->subject, "one");  // hashed
    return Done{};
  });
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(serves, 12U);
  EXPECT_LE(evidence, 3U);  // pairs of three arms
}

// --- Certificates, results, export --------------------------------------------------------------

TEST(Api, certifies_the_winner_and_exports_a_log_that_says_the_same) {
  ServedApi api;
  start_three_arms(api);
  EXPECT_EQ(api.get(kE + "/certificate").status, 404);
  answer_duels(api, 400, 0.8);
  const Told result = api.get(kE + "/result");
  ASSERT_EQ(result.text("state"), "certified") << result.body.dump();
  const Told certificate = api.get(kE + "/certificate");
  EXPECT_EQ(certificate.text("winner"), "a");
  EXPECT_EQ(api.get(kE + "/health").status, 200);
  const std::string text = api.streamed(kE + "/export?what=audit");
  // The bytes of the answer are those of the file that the log gives.
  TemporaryDirectory saved;
  const HttpResponse sent = api.exchange_with(
      http_request(HttpMethod::get, kE + "/certificate", "", {{"host", "127.0.0.1:7557"}}));
  const auto verified = verify_log(saved.write("e.duel.jsonl", text),
                                   saved.write("e.json", std::string(sent.text())), false);
  ASSERT_TRUE(verified.ok()) << verified.error().to_string();
  EXPECT_FALSE(verified->mismatch) << *verified->mismatch;
  // The state is a fold of the exported log.
  std::optional<LiveExperiment> live;
  const auto read = read_log_text(text, "log", [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(live, LiveExperiment::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(live->apply(entry));
    return Done{};
  });
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  EXPECT_FALSE(live->divergence());
  EXPECT_EQ(live->ledger().id_of(*live->certificate()->winner), "a");
  EXPECT_EQ(api.get(kE).text("head"), read->head);
  // And it can be imported elsewhere, under its own name.
  ServedApi other;
  const HttpFields type{{"content-type", "application/x-ndjson"}};
  EXPECT_EQ(other.call(HttpMethod::post, kE + "/import", text, type).status, 201);
  EXPECT_EQ(other.call(HttpMethod::post, kE + "/import", text, type).status, 409);
  EXPECT_EQ(other.get(kE + "/certificate").body.dump(), certificate.body.dump());
  std::string damaged = text;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_EQ(other.call(HttpMethod::post, "/v1/experiments/x/import", damaged, type).status, 422);
}

TEST(Api, a_restart_gives_the_state_of_before) {
  ServedApi api;
  start_three_arms(api);
  answer_duels(api, 40, 0.6);
  const Told before = api.get(kE + "/result");
  const Told shown = api.get(kE);
  api.restart();
  EXPECT_EQ(api.get(kE + "/result").body.dump(), before.body.dump());
  EXPECT_EQ(api.get(kE).body.dump(), shown.body.dump());
}

TEST(Api, on_certified_completes_or_exploits_where_that_was_asked_for) {
  for (const std::string& mode : {std::string("complete"), std::string("exploit")}) {
    ServedApi api;
    api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7,)"
                R"("stopping":{"on_certified":")" +
                    mode + R"("}})");
    api.post(kE + "/start");
    RoundRng rng = Stream(3, 0, Purpose::test, "api").at(1);
    for (int k = 0; k < 1000; ++k) {
      const Told duel = api.post(kE + "/duels", "{}");
      if (duel.body.at("arms").size() < 2) break;
      const auto arms = duel.body.at("arms").items();
      const std::string one = arms[0].at("arm_id").get<std::string>();
      const std::string other = arms[1].at("arm_id").get<std::string>();
      const std::string& winner = rng.bernoulli(0.85) == (one < other) ? one : other;
      api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(winner));
    }
    const Told after = api.post(kE + "/duels", "{}");
    EXPECT_EQ(first_arm(after), "a") << mode;
    EXPECT_EQ(after.text("serving"), mode == "complete" ? "fallback" : "exploit");
    EXPECT_EQ(api.get(kE).text("state"), mode == "complete" ? "completed" : "running");
  }
}

TEST(Api, experiments_leave_memory_and_come_back) {
  ServedApi api;
  api.stop();
  api.most_in_memory = 3;
  api.start();
  for (int k = 0; k < 8; ++k) {
    const std::string path = fmt::format("/v1/experiments/x{}", k);
    ASSERT_EQ(api.put(path, kThreeArms).status, 201);
    ASSERT_EQ(api.post(path + "/start").status, 200);
    ASSERT_EQ(api.post(path + "/duels", R"({"duel_id":"q"})").status, 201);
  }
  EXPECT_LE(api.engine().counts().in_memory, 4U);
  for (int k = 0; k < 8; ++k) {
    const std::string path = fmt::format("/v1/experiments/x{}", k);
    EXPECT_EQ(api.post(path + "/duels", R"({"duel_id":"q"})").status, 200);
    EXPECT_EQ(api.get(path).body.at("pending").get<int>(), 1);
  }
}

TEST(Api, tells_streams_what_happened) {
  ServedApi api;
  start_three_arms(api);
  const auto exchange = std::make_shared<RecordedExchange>();
  api.api().handle(http_request(HttpMethod::get, kE + "/stream", "", {{"host", "127.0.0.1:7557"}}),
                   HttpReply(exchange));
  EXPECT_EQ(exchange->response().status, 200);
  api.post(kE + "/pause");
  while (exchange->stream()->text().find("event: state") == std::string::npos) {
    std::this_thread::yield();
  }
  EXPECT_EQ(exchange->stream()->text().substr(0, 4), "id: ");
}

// --- Pages of results ---------------------------------------------------------------------------

const std::string kPages = R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                           R"("interleave":{"length":4,"actions":{"click":1,"buy":3}},)"
                           R"("policy":"uniform","seed":3})";

std::string click(const std::string& object, int second, const std::string& action = "click") {
  return fmt::format(R"({{"action_name":"{}","timestamp":"2026-11-15T00:00:{:02}Z","query_id":"q",)"
                     R"("event_attributes":{{"object":{{"object_id":"{}"}}}}}})",
                     action, second, object);
}

TEST(Api, drafts_a_page_takes_clicks_and_decides_when_it_is_closed) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, kPages).status, 201);
  api.post(kE + "/start");
  Told duel = api.post(kE + "/duels", R"({"duel_id":"q"})");
  ASSERT_EQ(duel.body.at("arms").size(), 2U);
  const std::string lists = R"({"lists":{"a":["1","2","3"],"b":["4","5","6"]},"user_query":"x"})";
  const Told page = api.put(kE + "/duels/q/interleaving", lists);
  ASSERT_EQ(page.status, 200) << page.body.dump();
  ASSERT_EQ(page.body.at("items").size(), 4U);
  // Frozen at first use, and the next page belongs to the same draft.
  const std::string other = R"({"lists":{"a":["9"],"b":["8"]},"offset":4})";
  const Told next = api.put(kE + "/duels/q/interleaving", other);
  EXPECT_EQ(next.body.at("items").items()[0].at("ordinal").get<int>(), 5);
  EXPECT_EQ(next.body.at("items").size(), 2U);
  EXPECT_EQ(api.put(kE + "/duels/q/outcome", win_of("a")).status, 409);  // clicks decide
  const auto accepted = [&](const std::string& body) {
    const Told told = api.post("/v1/events", body);
    EXPECT_EQ(told.status, 202) << told.body.dump();
    return told.body.at("accepted").get<int>();
  };
  EXPECT_EQ(accepted(click("1", 1)), 1);
  EXPECT_EQ(accepted(click("1", 1)), 1);          // the same again: counted once
  EXPECT_EQ(accepted(click("7", 2)), 0);          // was not shown
  EXPECT_EQ(accepted(click("2", 3, "view")), 1);  // earns nothing
  EXPECT_EQ(accepted("[" + click("4", 4) + "," + click("2", 5) + "]"), 2);
  api.restart();
  EXPECT_EQ(api.put(kE + "/duels/q/outcome", R"({"result":"close"})").text("status"), "applied");
  // a: items 1 and 2; b: item 4.
  EXPECT_EQ(api.get(kE + "/duels/q").body.at("outcome").at("winner").get<std::string>(), "a");
  const Told late = api.post("/v1/events", click("5", 6));
  EXPECT_EQ(late.body.at("accepted").get<int>(), 0);
}

TEST(Api, a_page_without_a_click_is_no_feedback_and_not_a_tie) {
  ServedApi api;
  api.put(kE, kPages);
  api.post(kE + "/start");
  const Told page =
      api.post(kE + "/interleavings", R"({"duel_id":"q","lists":{"a":["1","2"],"b":["3","4"]}})");
  ASSERT_EQ(page.status, 201) << page.body.dump();
  EXPECT_EQ(page.body.at("items").size(), 4U);
  api.put(kE + "/duels/q/outcome", R"({"result":"close"})");
  const Told closed = api.get(kE + "/duels/q");
  EXPECT_EQ(closed.text("state"), "closed");
  EXPECT_EQ(closed.body.at("outcome").at("result").get<std::string>(), "no_feedback");
  EXPECT_NE(api.streamed(kE + "/export?what=nonvotes").find("no_feedback"), std::string::npos);
}

// --- Who may do what ----------------------------------------------------------------------------

TEST(Api, tokens_open_what_their_scope_says_and_nothing_else) {
  ServedApi api;
  start_three_arms(api);
  std::map<TokenScope, std::string> tokens;
  for (const TokenScope scope :
       {TokenScope::admin, TokenScope::read, TokenScope::duel, TokenScope::vote}) {
    tokens[scope] = api.tokens().create(scope, "", "e", 0).value().first;
  }
  const auto status = [&](TokenScope scope, HttpMethod method, const std::string& path,
                          const std::string& body = "") {
    api.token = tokens[scope];
    return api.call(method, path, body).status;
  };
  EXPECT_EQ(api.get(kE).status, 401);
  EXPECT_EQ(status(TokenScope::read, HttpMethod::get, kE), 200);
  EXPECT_EQ(status(TokenScope::duel, HttpMethod::get, kE), 403);
  EXPECT_EQ(status(TokenScope::vote, HttpMethod::get, kE + "/result"), 403);
  EXPECT_EQ(status(TokenScope::duel, HttpMethod::post, kE + "/duels", "{}"), 201);
  EXPECT_EQ(status(TokenScope::vote, HttpMethod::post, kE + "/duels", "{}"), 201);
  EXPECT_EQ(status(TokenScope::read, HttpMethod::post, kE + "/duels", "{}"), 403);
  EXPECT_EQ(status(TokenScope::duel, HttpMethod::post, kE + "/pause"), 403);
  EXPECT_EQ(status(TokenScope::admin, HttpMethod::post, kE + "/pause"), 200);
  EXPECT_EQ(status(TokenScope::admin, HttpMethod::get, "/v1/experiments/other"), 403);
  api.token = "duel_admin_forged";
  EXPECT_EQ(api.get(kE).status, 401);
  api.token.clear();
  EXPECT_EQ(api.get("/healthz").status, 200);
}

TEST(Api, a_report_token_reports_its_own_duel_and_nothing_else) {
  ServedApi api;
  start_three_arms(api);
  const Told one = api.post(kE + "/duels", R"({"duel_id":"q1"})");
  const Told two = api.post(kE + "/duels", R"({"duel_id":"q2"})");
  api.put("/v1/experiments/other", kThreeArms);
  api.post("/v1/experiments/other/start");
  const Told foreign = api.post("/v1/experiments/other/duels", R"({"duel_id":"q1"})");
  api.tokens().create(TokenScope::admin, "", "", 0).value();
  const auto report = [&](const std::string& duel, const std::string& token) {
    return api.put(kE + "/duels/" + duel + "/outcome",
                   R"({"result":"tie","report_token":")" + token + R"("})");
  };
  EXPECT_EQ(api.put(kE + "/duels/q1/outcome", R"({"result":"tie"})").status, 401);
  EXPECT_EQ(report("q1", foreign.text("report_token")).status, 401);
  EXPECT_EQ(report("q1", two.text("report_token")).status, 409);
  std::string forged = one.text("report_token");
  forged.back() = forged.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(report("q1", forged).status, 401);
  EXPECT_EQ(report("q1", one.text("report_token")).text("status"), "applied");
  EXPECT_EQ(report("q1", one.text("report_token")).text("status"), "duplicate");
}

TEST(Api, a_page_on_the_web_cannot_reach_a_server_on_loopback) {
  ServedApi api;
  const auto status = [&](HttpFields headers) {
    return answer_of(
               [&](HttpRequest&& request, HttpReply reply) {
                 api.api().handle(std::move(request), std::move(reply));
               },
               http_request(HttpMethod::get, "/healthz", "", std::move(headers)))
        .status;
  };
  EXPECT_EQ(status({{"host", "localhost:7557"}}), 200);
  EXPECT_EQ(status({{"host", "duel.example.org"}}), 200);
  EXPECT_EQ(status({{"host", "evil.example:7557"}}), 403);  // a name that was made point here
  EXPECT_EQ(status({}), 403);
  EXPECT_EQ(status({{"host", "localhost:7557"}, {"origin", "https://evil.example"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:7557"}, {"origin", "https://shop.example"}}), 200);
  EXPECT_EQ(status({{"host", "localhost:7557"}, {"origin", "http://localhost:7557"}}), 200);
}

TEST(Api, the_document_has_every_route) {
  ServedApi api;
  const Told told = api.get("/openapi.json");
  EXPECT_EQ(told.text("openapi"), "3.1.0");
  for (const RouteFact& fact : api.api().facts()) {
    EXPECT_TRUE(told.body.at("paths").contains(fact.pattern)) << fact.pattern;
  }
  EXPECT_EQ(api.get("/nowhere").status, 404);
  EXPECT_EQ(api.call(HttpMethod::del, kE).status, 405);
}

TEST(Api, plans_within_bounds) {
  ServedApi api;
  const Told told = api.post("/v1/plan", R"({"arms":3,"gap":0.2,"trials":20})");
  EXPECT_EQ(told.status, 200) << told.body.dump();
  EXPECT_EQ(api.post("/v1/plan", R"({"arms":500,"gap":0.2})").status, 400);
  EXPECT_EQ(api.post("/v1/plan", R"({"arms":3,"gap":"x"})").status, 400);
}

}  // namespace
}  // namespace duel
