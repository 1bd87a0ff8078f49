// Share links: who has one can vote, as one voter for each browser, and not as a crowd.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "duel/server/voters.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

HttpRequest from(const std::string& peer, const HttpFields& headers = {}) {
  HttpRequest request;
  request.peer = peer;
  request.headers = headers;
  return request;
}

class ShareLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    // Behind a proxy, so that a test can come from any address.
    api.options.client_address_header = "X-Forwarded-For";
    api.restart();
    ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":7,
      "guardrails":{"max_duels_per_subject_per_day":3}})")
                  .status,
              201);
    ASSERT_EQ(api.post(kE + "/start").status, 200);
    admin_ = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
    api.token = link({});
  }
  std::string link(const LinkRule& rule) {
    auto made = api.tokens().create(TokenScope::vote, "", "e", 0, rule);
    id_ = made->second.token_id;
    return made->first;
  }
  Told ask(const std::string& body, const std::string& address = "203.0.113.7") {
    return api.call(HttpMethod::post, kE + "/duels", body, {{"x-forwarded-for", address}});
  }
  static std::string as(const std::string& subject) {
    return R"({"subject_id":")" + subject + "\"}";
  }
  // Votes on the duel; whether the vote counts.
  bool vote(const Told& duel) {
    if (duel.body.at("arms").size() < 2) return false;
    Json body;
    body["result"] = "win";
    body["winner"] = first_arm(duel);
    body["report_token"] = duel.body.at("report_token");
    return api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", body.dump())
               .text("status") == "applied";
  }
  std::string check(const std::string& name) {
    const std::string before = std::exchange(api.token, admin_);
    const Told health = api.get(kE + "/health");
    api.token = before;
    for (const Json& one : health.body.at("checks").items()) {
      if (one.at("name").get<std::string>() == name) {
        return one.at("verdict").get<std::string>() + ": " + one.at("detail").get<std::string>();
      }
    }
    return "";
  }

  ServedApi api;
  std::string admin_, id_;
};

TEST_F(ShareLinks, invented_subjects_are_refused) {
  for (const std::string invented :
       {"ann", "b.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA", "b..", "b."}) {
    const Told refused = ask(as(invented));
    EXPECT_EQ(refused.status, 400) << invented;
    EXPECT_EQ(refused.body.at("errors").items()[0].at("pointer").get<std::string>(), "/subject_id");
  }
  const Told made = ask("{}");
  ASSERT_EQ(made.status, 201);
  const std::string subject = made.text("subject_id");
  EXPECT_EQ(ask(as(subject)).status, 201);
  std::string forged = subject;
  forged.back() = forged.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(ask(as(forged)).status, 400);
  // It is of this link only.
  api.token = link({});
  EXPECT_EQ(ask(as(subject)).status, 400);
}

// The attack that once put 300 votes past a cap of three a day: one link, a name for every vote.
TEST_F(ShareLinks, one_address_cannot_be_three_hundred_voters) {
  int votes = 0;
  std::set<std::string> subjects;
  for (int k = 0; k < 300; ++k) {
    const Told duel = ask("{}");
    ASSERT_LT(duel.status, 500);
    if (const Json* subject = duel.body.find("subject_id")) {
      subjects.insert(subject->get<std::string>());
    } else {
      EXPECT_EQ(duel.text("reason"), "cap");
    }
    votes += vote(duel) ? 1 : 0;
  }
  EXPECT_EQ(subjects.size(), LinkRule().max_subjects_per_address_per_day);
  EXPECT_EQ(votes, 30);
  // Each of them has two more duels today, and no third.
  for (const std::string& subject : subjects) {
    for (int k = 0; k < 3; ++k) votes += vote(ask(as(subject))) ? 1 : 0;
  }
  EXPECT_EQ(votes, 90);
  // Other people are not kept out by it, and tomorrow is another day.
  EXPECT_TRUE(vote(ask("{}", "198.51.100.1")));
  api.pass(86'400'000);
  EXPECT_TRUE(vote(ask(as(*subjects.begin()))));
}

TEST_F(ShareLinks, a_link_takes_so_many_voters_a_day_from_wherever_they_come_and_after_a_restart) {
  api.token = link({.max_subjects_per_day = 5});
  std::vector<std::string> subjects;
  for (int k = 0; k < 8; ++k) {
    const Told duel = ask("{}", "198.51.100." + std::to_string(k));
    const bool counts = vote(duel);
    EXPECT_EQ(counts, k < 5) << duel.body.dump();
    if (counts) subjects.push_back(duel.text("subject_id"));
  }
  EXPECT_TRUE(vote(ask(as(subjects[0])))) << "who was there before goes on";
  for (const bool from_snapshot : {true, false}) {
    from_snapshot ? api.restart() : restart_from_log(api);
    EXPECT_EQ(ask("{}", "198.51.100.77").text("reason"), "cap");
    EXPECT_EQ(ask(as(subjects[1])).status, 201);
  }
  api.pass(86'400'000);
  EXPECT_EQ(ask("{}", "198.51.100.78").status, 201);
}

TEST_F(ShareLinks, a_lost_answer_makes_no_second_voter) {
  api.token = link({.max_subjects_per_day = 1, .max_subjects_per_address_per_day = 1});
  const std::string body = R"({"duel_id":"v1"})";
  const Told first = ask(body);
  ASSERT_EQ(first.status, 201);
  const Told again = ask(body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.dump(), first.body.dump()) << "the same duel for the same voter";
  EXPECT_EQ(ask(R"({"duel_id":"v2"})").text("reason"), "cap");
  // Another link's voter gets neither the duel nor its report token by naming it.
  api.token = link({});
  EXPECT_EQ(ask(body).status, 422);
}

TEST_F(ShareLinks, a_link_for_one_browser_is_the_first_ones) {
  api.token = link({.one_browser = true});
  const std::string body = R"({"duel_id":"v1"})";
  const Told first = ask(body);
  ASSERT_EQ(first.status, 201);
  EXPECT_EQ(ask(R"({"duel_id":"v2"})").status, 409);
  EXPECT_EQ(ask(body).status, 200) << "its answer may have been lost";
  EXPECT_EQ(ask(as(first.text("subject_id"))).status, 201);
  api.restart();
  EXPECT_EQ(ask(R"({"duel_id":"v3"})").status, 409);
  EXPECT_TRUE(vote(ask(as(first.text("subject_id")))));
  const std::string before = std::exchange(api.token, admin_);
  const Told listed = api.get("/v1/tokens");
  EXPECT_NE(listed.body.dump().find(R"("one_browser":true,"used":true)"), std::string::npos)
      << listed.body.dump();
  EXPECT_EQ(listed.body.dump().find(first.text("subject_id")), std::string::npos);
}

// A store that is slow must not hold the threads of connections, which serve everybody.
TEST_F(ShareLinks, and_tokens_keep_no_thread_of_a_connection_waiting_for_the_store) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<std::string> calls;
  api.around_store = [&](std::unique_ptr<Store> store) {
    auto made = std::make_unique<FaultyStore>(std::move(store));
    made->before = [&](std::string_view what, const std::string& space) {
      if (space != "token") return;
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      calls.emplace(what);
    };
    return made;
  };
  api.token = link({.one_browser = true});
  api.restart();
  {
    const std::lock_guard lock(mutex);  // what the start has read does not count
    threads.clear();
    calls.clear();
  }
  ASSERT_EQ(ask("{}").status, 201);
  api.token = admin_;
  const Told made = api.post("/v1/tokens", R"({"scope":"duel"})");
  ASSERT_EQ(made.status, 201) << made.body.dump();
  ASSERT_EQ(api.call(HttpMethod::del, "/v1/tokens/" + made.text("token_id")).status, 200);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(calls, (std::set<std::string>{"erase", "get", "put"}));
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(ShareLinks, limits_are_for_share_links_only) {
  api.token = admin_;
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"duel","one_browser":true})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"vote","one_browser":true})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"vote","max_subjects_per_day":0})").status, 400);
  const Told made = api.post(
      "/v1/tokens",
      R"({"scope":"vote","experiment_id":"e","one_browser":true,"max_subjects_per_day":7})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body.at("max_subjects_per_day").get<int>(), 7);
}

TEST_F(ShareLinks, a_report_token_does_not_say_who_answered) {
  const Told duel = ask("{}");
  const auto report = [&](const std::string& source) {
    return api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome",
                   R"({"result":"tie","report_token":")" + duel.text("report_token") +
                       R"(","source":)" + source + "}");
  };
  for (const bool with_link : {true, false}) {
    if (!with_link) api.token.clear();
    const Told refused = report(R"({"type":"human","id":"rater-7"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(refused.text("detail").find("/source/id"), std::string::npos);
    EXPECT_EQ(report(R"({"type":"judge"})").status, 400) << "a program is checked otherwise";
  }
  EXPECT_EQ(report(R"({"type":"human"})").text("status"), "applied");
}

TEST_F(ShareLinks, a_trusted_caller_can_ask_as_a_voter_does) {
  api.token = api.tokens().create(TokenScope::duel, "", "e", 0).value().first;
  const Told duel = ask(R"({"voter":true})");
  EXPECT_EQ(duel.status, 201);
  EXPECT_FALSE(duel.body.contains("propensity"));
  const std::string subject = duel.text("subject_id");
  EXPECT_EQ(ask(R"({"voter":true,"subject_id":")" + subject + "\"}").status, 201);
  EXPECT_EQ(ask(R"({"voter":true,"subject_id":"ann"})").status, 400);
  // Otherwise it names its own subjects, and there is no limit but the guardrails'.
  EXPECT_EQ(ask(as("ann")).status, 201);
  EXPECT_FALSE(ask(as("ann")).body.contains("subject_id"));
}

TEST_F(ShareLinks, a_check_shows_votes_by_link_and_how_quickly_voters_began) {
  EXPECT_EQ(check("share_links"), "unknown: nobody votes by a share link");
  for (int k = 0; k < 60; ++k) vote(ask("{}", "198.51.100." + std::to_string(k)));
  const std::string busy = id_;
  api.token = link({});
  for (int k = 0; k < 20; ++k) vote(ask("{}", "198.51.100." + std::to_string(k)));
  EXPECT_EQ(check("share_links"),
            "passed: 2 links gave 80 votes; the busiest, " + busy +
                ", 75.0 % of them from 60 voters; most new voters in a minute: 60, by " + busy);
  for (int k = 100; k < 150; ++k) ask("{}", "198.51.100." + std::to_string(k));
  EXPECT_EQ(check("share_links").substr(0, 7), "failed:") << check("share_links");
}

// --- Addresses ----------------------------------------------------------------------------------

TEST(AddressOfClient, is_that_of_the_connection_or_the_last_that_the_proxy_names) {
  EXPECT_EQ(address_of_client(from("203.0.113.7"), ""), "203.0.113.7");
  EXPECT_EQ(address_of_client(from("127.0.0.1"), ""), "") << "it may be a proxy on this machine";
  EXPECT_EQ(address_of_client(from("::1"), ""), "");
  const HttpFields told{{"x-forwarded-for", "6.6.6.6, 203.0.113.9 "}};
  EXPECT_EQ(address_of_client(from("127.0.0.1", told), "x-forwarded-for"), "203.0.113.9");
  EXPECT_EQ(address_of_client(from("203.0.113.7", told), ""), "203.0.113.7")
      << "without a proxy the header is the caller's invention";
}

TEST(AddressOfClient, takes_a_network_of_ipv6_for_one_address) {
  EXPECT_EQ(address_of_client(from("2001:db8:1:2:aaaa::1"), ""),
            address_of_client(from("2001:db8:1:2:bbbb::9"), ""));
  EXPECT_NE(address_of_client(from("2001:db8:1:2::1"), ""),
            address_of_client(from("2001:db8:1:3::1"), ""));
}

}  // namespace
}  // namespace duel
