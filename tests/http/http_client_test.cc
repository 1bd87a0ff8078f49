#include "duel/http/http_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/http/http.h"

namespace duel {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<HttpServer> serve(HttpHandler handler, HttpLimits limits = {}) {
  return std::move(HttpServer::listen({"127.0.0.1", 0}, std::move(limits), 1, std::move(handler)))
      .value();
}

HttpClient client_of(const HttpServer& server, HttpClientOptions options = {},
                     const std::string& prefix = "") {
  return std::move(HttpClient::make("http://" + server.address().to_string() + prefix,
                                    std::move(options)))
      .value();
}

TEST(HttpClient, sends_what_it_is_given_and_keeps_its_connection) {
  HttpRequest seen;
  const auto server = serve([&](HttpRequest&& request, HttpReply reply) {
    seen = request;
    reply.send({201, {{"ETag", "7"}}, "{}"});
  });
  HttpClientOptions options;
  options.token = "duel_admin_abc";
  HttpClient client = client_of(*server, options, "/base/");
  const auto response = client.send_json(HttpMethod::put, "/v1/x?a=1", "{\"b\":2}");
  ASSERT_TRUE(response.ok()) << response.error().to_string();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(*response->header("ETag"), "7");
  EXPECT_EQ(response->body, "{}");
  EXPECT_EQ(seen.method, HttpMethod::put);
  EXPECT_EQ(seen.target, "/base/v1/x?a=1");
  EXPECT_EQ(seen.body, "{\"b\":2}");
  EXPECT_EQ(*seen.header("authorization"), "Bearer duel_admin_abc");
  EXPECT_EQ(*seen.header("content-type"), "application/json");
  EXPECT_EQ(*seen.header("host"), server->address().to_string());
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(client.send(HttpMethod::head, "/").ok());
  EXPECT_TRUE(client.send(HttpMethod::post, "/").ok());
  EXPECT_EQ(server->load().connections, 1U);
}

TEST(HttpClient, opens_a_closed_connection_again_for_what_may_be_repeated) {
  HttpLimits limits;
  limits.idle_timeout = milliseconds(30);
  const auto server = serve([](HttpRequest&&, HttpReply reply) { reply.send({}); }, limits);
  HttpClient client = client_of(*server);
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(client.get("/").ok());
    while (server->load().connections > 0) std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(server->load().requests, 3U);
  // The server may have done the work of a POST, so it is not sent again.
  EXPECT_FALSE(client.send(HttpMethod::post, "/").ok());
  EXPECT_TRUE(client.send(HttpMethod::post, "/").ok());
}

TEST(HttpClient, reads_a_refusal_although_its_body_was_not_taken) {
  HttpLimits limits;
  limits.body_bytes = 1'000;
  const auto server = serve([](HttpRequest&&, HttpReply reply) { reply.send({}); }, limits);
  HttpClient client = client_of(*server);
  const auto response = client.send(HttpMethod::post, "/", std::string(3'000'000, 'x'));
  ASSERT_TRUE(response.ok()) << response.error().to_string();
  EXPECT_EQ(response->status, 413);
  EXPECT_TRUE(client.get("/").ok());
}

TEST(HttpClient, gives_up_in_time_and_says_which_server) {
  std::mutex mutex;
  std::vector<HttpReply> kept;
  const auto server = serve([&](HttpRequest&&, HttpReply reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(reply));
  });
  HttpClientOptions options;
  options.read_timeout = milliseconds(50);
  HttpClient client = client_of(*server, options);
  const auto response = client.get("/");
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().to_string(),
            fmt::format("http://{}: no answer came within 50 ms", server->address().to_string()));
  const std::lock_guard lock(mutex);
  kept.clear();
}

TEST(HttpClient, says_that_nobody_listens) {
  std::string url;
  {
    const auto server = serve([](HttpRequest&&, HttpReply reply) { reply.send({}); });
    url = "http://" + server->address().to_string();
  }
  const auto response = HttpClient::make(url)->get("/");
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::io);
  EXPECT_EQ(response.error().to_string(),
            url + ": the server cannot be reached: Connection refused");
  EXPECT_FALSE(HttpClient::make("http://no.such.host.invalid")->get("/").ok());
}

TEST(HttpClient, hands_over_a_stream_as_it_comes_but_collects_an_error) {
  const auto server = serve([](HttpRequest&& request, HttpReply reply) {
    if (request.path != "/stream") return reply.send(problem(404, "nothing"));
    const auto stream = reply.stream(200, {});
    stream->write("one ");
    stream->write("two");
    stream->finish();
  });
  HttpClient client = client_of(*server);
  std::string all;
  const auto sink = [&](std::string_view piece) {
    all += piece;
    return true;
  };
  auto response = client.stream("/stream", sink);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(all, "one two");
  EXPECT_EQ(response->body, "");
  response = client.stream("/none", sink);
  EXPECT_EQ(response->status, 404);
  EXPECT_NE(response->body.find("nothing"), std::string::npos);
  EXPECT_EQ(all, "one two");
  // A sink that has seen enough ends the stream, and the client can be used again.
  response = client.stream("/stream", [](std::string_view) { return false; });
  ASSERT_TRUE(response.ok()) << response.error().to_string();
  EXPECT_EQ(response->status, 200);
  EXPECT_TRUE(client.get("/none").ok());
}

TEST(HttpClient, bounds_what_it_collects) {
  const auto server =
      serve([](HttpRequest&&, HttpReply reply) { reply.send({200, {}, std::string(1'000, 'x')}); });
  HttpClientOptions options;
  options.body_bytes = 999;
  EXPECT_FALSE(client_of(*server, options).get("/").ok());
  options.body_bytes = 1'000;
  EXPECT_TRUE(client_of(*server, options).get("/").ok());
}

TEST(HttpClient, refuses_urls_that_it_cannot_use) {
  EXPECT_EQ(HttpClient::make("http://h")->address(), (HttpAddress{"h", 80}));
  EXPECT_EQ(HttpClient::make("HTTP://[::1]/p")->address(), (HttpAddress{"::1", 80}));
  EXPECT_EQ(HttpClient::make("http://[::1]:81")->address(), (HttpAddress{"::1", 81}));
  for (const char* url : {"", "h:80", "https://h", "ftp://h", "http://", "http://:80", "http://h:x",
                          "http://h:0", "http://a@h", "http://h/?q", "http://h/\r\nX: y"}) {
    const auto client = HttpClient::make(url);
    ASSERT_FALSE(client.ok()) << url;
    EXPECT_EQ(client.error().field, "server");
  }
  HttpClientOptions options;
  options.token = "a\r\nX: y";
  EXPECT_EQ(HttpClient::make("http://h", options).error().field, "token");
}

}  // namespace
}  // namespace duel
