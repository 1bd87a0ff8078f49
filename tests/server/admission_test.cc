// What a request may send is decided on its headers: nobody without a right makes the server read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/http/raw_client.h"
#include "tests/server/served_api.h"
#include "tests/support/contract.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";
const std::string kAtHome = "127.0.0.1:7557";

class Admission : public ::testing::Test {
 protected:
  void SetUp() override {
    start_three_arms(api);
    admin = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  }
  HttpAdmission asked(HttpMethod method, const std::string& target, const std::string& token,
                      HttpFields headers = {{"host", kAtHome}}) {
    if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
    return api.api().admit_body(http_request(method, target, "", std::move(headers)));
  }
  // The status of the refusal; 0: none.
  int refused(HttpMethod method, const std::string& target, const std::string& token,
              HttpFields headers = {{"host", kAtHome}}) {
    const HttpAdmission told = asked(method, target, token, std::move(headers));
    return told.refusal ? told.refusal->status : 0;
  }
  std::string token(TokenScope scope, const std::string& experiment = "") {
    return api.tokens().create(scope, "", experiment, 0).value().first;
  }

  ServedApi api;
  std::string admin;
};

TEST_F(Admission, an_import_is_for_those_who_may_and_goes_into_a_file) {
  const std::string import = kE + "/import";
  EXPECT_EQ(refused(HttpMethod::post, import, ""), 401);
  EXPECT_EQ(refused(HttpMethod::post, import, "duel_admin_x"), 401);
  EXPECT_EQ(refused(HttpMethod::post, import, token(TokenScope::read)), 403);
  EXPECT_EQ(refused(HttpMethod::post, import, token(TokenScope::admin, "other")), 403);
  const HttpAdmission taken = asked(HttpMethod::post, import, admin);
  EXPECT_FALSE(taken.refusal);
  EXPECT_EQ(taken.body_bytes, std::size_t{256} << 20);
  EXPECT_TRUE(taken.to_file);
}

TEST_F(Admission, a_route_without_a_token_takes_what_fits_a_report_token_or_nothing) {
  for (const RouteFact& fact : api.api().facts()) {
    const std::string path = path_of(fact);
    const HttpAdmission told = asked(fact.method, path, "");
    if (fact.takes_contents.empty()) {
      EXPECT_EQ(told.body_bytes, 4'096U) << fact.name;
    } else if (fact.by_report_token) {
      EXPECT_EQ(told.body_bytes, fact.bytes_by_report_token) << fact.name;
    } else {
      ASSERT_TRUE(told.refusal) << fact.name;
      EXPECT_EQ(told.refusal->status, 401) << fact.name;
      ASSERT_NE(told.refusal->header("www-authenticate"), nullptr);
    }
    EXPECT_FALSE(told.to_file) << fact.name;
    if (fact.takes_contents.empty()) continue;
    EXPECT_EQ(refused(fact.method, path, "nonsense"), 401) << fact.name;
  }
}

TEST_F(Admission, what_is_no_route_gets_a_few_bytes_and_its_answer_later) {
  for (const char* path : {"/", "/nowhere", "/v1/experiments/e/import/more", "/%zz"}) {
    const HttpAdmission told = asked(HttpMethod::post, path, "");
    EXPECT_FALSE(told.refusal) << path;
    EXPECT_EQ(told.body_bytes, 4'096U) << path;
  }
}

TEST_F(Admission, pages_elsewhere_are_refused_on_their_headers_too) {
  const std::string outcome = kE + "/duels/d/outcome";
  EXPECT_EQ(refused(HttpMethod::put, outcome, admin, {{"host", "evil.example"}}), 403);
  EXPECT_EQ(refused(HttpMethod::put, outcome, admin,
                    {{"host", kAtHome}, {"origin", "https://evil.example"}}),
            403);
  const HttpAdmission told = asked(HttpMethod::put, outcome, token(TokenScope::read),
                                   {{"host", kAtHome}, {"origin", "https://shop.example"}});
  ASSERT_TRUE(told.refusal);
  EXPECT_EQ(told.refusal->status, 403);
  ASSERT_NE(told.refusal->header("access-control-allow-origin"), nullptr)
      << "without it the page could not read why";
}

// The API behind sockets, with the limits that `duel serve` sets.
class Listening : public Admission {
 protected:
  void SetUp() override {
    Admission::SetUp();
    HttpLimits limits;
    limits.admit = [this](const HttpRequest& head) { return api.api().admit_body(head); };
    limits.file_directory = api.directory();
    auto made = HttpServer::listen({"127.0.0.1", 0}, limits, 2,
                                   [this](HttpRequest&& request, HttpReply reply) {
                                     api.api().handle(std::move(request), std::move(reply));
                                   });
    ASSERT_TRUE(made.ok());
    server = std::move(*made);
  }
  void TearDown() override { server.reset(); }
  std::string head(const std::string& line, std::size_t bytes, const std::string& token,
                   const std::string& type = "application/json") const {
    return fmt::format(
        "{} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", line,
        kAtHome, type, bytes, token.empty() ? "" : "Authorization: Bearer " + token + "\r\n");
  }

  std::unique_ptr<HttpServer> server;
};

// 256 MiB that were only declared once took all bodies from everybody for a minute.
TEST_F(Listening, callers_who_only_announce_bodies_keep_nobody_from_reporting) {
  std::vector<RawClient> liars;
  for (int k = 0; k < 10; ++k) {
    liars.emplace_back(server->address());
    liars.back().send(head("POST " + kE + "/import", std::size_t{256} << 20, ""));
    EXPECT_EQ(status_of(liars.back().read_response()), 401);
  }
  for (int k = 0; k < 10; ++k) {
    liars.emplace_back(server->address());
    liars.back().send(
        head("POST " + kE + "/import", std::size_t{256} << 20, admin, "application/x-ndjson") +
        "{");
    liars.emplace_back(server->address());
    liars.back().send(head("POST /v1/events", std::size_t{1} << 20, "") + "[");
  }
  RawClient client(server->address());
  const std::string wish = R"({"duel_id":"d1"})";
  client.send(head("POST " + kE + "/duels", wish.size(), admin) + wish);
  EXPECT_EQ(status_of(client.read_response()), 201);
  const std::string outcome = R"({"result":"tie","note":")" + std::string(150, 'x') + "\"}";
  client.send(head("PUT " + kE + "/duels/d1/outcome", outcome.size(), admin) + outcome);
  EXPECT_EQ(status_of(client.read_response()), 200);
}

TEST_F(Listening, a_log_is_imported_from_the_file_that_it_came_in) {
  ServedApi other;
  ASSERT_EQ(other.put("/v1/experiments/moved", kThreeArms).status, 201);
  ASSERT_EQ(other.post("/v1/experiments/moved/start").status, 200);
  ASSERT_EQ(other.post("/v1/experiments/moved/duels", R"({"count":100})").status, 201);
  const std::string log = other.streamed("/v1/experiments/moved/export?what=audit");
  ASSERT_GT(log.size(), 5'000U) << "smaller bodies stay in memory";
  RawClient client(server->address());
  client.send(head("POST /v1/experiments/moved/import", log.size(), admin, "application/x-ndjson") +
              log);
  EXPECT_EQ(status_of(client.read_response()), 201);
  api.token = admin;
  EXPECT_EQ(api.get("/v1/experiments/moved").text("head"),
            other.get("/v1/experiments/moved").text("head"));
  EXPECT_EQ(api.streamed("/v1/experiments/moved/export?what=audit"), log);
}

}  // namespace
}  // namespace duel
