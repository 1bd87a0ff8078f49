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
  // `ann` beats everybody. Her rivals are even, so contests are served before the certificate.
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
  // Votes for `ann`, otherwise for who comes first in the alphabet; the next duel comes along.
  Told vote(const Json& duel) {
    std::string best = "zzz";
    for (const Json& arm : duel.at("arms").items()) {
      best = std::min(best, arm.at("arm_id").get<std::string>());
    }
    Json body;
    body["result"] = "win";
    body["winner"] = best;
    body["report_token"] = duel.at("report_token");
    Told told = api.put(kE + "/duels/" + duel.at("duel_id").get<std::string>() + "/outcome?next=1",
                        body.dump());
    if (const Json* next = told.body.find("next")) note(*next);
    return told;
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
      EXPECT_EQ(readable->find(word), std::string::npos) << *readable;
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
  std::set<std::string> servings_in_the_log() {
    api.token = admin_;
    std::set<std::string> words;
    for (const auto& [word, serving] : Words<Serving>::all) {
      const std::string field = R"("serving":")" + std::string(word) + "\"";
      if (api.streamed(kE + "/export?what=audit").find(field) != std::string::npos) {
        words.emplace(word);
      }
    }
    api.token = link_;
    return words;
  }

  ServedApi api;
  std::string admin_, link_;
  int served_ = 0;
  std::set<std::string> servings_;  // that a voter was told
  std::set<std::string> alone_;     // arms shown alone
};

TEST_F(BlindVotes, the_answer_to_a_vote_names_no_leader) {
  start("notify");
  Json duel = serve().body;
  bool certified = false;
  for (int k = 0; k < 60; ++k) {
    const Told told = vote(duel);
    ASSERT_EQ(told.status, 200) << told.body.dump();
    const Json& progress = told.body.at("progress");
    EXPECT_FALSE(progress.contains("verdict"));
    EXPECT_EQ(progress.dump().find("ann"), std::string::npos) << progress.dump();
    certified = certified || progress.at("certified").get<bool>();
    duel = told.body.at("next");
    const Told seen = api.get(kE + "/progress");
    EXPECT_EQ(seen.body.dump().find("ann"), std::string::npos) << seen.body.dump();
  }
  EXPECT_TRUE(certified) << "a voter may know that there is enough evidence";
  EXPECT_TRUE(servings_in_the_log().contains("contest"));
  EXPECT_EQ(servings_, (std::set<std::string>{"explore"}))
      << "of several contests the arm that is in all of them leads";
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
  Json duel = serve().body;
  for (int k = 0; k < 200 && !certified(); ++k) {
    const Told told = vote(duel);
    ASSERT_EQ(told.status, 200) << told.body.dump();
    duel = told.body.at("next");
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
