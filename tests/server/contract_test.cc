// The contract: the document is true of the server, and what is promised happens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/served_api.h"
#include "tests/support/http_reference.h"
#include "tests/support/json_schema.h"
#include "tests/support/places.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

std::size_t errors_of(const std::string& schema, const std::string& value) {
  static const Json document = *Json::parse(R"({"x":{"type":"integer"}})");
  return schema_errors(document, *Json::parse(schema), *Json::parse(value)).size();
}

TEST(JsonSchema, finds_what_does_not_fit) {
  EXPECT_EQ(errors_of(R"({"type":"string"})", R"("a")"), 0U);
  EXPECT_EQ(errors_of(R"({"type":"string"})", "1"), 1U);
  EXPECT_EQ(errors_of(R"({"type":["string","null"]})", "null"), 0U);
  EXPECT_EQ(errors_of(R"({"type":"integer"})", "1.5"), 1U);
  EXPECT_EQ(errors_of(R"({"enum":["a","b"]})", R"("c")"), 1U);
  EXPECT_EQ(errors_of(R"({"minimum":2,"maximum":3})", "1"), 1U);
  EXPECT_EQ(errors_of(R"({"pattern":"^a$"})", R"("b")"), 1U);
  EXPECT_EQ(errors_of(R"({"type":"string","format":"date-time"})", R"("noon")"), 1U);
  EXPECT_EQ(errors_of(R"({"items":{"$ref":"#/x"},"maxItems":2})", R"([1,"b",3])"), 2U);
  EXPECT_EQ(errors_of(R"({"anyOf":[{"type":"null"},{"type":"string"}]})", "1"), 1U);
  EXPECT_EQ(errors_of(R"({"required":["a"],"properties":{"b":{"type":"null"}}})", R"({"b":1})"),
            2U);
  EXPECT_EQ(errors_of(R"({"properties":{"a":{}},"additionalProperties":false})", R"({"z":1})"), 1U);
  EXPECT_EQ(errors_of(R"({"additionalProperties":{"type":"null"}})", R"({"z":1})"), 1U);
  EXPECT_EQ(errors_of(R"({"unheard":1})", "1"), 1U);
}

TEST(Contract, an_answer_that_breaks_it_is_noticed) {
  ServedApi api;
  const Json document = api.api().openapi();
  const HttpFields type{{"Content-Type", "application/json"}};
  const auto errors = [&](const char* path, int status, const char* body) {
    return contract_errors(document, http_request(HttpMethod::get, path),
                           HttpResponse{status, type, body})
        .size();
  };
  EXPECT_EQ(errors("/healthz", 200, R"({"status":"ok"})"), 0U);
  EXPECT_EQ(errors("/healthz", 200, R"({"status":"fine"})"), 1U);
  EXPECT_EQ(errors("/healthz", 200, R"({"status":"ok","more":1})"), 1U);
  EXPECT_EQ(errors("/healthz", 200, R"({})"), 1U);
  EXPECT_EQ(errors("/healthz", 201, R"({"status":"ok"})"), 1U);
  EXPECT_EQ(errors("/nowhere", 200, R"({})"), 1U);
  EXPECT_EQ(errors("/healthz", 503, R"({"status":"ok"})"), 1U);  // no problem+json
}

TEST(Contract, every_route_has_a_success_and_every_object_says_what_it_holds) {
  ServedApi api;
  const Json document = api.get("/openapi.json").body;
  std::set<std::string> operations;
  for (const auto& [path, methods] : document.at("paths").members()) {
    for (const auto& [method, operation] : methods.members()) {
      EXPECT_TRUE(operations.insert(operation.at("operationId").get<std::string>()).second);
      int successes = 0;
      for (const auto& [status, response] : operation.at("responses").members()) {
        successes += status.starts_with('2') ? 1 : 0;
      }
      EXPECT_GE(successes, 1) << path;
    }
  }
  EXPECT_EQ(operations.size(), api.api().facts().size());
  for (const auto& [name, schema] : document.at("components").at("schemas").members()) {
    EXPECT_TRUE(schema.contains("properties")) << name;
    EXPECT_TRUE(schema.contains("additionalProperties")) << name;
  }
}

// `DUEL_WRITE_DOCS=1 ctest -R http_reference` writes the page again.
TEST(Contract, the_http_reference_is_what_the_document_says) {
  ServedApi api;
  const std::string file = source_dir() + "/docs/http-api.md";
  const std::string page = content_of(file);
  const std::string mark = "<!-- Made from /openapi.json by tests/server/contract_test.cc -->\n";
  const std::size_t at = page.find(mark);
  ASSERT_NE(at, std::string::npos);
  const std::string wanted = page.substr(0, at) + mark + "\n" + http_reference(api.api().openapi());
  if (std::getenv("DUEL_WRITE_DOCS") != nullptr) write_content(file, wanted);
  EXPECT_TRUE(page == wanted) << "run it with DUEL_WRITE_DOCS=1 to write the page again";
}

// --- Experiments --------------------------------------------------------------------------------

TEST(Contract, lists_are_read_page_by_page) {
  ServedApi api;
  for (const char* name : {"d", "a", "c", "b", "e"}) {
    ASSERT_EQ(api.put(std::string("/v1/experiments/") + name, kThreeArms).status, 201);
  }
  std::string seen, cursor;
  for (int page = 0; page < 3; ++page) {
    const Told told = api.get("/v1/experiments?limit=2&cursor=" + cursor);
    for (const Json& item : told.body.at("items").items()) {
      seen += item.at("experiment_id").get<std::string>();
    }
    const Json& next = told.body.at("next_cursor");
    EXPECT_EQ(next.is_null(), page == 2);
    if (!next.is_null()) cursor = next.get<std::string>();
  }
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(api.get("/v1/experiments?limit=0").status, 400);
  EXPECT_TRUE(api.get("/v1/experiments").body.at("next_cursor").is_null());
}

// 400 is for names that do not exist.
TEST(Contract, what_an_experiment_is_created_with_and_cannot_change_is_409_in_a_patch) {
  ServedApi api;
  start_three_arms(api);
  const Json schemas = api.api().openapi().at("components").at("schemas");
  const Json& changeable = schemas.at("PatchRequest").at("properties");
  for (const auto& [name, schema] : schemas.at("ExperimentRequest").at("properties").members()) {
    if (changeable.contains(name)) continue;
    const Told told = api.call(HttpMethod::patch, "/v1/experiments/e", "{\"" + name + "\":1}",
                               {{"if-match", "*"}});
    EXPECT_EQ(told.status, 409) << name;
  }
}

TEST(Contract, a_list_has_at_most_as_many_items_as_the_document_says) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(api.post("/v1/experiments/e/duels", R"({"count":100})").status, 201);
  }
  const auto limited = [&](const std::string& list, std::uint64_t limit) {
    return api.get(list + "?limit=" + std::to_string(limit));
  };
  const Json paths = api.api().openapi().at("paths");
  std::map<std::string, std::uint64_t> highest;
  for (const auto& [path, route] : paths.members()) {
    const Json* get = route.find("get");
    const Json* parameters = get == nullptr ? nullptr : get->find("parameters");
    if (parameters == nullptr) continue;
    for (const Json& parameter : parameters->items()) {
      if (parameter.at("name").get<std::string>() != "limit") continue;
      EXPECT_EQ(parameter.at("schema").at("minimum").get<std::uint64_t>(), 1U) << path;
      highest[path] = parameter.at("schema").at("maximum").get<std::uint64_t>();
    }
  }
  EXPECT_EQ(highest, (std::map<std::string, std::uint64_t>{{"/v1/experiments", 1000},
                                                           {"/v1/experiments/{eid}/duels", 200}}));
  for (const auto& [list, most] : {std::pair<std::string, std::uint64_t>{"/v1/experiments", 1000},
                                   {"/v1/experiments/e/duels", 200}}) {
    EXPECT_EQ(limited(list, 0).status, 400) << list;
    EXPECT_EQ(limited(list, 1).body.at("items").size(), 1U) << list;
    EXPECT_EQ(limited(list, most).status, 200) << list;
    EXPECT_EQ(limited(list, most + 1).status, 400) << list;
  }
  EXPECT_EQ(limited("/v1/experiments/e/duels", 200).body.at("items").size(), 200U);
  EXPECT_EQ(api.get("/v1/experiments/e/duels").body.at("items").size(), 20U);
}

TEST(Contract, bounds_hold_for_new_and_changed_experiments) {
  ServedApi api;
  const auto create = [&](const std::string& part) {
    return api.put("/v1/experiments/x", R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],)" + part + "}")
        .status;
  };
  for (const char* part : {R"("guardrails":{"explore_floor":2})", R"("guardrails":{"aa_rate":-1})",
                           R"("guardrails":{"max_pending":0})", R"("feedback":{"timeout_s":0})",
                           R"("feedback":{"late":"drop"})", R"("stopping":{"arms":"some"})",
                           R"("mode":"interleave","interleave":{"method":"best"})",
                           R"("mode":"interleave","interleave":{"length":0})"}) {
    EXPECT_EQ(create(part), 400) << part;
  }
  start_three_arms(api);
  const auto patch = [&](const std::string& body) {
    return api.call(HttpMethod::patch, kE, body, {{"if-match", "*"}}).status;
  };
  EXPECT_EQ(patch(R"({"guardrails":{"explore_floor":2}})"), 400);
  EXPECT_EQ(patch(R"({"feedback":{"timeout_s":0}})"), 400);
  EXPECT_EQ(patch(R"({"guardrails":{"explore_floor":0.5}})"), 200);
  EXPECT_EQ(api.call(HttpMethod::patch, "/v1/experiments/none", "{}", {{"if-match", "*"}}).status,
            404);
}

TEST(Contract, every_state_answers_what_it_cannot_do) {
  ServedApi api;
  // What each verb is answered in each state; a repeat is a no-op.
  const std::map<std::string, std::string> reached{{"draft", ""},
                                                   {"running", "start"},
                                                   {"paused", "start pause"},
                                                   {"completed", "start complete"},
                                                   {"archived", "start complete archive"}};
  const std::map<std::string, std::string> answers{{"draft", "200 409 409 200 409"},
                                                   {"running", "200 200 200 200 409"},
                                                   {"paused", "409 200 200 200 409"},
                                                   {"completed", "409 409 409 200 200"},
                                                   {"archived", "409 409 409 409 200"}};
  int number = 0;
  for (const auto& [state, way] : reached) {
    std::string got;
    for (const char* verb : {"start", "pause", "resume", "complete", "archive"}) {
      const std::string path = fmt::format("/v1/experiments/s{}", number++);
      api.put(path, kThreeArms);
      std::string rest = way;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        ASSERT_EQ(api.post(path + "/" + rest.substr(0, end)).status, 200);
        rest.erase(0, std::min(end + 1, rest.size()));
      }
      ASSERT_EQ(api.get(path).text("state"), state);
      got += fmt::format("{}{}", got.empty() ? "" : " ", api.post(path + "/" + verb).status);
    }
    EXPECT_EQ(got, answers.at(state)) << state;
  }
}

TEST(Contract, comparisons_made_elsewhere_teach_the_policy_and_certify_nothing) {
  ServedApi api;
  start_three_arms(api);
  std::string many = "[";
  for (int k = 0; k < 300; ++k) {
    many += fmt::format(R"({}{{"first":"a","second":"{}","result":"win","winner":"a"}})",
                        k == 0 ? "" : ",", k % 2 == 0 ? "b" : "c");
  }
  const Told told = api.post(kE + "/comparisons", many + "]");
  EXPECT_EQ(told.body.at("accepted").get<int>(), 300);
  EXPECT_EQ(api.get(kE + "/certificate").status, 404);
  EXPECT_EQ(api.post(kE + "/comparisons", R"([{"first":"a","second":"z","result":"tie"}])").status,
            400);
  EXPECT_EQ(api.post(kE + "/comparisons", R"({"first":"a"})").status, 400);
}

// --- Duels --------------------------------------------------------------------------------------

TEST(Contract, batches_are_replayed_as_a_whole) {
  ServedApi api;
  start_three_arms(api);
  const std::string body = R"({"batch_id":"m","count":4,"subject_id":"s"})";
  const Told one = api.post(kE + "/duels", body);
  ASSERT_EQ(one.status, 201);
  const Told again = api.post(kE + "/duels", body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.dump(), one.body.dump());
  EXPECT_EQ(api.post(kE + "/duels", R"({"batch_id":"m","count":5})").status, 422);
  EXPECT_EQ(api.post(kE + "/duels", R"({"batch_id":"n","count":0})").status, 400);
  EXPECT_EQ(api.post(kE + "/duels", R"({"batch_id":"n","count":1001})").status, 400);
  EXPECT_EQ(api.post(kE + "/duels", R"({"duel_id":"q","count":2})").status, 400);
  EXPECT_EQ(api.post(kE + "/duels", R"({"count":2})").body.at("items").size(), 2U);
}

TEST(Contract, the_answer_to_an_outcome_brings_the_next_duel_and_brings_it_again) {
  ServedApi api;
  start_three_arms(api);
  api.post(kE + "/duels", R"({"duel_id":"q1","subject_id":"s"})");
  const std::string path = kE + "/duels/q1/outcome?next=1";
  const Told one = api.put(path, R"({"result":"tie"})");
  ASSERT_EQ(one.status, 200);
  const Told again = api.put(path, R"({"result":"tie"})");
  EXPECT_EQ(again.text("status"), "duplicate");
  EXPECT_EQ(again.body.at("next").dump(), one.body.at("next").dump());
  EXPECT_TRUE(one.body.at("progress").contains("verdict"));
  const Told named = api.put(path + "&next_duel_id=mine", R"({"result":"tie"})");
  EXPECT_EQ(named.body.at("next").at("duel_id").get<std::string>(), "mine");
  EXPECT_EQ(api.put(path + "&next_duel_id=-", R"({"result":"tie"})").status, 400);
  // All for the subject who was asked first.
  const std::string log = api.streamed(kE + "/export?what=audit");
  std::set<std::string> subjects;
  for (std::size_t at = log.find("\"subject\":\""); at != std::string::npos;
       at = log.find("\"subject\":\"", at + 1)) {
    subjects.insert(log.substr(at + 11, 24));
  }
  EXPECT_EQ(subjects.size(), 1U);
  EXPECT_EQ(log.find("\"serve\"", log.rfind("\"subject\"")), std::string::npos);
}

TEST(Contract, judged_in_both_orders_a_flip_is_a_tie) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":1,)"
                        R"("presentation":{"order":"both"}})")
                .status,
            201);
  api.post(kE + "/start");
  const auto report = [&](const std::string& id, const std::string& one, const std::string& other) {
    api.post(kE + "/duels", fmt::format(R"({{"duel_id":"{}"}})", id));
    return api.put(kE + "/duels/" + id + "/outcome",
                   fmt::format(R"({{"judgements":[{{"first":"a","result":"win","winner":"{}"}},)"
                               R"({{"first":"b","result":"win","winner":"{}"}}]}})",
                               one, other));
  };
  ASSERT_EQ(report("q1", "a", "a").text("status"), "applied");
  ASSERT_EQ(report("q2", "a", "b").text("status"), "applied");
  const auto result = [&](const char* id) {
    return api.get(kE + "/duels/" + id).body.at("outcome").at("result").get<std::string>();
  };
  EXPECT_EQ(result("q1"), "win");
  EXPECT_EQ(result("q2"), "tie");
  EXPECT_EQ(report("q3", "z", "a").status, 400);
}

TEST(Contract, tasks_are_drawn_for_each_pair_or_named_by_the_caller) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":1,"tasks":[)"
                        R"({"task_id":"t1","payload":"one"},{"task_id":"t2"},{"task_id":"t3"}]})")
                .status,
            201);
  api.post(kE + "/start");
  std::set<std::string> tasks;
  for (int k = 0; k < 3; ++k) {
    const Told duel = api.post(kE + "/duels", "{}");
    tasks.insert(duel.body.at("task").at("task_id").get<std::string>());
  }
  EXPECT_EQ(tasks.size(), 3U);  // each once before any again
  const Told named = api.post(kE + "/duels", R"({"task_id":"t1"})");
  EXPECT_EQ(named.body.at("task").at("payload").get<std::string>(), "one");
  EXPECT_EQ(api.post(kE + "/duels", R"({"task_id":"t9"})").status, 400);
  EXPECT_EQ(api.get(kE).body.at("num_tasks").get<int>(), 3);
}

TEST(Contract, guardrails_hold) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":1,)"
                        R"("guardrails":{"max_pending":5,"max_duels_per_subject_per_day":2}})")
                .status,
            201);
  api.post(kE + "/start");
  const auto serving = [&](const std::string& body) {
    return api.post(kE + "/duels", body).text("serving");
  };
  EXPECT_NE(serving(R"({"subject_id":"s"})"), "fallback");
  EXPECT_NE(serving(R"({"subject_id":"s"})"), "fallback");
  EXPECT_EQ(serving(R"({"subject_id":"s"})"), "fallback");
  EXPECT_NE(serving(R"({"subject_id":"t"})"), "fallback");
  for (int k = 0; k < 2; ++k) EXPECT_NE(serving("{}"), "fallback");
  EXPECT_EQ(serving("{}"), "fallback");  // five wait for an answer
  api.pass(86'400'000);                  // the next day, and all of them expired
  EXPECT_NE(serving(R"({"subject_id":"s"})"), "fallback");
}

TEST(Contract, a_share_of_the_duels_is_drawn_by_lot_and_a_share_shows_one_arm_twice) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],"seed":1,)"
                        R"("guardrails":{"explore_floor":0.3,"aa_rate":0.2}})")
                .status,
            201);
  api.post(kE + "/start");
  constexpr int kDuels = 600;
  for (int k = 0; k < kDuels / 100; ++k) {
    ASSERT_EQ(api.post(kE + "/duels", R"({"count":100})").status, 201);
  }
  const std::string log = api.streamed(kE + "/export?what=audit");
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = log.find(what); at != std::string::npos; at = log.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  // Five standard errors: a false alarm in two million.
  const auto near = [](int found, double n, double p) {
    EXPECT_NEAR(found, n * p, 5 * std::sqrt(n * p * (1 - p)));
  };
  const int twice = count(R"("serving":"aa")");
  near(twice, kDuels, 0.2);
  near(count(R"("by":"floor")"), kDuels - twice, 0.3);
}

// --- Pages of results ---------------------------------------------------------------------------

const std::string kPages = R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                           R"("interleave":{"length":2},"policy":"uniform","seed":3})";

TEST(Contract, a_paused_experiment_still_gives_pages) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, kPages).status, 201);
  api.post(kE + "/start");
  api.post(kE + "/pause");
  const Told page = api.post(kE + "/interleavings",
                             R"({"duel_id":"q","lists":{"a":["1","2","3"],"b":["4","5"]}})");
  ASSERT_EQ(page.status, 201);
  EXPECT_EQ(page.text("serving"), "fallback");
  ASSERT_EQ(page.body.at("items").size(), 2U);
  EXPECT_EQ(page.body.at("items").items()[0].at("object_id").get<std::string>(), "1");
  EXPECT_EQ(page.body.at("next_offset").get<int>(), 2);
  // Step by step, too.
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"p"})").text("serving"), "fallback");
  const Told next = api.put(kE + "/duels/p/interleaving",
                            R"({"lists":{"a":["1","2","3"],"b":["4"]},"offset":2})");
  ASSERT_EQ(next.status, 200);
  EXPECT_EQ(next.body.at("items").items()[0].at("object_id").get<std::string>(), "3");
}

TEST(Contract, lists_are_checked_before_a_duel_is_served_for_them) {
  ServedApi api;
  api.put(kE, kPages);
  api.post(kE + "/start");
  const auto status = [&](const std::string& lists) {
    return api.post(kE + "/interleavings", R"({"lists":)" + lists + "}").status;
  };
  EXPECT_EQ(status(R"({"a":["1"],"b":[2]})"), 400);
  EXPECT_EQ(status(R"({"a":["1"],"b":"2"})"), 400);
  EXPECT_EQ(status(R"({"a":["1"],"b":[""]})"), 400);
  EXPECT_EQ(status(R"({"a":["1"],"b":["2"],"z":["3"]})"), 400);
  EXPECT_EQ(status(R"([])"), 400);
  EXPECT_EQ(api.get(kE).body.at("served").get<int>(), 0);
  EXPECT_EQ(status(R"({"a":["1"],"b":["2"]})"), 201);
  ServedApi duels;
  start_three_arms(duels);
  EXPECT_EQ(duels.post(kE + "/interleavings", R"({"lists":{"a":["1"],"b":["2"]}})").status, 409);
}

TEST(Contract, the_second_page_of_a_repeated_question_goes_on_with_the_first_ones_lists) {
  ServedApi api;
  api.put(kE, kPages);
  api.post(kE + "/start");
  const auto page = [&](const std::string& lists, int offset) {
    return api.post(kE + "/interleavings",
                    fmt::format(R"({{"duel_id":"q","lists":{},"offset":{}}})", lists, offset));
  };
  const std::string lists = R"({"a":["1","2","3"],"b":["4","5","6"]})";
  const Told one = page(lists, 0);
  ASSERT_EQ(one.status, 201);
  const Told two = page(R"({"a":["9"],"b":["8"]})", 2);
  EXPECT_EQ(two.status, 200);
  std::set<std::string> objects;
  for (const Told* told : {&one, &two}) {
    for (const Json& item : told->body.at("items").items()) {
      objects.insert(item.at("object_id").get<std::string>());
    }
  }
  EXPECT_EQ(objects.size(), 4U);
  EXPECT_FALSE(objects.contains("9"));
  EXPECT_EQ(page(lists, 0).body.at("items").dump(), one.body.at("items").dump());
}

TEST(Contract, an_event_that_cannot_count_says_why) {
  ServedApi api;
  api.put(kE, kPages);
  api.post(kE + "/start");
  api.post(kE + "/interleavings", R"({"duel_id":"q","lists":{"a":["1","2"],"b":["3","4"]}})");
  const auto reason = [&](const std::string& event) {
    const Told told = api.post("/v1/events", event);
    EXPECT_EQ(told.status, 202);
    const auto rejected = told.body.at("rejected").items();
    return rejected.empty() ? std::string() : rejected[0].at("reason").get<std::string>();
  };
  const auto event = [](const std::string& rest) {
    return R"({"action_name":"click","timestamp":"2026-11-15T00:00:01Z")" + rest + "}";
  };
  EXPECT_EQ(reason(R"({"action_name":"click"})"), "/timestamp is missing");
  EXPECT_EQ(reason(event("")), "/query_id is missing");
  EXPECT_EQ(reason(event(R"(,"query_id":"z")")), "no duel was served under this query_id");
  const std::string of_q = R"(,"query_id":"q","event_attributes":{"object":{"object_id":")";
  EXPECT_EQ(reason(event(of_q + R"(7"}})")), "the item was not shown");
  EXPECT_NE(reason(event(of_q + R"(1"},"position":{"ordinal":99}})")).find("not at 99"),
            std::string::npos);
  EXPECT_EQ(reason(event(of_q + R"(1"},"position":{"ordinal":"x"}})")),
            "/event_attributes/position/ordinal is not a whole number from 0");
  EXPECT_EQ(reason(event(of_q + R"(1"}},"client_id":null,"more":{"a":1})")), "");
  EXPECT_EQ(reason("7"), "the event is not an object");
}

TEST(Contract, what_is_not_understood_is_refused_by_its_name) {
  ServedApi api;
  start_three_arms(api);
  const auto pointer = [&](const Told& told) {
    EXPECT_EQ(told.status, 400);
    const Json* errors = told.body.find("errors");
    return errors == nullptr ? std::string() : errors->items()[0].at("pointer").get<std::string>();
  };
  EXPECT_EQ(pointer(api.post(kE + "/duels", R"({"duel":"x"})")), "/duel");
  EXPECT_EQ(pointer(api.post(kE + "/duels", R"({"count":"x"})")), "/count");
  EXPECT_EQ(pointer(api.put(kE + "/duels/q/outcome", R"({"result":"won"})")), "/result");
  EXPECT_EQ(pointer(api.post("/v1/plan", R"({"arms":500})")), "/arms");
  EXPECT_EQ(pointer(api.post("/v1/plan", R"({"goal":"best"})")), "/goal");
  EXPECT_EQ(pointer(api.post("/v1/plan", R"({"parallel":1001})")), "/parallel");
}

}  // namespace
}  // namespace duel
