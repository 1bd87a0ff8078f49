// What is asked is done as it was meant, or refused with the place that is wrong: bodies, headers,
// queries and names at their edges.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/log/experiment_log.h"
#include "duel/wire/reply.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kOne = "/v1/experiments/e";

std::string pointer_of(const Told& told) {
  const Json* errors = told.body.find("errors");
  return errors == nullptr || errors->empty() ? ""
                                              : errors->items()[0].at("pointer").get<std::string>();
}

// --- Bodies -------------------------------------------------------------------------------------

TEST(Requests, what_follows_the_json_is_no_part_of_it_and_refuses_it) {
  ServedApi api;
  for (const RouteFact& fact : api.api().facts()) {
    if (fact.takes_contents.empty() || fact.takes_contents[0].media_type != "application/json" ||
        !fact.is_for_admins()) {
      continue;
    }
    for (const std::string& tail : {std::string(1, '\0'), std::string("\0{}", 3), std::string("}"),
                                    std::string(" {}"), std::string("\n1")}) {
      const Told told = api.call(fact.method, path_of(fact), "{}" + tail,
                                 {{"if-match", "*"}, {"content-type", "application/json"}});
      EXPECT_EQ(told.status, 400) << fact.name << ' ' << tail;
      EXPECT_NE(told.text("detail").find("is not JSON: "), std::string::npos) << told.body.dump();
    }
  }
}

TEST(Requests, the_level_of_an_experiment_is_not_said_twice) {
  ServedApi api;
  const Told told = api.put(
      kOne, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"stopping":{"alpha":0.05,"alpha":0.9}})");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(pointer_of(told), "/stopping/alpha");
  EXPECT_EQ(api.get(kOne).status, 404);
  // A name is the same however it is escaped.
  EXPECT_EQ(api.put(kOne, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"name":"x","n\u0061me":"y"})")
                .status,
            400);
}

TEST(Requests, text_that_is_not_json_is_told_where) {
  ServedApi api;
  for (const auto& [body, place] :
       std::vector<std::pair<std::string, std::string>>{{R"({"a":1,})", "column 8"},
                                                        {R"({"a" 1})", "column 6"},
                                                        {R"([1,2)", "column 5"},
                                                        {R"({"a":"x)", "column 6"},
                                                        {"{\"a\":\n\"x\ny\"}", "line 2, column 3"},
                                                        {R"({"a":nul})", "column 6"},
                                                        {R"({"a":01})", "column 6"},
                                                        {"{\"a\":1}\n}", "line 2, column 1"},
                                                        {"nonsense", "column 1"},
                                                        {"{\"a\":\"\xff\"}", "column 7"}}) {
    const Told told = api.put(kOne, body);
    EXPECT_EQ(told.status, 400);
    EXPECT_NE(told.text("detail").find(place), std::string::npos)
        << body << ": " << told.text("detail");
  }
}

TEST(Requests, the_same_experiment_in_another_order_of_names_is_a_repeat) {
  ServedApi api;
  ASSERT_EQ(api.put(kOne, R"({"arms":[{"arm_id":"a","payload":{"x":1,"y":[{"p":1,"q":2}]}},)"
                          R"({"arm_id":"b"}],"name":"n","seed":7})")
                .status,
            201);
  const std::string head = api.get(kOne).text("head");
  EXPECT_EQ(api.put(kOne, R"({"seed":7,"name":"n","arms":[{"payload":{"y":[{"q":2,"p":1}],"x":1},)"
                          R"("arm_id":"a"},{"arm_id":"b"}]})")
                .status,
            200);
  // The order of items says something.
  EXPECT_EQ(api.put(kOne, R"({"arms":[{"arm_id":"b"},{"arm_id":"a","payload":{"x":1,"y":[{"p":1,)"
                          R"("q":2}]}}],"name":"n","seed":7})")
                .status,
            409);
  EXPECT_EQ(api.get(kOne).text("head"), head);
}

// The text of what stands under `name` in a text of JSON that ends with it or goes on with a comma.
std::string after(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find(name);
  return begin == std::string::npos ? "" : text.substr(begin + name.size());
}

TEST(Requests, numbers_of_a_payload_come_back_in_the_digits_that_they_were_given_in) {
  const std::string payload =
      R"({"alpha":0.30,"big":12345678901234567890123,"x":1e400,"y":1.0,"z":[1E+2,-0,0.1e-6]})";
  ServedApi api;
  const auto text = [&](HttpMethod method, const std::string& target, const std::string& body) {
    const HttpFields headers{{"host", "127.0.0.1:7557"}, {"content-type", "application/json"}};
    return std::string(api.exchange_with(http_request(method, target, body, headers)).text());
  };
  const auto has_payload = [&](const std::string& answer, int times = 1) {
    std::size_t at = 0;
    for (int k = 0; k < times; ++k) {
      at = answer.find("\"payload\":" + payload, at + 1);
      if (at == std::string::npos) return false;
    }
    return true;
  };
  const std::string body = R"({"arms":[{"arm_id":"a","payload":)" + payload +
                           R"(},{"arm_id":"b","payload":)" + payload +
                           R"(}],"tasks":[{"task_id":"t","payload":)" + payload + "}]}";
  EXPECT_TRUE(has_payload(text(HttpMethod::put, kOne, body), 2));
  EXPECT_TRUE(
      has_payload(text(HttpMethod::put, kOne + "/arms/c", "{\"payload\": " + payload + "}")));
  ASSERT_EQ(api.post(kOne + "/start").status, 200);
  const auto check = [&] {
    EXPECT_TRUE(has_payload(text(HttpMethod::get, kOne, ""), 3));
    // Two arms and the task.
    EXPECT_TRUE(has_payload(text(HttpMethod::post, kOne + "/duels", R"({"duel_id":"q"})"), 3));
    const std::string log = api.streamed(kOne + "/export?what=audit");
    EXPECT_NE(log.find(R"("content":)" + payload), std::string::npos);
    EXPECT_NE(log.find(R"("items":[{"task_id":"t","payload":)" + payload), std::string::npos);
    // Also of an arm that joined.
    EXPECT_NE(after(log, R"("record":"arm_added")").find(R"("content":)" + payload),
              std::string::npos);
  };
  check();
  api.restart();  // from the snapshot, where an arm that joined is kept apart
  check();
  restart_from_log(api);
  check();
}

TEST(Requests, the_same_payload_in_other_digits_is_a_repeat) {
  ServedApi api;
  const auto body = [](const std::string& number) {
    return R"({"seed":7,"arms":[{"arm_id":"a","payload":{"x":)" + number + R"(}},{"arm_id":"b"}]})";
  };
  ASSERT_EQ(api.put(kOne, body("0.30")).status, 201);
  for (const char* same : {"0.30", "0.3", "3e-1", "0.3000"}) {
    EXPECT_EQ(api.put(kOne, body(same)).status, 200) << same;
  }
  EXPECT_EQ(api.put(kOne, body("0.31")).status, 409);
  const auto arm = [&](const std::string& number) {
    return api.put(kOne + "/arms/c", "{\"payload\":" + number + "}").status;
  };
  const std::string big = "12345678901234567890123";
  EXPECT_EQ(arm(big), 201);
  EXPECT_EQ(arm(big), 200);
  EXPECT_EQ(arm(big + ".0"), 200);
  EXPECT_EQ(arm("12345678901234567890124"), 409);
  // As a body, too.
  const std::string other = "/v1/experiments/f";
  ASSERT_EQ(api.put(other, body(big)).status, 201);
  EXPECT_EQ(api.put(other, body(big)).status, 200);
  EXPECT_EQ(api.put(other, body("12345678901234567890124")).status, 409);
}

TEST(Requests, a_setting_that_no_double_holds_is_refused) {
  ServedApi api;
  const Told told = api.put(
      kOne, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"guardrails":{"explore_floor":1e400}})");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(pointer_of(told), "/guardrails/explore_floor");
  EXPECT_EQ(api.put(kOne, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":1e400})").status, 400);
}

// Makes the experiment of a log that has the first record only.
void import_record(ServedApi& api, const ExperimentRecord& record) {
  std::string head(kHexDigits, '0');
  Sha256 sha;
  const std::string log = log_line(1, 1'794'700'800'000, record, head, sha).value();
  ASSERT_EQ(
      api.call(HttpMethod::post, kOne + "/import", log, {{"content-type", "application/x-ndjson"}})
          .status,
      201);
}

// They recorded the hash of the body as it was sent.
TEST(Requests, a_body_that_created_an_experiment_of_an_older_version_still_repeats_it) {
  const std::string body = R"({"seed":1,"arms":[{"arm_id":"a"},{"arm_id":"b"}]})";
  ExperimentRecord record;
  record.experiment_id = "e";
  record.arms = {{.id = "a", .payload = "", .sha256 = "", .content = {}},
                 {.id = "b", .payload = "", .sha256 = "", .content = {}}};
  record.policy = "uniform";
  record.service.request = sha256_hex(body);
  ServedApi api;
  import_record(api, record);
  EXPECT_EQ(api.put(kOne, body).status, 200);
  EXPECT_EQ(api.put(kOne, R"({"seed":2,"arms":[{"arm_id":"a"},{"arm_id":"b"}]})").status, 409);
}

// They kept numbers as doubles.
TEST(Requests, a_body_with_large_numbers_repeats_the_experiment_that_an_older_version_made_of_it) {
  const std::string big = "12345678901234567890123", kept = "1.2345678901234568e+22";
  const auto body = [](const std::string& number) {
    return R"({"arms":[{"arm_id":"a","payload":)" + number + R"(},{"arm_id":"b"}],"seed":1})";
  };
  ExperimentRecord record;
  record.experiment_id = "e";
  record.arms = {{.id = "a", .payload = "", .sha256 = "", .content = Json::parse(kept).value()},
                 {.id = "b", .payload = "", .sha256 = "", .content = {}}};
  record.policy = "uniform";
  record.service.request = sha256_hex(body(kept));
  ServedApi api;
  import_record(api, record);
  EXPECT_EQ(api.put(kOne, body(big)).status, 200);
  EXPECT_EQ(api.put(kOne + "/arms/a", "{\"payload\":" + big + "}").status, 200);
  EXPECT_EQ(api.put(kOne, body("22345678901234567890123")).status, 409);
}

TEST(Requests, many_duels_at_once_show_no_more_payload_than_an_answer_can_hold) {
  ServedApi api;
  const std::string long_text(1 << 20, 'x');
  ASSERT_EQ(api.put(kOne, R"({"arms":[{"arm_id":"a","payload":")" + long_text +
                              R"("},{"arm_id":"b","payload":")" + long_text + R"("}]})")
                .status,
            201);
  ASSERT_EQ(api.post(kOne + "/start").status, 200);
  const Told told = api.post(kOne + "/duels", R"({"count":8,"batch_id":"x"})");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(pointer_of(told), "/count");
  EXPECT_NE(told.text("detail").find("ask for 7 at a time"), std::string::npos)
      << told.text("detail");
  const Told taken = api.post(kOne + "/duels", R"({"count":7,"batch_id":"x"})");
  EXPECT_EQ(taken.status, 201);
  EXPECT_EQ(taken.body.at("items").size(), 7U);
  EXPECT_EQ(api.post(kOne + "/duels").status, 201);
}

// Such a body is read on another thread than others.
TEST(Requests, a_large_body_is_as_good_as_a_small_one) {
  ServedApi api;
  const std::string body = R"({"arms":[{"arm_id":"a","payload":")" + std::string(600'000, 'x') +
                           R"("},{"arm_id":"b"}]})";
  ASSERT_EQ(api.put(kOne, body).status, 201);
  EXPECT_EQ(api.put(kOne, body).status, 200);
  EXPECT_EQ(api.put(kOne, body + "}").status, 400);
  EXPECT_EQ(api.get(kOne).body.at("arms").items()[0].at("payload").get<std::string>().size(),
            600'000U);
}

TEST(Requests, names_are_short) {
  ServedApi api;
  const std::string fits(200, 'n'), long_name(201, 'n');
  const auto body = [](const std::string& name) {
    return fmt::format(R"({{"name":"{}","arms":[{{"arm_id":"a"}},{{"arm_id":"b"}}]}})", name);
  };
  const Told refused = api.put(kOne, body(long_name));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(pointer_of(refused), "/name");
  EXPECT_EQ(api.put(kOne, body(fits)).status, 201);
  const auto patched = [&](const std::string& name) {
    return api.call(HttpMethod::patch, kOne, R"({"name":")" + name + "\"}", {{"if-match", "*"}});
  };
  EXPECT_EQ(pointer_of(patched(long_name)), "/name");
  EXPECT_EQ(patched(fits).status, 200);
  EXPECT_EQ(pointer_of(api.post("/v1/tokens", R"({"scope":"admin","name":")" + long_name + "\"}")),
            "/name");
}

TEST(Requests, an_event_without_a_time_is_rejected_and_the_others_are_not) {
  ServedApi api;
  ASSERT_EQ(
      api.put(kOne, R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":3})")
          .status,
      201);
  api.post(kOne + "/start");
  ASSERT_EQ(
      api.post(kOne + "/interleavings", R"({"duel_id":"q","lists":{"a":["1"],"b":["2"]}})").status,
      201);
  std::string events;
  const std::vector<std::string> bad{
      "soon", "2026-11-15", "1794700800", "2026-13-01T00:00:00Z", "2026-11-15T09:00:00", ""};
  const std::vector<std::string> good{"2026-11-15T00:00:01Z", "2026-11-15T00:00:01.250+01:00"};
  for (const auto& times : {bad, good}) {
    for (const std::string& time : times) {
      events += fmt::format(R"({{"action_name":"click","query_id":"q","timestamp":"{}",)"
                            R"("event_attributes":{{"object":{{"object_id":"1"}}}}}})"
                            "\n",
                            time);
    }
  }
  const Told told =
      api.call(HttpMethod::post, "/v1/events", events, {{"content-type", "application/x-ndjson"}});
  EXPECT_EQ(told.status, 202);
  EXPECT_EQ(told.body.at("accepted").get<std::size_t>(), good.size()) << told.body.dump();
  ASSERT_EQ(told.body.at("rejected").size(), bad.size());
  EXPECT_EQ(told.body.at("rejected").items()[0].at("reason").get<std::string>(),
            "/timestamp is not a time such as 2026-11-15T09:00:00Z");
}

// --- Headers and targets ------------------------------------------------------------------------

TEST(Requests, if_match_is_a_list_of_tags) {
  ServedApi api;
  start_three_arms(api);
  const auto status = [&](HttpFields headers) {
    return api.call(HttpMethod::patch, kOne, R"({"name":"x"})", std::move(headers)).status;
  };
  const auto now = [&] { return api.get(kOne).text("etag"); };
  EXPECT_EQ(status({}), 428);
  EXPECT_EQ(status({{"if-match", now()}}), 200);
  EXPECT_EQ(status({{"if-match", R"("77", )" + now() + R"(, "78")"}}), 200);
  EXPECT_EQ(status({{"if-match", R"("77")"}, {"if-match", now()}}), 200);
  EXPECT_EQ(status({{"if-match", " * "}}), 200);
  EXPECT_EQ(status({{"if-match", R"("77", "a,b")"}}), 412);
  EXPECT_EQ(status({{"if-match", "W/" + now()}}), 412);  // weak tags never match
  for (const char* wrong : {"2", R"("2)", R"("2" "3")", "*, \"2\"", ",", "W/2", R"(w/"2")"}) {
    EXPECT_EQ(status({{"if-match", wrong}}), 400) << wrong;
  }
}

TEST(Requests, hosts_and_origins_have_no_case_and_no_port_of_their_own) {
  ServedApi api;
  const auto status = [&](const std::string& host, const std::string& origin = "") {
    HttpFields headers{{"host", host}};
    if (!origin.empty()) headers.emplace_back("origin", origin);
    return api.exchange_with(http_request(HttpMethod::get, "/healthz", "", std::move(headers)))
        .status;
  };
  for (const char* host : {"LocalHost:7557", "duel.example.org", "DUEL.Example.org",
                           "duel.example.org:443", "[::1]:7557"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"duel.example.org:80", "duel.example.org:7557", "localhost",
                           "localhost:443", "duel.example.org.evil.example", ""}) {
    EXPECT_EQ(status(host), 403) << host;
  }
  for (const char* origin : {"https://duel.example.org", "https://Duel.example.org:443",
                             "https://shop.example", "https://SHOP.example:443"}) {
    EXPECT_EQ(status("localhost:7557", origin), 200) << origin;
  }
  for (const char* origin : {"http://duel.example.org", "https://shop.example:80",
                             "https://duel.example.org:80", "http://shop.example"}) {
    EXPECT_EQ(status("localhost:7557", origin), 403) << origin;
  }
  api.options.listen = {"127.0.0.1", 80};
  api.options.public_url = "https://Duel.example.org:443/prefix";
  api.options.allow_origins = {"HTTPS://Shop.example:443"};
  api.restart();
  for (const char* host : {"localhost", "localhost:80", "duel.example.org"}) {
    EXPECT_EQ(status(host, "https://shop.example"), 200) << host;
  }
}

TEST(Requests, a_server_on_every_interface_is_reached_by_any_name) {
  ServedApi api;
  const auto status = [&](const std::string& host, const std::string& origin = "") {
    HttpFields headers{{"host", host}};
    if (!origin.empty()) headers.emplace_back("origin", origin);
    return api.exchange_with(http_request(HttpMethod::get, "/healthz", "", std::move(headers)))
        .status;
  };
  for (const char* every : {"::", "0.0.0.0", ""}) {
    api.options.listen = {every, 7557};
    api.options.public_url = "";
    api.restart();
    EXPECT_EQ(status("10.1.2.3:7557"), 200) << every;
    EXPECT_EQ(status("node:7557", "http://Node:7557"), 200) << every;
    EXPECT_EQ(status("node:7557", "http://node"), 403) << every;
    EXPECT_EQ(status("node:7557", "http://evil.example:7557"), 403) << every;
    api.options.public_url = "https://duel.example.org";
    api.restart();
    EXPECT_EQ(status("node:7557"), 403) << every;
    EXPECT_EQ(status("duel.example.org", "https://duel.example.org"), 200) << every;
    EXPECT_EQ(status("localhost:7557"), 200) << every;
  }
}

TEST(Requests, an_admin_is_told_of_a_query_that_nobody_would_look_at) {
  ServedApi api;
  start_three_arms(api);
  api.token = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  for (const RouteFact& fact : api.api().facts()) {
    const Told told = api.call(fact.method, path_of(fact) + "?dry_run=1",
                               fact.takes_contents.empty() ? "" : "{}", {{"if-match", "*"}});
    const bool refused =
        told.status == 400 && told.body.dump().find("'dry_run'") != std::string::npos;
    EXPECT_EQ(refused, fact.is_for_admins()) << fact.name << told.body.dump();
  }
  EXPECT_EQ(api.get(kOne).text("state"), "running");
}

TEST(Requests, a_target_with_half_an_escape_is_malformed) {
  ServedApi api;
  for (const char* path : {"/%", "/%4", "/assets/%", "/vote/%f"}) {
    const Told told = api.get(path);
    EXPECT_EQ(told.status, 400) << path;
    EXPECT_EQ(told.text("detail"), "the path cannot be decoded") << path;
  }
}

// --- Tokens -------------------------------------------------------------------------------------

TEST(Requests, a_probe_whose_token_has_ended_still_finds_the_server_well) {
  ServedApi api;
  api.token = api.tokens().create(TokenScope::read, "", "", 5'000).value().first;  // of 1970
  for (const char* open : {"/healthz", "/readyz", "/v1/version", "/openapi.json"}) {
    EXPECT_EQ(api.get(open).status, 200) << open;
  }
  EXPECT_EQ(api.get("/metrics").status, 401);
}

class Listeners : public ::testing::Test {
 protected:
  std::shared_ptr<RecordedExchange::Recording> listen(const std::string& token) {
    HttpFields headers{{"host", "127.0.0.1:7557"}};
    if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
    const auto exchange = std::make_shared<RecordedExchange>();
    api.api().handle(http_request(HttpMethod::get, kOne + "/stream", "", std::move(headers)),
                     HttpReply(exchange));
    EXPECT_EQ(exchange->response().status, 200);
    api.engine().wait_for_all();
    return exchange->stream();
  }

  ServedApi api;
};

TEST_F(Listeners, a_stream_ends_with_its_token) {
  start_three_arms(api);
  const auto [admin, unused] = api.tokens().create(TokenScope::admin, "", "", 0).value();
  const auto [first, first_token] = api.tokens().create(TokenScope::read, "", "", 0).value();
  const std::string second = api.tokens().create(TokenScope::read, "", "", 0).value().first;
  const auto ends = listen(first), stays = listen(second);
  api.token = admin;
  ASSERT_EQ(api.call(HttpMethod::del, "/v1/tokens/" + first_token.token_id).status, 200);
  EXPECT_TRUE(ends->finished());
  EXPECT_FALSE(stays->closed());
  ASSERT_EQ(api.post(kOne + "/pause").status, 200);
  api.engine().wait_for_all();
  EXPECT_EQ(ends->text().find("event: state"), std::string::npos);
  EXPECT_NE(stays->text().find("event: state"), std::string::npos);
}

TEST_F(Listeners, a_stream_that_needed_no_token_ends_with_the_first_one) {
  start_three_arms(api);
  const auto open = listen("");
  ASSERT_EQ(api.post("/v1/tokens", R"({"scope":"admin"})").status, 201);
  EXPECT_TRUE(open->finished());
}

// --- Mistakes of ours ---------------------------------------------------------------------------

TEST(Requests, a_check_of_ours_that_fails_tells_the_operator_where_and_the_caller_nothing) {
  ServedApi api;
  std::string said;
  api.say = [&](const std::string& message) { said += message; };
  api.restart();
  start_three_arms(api);
  std::promise<Error> told;
  api.engine().ask<int>(
      "e", AnswerWhen::appended,
      [](const Turn&) -> Result<int> { return Result<int>(Error{}).value(); },
      [&](const Result<int>& done, const Delivery&) { told.set_value(done.error()); });
  const ServerAnswer answer = refusal(told.get_future().get());
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.dump().find("result.h"), std::string::npos) << answer.body.dump();
  EXPECT_EQ(answer.body.at("detail").get<std::string>(),
            "the server made a mistake; its operator is told more");
  EXPECT_NE(said.find("result.h"), std::string::npos) << said;
}

}  // namespace
}  // namespace duel
