// A voter votes blind: whatever a share link or a report token can ask for, nothing that comes back
// tells which arm leads or has won.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "duel/core/secrets.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

class BlindVotes : public ::testing::Test {
 protected:
  // `ann` beats everybody.
  void start(const std::string& on_certified, const std::string& more = "") {
    ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"zoe"},{"arm_id":"ann"},{"arm_id":"bob"}],)"
                          R"("seed":7,"stopping":{"on_certified":")" +
                              on_certified + "\"}" + more + "}")
                  .status,
              201);
    ASSERT_EQ(api.post(kE + "/start").status, 200);
    admin_ = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
    link_ = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
    api.token = link_;
  }
  Told serve() {
    Told duel = api.post(kE + "/duels", R"({"duel_id":"v)" + std::to_string(++served_) + "\"}");
    note(duel.body);
    return duel;
  }
  // For `ann`, otherwise for who comes first in the alphabet.
  static Json best_of(const Json& duel) {
    const auto arms = duel.at("arms").items();
    const auto first = arms[0].at("arm_id").get<std::string>();
    const auto second = arms[1].at("arm_id").get<std::string>();
    Json body;
    body["result"] = first == second ? "tie" : "win";
    if (first != second) body["winner"] = std::min(first, second);
    body["report_token"] = duel.at("report_token");
    return body;
  }
  Told vote(const Json& duel, const std::string& query = "") {
    const std::string id = duel.at("duel_id").get<std::string>();
    Told told = api.put(kE + "/duels/" + id + "/outcome" + query, best_of(duel).dump());
    if (const Json* next = told.body.find("next")) note(*next);
    return told;
  }
  // Others answer, too: of one voter's answers to a pair only the first is evidence.
  void let_others_answer() {
    api.token = admin_;
    const Told duel = api.post(kE + "/duels", "{}");
    if (duel.body.at("arms").size() == 2) {
      EXPECT_EQ(vote(duel.body).status, 200);
    }
    api.token = link_;
  }
  // What a duel says beside its two arms.
  void note(const Json& duel) {
    if (duel.find("serving") == nullptr) return;
    servings_.insert(duel.at("serving").get<std::string>());
    EXPECT_FALSE(duel.contains("propensity")) << duel.dump();
    const std::string token = duel.at("report_token").get<std::string>();
    const std::size_t begin = token.find('.') + 1;
    const auto readable = from_base64url(token.substr(begin, token.rfind('.') - begin));
    ASSERT_TRUE(readable) << token;
    for (const auto& [word, serving] : Words<Serving>::all) {
      EXPECT_EQ(readable->find("\"" + std::string(word) + "\""), std::string::npos) << *readable;
    }
    if (duel.at("arms").size() == 1) {
      alone_.insert(duel.at("arms").items()[0].at("arm_id").get<std::string>());
    }
  }
  bool certified() {
    api.token = admin_;
    const bool is = api.get(kE + "/certificate").status == 200;
    api.token = link_;
    return is;
  }
  ServedApi api;
  std::string admin_, link_;
  int served_ = 0;
  std::set<std::string> servings_;  // that a voter was told
  std::set<std::string> alone_;     // arms shown alone
};

TEST_F(BlindVotes, the_answer_to_a_vote_names_no_leader) {
  start("notify", R"(,"guardrails":{"aa_rate":0.1})");
  bool certified = false;
  for (int k = 0; k < 100 && !certified; ++k) {
    let_others_answer();
    const Told told = vote(serve().body, "?next=1");
    ASSERT_EQ(told.status, 200) << told.body.dump();
    const Json& progress = told.body.at("progress");
    EXPECT_FALSE(progress.contains("verdict"));
    EXPECT_EQ(progress.dump().find("ann"), std::string::npos) << progress.dump();
    certified = progress.at("certified").get<bool>();
    ASSERT_EQ(vote(told.body.at("next")).status, 200);
    const Told seen = api.get(kE + "/progress");
    EXPECT_EQ(seen.body.dump().find("ann"), std::string::npos) << seen.body.dump();
  }
  EXPECT_TRUE(certified) << "a voter may know that there is enough evidence";
  for (int k = 0; k < 20; ++k) vote(serve().body);
  EXPECT_EQ(servings_, (std::set<std::string>{"explore"})) << "what a duel is for is not said";
}

TEST_F(BlindVotes, a_trusted_caller_is_told_the_verdict_still) {
  start("notify");
  api.token = api.tokens().create(TokenScope::duel, "", "e", 0).value().first;
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q"})");
  EXPECT_TRUE(duel.body.contains("propensity"));
  const Told told = api.put(kE + "/duels/q/outcome?next=1", win_of(first_arm(duel)));
  EXPECT_TRUE(told.body.at("progress").contains("verdict"));
  EXPECT_TRUE(told.body.at("next").contains("propensity"));
}

class BlindAfterTheCertificate : public BlindVotes,
                                 public ::testing::WithParamInterface<std::string> {};

TEST_P(BlindAfterTheCertificate, nobody_is_shown_the_winner_alone) {
  start(GetParam());
  for (int k = 0; k < 200 && !certified(); ++k) {
    let_others_answer();
    const Told duel = serve();
    if (duel.body.at("arms").size() == 2) vote(duel.body);
  }
  ASSERT_TRUE(certified());
  for (int k = 0; k < 4; ++k) serve();
  EXPECT_EQ(alone_, std::set<std::string>{"zoe"}) << "the first arm, whoever has won";
  api.token = admin_;
  EXPECT_EQ(first_arm(api.post(kE + "/duels", "{}")), "ann") << "a page shows the winner";
}

INSTANTIATE_TEST_SUITE_P(OnCertified, BlindAfterTheCertificate,
                         ::testing::Values("exploit", "complete"));

TEST_F(BlindVotes, there_is_nothing_to_vote_on_where_clicks_decide) {
  start("notify", R"(,"mode":"interleave")");
  const Told refused = api.post(kE + "/duels", R"({"duel_id":"p"})");
  EXPECT_EQ(refused.status, 409) << "a page of one arm's results would be the leader's";
  EXPECT_EQ(refused.text("reason"), "wrong_mode");
}

TEST_F(BlindVotes, a_report_token_alone_gets_the_fate_of_its_vote_and_no_more) {
  start("notify");
  const Told duel = serve();
  api.token.clear();
  Json body;
  body["result"] = "tie";
  body["report_token"] = duel.body.at("report_token");
  const Told told = api.put(kE + "/duels/v1/outcome?next=1", body.dump());
  EXPECT_EQ(told.body.dump(), R"({"duel_id":"v1","status":"applied","applied":true})");
}

}  // namespace
}  // namespace duel
