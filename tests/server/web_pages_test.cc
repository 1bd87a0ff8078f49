#include "duel/server/web_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "duel/pages/web_asset.h"
#include "tests/http/http_call.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

std::optional<HttpResponse> asked(const std::string& target, HttpFields headers = {},
                                  HttpMethod method = HttpMethod::get) {
  return web_page(http_request(method, target, "", std::move(headers)));
}

std::string header_of(const HttpResponse& response, std::string_view name) {
  const std::string* value = response.header(name);
  return value == nullptr ? "" : *value;
}

bool has_pages() { return !web_assets().empty(); }

TEST(Pages, answer_for_the_dashboard_an_experiment_and_a_vote) {
  for (const char* path : {"/", "/new", "/experiments/logo", "/vote/logo", "/vote/a%2Fb"}) {
    const auto response = asked(path);
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(response->status, 200) << path;
    EXPECT_EQ(header_of(*response, "Content-Type"), "text/html; charset=utf-8") << path;
    EXPECT_NE(response->body.find("<!doctype html>"), std::string::npos) << path;
  }
}

TEST(Pages, leave_the_paths_of_the_api_alone) {
  for (const char* path : {"/v1/experiments", "/healthz", "/openapi.json", "/vote", "/vote/",
                           "/experiments", "/vote/a/b", "/v1/experiments/vote", "/%"}) {
    EXPECT_FALSE(asked(path)) << path;
  }
}

TEST(Pages, let_no_inline_script_and_no_frame_run) {
  for (const char* path : {"/", "/vote/logo"}) {
    const auto response = asked(path);
    ASSERT_TRUE(response);
    const std::string policy = header_of(*response, "Content-Security-Policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy.find("script-src 'self';"), std::string::npos);
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(header_of(*response, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header_of(*response, "X-Content-Type-Options"), "nosniff");
  }
}

TEST(Pages, tell_a_browser_of_an_unknown_path_and_leave_programs_to_the_api) {
  const HttpFields browser = {{"accept", "text/html,application/xhtml+xml,*/*;q=0.8"}};
  const auto told = [](const std::string& target, HttpFields headers,
                       HttpMethod method = HttpMethod::get) {
    return web_page_of_nothing(http_request(method, target, "", std::move(headers)));
  };
  EXPECT_FALSE(told("/nowhere", {}));
  EXPECT_FALSE(told("/nowhere", {{"accept", "*/*"}})) << "curl reads a problem";
  EXPECT_FALSE(told("/nowhere", browser, HttpMethod::post));
  EXPECT_FALSE(told("/v1/nowhere", browser));
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  const auto page = told("/nowhere", browser);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 404);
  EXPECT_EQ(page->body, asked("/")->body);
  EXPECT_NE(header_of(*page, "Content-Security-Policy").find("default-src 'none'"),
            std::string::npos);
  // A browser that knows the dashboard is told all the same.
  HttpFields knows = browser;
  knows.emplace_back("if-none-match", header_of(*asked("/"), "ETag"));
  EXPECT_EQ(told("/nowhere", knows)->status, 404);
}

TEST(Pages, take_get_and_head_only) {
  EXPECT_EQ(asked("/", {}, HttpMethod::head)->status, 200);
  const auto refused = asked("/vote/logo", {}, HttpMethod::post);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 405);
  EXPECT_EQ(header_of(*refused, "Allow"), "GET, HEAD");
}

TEST(Pages, an_unknown_asset_is_404) {
  for (const char* path : {"/assets/none.js", "/assets/..%2f..%2fetc%2fpasswd", "/assets/"}) {
    const auto response = asked(path);
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(response->status, 404) << path;
  }
}

TEST(Pages, say_how_to_get_them_where_they_were_not_built) {
  const HttpResponse page = has_pages() ? web_page_without_assets() : *asked("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(header_of(page, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(header_of(page, "Content-Security-Policy"), "");
  EXPECT_NE(page.body.find("built without its pages"), std::string::npos);
  EXPECT_NE(page.body.find("scripts/setup"), std::string::npos);
}

TEST(Pages, load_nothing_that_is_not_embedded) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  for (const char* path : {"/", "/vote/logo"}) {
    const std::string page = asked(path)->body;
    std::size_t loaded = 0;
    for (const char* attribute : {"src=\"", "href=\""}) {
      for (std::size_t at = page.find(attribute); at != std::string::npos;
           at = page.find(attribute, at + 1)) {
        const std::size_t begin = page.find('"', at) + 1;
        const std::string target = page.substr(begin, page.find('"', begin) - begin);
        const auto asset = asked(target);
        ASSERT_TRUE(asset) << target;
        EXPECT_EQ(asset->status, 200) << target;
        EXPECT_FALSE(asset->body.empty()) << target;
        EXPECT_NE(header_of(*asset, "Cache-Control").find("immutable"), std::string::npos);
        ++loaded;
      }
    }
    EXPECT_EQ(loaded, 3U) << "an icon, a style and a script";
    EXPECT_EQ(page.find("<script>"), std::string::npos);
    EXPECT_EQ(page.find("http"), page.find("http-equiv")) << "no address of elsewhere";
  }
}

TEST(Pages, are_compressed_for_those_who_take_it_and_the_same_for_others) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  const auto plain = asked("/");
  const auto refused = asked("/", {{"accept-encoding", "gzip;q=0"}});
  const auto packed = asked("/", {{"accept-encoding", "br, gzip"}});
  EXPECT_EQ(header_of(*plain, "Content-Encoding"), "");
  EXPECT_EQ(header_of(*refused, "Content-Encoding"), "");
  EXPECT_EQ(header_of(*packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(packed->body.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(plain->body, plain_bytes(*find_web_asset("index.html")));
}

TEST(Pages, are_not_sent_again_to_who_has_them) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  const auto first = asked("/");
  const std::string etag = header_of(*first, "ETag");
  ASSERT_FALSE(etag.empty());
  const auto again = asked("/", {{"if-none-match", etag}});
  EXPECT_EQ(again->status, 304);
  EXPECT_TRUE(again->body.empty());
  EXPECT_EQ(asked("/", {{"if-none-match", "\"other\""}})->status, 200);
}

TEST(Pages, weigh_less_than_480_kib_in_all_and_the_documents_less_than_1_mib) {
  std::size_t bytes = 0, of_documents = 0;
  for (const WebAsset& asset : web_assets()) {
    (asset.name.starts_with("docs/") ? of_documents : bytes) += asset.gzip.size();
  }
  EXPECT_LT(bytes, std::size_t{480} << 10);
  EXPECT_LT(of_documents, std::size_t{1} << 20);
}

TEST(Pages, show_the_documents_below_docs) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  EXPECT_EQ(asked("/docs")->status, 308);
  EXPECT_EQ(header_of(*asked("/docs"), "Location"), "/docs/");
  EXPECT_EQ(asked("/docs/")->body, plain_bytes(*find_web_asset("docs/index.html")));
  EXPECT_EQ(header_of(*asked("/docs/regret.png"), "Content-Type"), "image/png");
  const auto none = asked("/docs/none.html");
  EXPECT_EQ(none->status, 404);
  EXPECT_NE(none->body.find("There is no such document"), std::string::npos);
}

TEST(Pages, are_sorted_by_name_so_that_they_are_found) {
  EXPECT_TRUE(std::ranges::is_sorted(web_assets(), {}, &WebAsset::name));
  EXPECT_EQ(find_web_asset("none"), nullptr);
}

TEST(Pages, need_the_right_host_like_everything_else) {
  ServedApi api;
  EXPECT_EQ(api.call(HttpMethod::get, "/").status, 200);
  const auto exchange = std::make_shared<RecordedExchange>();
  api.api().handle(http_request(HttpMethod::get, "/", "", {{"host", "evil.example"}}),
                   HttpReply(exchange));
  EXPECT_EQ(exchange->response().status, 403);
}

// --- What the pages ask for ---------------------------------------------------------------------

void make_running(ServedApi& api) {
  ASSERT_EQ(api.put("/v1/experiments/logo",
                    R"({"name":"Logo","arms":[{"arm_id":"red"},{"arm_id":"blue"}],
                        "stopping":{"on_certified":"notify"}})")
                .status,
            201);
  ASSERT_EQ(api.post("/v1/experiments/logo/start").status, 200);
}

TEST(PageRoutes, progress_names_no_arm) {
  ServedApi api;
  make_running(api);
  for (int k = 0; k < 30; ++k) {
    const std::string id = "d" + std::to_string(k);
    ASSERT_EQ(api.post("/v1/experiments/logo/duels", R"({"duel_id":")" + id + "\"}").status, 201);
    ASSERT_EQ(api.put("/v1/experiments/logo/duels/" + id + "/outcome",
                      R"({"result":"win","winner":"blue"})")
                  .status,
              200);
  }
  const Told told = api.get("/v1/experiments/logo/progress");
  ASSERT_EQ(told.status, 200);
  EXPECT_EQ(told.text("name"), "Logo");
  EXPECT_EQ(told.text("state"), "running");
  EXPECT_TRUE(told.body.at("certified").get<bool>());
  EXPECT_EQ(told.body.at("share_of_evidence").get<double>(), 1);
  EXPECT_EQ(told.body.dump().find("blue"), std::string::npos);
  EXPECT_EQ(told.body.dump().find("red"), std::string::npos);
}

TEST(PageRoutes, progress_is_for_voters_of_that_experiment) {
  ServedApi api;
  make_running(api);
  const auto admin = api.tokens().create(TokenScope::admin, "me", "", 0);
  const auto voter = api.tokens().create(TokenScope::vote, "link", "logo", 0);
  const auto other = api.tokens().create(TokenScope::vote, "link", "other", 0);
  api.token = voter->first;
  EXPECT_EQ(api.get("/v1/experiments/logo/progress").status, 200);
  EXPECT_EQ(api.get("/v1/experiments/logo/duels").status, 403);
  EXPECT_EQ(api.get("/v1/policies").status, 403);
  api.token = other->first;
  EXPECT_EQ(api.get("/v1/experiments/logo/progress").status, 403);
  api.token = "";
  EXPECT_EQ(api.get("/v1/experiments/logo/progress").status, 401);
}

TEST(PageRoutes, the_last_duels_come_newest_first_with_their_answers) {
  ServedApi api;
  make_running(api);
  EXPECT_EQ(api.get("/v1/experiments/logo/duels").body.at("items").size(), 0U);
  for (const char* id : {"one", "two", "three"}) {
    api.post("/v1/experiments/logo/duels", R"({"duel_id":")" + std::string(id) + "\"}");
  }
  api.put("/v1/experiments/logo/duels/two/outcome",
          R"({"result":"skip","note":"It does not load"})");
  const Told told = api.get("/v1/experiments/logo/duels?limit=2");
  ASSERT_EQ(told.status, 200);
  const auto items = told.body.at("items").items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].at("duel_id").get<std::string>(), "three");
  EXPECT_EQ(items[0].at("state").get<std::string>(), "served");
  EXPECT_EQ(items[1].at("duel_id").get<std::string>(), "two");
  EXPECT_EQ(items[1].at("state").get<std::string>(), "reported");
  EXPECT_EQ(items[1].at("result").get<std::string>(), "skip");
  EXPECT_EQ(items[1].at("note").get<std::string>(), "It does not load");
  EXPECT_EQ(api.get("/v1/experiments/none/duels").status, 404);
}

TEST(PageRoutes, a_long_note_is_refused) {
  ServedApi api;
  make_running(api);
  api.post("/v1/experiments/logo/duels", R"({"duel_id":"one"})");
  const Told told = api.put("/v1/experiments/logo/duels/one/outcome",
                            R"({"result":"skip","note":")" + std::string(201, 'x') + "\"}");
  EXPECT_EQ(told.status, 400);
  EXPECT_NE(told.text("detail").find("/note"), std::string::npos);
}

TEST(PageRoutes, every_policy_that_is_offered_can_be_created) {
  ServedApi api;
  const Told told = api.get("/v1/policies");
  ASSERT_EQ(told.status, 200);
  ASSERT_GT(told.body.at("items").size(), 5U);
  int number = 0;
  for (const Json& policy : told.body.at("items").items()) {
    std::string name = policy.at("name").get<std::string>();
    if (policy.at("needs_horizon").get<bool>()) name += "(horizon=1e6)";
    const Told made = api.put("/v1/experiments/e" + std::to_string(++number),
                              R"({"arms":[{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"}],)"
                              R"("policy":")" +
                                  name + "\"}");
    EXPECT_EQ(made.status, 201) << name << ": " << made.body.dump();
  }
}

}  // namespace
}  // namespace duel
