// People audit a judge over HTTP: who is asked what, who may answer for whom, and what the result
// says of the judge. The coin's key is the server's secret, so that all duels are drawn here.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

class AuditedExperimentOfTheServer : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7,
                              "stopping":{"alpha":0.1,"min_decisive_per_pair":8},
                              "audit":{"share":1}})")
                  .status,
              201);
    ASSERT_EQ(api.post(kE + "/start").status, 200);
    admin_ = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
    api.token = admin_;
    const Told made =
        api.post("/v1/tokens", R"({"scope":"judge","name":"llm","experiment_id":"e"})");
    ASSERT_EQ(made.status, 201) << made.body.dump();
    judge_ = made.text("token");
    link_ = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  }

  Told with(const std::string& token, HttpMethod method, const std::string& path,
            const std::string& body = "") {
    const std::string before = std::exchange(api.token, token);
    Told told = api.call(method, kE + path, body);
    api.token = before;
    return told;
  }
  // A duel that the judge was given, and has answered.
  Told judged(const std::string& winner) {
    Told duel = with(judge_, HttpMethod::post, "/duels", "{}");
    EXPECT_EQ(duel.status, 201) << duel.body.dump();
    const Told told = with(judge_, HttpMethod::put, outcome_of(duel), win_of(winner));
    EXPECT_EQ(told.text("status"), "applied") << told.body.dump();
    return duel;
  }
  // What a voter by the link is given: somebody new, or the subject.
  Told asked(const std::string& subject = "") {
    return with(link_, HttpMethod::post, "/duels",
                subject.empty() ? "{}" : R"({"subject_id":")" + subject + "\"}");
  }
  static std::string outcome_of(const Told& duel) {
    return "/duels/" + duel.text("duel_id") + "/outcome";
  }
  static std::string by_proof(const Told& duel, const std::string& winner) {
    Json body;
    body["result"] = "win";
    body["winner"] = winner;
    body["report_token"] = duel.body.at("report_token");
    return body.dump();
  }
  Told voted(const Told& duel, const std::string& winner, const std::string& query = "") {
    return with(link_, HttpMethod::put, outcome_of(duel) + query, by_proof(duel, winner));
  }
  static bool is_given(const Told& duel) { return duel.body.at("arms").size() == 2; }

  ServedApi api;
  std::string admin_, judge_, link_;
};

// As a request says it, so that an experiment can be begun again from another.
TEST_F(AuditedExperimentOfTheServer, says_how_it_is_audited) {
  const auto audit = [&](const std::string& id) {
    const Told shown = api.get("/v1/experiments/" + id);
    const Json* const rule = shown.body.find("audit");
    return rule == nullptr ? std::string() : rule->dump();
  };
  EXPECT_EQ(audit("e"), R"({"by":"people","share":1.0})");
  const std::string priced =
      R"({"by":"people","share":0.5,"least":0.125,"price":{"judge":1.0,"person":20.0},)"
      R"("give_up_after":3})";
  const auto made = [&](const std::string& id, const std::string& with) {
    return api
        .put("/v1/experiments/" + id, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}])" + with + "}")
        .status;
  };
  ASSERT_EQ(made("priced", R"(,"audit":)" + priced), 201);
  EXPECT_EQ(audit("priced"), priced);
  ASSERT_EQ(made("again", R"(,"audit":)" + audit("priced")), 201);
  EXPECT_EQ(audit("again"), priced);
  ASSERT_EQ(made("plain", ""), 201);
  EXPECT_EQ(audit("plain"), "");
}

TEST_F(AuditedExperimentOfTheServer, is_about_people_and_tells_what_the_judge_would_have_said) {
  const auto certified = [&] { return !api.get(kE + "/result").body.at("certificate").is_null(); };
  std::uint64_t answers = 0;
  for (; answers < 25 && !certified(); ++answers) {
    judged("b");
    const Told duel = asked();
    ASSERT_TRUE(is_given(duel)) << duel.body.dump();
    ASSERT_EQ(voted(duel, "a").text("status"), "applied");
  }
  const Told result = api.get(kE + "/result");
  ASSERT_FALSE(result.body.at("certificate").is_null()) << result.body.dump();
  EXPECT_EQ(result.body.at("certificate").at("winner").get<std::string>(), "a");
  const Json& audit = result.body.at("audit");
  EXPECT_EQ(audit.at("program_winner").get<std::string>(), "b");
  EXPECT_FALSE(audit.at("says_the_same").get<bool>());
  EXPECT_EQ(audit.at("answers").get<std::uint64_t>(), answers);
  EXPECT_EQ(audit.at("agreed").get<std::uint64_t>(), 0U);
  EXPECT_EQ(audit.at("agreement").get<double>(), 0.0);
  ASSERT_EQ(audit.at("differing").size(), 1U);
  EXPECT_EQ(audit.at("differing").items()[0].at("first").get<std::string>(), "a");
  const std::string text = audit.at("text").get<std::string>();
  EXPECT_NE(text.find("The judge alone would have certified 'b', and not 'a'."), std::string::npos)
      << text;
  // Who is asked now has nothing left to say.
  EXPECT_EQ(asked().text("reason"), "done");
  // Once it is over, everybody can toss the coins again.
  ASSERT_EQ(api.post(kE + "/complete").status, 200);
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_NE(log.find(R"("audit_key":")"), std::string::npos);
  EXPECT_NE(log.find("\"llm\""), std::string::npos) << "the judge is named as its token is";
}

TEST_F(AuditedExperimentOfTheServer, has_nothing_to_tell_of_a_judge_where_nobody_audits_it) {
  ASSERT_EQ(api.put("/v1/experiments/plain", kThreeArms).status, 201);
  EXPECT_EQ(api.get("/v1/experiments/plain/result").body.find("audit"), nullptr);
}

TEST_F(AuditedExperimentOfTheServer, asks_people_about_duels_that_were_drawn_and_nothing_else) {
  EXPECT_EQ(asked().text("reason"), "no_audits");
  const Told duel = with(judge_, HttpMethod::post, "/duels", "{}");
  EXPECT_EQ(asked().text("reason"), "no_audits") << "the judge has not answered";
  ASSERT_EQ(with(judge_, HttpMethod::put, outcome_of(duel), win_of("b")).status, 200);
  const Told offered = asked();
  ASSERT_TRUE(is_given(offered));
  EXPECT_EQ(offered.text("duel_id"), duel.text("duel_id"));
  EXPECT_EQ(asked().text("reason"), "no_audits") << "it is held by somebody";
  EXPECT_EQ(asked(offered.text("subject_id")).text("duel_id"), duel.text("duel_id"));
}

TEST_F(AuditedExperimentOfTheServer, asks_nobody_twice_about_a_pair_also_after_a_restart) {
  const Told first = judged("b"), second = judged("b");
  const Told offered = asked();
  ASSERT_TRUE(is_given(offered));
  const std::string subject = offered.text("subject_id");
  api.restart();
  const Told told = voted(offered, "a", "?next=1");
  ASSERT_EQ(told.text("status"), "applied") << told.body.dump();
  EXPECT_EQ(told.body.at("next").at("reason").get<std::string>(), "no_audits")
      << "the next one is for the same person";
  EXPECT_EQ(voted(offered, "a").text("status"), "duplicate");
  api.restart();
  EXPECT_EQ(asked(subject).text("reason"), "no_audits");
  EXPECT_TRUE(is_given(asked())) << "somebody else may";
}

TEST_F(AuditedExperimentOfTheServer, follows_who_does_not_answer_in_time_by_somebody_else) {
  judged("b");
  const Told late = asked();
  ASSERT_TRUE(is_given(late));
  api.pass(40LL * 24 * 3'600 * 1'000);
  const Told next = asked();
  ASSERT_TRUE(is_given(next)) << next.body.dump();
  EXPECT_EQ(voted(late, "b").text("status"), "late");
  EXPECT_EQ(voted(next, "a").text("status"), "applied");
}

TEST_F(AuditedExperimentOfTheServer, takes_the_judges_word_from_no_person_and_the_reverse) {
  const Told duel = with(judge_, HttpMethod::post, "/duels", "{}");
  const Told as_person =
      with(judge_, HttpMethod::put, outcome_of(duel),
           R"({"result":"win","winner":"b","source":{"type":"human","id":"ann"}})");
  EXPECT_EQ(as_person.status, 400);
  EXPECT_EQ(as_person.body.at("errors").items()[0].at("pointer").get<std::string>(),
            "/source/type");
  const Told batch = with(judge_, HttpMethod::post, "/outcomes",
                          R"([{"duel_id":")" + duel.text("duel_id") +
                              R"(","result":"win","winner":"b","source":{"type":"human"}}])");
  EXPECT_EQ(batch.body.at("items").items()[0].at("status").get<std::string>(), "invalid");
  // Without its token it has no more than a proof, which is not that of a person.
  EXPECT_NE(with("", HttpMethod::put, outcome_of(duel), by_proof(duel, "b")).status, 200);
  ASSERT_EQ(with(judge_, HttpMethod::put, outcome_of(duel), win_of("b")).status, 200);
  const Told forged = with("", HttpMethod::put, outcome_of(duel), by_proof(duel, "b"));
  EXPECT_EQ(forged.status, 409) << forged.body.dump();
  const Told offered = asked();
  ASSERT_TRUE(is_given(offered));
  EXPECT_EQ(with("", HttpMethod::put, outcome_of(duel), by_proof(duel, "b")).status, 409);
  EXPECT_EQ(voted(offered, "a").text("status"), "applied");
}

TEST_F(AuditedExperimentOfTheServer, shows_a_judge_nothing_but_its_duels) {
  const auto status = [&](HttpMethod method, const std::string& path, const std::string& body) {
    return with(judge_, method, path, body).status;
  };
  EXPECT_EQ(status(HttpMethod::get, "/result", ""), 403);
  EXPECT_EQ(status(HttpMethod::get, "/export?what=audit", ""), 403);
  EXPECT_EQ(status(HttpMethod::get, "/progress", ""), 403);
  EXPECT_EQ(status(HttpMethod::get, "", ""), 403);
  EXPECT_EQ(status(HttpMethod::post, "/complete", ""), 403);
  EXPECT_EQ(status(HttpMethod::post, "/duels", R"({"voter":true})"), 400);
  EXPECT_EQ(status(HttpMethod::post, "/duels", R"({"subject_id":"ann"})"), 400);
  EXPECT_EQ(status(HttpMethod::post, "/duels", R"({"exclude":["a"]})"), 400);
  EXPECT_EQ(status(HttpMethod::post, "/duels", R"({"task_id":"t"})"), 400);
  EXPECT_EQ(status(HttpMethod::post, "/duels", R"({"count":2,"batch_id":"two"})"), 201);
  const Told told = with(judge_, HttpMethod::put, "/duels/two.1/outcome?next=1", win_of("b"));
  ASSERT_EQ(told.status, 200) << told.body.dump();
  EXPECT_EQ(told.body.at("progress").find("verdict"), nullptr);
  EXPECT_EQ(told.body.at("next").at("arms").size(), 2U);
  std::set<std::string> open;
  for (const RouteFact& fact : api.api().facts()) {
    if (std::ranges::count(fact.scopes, TokenScope::judge) > 0) open.insert(fact.name);
  }
  EXPECT_EQ(open, (std::set<std::string>{"report_outcome", "report_outcomes", "serve_duels"}));
}

}  // namespace
}  // namespace duel
