// The server through real sockets, byte by byte where a client would not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/http/http.h"
#include "duel/http/http_client.h"
#include "tests/http/raw_client.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kHost = "Host: x\r\n";

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\n" + kHost + "\r\n";
}

// Waits for what other threads are to bring about.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

// The stream that a handler puts somewhere: the client may read its head before the handler is
// done.
class KeptStream {
 public:
  void keep(std::shared_ptr<HttpStream> stream) {
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
  }
  HttpStream* operator->() {
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex_);
      return stream_ != nullptr;
    }));
    return stream_.get();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<HttpStream> stream_;
};

// Answers with what was asked: method, target, length and beginning of the body.
void echo(HttpRequest&& request, HttpReply reply) {
  reply.send({200,
              {{"X-Peer", request.peer}},
              fmt::format("{} {} {} {}", request.method_text, request.target, request.body.size(),
                          request.body.substr(0, 20))});
}

std::unique_ptr<HttpServer> serve(HttpHandler handler, HttpLimits limits = {},
                                  std::size_t threads = 2) {
  auto server =
      HttpServer::listen({"127.0.0.1", 0}, std::move(limits), threads, std::move(handler));
  if (!server.ok()) throw std::runtime_error(server.error().to_string());
  return std::move(server).value();
}

TEST(HttpServer, answers_on_a_connection_that_it_keeps) {
  const auto server = serve(echo);
  EXPECT_NE(server->address().port, 0);
  RawClient client(server->address());
  for (int k = 0; k < 3; ++k) {
    client.send(get(fmt::format("/a{}", k)));
    const std::string response = client.read_response();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << response;
    EXPECT_TRUE(response.ends_with(fmt::format("\r\n\r\nGET /a{} 0 ", k))) << response;
    EXPECT_NE(response.find("\r\nX-Peer: 127.0.0.1\r\n"), std::string::npos);
    EXPECT_EQ(response.find("Connection:"), std::string::npos);
  }
  EXPECT_EQ(server->load().connections, 1U);
  EXPECT_EQ(server->load().requests, 3U);
  client.close();
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
}

TEST(HttpServer, closes_when_the_client_says_so) {
  const auto server = serve(echo);
  RawClient client(server->address());
  client.send("GET / HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n");
  const std::string all = client.read_to_end();
  EXPECT_NE(all.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(all.ends_with("GET / 0 "));
  RawClient old(server->address());
  old.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.read_to_end().ends_with("GET /old 0 "));
}

TEST(HttpServer, answers_head_without_a_body_and_204_without_a_length) {
  const auto server = serve([](HttpRequest&& request, HttpReply reply) {
    if (request.path == "/none") return reply.send({204, {}, "never sent"});
    echo(std::move(request), std::move(reply));
  });
  RawClient client(server->address());
  client.send("HEAD /abc HTTP/1.1\r\n" + kHost + "\r\n" + get("/none") + get("/x"));
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 12\r\n"), std::string::npos) << head;
  const std::string none = client.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(none), 204) << none;
  EXPECT_EQ(none.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(client.read_response().ends_with("GET /x 0 "));
}

TEST(HttpServer, answers_pipelined_requests_in_their_order) {
  // Answers from other threads, the first ones last.
  std::vector<std::thread> threads;
  std::mutex mutex;
  const auto server = serve([&](HttpRequest&& request, HttpReply reply) {
    const std::lock_guard lock(mutex);
    const int k = std::stoi(request.path.substr(1));
    threads.emplace_back([k, kept = std::make_shared<HttpReply>(std::move(reply))] {
      std::this_thread::sleep_for(milliseconds(20 - k));
      kept->send({200, {}, std::to_string(k)});
    });
  });
  RawClient client(server->address());
  std::string all;
  for (int k = 0; k < 20; ++k) all += get(fmt::format("/{}", k));
  client.send(all);
  for (int k = 0; k < 20; ++k) {
    EXPECT_TRUE(client.read_response().ends_with(fmt::format("\r\n\r\n{}", k)));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServer, takes_bodies_by_length_and_in_chunks) {
  const auto server = serve(echo);
  RawClient client(server->address());
  const std::string body(100'000, 'b');
  client.send(
      fmt::format("PUT /l HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n{}", kHost, body.size(), body));
  EXPECT_TRUE(client.read_response().ends_with("PUT /l 100000 " + std::string(20, 'b')));
  client.send("POST /c HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n");
  for (int k = 0; k < 10; ++k) client.send(fmt::format("{:x}\r\n{}\r\n", body.size(), body));
  client.send("0\r\n\r\n");
  EXPECT_TRUE(client.read_response().ends_with("POST /c 1000000 " + std::string(20, 'b')));
}

TEST(HttpServer, tells_who_waits_to_go_on_and_refuses_before_the_body_comes) {
  HttpLimits limits;
  limits.body_bytes = 100;
  const auto server = serve(echo, limits);
  RawClient client(server->address());
  client.send("PUT / HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_TRUE(client.read_response().ends_with("PUT / 3 abc"));
  // Who does not wait is not told.
  client.send("PUT / HTTP/1.1\r\n" + kHost +
              "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 200 OK"));
  client.send("PUT / HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 413);
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, refuses_with_a_problem_and_closes) {
  HttpLimits limits;
  limits.header_bytes = 1'000;
  limits.header_count = 10;
  limits.body_bytes = 1'000;
  const auto server = serve(echo, limits);
  std::string many = "GET / HTTP/1.1\r\n" + kHost;
  for (int k = 0; k < 20; ++k) many += fmt::format("X{}: y\r\n", k);
  for (const auto& [text, status] : std::vector<std::pair<std::string, int>>{
           {"nonsense\r\n\r\n", 400},
           {"GET / HTTP/1.1\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\n" + kHost +
                "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
           {many + "\r\n", 431},
           {"GET /" + std::string(2'000, 'a'), 431},
           {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1001\r\n\r\n", 413},
           {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n", 413}}) {
    RawClient client(server->address());
    client.send(text);
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), status) << text << "\n" << response;
    EXPECT_NE(response.find("Content-Type: application/problem+json\r\n"), std::string::npos);
    EXPECT_NE(response.find("Connection: close\r\n"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(server->load().requests, 0U);
}

TEST(HttpServer, a_client_that_sends_too_much_still_reads_the_answer) {
  HttpLimits limits;
  limits.body_bytes = 1'000;
  const auto server = serve(echo, limits);
  RawClient client(server->address());
  client.send("POST / HTTP/1.1\r\n" + kHost + "Content-Length: 3000000\r\n\r\n");
  client.send(std::string(3'000'000, 'x'));
  EXPECT_EQ(status_of(client.read_response()), 413);
}

TEST(HttpServer, answers_408_to_slow_heads_and_bodies_and_closes_the_idle) {
  HttpLimits limits;
  limits.idle_timeout = milliseconds(150);
  limits.header_timeout = milliseconds(150);
  limits.body_timeout = milliseconds(150);
  const auto server = serve(echo, limits);
  RawClient idle(server->address()), slow_head(server->address()), slow_body(server->address());
  slow_body.send("POST / HTTP/1.1\r\n" + kHost + "Content-Length: 100\r\n\r\n");
  // A byte now and then puts nothing off.
  std::thread drip([&] {
    for (const char c : get("/never-complete")) {
      if (!slow_head.send(std::string(1, c)) || !slow_body.send("x")) break;
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  EXPECT_EQ(status_of(slow_head.read_response()), 408);
  EXPECT_EQ(status_of(slow_body.read_response()), 408);
  EXPECT_TRUE(idle.is_closed());
  drip.join();
  EXPECT_EQ(server->load().requests, 0U);
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
}

TEST(HttpServer, waits_for_a_client_that_reads_slowly_but_not_for_one_that_does_not_read) {
  constexpr std::size_t kBytes = std::size_t{30} << 20;  // more than the sockets hold
  HttpLimits limits;
  // Longer than a busy machine lets the reader below wait for its turn.
  limits.write_timeout = milliseconds(2000);
  const auto server =
      serve([](HttpRequest&&, HttpReply reply) { reply.send({200, {}, std::string(kBytes, 'x')}); },
            limits);
  RawClient slow(server->address(), 65'536), asleep(server->address(), 65'536);
  slow.send(get("/"));
  asleep.send(get("/"));
  const auto begin = std::chrono::steady_clock::now();
  std::size_t got = 0;
  while (got < kBytes) {
    const std::size_t more = slow.read_some();
    if (more == 0) break;
    got += more;
    // For longer than the timeout in all.
    if (std::chrono::steady_clock::now() - begin < milliseconds(4000)) {
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
  EXPECT_GE(got, kBytes);
  slow.close();
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
}

TEST(HttpServer, a_client_that_goes_in_mid_body_reaches_no_handler) {
  const auto server = serve(echo);
  {
    RawClient client(server->address());
    client.send("POST / HTTP/1.1\r\n" + kHost + "Content-Length: 100\r\n\r\nhalf");
    EXPECT_TRUE(eventually([&] { return server->load().connections == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
  EXPECT_EQ(server->load().requests, 0U);
}

TEST(HttpServer, a_handler_that_throws_or_forgets_answers_500) {
  const auto server = serve([](HttpRequest&& request, HttpReply) {
    if (request.path == "/throws") throw std::runtime_error("a secret");
  });
  RawClient client(server->address());
  for (const char* path : {"/throws", "/forgets"}) {
    client.send(get(path));
    const std::string response = client.read_response();
    EXPECT_EQ(status_of(response), 500);
    EXPECT_EQ(response.find("secret"), std::string::npos);
  }
}

TEST(HttpServer, no_header_of_an_answer_begins_another) {
  const auto server = serve([](HttpRequest&&, HttpReply reply) {
    reply.send({200, {{"X-Name", "a\r\nSet-Cookie: b"}}, ""});
  });
  RawClient client(server->address());
  client.send(get("/"));
  EXPECT_NE(client.read_response().find("\r\nX-Name: aSet-Cookie: b\r\n"), std::string::npos);
}

TEST(HttpServer, turns_connections_and_requests_away_beyond_its_limits) {
  HttpLimits limits;
  limits.connections = 2;
  limits.requests_in_flight = 1;
  std::mutex mutex;
  std::vector<HttpReply> kept;
  const auto server = serve(
      [&](HttpRequest&&, HttpReply reply) {
        const std::lock_guard lock(mutex);
        kept.push_back(std::move(reply));
      },
      limits);
  RawClient first(server->address()), second(server->address());
  first.send(get("/"));
  EXPECT_TRUE(eventually([&] { return server->load().requests_in_flight == 1; }));
  second.send(get("/"));
  const std::string busy = second.read_response();
  EXPECT_EQ(status_of(busy), 429);
  EXPECT_NE(busy.find("Retry-After: 1\r\n"), std::string::npos);
  RawClient third(server->address());
  EXPECT_EQ(status_of(third.read_response()), 503);
  EXPECT_TRUE(third.is_closed());
  EXPECT_EQ(server->load().refused_connections, 1U);
  {
    const std::lock_guard lock(mutex);
    kept.front().send({200, {}, "at last"});
    kept.clear();
  }
  EXPECT_TRUE(first.read_response().ends_with("at last"));
  // The connection that was told to wait can go on.
  second.send(get("/"));
  EXPECT_TRUE(eventually([&] { return server->load().requests_in_flight == 1; }));
}

// The other addresses must have room, whatever one of them holds open.
TEST(HttpServer, takes_no_more_connections_of_one_address_than_its_share) {
  HttpLimits limits;
  limits.connections = 3;
  limits.connections_of_one = 2;
  const auto server =
      serve([](HttpRequest&&, HttpReply reply) { reply.send({200, {}, "here"}); }, limits);
  const auto is_served = [](RawClient& client) {
    client.send(get("/"));
    return status_of(client.read_response()) == 200;
  };
  RawClient first(server->address(), 0, "127.0.0.1");
  RawClient second(server->address(), 0, "127.0.0.1");
  EXPECT_TRUE(is_served(first));
  EXPECT_TRUE(is_served(second));
  RawClient third(server->address(), 0, "127.0.0.1");
  EXPECT_EQ(status_of(third.read_response()), 503);
  RawClient other(server->address(), 0, "127.0.0.2");
  EXPECT_TRUE(is_served(other));
  // A place that is left is there again.
  first.close();
  EXPECT_TRUE(eventually([&] { return server->load().connections == 2; }));
  RawClient fourth(server->address(), 0, "127.0.0.1");
  EXPECT_TRUE(is_served(fourth));
  EXPECT_EQ(server->load().refused_connections, 1U);
}

// --- Bodies -------------------------------------------------------------------------------------

std::string head_of_body(std::size_t bytes, const std::string& path = "/") {
  return fmt::format("POST {} HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n", path, kHost, bytes);
}

HttpLimits limits_of_bodies(std::size_t all, std::size_t of_one) {
  HttpLimits limits;
  limits.body_bytes = all;
  limits.all_bodies_bytes = all;
  limits.bodies_bytes_of_one = of_one;
  return limits;
}

TEST(HttpServer, bounds_the_bodies_of_all_requests_together) {
  const auto server = serve(echo, limits_of_bodies(100'000, 100'000));
  RawClient first(server->address());
  first.send(head_of_body(100'000) + std::string(80'000, 'x'));
  EXPECT_TRUE(eventually([&] { return server->load().body_bytes > 70'000; }));
  RawClient refused(server->address());
  refused.send(head_of_body(60'000) + std::string(60'000, 'x'));
  const std::string busy = refused.read_response();
  EXPECT_EQ(status_of(busy), 503);
  EXPECT_NE(busy.find("Retry-After: 1\r\n"), std::string::npos);
  first.send(std::string(20'000, 'x'));
  EXPECT_EQ(status_of(first.read_response()), 200);
  EXPECT_EQ(server->load().body_bytes, 0U);
  RawClient second(server->address());
  second.send(head_of_body(100'000) + std::string(100'000, 'x'));
  EXPECT_EQ(status_of(second.read_response()), 200);
}

TEST(HttpServer, a_length_that_is_only_declared_takes_nothing_from_others) {
  const auto server = serve(echo, limits_of_bodies(100'000, 100'000));
  std::vector<RawClient> liars;
  for (int k = 0; k < 20; ++k) {
    liars.emplace_back(server->address());
    liars.back().send(head_of_body(100'000) + "x");
  }
  RawClient client(server->address());
  client.send(head_of_body(90'000) + std::string(90'000, 'x'));
  EXPECT_EQ(status_of(client.read_response()), 200);
}

TEST(HttpServer, small_bodies_get_through_whatever_others_send) {
  const auto server = serve(echo, limits_of_bodies(10'000, 10'000));
  RawClient large(server->address());
  large.send(head_of_body(10'000) + std::string(9'999, 'x'));
  EXPECT_TRUE(eventually([&] { return server->load().body_bytes >= 5'000; }));
  for (const char* from : {"127.0.0.1", "127.0.0.2"}) {
    RawClient small(server->address(), 0, from);
    small.send(head_of_body(4'096) + std::string(4'096, 'x'));
    EXPECT_EQ(status_of(small.read_response()), 200) << from;
  }
}

TEST(HttpServer, one_address_leaves_room_for_the_bodies_of_others) {
  const auto server = serve(echo, limits_of_bodies(100'000, 50'000));
  std::vector<RawClient> greedy;
  for (int k = 0; k < 20; ++k) {
    greedy.emplace_back(server->address());
    greedy.back().send(head_of_body(40'000) + std::string(10'000, 'x'));
  }
  EXPECT_TRUE(eventually([&] { return server->load().body_bytes > 40'000; }));
  EXPECT_LE(server->load().body_bytes, 50'000U);
  RawClient other(server->address(), 0, "127.0.0.2");
  other.send(head_of_body(50'000) + std::string(50'000, 'x'));
  EXPECT_EQ(status_of(other.read_response()), 200);
}

TEST(HttpServer, asks_on_the_headers_whether_a_body_may_come) {
  std::atomic<int> asked = 0;
  HttpLimits limits;
  limits.admit = [&](const HttpRequest& head) -> HttpAdmission {
    ++asked;
    EXPECT_TRUE(head.body.empty());
    if (head.path == "/no") return {.refusal = problem(401, "a token is needed")};
    if (head.path == "/few") return {.body_bytes = 5'000};
    return {};
  };
  const auto server = serve(echo, limits);
  const auto status = [&](const std::string& text) {
    RawClient client(server->address());
    client.send(text);
    return status_of(client.read_response());
  };
  // Answered before a byte of the body has come.
  EXPECT_EQ(status(head_of_body(10'000'000, "/no")), 401);
  EXPECT_EQ(status("POST /no HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n"), 401);
  EXPECT_EQ(status("POST /no HTTP/1.1\r\n" + kHost +
                   "Expect: 100-continue\r\nContent-Length: 9999\r\n\r\n"),
            401);
  EXPECT_EQ(status(head_of_body(5'001, "/few")), 413);
  EXPECT_EQ(status(head_of_body(5'000, "/few") + std::string(5'000, 'x')), 200);
  EXPECT_EQ(status("POST /few HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n1389\r\n"),
            413);
  EXPECT_EQ(asked, 6);
  // A few bytes cost less than the question.
  EXPECT_EQ(status(head_of_body(4'096, "/no") + std::string(4'096, 'x')), 200);
  EXPECT_EQ(status(get("/no")), 200);
  EXPECT_EQ(asked, 6);
}

TEST(HttpServer, keeps_a_large_body_in_a_file_that_leaves_nothing) {
  const TemporaryDirectory directory;
  HttpLimits limits;
  limits.all_bodies_bytes = limits.bodies_bytes_of_one = 10'000;  // files do not count
  limits.file_directory = directory.path();
  limits.admit = [](const HttpRequest&) -> HttpAdmission {
    return {.body_bytes = 3'000'000, .to_file = true};
  };
  const auto server = serve(
      [](HttpRequest&& request, HttpReply reply) {
        reply.send({200,
                    {},
                    fmt::format("{} {} {}", request.body.size(), request.content().size(),
                                sha256_hex(request.content()))});
      },
      limits);
  std::string body;
  for (int k = 0; body.size() < 2'500'000; ++k) body += std::to_string(k);
  const std::string wanted = fmt::format("\r\n\r\n0 {} {}", body.size(), sha256_hex(body));
  RawClient client(server->address());
  client.send(head_of_body(body.size()) + body);
  EXPECT_TRUE(client.read_response().ends_with(wanted));
  client.send("POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n" +
              fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body));
  EXPECT_TRUE(client.read_response().ends_with(wanted));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(HttpServer, a_body_that_cannot_be_kept_is_refused_without_a_path) {
  HttpLimits limits;
  limits.file_directory = "/nowhere/at/all";
  limits.admit = [](const HttpRequest&) -> HttpAdmission { return {.to_file = true}; };
  const auto server = serve(echo, limits);
  RawClient client(server->address());
  client.send(head_of_body(5'000) + std::string(5'000, 'x'));
  const std::string response = client.read_response();
  EXPECT_EQ(status_of(response), 503);
  EXPECT_EQ(response.find("nowhere"), std::string::npos) << response;
}

// --- Answers that are not read ------------------------------------------------------------------

TEST(HttpServer, clients_that_do_not_read_are_cut_off_before_they_fill_the_memory) {
  constexpr std::size_t kAnswer = std::size_t{12} << 20;  // more than the sockets hold
  HttpLimits limits;
  limits.all_unread_bytes = 3 * kAnswer;
  const auto server = serve(
      [](HttpRequest&&, HttpReply reply) { reply.send({200, {}, std::string(kAnswer, 'x')}); },
      limits);
  std::vector<RawClient> asleep;
  for (std::size_t k = 0; k < 8; ++k) {
    asleep.emplace_back(server->address(), 4'096, "127.0.0.2");
    asleep.back().send(get("/"));
    EXPECT_TRUE(eventually([&] { return server->load().requests == k + 1; }));
    EXPECT_LE(server->load().unread_bytes, 4 * kAnswer);
  }
  EXPECT_TRUE(eventually([&] { return server->load().cut_off > 0; }));
  RawClient reader(server->address());
  reader.send(get("/"));
  EXPECT_GE(reader.read_response().size(), kAnswer);
  EXPECT_TRUE(eventually([&] { return server->load().connections <= 4; }));
}

TEST(HttpServer, clients_that_share_what_they_do_not_read_keep_one_copy) {
  const auto text = std::make_shared<const std::string>(std::size_t{12} << 20, 'x');
  HttpLimits limits;
  limits.all_unread_bytes = std::size_t{16} << 20;
  const auto server = serve(
      [&](HttpRequest&&, HttpReply reply) {
        reply.send({.status = 200, .headers = {}, .body = "", .shared_body = text});
      },
      limits);
  std::vector<RawClient> asleep;
  for (int k = 0; k < 20; ++k) {
    asleep.emplace_back(server->address(), 4'096);
    asleep.back().send(get("/"));
  }
  EXPECT_TRUE(eventually([&] { return server->load().requests == 20; }));
  EXPECT_LE(server->load().unread_bytes, std::size_t{13} << 20);
  EXPECT_EQ(server->load().cut_off, 0U);
  asleep.clear();
  EXPECT_TRUE(eventually([&] { return server->load().unread_bytes == 0; }));
}

TEST(HttpServer, streams_that_are_not_read_count_as_well) {
  HttpLimits limits;
  limits.all_unread_bytes = 100'000;
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpStream>> streams;
  const auto server = serve(
      [&](HttpRequest&&, HttpReply reply) {
        const std::lock_guard lock(mutex);
        streams.push_back(reply.stream(200, {}));
      },
      limits);
  std::vector<RawClient> asleep;
  for (std::size_t k = 0; k < 2; ++k) {
    asleep.emplace_back(server->address(), 4'096);
    asleep.back().send(get("/"));
    EXPECT_TRUE(eventually([&] { return server->load().streams == k + 1; }));
  }
  const std::lock_guard lock(mutex);
  // The system's buffers take some megabytes before anything has to wait here.
  for (int k = 0; k < 10'000 && server->load().cut_off == 0; ++k) {
    for (const auto& stream : streams) stream->write(std::string(60'000, 'x'));
  }
  EXPECT_TRUE(eventually([&] { return server->load().streams < 2; }));
  EXPECT_GT(server->load().cut_off, 0U);
}

// --- Streams ------------------------------------------------------------------------------------

TEST(HttpServer, streams_pieces_as_they_are_written_and_goes_on) {
  KeptStream stream;
  const auto server = serve([&](HttpRequest&& request, HttpReply reply) {
    if (request.path != "/stream") return echo(std::move(request), std::move(reply));
    stream.keep(reply.stream(200, {{"Content-Type", "text/event-stream"}}));
  });
  RawClient client(server->address());
  client.send(get("/stream"));
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(stream->write("one"));
  EXPECT_EQ(server->load().streams, 1U);
  EXPECT_EQ(server->load().requests_in_flight, 0U);
  EXPECT_EQ(client.read_until("one\r\n"), "3\r\none\r\n");
  EXPECT_TRUE(stream->write("two and three"));
  EXPECT_EQ(client.read_until("three\r\n"), "d\r\ntwo and three\r\n");
  EXPECT_TRUE(stream->write(""));  // would be the end
  stream->finish();
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_FALSE(stream->write("late"));
  EXPECT_TRUE(stream->closed());
  client.send(get("/after"));
  EXPECT_TRUE(client.read_response().ends_with("GET /after 0 "));
  EXPECT_EQ(server->load().streams, 0U);
}

TEST(HttpServer, a_stream_that_is_dropped_is_cut_off) {
  const auto server = serve([](HttpRequest&&, HttpReply reply) {
    const auto stream = reply.stream(200, {});
    stream->write("half");
  });
  RawClient client(server->address());
  client.send(get("/"));
  const std::string all = client.read_to_end();
  EXPECT_TRUE(all.find("0\r\n\r\n") == std::string::npos) << all;
}

TEST(HttpServer, a_stream_knows_when_its_client_goes) {
  std::atomic<bool> gone = false;
  KeptStream stream;
  const auto server = serve([&](HttpRequest&&, HttpReply reply) {
    auto begun = reply.stream(200, {});
    begun->on_close([&] { gone = true; });
    stream.keep(std::move(begun));
  });
  {
    RawClient client(server->address());
    client.send(get("/"));
    client.read_until("\r\n\r\n");
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
  EXPECT_FALSE(stream->write("x"));
  EXPECT_EQ(server->load().streams, 0U);
}

TEST(HttpServer, a_reader_that_is_too_slow_is_cut_off_at_the_bound) {
  HttpLimits limits;
  limits.stream_buffer_bytes = 100'000;
  KeptStream stream;
  std::atomic<bool> gone = false;
  const auto server = serve(
      [&](HttpRequest&&, HttpReply reply) {
        auto begun = reply.stream(200, {});
        begun->on_close([&] { gone = true; });
        stream.keep(std::move(begun));
      },
      limits);
  RawClient client(server->address(), 4'096);
  client.send(get("/"));
  client.read_until("\r\n\r\n");
  std::size_t written = 0;
  while (stream->write(std::string(10'000, 'x'))) {
    written += 10'000;
    ASSERT_LE(stream->buffered(), 100'000U);
    ASSERT_LT(written, std::size_t{100} << 20);
  }
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
  EXPECT_TRUE(stream->closed());
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
}

TEST(HttpServer, an_export_of_any_size_waits_for_its_reader) {
  constexpr std::size_t kBytes = std::size_t{20} << 20;
  HttpLimits limits;
  limits.stream_buffer_bytes = 100'000;
  std::atomic<std::size_t> most = 0;
  const auto server = serve(
      [&](HttpRequest&&, HttpReply reply) {
        const std::shared_ptr<HttpStream> stream = reply.stream(200, {});
        auto left = std::make_shared<std::size_t>(kBytes);
        stream->on_room([&most, stream, left] {
          while (*left > 0 && stream->buffered() < stream->capacity() / 2) {
            const std::size_t count = std::min<std::size_t>(*left, 7'777);
            if (!stream->write(std::string(count, 'x'))) return;
            *left -= count;
            most = std::max(most.load(), stream->buffered());
          }
          if (*left == 0) stream->finish();
        });
      },
      limits);
  auto client = HttpClient::make("http://" + server->address().to_string());
  std::size_t got = 0;
  const auto response = client->stream("/", [&](std::string_view piece) {
    got += piece.size();
    return true;
  });
  ASSERT_TRUE(response.ok()) << response.error().to_string();
  EXPECT_EQ(got, kBytes);
  EXPECT_LE(most, 60'000U);
  EXPECT_TRUE(eventually([&] { return server->load().streams == 0; }));
}

TEST(HttpServer, keeps_a_thousand_idle_streams_and_answers_beside_them) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  constexpr std::size_t kStreams = 1'000;
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpStream>> streams;
  const auto server = serve([&](HttpRequest&& request, HttpReply reply) {
    if (request.path != "/stream") return echo(std::move(request), std::move(reply));
    const std::lock_guard lock(mutex);
    streams.push_back(reply.stream(200, {}));
  });
  std::vector<RawClient> clients;
  for (std::size_t k = 0; k < kStreams; ++k) {
    clients.emplace_back(server->address());
    clients.back().send(get("/stream"));
  }
  EXPECT_TRUE(eventually([&] { return server->load().streams == kStreams; }));
  RawClient other(server->address());
  other.send(get("/x"));
  EXPECT_EQ(status_of(other.read_response()), 200);
  for (const auto& stream : streams) EXPECT_TRUE(stream->write("event"));
  for (RawClient& client : clients) {
    EXPECT_TRUE(client.read_until("event\r\n").ends_with("5\r\nevent\r\n"));
  }
  clients.clear();
  EXPECT_TRUE(eventually([&] { return server->load().streams == 0; }));
}

TEST(HttpServer, drains_what_is_in_flight_and_closes_the_idle) {
  std::mutex mutex;
  std::vector<HttpReply> kept;
  const auto server = serve([&](HttpRequest&&, HttpReply reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(reply));
  });
  RawClient idle(server->address()), busy(server->address());
  busy.send(get("/"));
  EXPECT_TRUE(eventually([&] { return server->load().requests_in_flight == 1; }));
  std::thread answer([&] {
    EXPECT_TRUE(idle.is_closed());
    EXPECT_TRUE(eventually([&] {
      try {
        const RawClient late(server->address());
        return false;
      } catch (const std::runtime_error&) {
        return true;
      }
    }));
    const std::lock_guard lock(mutex);
    kept.front().send({200, {}, "done"});
    kept.clear();
  });
  std::thread read([&] {
    const std::string response = busy.read_to_end();
    EXPECT_NE(response.find("Connection: close\r\n"), std::string::npos);
    EXPECT_TRUE(response.ends_with("done"));
    busy.close();
  });
  EXPECT_TRUE(server->drain(seconds(20)));
  answer.join();
  read.join();
  EXPECT_EQ(server->load().connections, 0U);
}

TEST(HttpServer, cuts_what_is_left_at_the_deadline) {
  std::vector<HttpReply> kept;
  std::mutex mutex;
  const auto server = serve([&](HttpRequest&&, HttpReply reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(reply));
  });
  RawClient client(server->address());
  client.send(get("/"));
  EXPECT_TRUE(eventually([&] { return server->load().requests_in_flight == 1; }));
  EXPECT_FALSE(server->drain(milliseconds(50)));
  EXPECT_TRUE(client.is_closed());
  const std::lock_guard lock(mutex);
  kept.front().send({200, {}, "in vain"});
}

TEST(HttpServer, drains_under_load_without_losing_an_answer) {
  const auto server = serve(echo);
  std::atomic<int> answered = 0, wrong = 0;
  std::vector<std::thread> threads;
  std::atomic<bool> stop = false;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      try {
        RawClient client(server->address());
        while (!stop && client.send(get("/load"))) {
          const std::string response = client.read_response();
          // A client that is closed while idle gets nothing; no client gets part of an answer.
          if (response.empty()) break;
          if (response.ends_with("GET /load 0 ")) {
            ++answered;
          } else {
            ++wrong;
          }
        }
      } catch (const std::runtime_error&) {
        stop = true;  // nobody listens any more
      }
    });
  }
  EXPECT_TRUE(eventually([&] { return answered > 200; }));
  EXPECT_TRUE(server->drain(seconds(20)));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server->load().requests, static_cast<std::uint64_t>(answered.load()));
}

TEST(HttpServer, replies_and_streams_may_outlive_it) {
  std::vector<HttpReply> kept;
  std::shared_ptr<HttpStream> stream;
  std::atomic<int> seen = 0;
  auto server = serve(
      [&](HttpRequest&& request, HttpReply reply) {
        if (request.path == "/stream") {
          stream = reply.stream(200, {});
        } else {
          kept.push_back(std::move(reply));
        }
        ++seen;
      },
      {}, 1);
  RawClient one(server->address()), two(server->address()), three(server->address());
  one.send(get("/"));
  two.send(get("/stream"));
  three.send(get("/"));
  EXPECT_TRUE(eventually([&] { return seen == 3; }));
  server.reset();
  EXPECT_TRUE(one.is_closed());
  EXPECT_FALSE(stream->write("x"));
  kept.front().send({200, {}, ""});
  const auto late = kept.back().stream(200, {});
  EXPECT_FALSE(late->write("x"));
}

TEST(HttpServer, says_why_it_cannot_listen) {
  const auto server = serve(echo);
  const auto second = HttpServer::listen(server->address(), {}, 1, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().field, "listen");
  EXPECT_EQ(
      second.error().message,
      fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", server->address().port));
  EXPECT_FALSE(HttpServer::listen({"no.such.host.invalid", 0}, {}, 1, echo).ok());
  EXPECT_FALSE(HttpServer::listen({"203.0.113.1", 0}, {}, 1, echo).ok());
}

TEST(HttpServer, listens_on_ipv6) {
  const auto server = HttpServer::listen({"::1", 0}, {}, 1, echo);
  // The one thing that may be missing is IPv6 itself; any other failure is one.
  if (!server.ok() && server.error().message.ends_with("Cannot assign requested address")) {
    GTEST_SKIP() << "this machine has no IPv6: " << server.error().message;
  }
  ASSERT_TRUE(server.ok()) << server.error().to_string();
  auto client = HttpClient::make(fmt::format("http://[::1]:{}", (*server)->address().port));
  const auto response = client->get("/");
  ASSERT_TRUE(response.ok()) << response.error().to_string();
  EXPECT_EQ(*response->header("x-peer"), "::1");
}

TEST(HttpServer, listens_on_names_and_on_everything) {
  for (const std::string host : {"localhost", "", "0.0.0.0"}) {
    const auto server = HttpServer::listen({host, 0}, {}, 1, echo);
    ASSERT_TRUE(server.ok()) << host << server.error().to_string();
    auto client = HttpClient::make(fmt::format(
        "http://{}:{}", host == "localhost" ? host : "127.0.0.1", (*server)->address().port));
    const auto response = client->get("/");
    ASSERT_TRUE(response.ok()) << response.error().to_string();
    if (host.empty()) {
      EXPECT_EQ(*response->header("x-peer"), "127.0.0.1");
    }
  }
}

}  // namespace
}  // namespace duel
