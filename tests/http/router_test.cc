#include "duel/http/router.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/http/http_call.h"

namespace duel {
namespace {

// Answers with the name of the route and its parameters.
Route route(HttpMethod method, const std::string& pattern) {
  const std::string name = std::string(to_word(method)) + " " + pattern;
  return {method, pattern, name,
          [name](HttpRequest&&, const PathParameters& parameters, HttpReply reply) {
            std::string text = name;
            for (const auto& [key, value] : parameters.all()) text += " " + key + "=" + value;
            reply.send({200, {}, text});
          }};
}

const Router& router() {
  static const Router all({route(HttpMethod::get, "/"), route(HttpMethod::get, "/v1/experiments"),
                           route(HttpMethod::get, "/v1/experiments/{eid}"),
                           route(HttpMethod::put, "/v1/experiments/{eid}"),
                           route(HttpMethod::post, "/v1/experiments/{eid}/start"),
                           route(HttpMethod::get, "/v1/experiments/{eid}/{part}"),
                           route(HttpMethod::put, "/v1/experiments/{eid}/duels/{did}/outcome"),
                           route(HttpMethod::options, "/v1/events"),
                           route(HttpMethod::head, "/v1/head"),
                           route(HttpMethod::get, "/v1/head")});
  return all;
}

HttpResponse ask(HttpMethod method, const std::string& target) {
  return answer_of(
      [](HttpRequest&& r, HttpReply reply) { router().handle(std::move(r), std::move(reply)); },
      http_request(method, target));
}

TEST(Router, finds_the_route_and_decodes_its_parameters) {
  EXPECT_EQ(ask(HttpMethod::get, "/").body, "GET /");
  EXPECT_EQ(ask(HttpMethod::get, "/?x=1").body, "GET /");
  EXPECT_EQ(ask(HttpMethod::get, "/v1/experiments").body, "GET /v1/experiments");
  EXPECT_EQ(ask(HttpMethod::put, "/v1/experiments/a%2Fb%20c").body,
            "PUT /v1/experiments/{eid} eid=a/b c");
  EXPECT_EQ(ask(HttpMethod::put, "/v1/experiments/e1/duels/d.2:x/outcome").body,
            "PUT /v1/experiments/{eid}/duels/{did}/outcome eid=e1 did=d.2:x");
  EXPECT_EQ(ask(HttpMethod::get, "/v1/%65xperiments").body, "GET /v1/experiments");
}

TEST(Router, takes_a_literal_before_a_parameter_if_the_method_fits) {
  EXPECT_EQ(ask(HttpMethod::post, "/v1/experiments/e/start").body,
            "POST /v1/experiments/{eid}/start eid=e");
  EXPECT_EQ(ask(HttpMethod::get, "/v1/experiments/e/start").body,
            "GET /v1/experiments/{eid}/{part} eid=e part=start");
  EXPECT_EQ(ask(HttpMethod::get, "/v1/experiments/e/result").body,
            "GET /v1/experiments/{eid}/{part} eid=e part=result");
}

TEST(Router, head_goes_where_get_goes_unless_it_has_a_route) {
  EXPECT_EQ(ask(HttpMethod::head, "/v1/experiments").body, "GET /v1/experiments");
  EXPECT_EQ(ask(HttpMethod::head, "/v1/head").body, "HEAD /v1/head");
}

TEST(Router, answers_404_for_a_path_that_is_not_there) {
  for (const char* path :
       {"/v1", "/v1/", "/v2/experiments", "/v1/experiments/", "/v1/experiments//start", "//",
        "/v1/experiments/e/duels/d", "/v1/experiments/e/duels//outcome", "/V1/experiments"}) {
    const HttpResponse response = ask(HttpMethod::get, path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(*response.header("content-type"), "application/problem+json");
  }
}

TEST(Router, answers_405_with_what_is_allowed) {
  const HttpResponse one = ask(HttpMethod::del, "/v1/experiments/e");
  EXPECT_EQ(one.status, 405);
  EXPECT_EQ(*one.header("allow"), "GET, HEAD, OPTIONS, PUT");
  // All that any route at this path takes.
  EXPECT_EQ(*ask(HttpMethod::del, "/v1/experiments/e/start").header("allow"),
            "GET, HEAD, OPTIONS, POST");
  EXPECT_EQ(ask(HttpMethod::other, "/").status, 405);
}

TEST(Router, answers_options_itself_where_there_is_no_route) {
  const HttpResponse options = ask(HttpMethod::options, "/v1/experiments/e");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.body, "");
  EXPECT_EQ(*options.header("allow"), "GET, HEAD, OPTIONS, PUT");
  EXPECT_EQ(ask(HttpMethod::options, "/v1/events").body, "OPTIONS /v1/events");
}

TEST(Router, refuses_what_cannot_be_decoded) {
  EXPECT_EQ(ask(HttpMethod::get, "/v1/experiments/%zz").status, 400);
  EXPECT_EQ(ask(HttpMethod::get, "*").status, 400);
}

TEST(Router, survives_being_moved) {
  Router first({route(HttpMethod::get, "/a/{x}")});
  const Router second = std::move(first);
  const Router::Match match = second.match(HttpMethod::get, "/a/b");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route, &second.routes().front());
  EXPECT_EQ(match.parameters.at("x"), "b");
}

TEST(Router, is_not_made_of_routes_that_contradict_each_other) {
  const auto make = [](const std::string& one, const std::string& other) {
    Router({route(HttpMethod::get, one), route(HttpMethod::get, other)});
  };
  EXPECT_ANY_THROW(make("/a/{x}", "/a/{y}"));
  EXPECT_ANY_THROW(make("/a", "/a"));
  EXPECT_ANY_THROW(make("a", "/b"));
  EXPECT_ANY_THROW(make("/{x}/{x}", "/b"));
  EXPECT_NO_THROW(make("/a/{x}", "/a/b"));
}

}  // namespace
}  // namespace duel
