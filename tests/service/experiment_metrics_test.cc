#include "duel/service/experiment_metrics.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/server/metrics_page.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << line << "\nin\n" << text;
}

std::string metrics(ServedApi& api) { return api.streamed("/metrics"); }

// Serves a duel under the id and reports a win of its first arm.
void play(ServedApi& api, const std::string& experiment, const std::string& duel_id) {
  const Told duel = api.post(experiment + "/duels", R"({"duel_id":")" + duel_id + R"("})");
  ASSERT_EQ(duel.status, 201);
  ASSERT_EQ(api.put(experiment + "/duels/" + duel_id + "/outcome", win_of(first_arm(duel))).status,
            200);
}

TEST(ExperimentMetrics, duels_are_counted_by_what_they_are_for_and_replays_are_not) {
  ServedApi api;
  start_three_arms(api);
  play(api, kE, "d1");
  EXPECT_EQ(api.post(kE + "/duels", R"({"duel_id":"d1"})").status, 200);  // again
  EXPECT_EQ(api.post(kE + "/duels", R"({"count":3})").status, 201);
  const Told next = api.post(kE + "/duels", R"({"duel_id":"d2"})");
  for (int k = 0; k < 2; ++k) {  // the second brings the same next duel
    ASSERT_EQ(api.put(kE + "/duels/d2/outcome?next=1", win_of(first_arm(next))).status, 200);
  }
  api.post(kE + "/pause");
  EXPECT_EQ(api.post(kE + "/duels").text("serving"), "fallback");
  const std::string text = metrics(api);
  expect_line(text, R"(duel_duels_served_total{experiment="e",serving="explore"} 6)");
  expect_line(text, R"(duel_duels_served_total{experiment="e",serving="fallback"} 1)");
  expect_line(text, R"(duel_duels_served_total{experiment="e",serving="aa"} 0)");
  expect_line(text, R"(duel_outcomes_total{experiment="e",result="win"} 2)");
  expect_line(text, R"(duel_pending_duels{experiment="e"} 4)");
  expect_line(text, R"(duel_certified{experiment="e"} 0)");
}

TEST(ExperimentMetrics, outcomes_that_are_not_applied_are_counted_by_why) {
  ServedApi api;
  start_three_arms(api);
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"d1"})");
  const std::string first = first_arm(duel), at = kE + "/duels/d1/outcome";
  ASSERT_EQ(api.put(at, win_of("nobody")).status, 400);
  ASSERT_EQ(api.put(at, "{\"result\":7}").status, 400);
  ASSERT_EQ(api.put(at, win_of(first)).status, 200);
  ASSERT_EQ(api.put(at, win_of(first)).text("status"), "duplicate");
  ASSERT_EQ(api.put(at, R"({"result":"tie"})").status, 409);
  ASSERT_EQ(api.put(kE + "/duels/d9/outcome", R"({"result":"tie"})").status, 404);
  ASSERT_EQ(api.post(kE + "/outcomes",
                     R"([{"duel_id":"d9","result":"tie"},{"duel_id":"d1","result":"tie"},7])")
                .status,
            200);
  // Names that do not exist make no series.
  ASSERT_EQ(api.put("/v1/experiments/none/duels/d1/outcome", R"({"result":"tie"})").status, 404);
  const std::string text = metrics(api);
  expect_line(text, R"(duel_outcomes_rejected_total{experiment="e",reason="invalid"} 3)");
  expect_line(text, R"(duel_outcomes_rejected_total{experiment="e",reason="duplicate"} 1)");
  expect_line(text, R"(duel_outcomes_rejected_total{experiment="e",reason="conflict"} 2)");
  expect_line(text, R"(duel_outcomes_rejected_total{experiment="e",reason="unknown"} 2)");
  EXPECT_EQ(text.find("reason=\"applied\""), std::string::npos);
  EXPECT_EQ(text.find("none"), std::string::npos);
}

TEST(ExperimentMetrics, series_stay_when_an_experiment_leaves_memory_and_go_on_when_it_is_back) {
  ServedApi api;
  api.most_in_memory = 1;
  api.restart();
  for (const char* id : {"x", "y"}) {
    const std::string path = std::string("/v1/experiments/") + id;
    ASSERT_EQ(api.put(path, kThreeArms).status, 201);
    ASSERT_EQ(api.post(path + "/start").status, 200);
    play(api, path, "d1");
    ASSERT_EQ(api.post(path + "/duels", R"({"duel_id":"d2"})").status, 201);
  }
  while (api.engine().counts().in_memory > 1) api.get("/v1/experiments/y");
  std::string text = metrics(api);
  expect_line(text, R"(duel_duels_served_total{experiment="x",serving="explore"} 2)");
  expect_line(text, R"(duel_outcomes_total{experiment="x",result="win"} 1)");
  expect_line(text, R"(duel_pending_duels{experiment="x"} 1)");
  play(api, "/v1/experiments/x", "d3");  // from its snapshot
  text = metrics(api);
  expect_line(text, R"(duel_outcomes_total{experiment="x",result="win"} 2)");
  expect_line(text, R"(duel_outcomes_total{experiment="y",result="win"} 1)");
  // They count what this process did.
  api.restart();
  EXPECT_EQ(api.get("/v1/experiments/x").status, 200);
  expect_line(metrics(api), R"(duel_outcomes_total{experiment="x",result="win"} 0)");
}

// The state is dropped with a record that never reached the log, and what was counted before it was
// scraped by nobody yet.
TEST(ExperimentMetrics, outcomes_before_an_append_that_failed_are_counted_once) {
  ServedApi api;
  FaultyStore* store = nullptr;
  api.around_store = [&](std::unique_ptr<Store> disk) {
    auto faulty = std::make_unique<FaultyStore>(std::move(disk));
    store = faulty.get();
    return faulty;
  };
  api.restart();
  start_three_arms(api);
  play(api, kE, "d1");
  play(api, kE, "d2");
  const Told open = api.post(kE + "/duels", R"({"duel_id":"d3"})");
  ASSERT_EQ(open.status, 201);
  store->arm(FaultyStore::Call::append, 0);
  ASSERT_EQ(api.put(kE + "/duels/d3/outcome", win_of(first_arm(open))).status, 503);
  expect_line(metrics(api), R"(duel_outcomes_total{experiment="e",result="win"} 2)");
  EXPECT_EQ(metrics(api).find("duel_pending_duels{experiment=\"e\"}"), std::string::npos)
      << "the state in memory was given up, and with it what waits";
  api.engine().probe_store();
  ASSERT_EQ(api.put(kE + "/duels/d3/outcome", win_of(first_arm(open))).status, 200);
  const std::string text = metrics(api);
  expect_line(text, R"(duel_outcomes_total{experiment="e",result="win"} 3)");
  expect_line(text, R"(duel_pending_duels{experiment="e"} 0)");
}

TEST(ExperimentMetrics, appends_and_streamed_answers_are_counted) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_FALSE(api.streamed(kE + "/export?what=audit").empty());
  EXPECT_EQ(api.streamed("/v1/experiments/none/export?what=audit"), "");
  const std::string text = metrics(api);
  expect_line(text, R"(duel_http_requests_total{route="export_log",method="GET",code="200"} 1)");
  expect_line(text, R"(duel_http_requests_total{route="export_log",method="GET",code="404"} 1)");
  expect_line(text, "# TYPE duel_store_append_duration_seconds histogram");
  expect_line(text, "duel_store_append_duration_seconds_count 2");
  expect_line(text, R"(duel_store_append_duration_seconds_bucket{le="+Inf"} 2)");
}

TEST(Metrics, every_family_is_announced_once_with_what_it_means) {
  ServedApi api;
  start_three_arms(api);
  play(api, kE, "d1");
  EXPECT_EQ(api.put(kE + "/duels/none/outcome", R"({"result":"tie"})").status, 404);
  const std::string text = metrics(api);
  for (const std::string& error : metrics_page_errors(text)) ADD_FAILURE() << error;
  for (const char* family : {"duel_build_info", "duel_http_requests_total", "duel_certified"}) {
    EXPECT_NE(text.find(std::string("# HELP ") + family + " "), std::string::npos) << family;
  }
}

TEST(Metrics, a_page_that_announces_badly_is_seen) {
  const auto errors = [](const std::string& page) { return metrics_page_errors(page).size(); };
  const std::string sound = "# HELP a Text.\n# TYPE a counter\na 1\n";
  EXPECT_EQ(errors(sound), 0U);
  EXPECT_EQ(errors("# TYPE a counter\na 1\n"), 1U);
  EXPECT_EQ(errors("# HELP a Text.\n# TYPE a counter\nb 1\n"), 1U);
  EXPECT_EQ(errors(sound + "# HELP a Text.\n# TYPE a counter\na{x=\"1\"} 1\n"), 2U);
  EXPECT_EQ(errors("# HELP a Text.\n"), 2U);
  EXPECT_EQ(errors("# HELP a Text.\n# TYPE a histogram\na_sum 1\na_count 1\na 1\n"), 1U);
  EXPECT_EQ(errors(sound + "a 2\n"), 1U);
}

// A caller who tries out paths and methods must not be able to create series.
TEST(Metrics, requests_without_a_route_are_counted_under_few_words) {
  ServedApi api;
  for (const char* path : {"/nothing", "/v1/nothing", "/wp-login.php"}) {
    EXPECT_EQ(api.get(path).status, 404) << path;
  }
  EXPECT_EQ(api.get("/v1/%zz").status, 400);
  EXPECT_EQ(api.put("/v1/plan").status, 405);
  EXPECT_EQ(api.call(HttpMethod::options, "/v1/plan").status, 204);
  EXPECT_EQ(
      api.call(HttpMethod::options, kE + "/duels", "",
               {{"origin", "https://shop.example"}, {"access-control-request-method", "POST"}})
          .status,
      204);
  for (const char* method : {"BREW", "PROPFIND"}) {
    HttpRequest request =
        http_request(HttpMethod::other, "/nothing", "", {{"host", "127.0.0.1:7557"}});
    request.method_text = method;
    EXPECT_EQ(api.exchange_with(request).status, 404);
  }
  const std::string text = metrics(api);
  expect_line(text, R"(duel_http_requests_total{route="none",method="GET",code="404"} 3)");
  expect_line(text, R"(duel_http_requests_total{route="none",method="GET",code="400"} 1)");
  expect_line(text, R"(duel_http_requests_total{route="none",method="PUT",code="405"} 1)");
  expect_line(text, R"(duel_http_requests_total{route="none",method="OPTIONS",code="204"} 1)");
  expect_line(text, R"(duel_http_requests_total{route="preflight",method="OPTIONS",code="204"} 1)");
  expect_line(text, R"(duel_http_requests_total{route="none",method="other",code="404"} 2)");
  EXPECT_EQ(text.find("nothing"), std::string::npos);
  EXPECT_EQ(text.find("BREW"), std::string::npos);
}

}  // namespace
}  // namespace duel
