// What somebody without the right must not be able to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "duel/wire/report_token.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

std::string tie_by(const std::string& token) {
  return R"({"result":"tie","report_token":")" + token + R"("})";
}

// --- Scopes -------------------------------------------------------------------------------------

TEST(Security, a_vote_token_can_do_nothing_but_vote) {
  ServedApi api;
  start_three_arms(api);
  api.post(kE + "/duels", R"({"duel_id":"q1"})");
  api.tokens().create(TokenScope::admin, "", "", 0).value();
  api.token = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  int refused = 0;
  std::set<std::string> voting;
  for (const RouteFact& fact : api.api().facts()) {
    if (fact.scopes.empty()) continue;
    if (std::ranges::count(fact.scopes, TokenScope::vote) > 0) {
      voting.insert(fact.name);
      continue;
    }
    const int status =
        api.call(fact.method, path_of(fact), fact.takes_contents.empty() ? "" : "{}").status;
    EXPECT_EQ(status, 403) << fact.name;
    ++refused;
  }
  EXPECT_GT(refused, 20);
  EXPECT_EQ(voting, (std::set<std::string>{"report_outcome", "serve_duels", "show_progress"}));
  // It reports only with the duel's own proof, and only in its experiment.
  EXPECT_EQ(api.put(kE + "/duels/q1/outcome", R"({"result":"tie"})").status, 403);
  EXPECT_EQ(api.post("/v1/experiments/other/duels", R"({"subject_id":"s"})").status, 403);
}

TEST(Security, every_route_but_the_open_ones_needs_a_token_once_there_is_one) {
  ServedApi api;
  start_three_arms(api);
  api.tokens().create(TokenScope::admin, "", "", 0).value();
  for (const RouteFact& fact : api.api().facts()) {
    const int status =
        api.call(fact.method, path_of(fact), fact.takes_contents.empty() ? "" : "{}").status;
    if (fact.scopes.empty()) {
      EXPECT_EQ(status, 200) << fact.name;
    } else if (fact.name == "take_events") {
      EXPECT_EQ(status, 202) << "each event is refused by itself";
    } else {
      EXPECT_EQ(status, 401) << fact.name;
    }
  }
}

TEST(Security, a_voter_has_two_open_duels_at_most) {
  ServedApi api;
  start_three_arms(api);
  api.tokens().create(TokenScope::admin, "", "", 0).value();
  api.token = api.tokens().create(TokenScope::vote, "", "e", 0).value().first;
  EXPECT_EQ(api.post(kE + "/duels", R"({"batch_id":"m","count":2})").status, 400);
  const Told one = api.post(kE + "/duels", "{}");
  ASSERT_EQ(one.status, 201);
  const std::string s = one.text("subject_id");
  const std::string voter = R"({"subject_id":")" + s + "\"";
  const Told ahead = api.post(kE + "/duels", voter + R"(,"duel_id":"ahead"})");
  ASSERT_EQ(ahead.status, 201);
  EXPECT_EQ(ahead.text("duel_id"), "ahead");
  // No third: the older of the two comes again, whatever id is asked for.
  const Told again = api.post(kE + "/duels", voter + "}");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.dump(), one.body.dump());
  EXPECT_EQ(api.post(kE + "/duels", voter + R"(,"duel_id":"mine"})").text("duel_id"),
            one.text("duel_id"));
  EXPECT_NE(api.post(kE + "/duels", "{}").text("duel_id"), one.text("duel_id"));
  // The vote brings the next duel, for the same subject: with the one fetched ahead it has two.
  const std::string outcome = kE + "/duels/" + one.text("duel_id") + "/outcome";
  const std::string proof = tie_by(one.text("report_token"));
  const Told voted = api.put(outcome + "?next=1", proof);
  ASSERT_EQ(voted.text("status"), "applied");
  const std::string next = voted.body.at("next").at("duel_id").get<std::string>();
  EXPECT_NE(next, "ahead");
  EXPECT_EQ(api.post(kE + "/duels", voter + "}").text("duel_id"), "ahead");
  // An old proof opens no more duels, whatever id is asked for.
  const Told more = api.put(outcome + "?next=1&next_duel_id=another", proof);
  EXPECT_EQ(more.text("status"), "duplicate");
  EXPECT_EQ(more.body.at("next").at("duel_id").get<std::string>(), "ahead");
  api.restart();
  EXPECT_EQ(api.post(kE + "/duels", voter + "}").text("duel_id"), "ahead");
  // Answering the younger one makes room as well.
  const std::string younger = kE + "/duels/" + next + "/outcome";
  const auto token = voted.body.at("next").at("report_token").get<std::string>();
  ASSERT_EQ(api.put(younger, tie_by(token)).text("status"), "applied");
  EXPECT_EQ(api.post(kE + "/duels", voter + "}").status, 201);
}

// --- Tokens -------------------------------------------------------------------------------------

TEST(Security, a_revoked_token_is_refused_at_once_and_the_last_one_does_not_open_the_server) {
  ServedApi api;
  const Told made = api.post("/v1/tokens", R"({"scope":"admin","name":"me"})");
  ASSERT_EQ(made.status, 201);
  EXPECT_EQ(api.get("/v1/experiments").status, 401);
  api.token = made.text("token");
  EXPECT_EQ(api.get("/v1/experiments").status, 200);
  const Told listed = api.get("/v1/tokens");
  EXPECT_EQ(listed.body.dump().find(made.text("token")), std::string::npos);
  EXPECT_EQ(api.call(HttpMethod::del, "/v1/tokens/" + made.text("token_id")).status, 200);
  EXPECT_EQ(api.get("/v1/experiments").status, 401);
  api.token.clear();
  EXPECT_EQ(api.get("/v1/experiments").status, 401);
}

TEST(Security, a_token_ends_when_it_expires) {
  ServedApi api;
  const std::string token = api.tokens().create(TokenScope::read, "", "", 5'000).value().first;
  EXPECT_TRUE(api.tokens().find(token, 4'999));
  EXPECT_FALSE(api.tokens().find(token, 5'000));
  api.token = token;  // of 1970
  EXPECT_EQ(api.get("/v1/experiments").status, 401);
}

TEST(Security, tokens_are_asked_for_as_the_document_says) {
  ServedApi api;
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"root"})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"read","expires_at":"soon"})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"read","expire_at":"2027-01-01T00:00:00Z"})").status,
            400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"read","experiment_id":"../x"})").status, 400);
}

TEST(Security, a_token_may_make_so_many_requests_a_second) {
  ServedApi api;
  api.options.rate_limit = 0.01;  // one now, the next after 100 s
  api.restart();
  api.token = api.tokens().create(TokenScope::read, "", "", 0).value().first;
  EXPECT_EQ(api.get("/v1/experiments").status, 200);
  const Told refused = api.get("/v1/experiments");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.body.at("retryable").get<bool>());
  std::string wait;
  for (const auto& [name, value] : refused.headers) {
    if (name == "Retry-After") wait += value + ";";
  }
  EXPECT_TRUE(wait == "100;" || wait == "99;") << wait;
  // Another token has its own.
  api.token = api.tokens().create(TokenScope::read, "", "", 0).value().first;
  EXPECT_EQ(api.get("/v1/experiments").status, 200);
}

// --- Report tokens ------------------------------------------------------------------------------

class ReportToken : public ::testing::Test {
 protected:
  void SetUp() override {
    start_three_arms(api);
    duel = api.post(kE + "/duels", R"({"duel_id":"q1"})");
    api.tokens().create(TokenScope::admin, "", "", 0).value();
  }
  Told report(const std::string& duel_id, const std::string& proof) {
    return api.put(kE + "/duels/" + duel_id + "/outcome", tie_by(proof));
  }
  // A serve whose record was lost.
  Proof lost(const std::string& duel_id) const {
    return {.experiment_id = "e",
            .duel_id = duel_id,
            .round = 0,
            .first = "a",
            .second = "b",
            .serving = Serving::explore,
            .subject = "",
            .served_at_ms = 1'794'700'800'000,
            .expires_at_ms = 1'794'702'600'000};
  }
  std::string sign(const Proof& served) { return report_tokens_of(api.engine()).sign(served); }

  ServedApi api;
  Told duel;
};

TEST_F(ReportToken, forged_in_any_part_it_is_refused) {
  const std::string good = duel.text("report_token");
  for (std::size_t k = 0; k < good.size(); k += 7) {
    std::string forged = good;
    forged[k] = forged[k] == 'A' ? 'B' : 'A';
    EXPECT_EQ(report("q1", forged).status, 401) << k;
  }
  for (const char* other : {"x", "..", "a.b.c", "k.e30.00"}) {
    EXPECT_EQ(report("q1", other).status, 401) << other;
  }
  const ReportTokens stranger("k123456", "another key");
  EXPECT_EQ(report("q9", stranger.sign(lost("q9"))).status, 401);
  Proof elsewhere = lost("q9");
  elsewhere.experiment_id = "other";
  EXPECT_EQ(report("q9", sign(elsewhere)).status, 401);
  EXPECT_EQ(report("q1", good).text("status"), "applied");
  EXPECT_EQ(report("q1", good).text("status"), "duplicate");
}

TEST_F(ReportToken, it_has_to_fit_the_duel) {
  Proof other = lost("q1");
  other.first = "c";
  other.second = "a";
  EXPECT_EQ(report("q1", sign(other)).status, 409);
  EXPECT_EQ(report("q2", duel.text("report_token")).status, 409);
  EXPECT_EQ(report("q1", duel.text("report_token")).text("status"), "applied");
}

TEST_F(ReportToken, it_stands_for_a_serve_that_was_lost_until_it_expires) {
  EXPECT_EQ(report("q7", sign(lost("q7"))).text("status"), "applied");
  EXPECT_EQ(report("q7", sign(lost("q7"))).text("status"), "duplicate");
  Proof unknown = lost("q8");
  unknown.first = "z";
  EXPECT_EQ(report("q8", sign(unknown)).status, 409);
  api.token = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_NE(log.find(R"("evidence":false,"by":"recovered")"), std::string::npos) << log;
  api.token.clear();
  api.pass(1'800'001);
  EXPECT_EQ(report("q9", sign(lost("q9"))).status, 410);
}

// The record of such a duel is made when the report comes: it is younger than its token, and a
// contest that the policy never chose is recorded as an exploration. Neither is the caller's doing.
TEST_F(ReportToken, retried_report_of_a_recovered_duel_is_a_duplicate) {
  Proof contest = lost("q7");
  contest.serving = Serving::contest;
  const std::string token = sign(contest);
  api.pass(60'000);
  ASSERT_EQ(report("q7", token).text("status"), "applied");
  api.pass(1000);
  const Told retried = report("q7", token);
  EXPECT_EQ(retried.status, 200) << retried.body.dump();
  EXPECT_EQ(retried.text("status"), "duplicate");
  api.restart();
  const Told after_restart = report("q7", token);
  EXPECT_EQ(after_restart.status, 200) << after_restart.body.dump();
  EXPECT_EQ(after_restart.text("status"), "duplicate");
  // What the record does hold has to fit all the same.
  Proof other = contest;
  other.round += 1;
  EXPECT_EQ(report("q7", sign(other)).status, 409);
  other = contest;
  std::swap(other.first, other.second);
  EXPECT_EQ(report("q7", sign(other)).status, 409);
  other = contest;
  other.expires_at_ms += 1;
  EXPECT_EQ(report("q7", sign(other)).status, 409);
}

// --- Bodies -------------------------------------------------------------------------------------

// An object of members that no body has, beside those given.
std::string with_members(std::size_t count, std::string members = "") {
  for (std::size_t k = 0; k < count; ++k) {
    members += (members.empty() ? "\"m" : ",\"m") + std::to_string(k) + "\":0";
  }
  return "{" + members + "}";
}

TEST(Security, every_route_limits_what_it_reads) {
  ServedApi api;
  start_three_arms(api);
  int routes = 0;
  for (const RouteFact& fact : api.api().facts()) {
    if (fact.takes_contents.empty() || !fact.takes_contents[0].schema) continue;
    ++routes;
    const auto status = [&](const std::string& body) {
      return api
          .call(fact.method, path_of(fact), body,
                {{"if-match", "*"}, {"content-type", "application/json"}})
          .status;
    };
    const std::size_t depth = fact.limits.depth + 1;
    EXPECT_EQ(status(std::string(depth, '[') + std::string(depth, ']')), 400) << fact.name;
    // The largest would take longer to write down here than to refuse.
    if (fact.limits.values > 10'000) continue;
    EXPECT_EQ(status(with_members(fact.limits.values + 1)), 413) << fact.name;
    EXPECT_NE(status(with_members(fact.limits.values)), 413) << fact.name;
  }
  EXPECT_EQ(routes, 13);
}

TEST(Security, a_setting_that_is_given_twice_is_refused_where_it_would_be_kept) {
  ServedApi api;
  const Told told =
      api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b","payload":{"x":1,"x":2}}]})");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(told.text("detail"), "/arms/1/payload/x is given twice");
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(),
            "/arms/1/payload/x");
  start_three_arms(api);
  EXPECT_EQ(api.put(kE + "/arms/d", R"({"payload":1,"payload":1})").status, 400);
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"admin","scope":"read"})").status, 400);
  // Those who play do not have to be so careful: the last one counts.
  EXPECT_EQ(api.post(kE + "/duels", R"({"duel_id":"q1","duel_id":"q2"})").text("duel_id"), "q2");
}

TEST_F(ReportToken, who_has_none_is_told_so_before_much_is_read) {
  const auto report = [&](const std::string& body) {
    return api.put(kE + "/duels/q1/outcome", body).status;
  };
  EXPECT_EQ(report(with_members(1'001)), 413);
  EXPECT_EQ(report("\"" + std::string(70'000, 'x') + "\""), 413);
  EXPECT_EQ(report(R"({"result":"tie"})"), 401);
  const auto tell = [&](const std::string& body, const std::string& type) {
    return api.call(HttpMethod::post, "/v1/events", body, {{"content-type", type}});
  };
  for (const char* type : {"text/plain", "application/json", "application/x-ndjson"}) {
    const Told many = tell(with_members(50'000), type);
    EXPECT_EQ(many.status, 413) << type;
    EXPECT_EQ(many.text("detail"), "the body has more than 20000 members and items") << type;
    EXPECT_EQ(tell("\"" + std::string(1 << 20, 'x') + "\"", type).status, 413) << type;
  }
  // A caller with an API token may send more.
  api.token = api.tokens().create(TokenScope::duel, "", "", 0).value().first;
  EXPECT_EQ(tell(with_members(50'000), "application/json").status, 202);
}

TEST_F(ReportToken, an_event_without_one_learns_nothing_of_duels) {
  const auto reason = [&](const std::string& query, const std::string& proof) {
    const Told told = api.call(
        HttpMethod::post, "/v1/events",
        R"({"action_name":"click","timestamp":"2026-11-15T00:00:01Z","query_id":")" + query +
            R"(","event_attributes":{"duel":{"report_token":")" + proof + R"("}}})",
        {{"content-type", "text/plain"}});
    EXPECT_EQ(told.status, 202);
    return told.body.at("rejected").items()[0].at("reason").get<std::string>();
  };
  const std::string none = "a token or a report token is needed";
  EXPECT_EQ(reason("q1", ""), none);
  EXPECT_EQ(reason("nowhere", ""), none);
  EXPECT_EQ(reason("nowhere", duel.text("report_token")), none);
  EXPECT_EQ(reason("q1", sign(lost("q2"))), none);
  // Its own duel has no page.
  EXPECT_NE(reason("q1", duel.text("report_token")), none);
}

// --- Pages on the web ---------------------------------------------------------------------------

TEST(Security, host_and_origin_are_checked_on_every_route) {
  ServedApi api;
  start_three_arms(api);
  const auto status = [&](const RouteFact& fact, HttpFields headers) {
    return api.exchange_with(http_request(fact.method, path_of(fact), "", std::move(headers)))
        .status;
  };
  for (const RouteFact& fact : api.api().facts()) {
    EXPECT_EQ(status(fact, {}), 403) << fact.name;
    EXPECT_EQ(status(fact, {{"host", "evil.example:7557"}}), 403) << fact.name;
    EXPECT_EQ(status(fact, {{"host", "127.0.0.1:7557"}, {"origin", "https://evil.example"}}), 403)
        << fact.name;
    EXPECT_EQ(status(fact, {{"host", "127.0.0.1:7557"}, {"origin", "null"}}), 403) << fact.name;
  }
}

TEST(Security, pages_elsewhere_may_ask_and_report_and_nothing_else) {
  ServedApi api;
  start_three_arms(api);
  int open = 0;
  for (const RouteFact& fact : api.api().facts()) {
    HttpRequest request =
        http_request(HttpMethod::options, path_of(fact), "",
                     {{"host", "127.0.0.1:7557"},
                      {"origin", "https://shop.example"},
                      {"access-control-request-method", std::string(to_word(fact.method))}});
    const HttpResponse response = api.exchange_with(request);
    EXPECT_EQ(response.status, 204);
    const std::string* allowed = response.header("access-control-allow-origin");
    if (allowed != nullptr) ++open;
    const bool wanted = fact.name == "serve_duels" || fact.name == "interleave_duel" ||
                        fact.name == "interleave_in_one" || fact.name == "report_outcome" ||
                        fact.name == "take_events";
    EXPECT_EQ(allowed != nullptr, wanted) << fact.name;
    if (allowed != nullptr) {
      EXPECT_EQ(*allowed, "https://shop.example");
    }
  }
  EXPECT_EQ(open, 5);
  const HttpFields from_shop{{"origin", "https://shop.example"}};
  const auto allows = [](const Told& told) {
    for (const auto& [name, value] : told.headers) {
      if (name == "Access-Control-Allow-Origin") return true;
    }
    return false;
  };
  EXPECT_TRUE(allows(api.call(HttpMethod::post, kE + "/duels", "{}", from_shop)));
  EXPECT_FALSE(allows(api.call(HttpMethod::get, kE + "/result", "", from_shop)));
  EXPECT_FALSE(allows(api.post(kE + "/duels", "{}")));
}

// --- Names and what is kept ---------------------------------------------------------------------

TEST(Security, names_are_ids_and_never_paths) {
  ServedApi api;
  for (const char* name :
       {"..%2F..%2Fetc%2Fpasswd", "%2e%2e", "a%2Fb", "a%00b", ".hidden", "-x", "%C3%A9", "a%20b"}) {
    const std::string path = std::string("/v1/experiments/") + name;
    EXPECT_EQ(api.put(path, kThreeArms).status, 400) << name;
    EXPECT_EQ(api.get(path).status, 404) << name;
    EXPECT_EQ(api.get(path + "/export?what=audit").status, 404) << name;
    EXPECT_EQ(api.get(path + "/timeline").status, 404) << name;
  }
  EXPECT_EQ(api.get("/v1/experiments/../../etc/passwd").status, 404);
  EXPECT_EQ(api.get("/%zz").status, 400);
  start_three_arms(api);
  EXPECT_EQ(api.post(kE + "/duels", R"({"duel_id":"../x"})").status, 400);
  EXPECT_EQ(api.put(kE + "/duels/..%2Fx/outcome", R"({"result":"tie"})").status, 400);
}

TEST(Security, queries_people_and_tokens_are_not_in_the_store) {
  ServedApi api;
  api.put(kE, R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":3})");
  api.post(kE + "/start");
  ASSERT_EQ(api.post(kE + "/interleavings",
                     R"({"duel_id":"q","subject_id":"RawSubject","user_query":"RawQuery",)"
                     R"("lists":{"a":["1","2"],"b":["3","4"]}})")
                .status,
            201);
  const Told event = api.post(
      "/v1/events", R"({"action_name":"click","query_id":"q","timestamp":"2026-11-15T00:00:01Z",)"
                    R"("client_id":"RawClient","user_id":"RawUser","session_id":"RawSession",)"
                    R"("user_query":"RawQuery","event_attributes":{"object":{"object_id":"1"}}})");
  ASSERT_EQ(event.body.at("accepted").get<int>(), 1);
  const std::string secret = api.tokens().create(TokenScope::read, "mine", "", 0).value().first;
  api.stop();
  std::size_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(api.directory())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    bytes += text.size();
    for (const std::string& raw :
         {std::string("RawSubject"), std::string("RawQuery"), std::string("RawClient"),
          std::string("RawUser"), std::string("RawSession"), secret}) {
      EXPECT_EQ(text.find(raw), std::string::npos) << raw << " in " << entry.path();
    }
  }
  EXPECT_GT(bytes, 0U);
  api.start();
}

}  // namespace
}  // namespace duel
