// A panel over HTTP: who is asked what, who is done, and how it ends.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

class ServedPanel : public ::testing::Test {
 protected:
  Told create(const std::string& more) {
    const Told made =
        api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7,)"
                    R"("about":"these-people",)" +
                        more + "}");
    if (made.status == 201) {
      EXPECT_EQ(api.post(kE + "/start").status, 200);
    }
    return made;
  }
  Told ask(const std::string& subject) {
    return api.post(kE + "/duels", R"({"subject_id":")" + subject + "\"}");
  }
  // Prefers the arm whose name comes first.
  void answer(const Told& duel) {
    const std::string first = duel.body.at("arms").items()[0].at("arm_id").get<std::string>();
    const std::string second = duel.body.at("arms").items()[1].at("arm_id").get<std::string>();
    EXPECT_EQ(api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome",
                      R"({"result":"win","response_ms":4000,"winner":")" + std::min(first, second) +
                          "\"}")
                  .text("status"),
              "applied");
  }
  // How many questions they answered until they were done; what they were told then.
  Told answer_all(const std::string& subject, int& questions) {
    while (true) {
      const Told duel = ask(subject);
      if (duel.text("serving") == "done") return duel;
      answer(duel);
      ++questions;
    }
  }

  ServedApi api;
};

TEST_F(ServedPanel, is_certified_by_its_members_and_tells_them_that_they_are_done) {
  const Told made =
      create(R"("panel":{"size":3},"voting":{"question":"Which?","shows_result":true})");
  ASSERT_EQ(made.status, 201);
  EXPECT_EQ(made.text("about"), "these-people");
  EXPECT_EQ(made.body.at("panel").at("size").get<std::uint64_t>(), 3U);
  const Told first = ask("ann");
  EXPECT_EQ(first.body.at("voting").at("question").get<std::string>(), "Which?");
  answer(first);
  const Told open = api.get(kE + "/result");
  EXPECT_EQ(open.text("state"), "undecided");
  EXPECT_EQ(open.body.at("panel").at("answered").get<std::uint64_t>(), 1U);
  EXPECT_GT(open.body.at("forecast").at("people").get<std::uint64_t>(), 0U);
  EXPECT_GT(open.body.at("forecast").at("minutes_each").get<double>(), 0);
  bool people = false;
  for (const Json& why : open.body.at("why_not_yet").items()) {
    people = people || why.at("reason").get<std::string>() == "people";
  }
  EXPECT_TRUE(people);
  int questions = 1;
  answer_all("ann", questions);
  const Told done = answer_all("bob", questions);
  EXPECT_EQ(done.body.at("arms").size(), 0U);
  EXPECT_EQ(done.text("reason"), "done");
  EXPECT_EQ(done.text("verdict"),
            "More of these 3 people prefer 'a' to each of the 2 other arms than the other way "
            "round; 2 of 3 asked, and the other one cannot change it.");
  EXPECT_EQ(api.get(kE + "/progress").body.at("answers").get<std::uint64_t>(),
            static_cast<std::uint64_t>(questions));
  EXPECT_EQ(ask("cem").text("serving"), "done");
  EXPECT_EQ(ask("dia").text("serving"), "done");
  const Told certificate = api.get(kE + "/certificate");
  EXPECT_EQ(certificate.text("by"), "counting");
  EXPECT_EQ(certificate.body.find("alpha"), nullptr);
  EXPECT_EQ(certificate.body.at("panel").at("pairs").size(), 2U);
  // What a restart finds is the same.
  api.restart();
  EXPECT_EQ(ask("cem").text("serving"), "done");
}

TEST_F(ServedPanel, needs_to_know_who_asks) {
  ASSERT_EQ(create(R"("panel":{"size":3})").status, 201);
  const Told refused = api.post(kE + "/duels", "{}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body.at("errors").items()[0].at("pointer").get<std::string>(), "/subject_id");
}

TEST_F(ServedPanel, is_closed_once_and_speaks_of_those_who_came) {
  ASSERT_EQ(create(R"("voting":{})").status, 201);
  EXPECT_EQ(api.post(kE + "/panel/close").status, 409);
  int questions = 0;
  answer_all("ann", questions);
  answer_all("bob", questions);
  EXPECT_EQ(questions, 6);
  EXPECT_EQ(api.get(kE + "/result").text("state"), "undecided");
  const Told closed = api.post(kE + "/panel/close");
  ASSERT_EQ(closed.status, 200);
  EXPECT_EQ(closed.body.at("panel").at("size").get<std::uint64_t>(), 2U);
  EXPECT_EQ(api.post(kE + "/panel/close").status, 200);
  EXPECT_EQ(api.get(kE + "/result").text("state"), "certified");
  EXPECT_EQ(ask("cem").text("serving"), "done");
  // A member who has nothing left to say is told no result where the owner does not share it.
  EXPECT_EQ(ask("ann").body.find("verdict"), nullptr);
}

// Two of three do not come. The owner is told what to do, and does it.
TEST_F(ServedPanel, with_a_size_is_closed_when_some_do_not_come) {
  ASSERT_EQ(create(R"("panel":{"size":3})").status, 201);
  const auto why = [&] {
    const Told told = api.get(kE + "/result");
    for (const Json& one : told.body.at("why_not_yet").items()) {
      if (one.at("reason").get<std::string>() == "people") {
        return one.at("detail").get<std::string>();
      }
    }
    return std::string();
  };
  EXPECT_EQ(why(), "3 of 3 people have not answered yet.");
  answer(ask("ann"));
  EXPECT_EQ(why(),
            "2 of 3 people have not answered yet. If they will not come, the owner can close the "
            "panel: it is then the 1 person who has answered.");
  int questions = 0;
  answer_all("ann", questions);
  ASSERT_EQ(api.post(kE + "/panel/close").status, 200);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(api.get(kE + "/result").text("state"), "certified");
}

TEST_F(ServedPanel, of_a_list_takes_members_by_links_of_their_own) {
  const std::string admin = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  api.token = admin;
  ASSERT_EQ(create(R"("panel":{"members":["ann","bob"]})").status, 201);
  EXPECT_EQ(ask("eve").text("serving"), "done");
  const Told told =
      api.post("/v1/tokens", R"({"scope":"vote","experiment_id":"e","member":"ann"})");
  ASSERT_EQ(told.status, 201);
  EXPECT_EQ(told.text("member"), "ann");
  api.token = told.text("token");
  const Told duel = api.post(kE + "/duels", "{}");
  ASSERT_EQ(duel.status, 201);
  EXPECT_EQ(duel.text("subject_id"), "ann");
  // Whatever a browser says, the link says who votes.
  const Told other = api.post(kE + "/duels", R"({"subject_id":"bob"})");
  EXPECT_EQ(other.text("subject_id"), "ann");
  Json body;
  body["result"] = "skip";
  body["report_token"] = duel.body.at("report_token");
  EXPECT_EQ(api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", body.dump()).status, 200);
  api.token = admin;
  EXPECT_EQ(api.get(kE).body.at("panel").at("answered").get<std::uint64_t>(), 1U);
  // The same member by the API is the same seat.
  EXPECT_NE(ask("ann").text("serving"), "done");
  EXPECT_EQ(api.get(kE).body.at("panel").at("answered").get<std::uint64_t>(), 1U);
}

TEST_F(ServedPanel, of_an_early_list_hears_who_will_not_come) {
  std::string members;
  for (int k = 0; k < 25; ++k) members += (k > 0 ? ",\"m" : "\"m") + std::to_string(k) + "\"";
  ASSERT_EQ(create(R"("panel":{"early":true,"members":[)" + members + "]}").status, 201);
  EXPECT_EQ(api.post(kE + "/panel/close").status, 409);
  EXPECT_EQ(
      api.get(kE + "/result").body.at("why_not_yet").items()[0].at("detail").get<std::string>(),
      "25 of 25 people have not answered yet. The owner can declare absent who will not come.");
  const Told open = ask("m3");
  const Told wrong = api.post(kE + "/panel/absent", R"({"subjects":["m3","nobody"]})");
  EXPECT_EQ(wrong.status, 409);
  EXPECT_EQ(api.post(kE + "/panel/absent", R"({"subjects":["m3"]})").status, 200);
  EXPECT_EQ(api.post(kE + "/panel/absent", R"({"subjects":["m3"]})").status, 200);
  EXPECT_EQ(api.put(kE + "/duels/" + open.text("duel_id") + "/outcome", R"({"result":"tie"})")
                .text("status"),
            "late");
  EXPECT_EQ(ask("m3").text("serving"), "done");
  EXPECT_EQ(api.get(kE + "/result").body.at("panel").at("absent").get<std::uint64_t>(), 1U);
}

TEST_F(ServedPanel, what_does_not_go_with_it_is_refused_by_its_field) {
  const auto pointer = [&](const std::string& more) {
    const Told refused = create(more);
    EXPECT_EQ(refused.status, 400) << more;
    const Json* errors = refused.body.find("errors");
    return errors == nullptr || errors->size() == 0
               ? std::string()
               : errors->items()[0].at("pointer").get<std::string>();
  };
  EXPECT_EQ(pointer(R"("panel":{"size":0})"), "/panel/size");
  EXPECT_EQ(pointer(R"("panel":{"size":3,"members":["ann"]})"), "/panel/size");
  EXPECT_EQ(pointer(R"("panel":{"members":["ann",""]})"), "/panel/members/1");
  EXPECT_EQ(pointer(R"("panel":{"members":["ann","ann"]})"), "/panel/members");
  EXPECT_EQ(pointer(R"("panel":{"members":["ann"],"early":true})"), "/panel/early");
  EXPECT_EQ(pointer(R"("goal":"borda")"), "/goal");
  EXPECT_EQ(pointer(R"("policy":"rucb")"), "/policy");
  EXPECT_EQ(pointer(R"("guardrails":{"aa_rate":0.1})"), "/guardrails/aa_rate");
  EXPECT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"panel":{"size":3}})").status,
            400);
  EXPECT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"about":"these-tasks"})").status,
            400);
}

}  // namespace
}  // namespace duel
