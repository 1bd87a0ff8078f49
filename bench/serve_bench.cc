// What an answer of the server costs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/http_load.h"
#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/server/engine.h"
#include "duel/server/http.h"
#include "duel/server/router.h"
#include "duel/store/sqlite_store.h"

namespace duel {
namespace {

// An endpoint that does nothing: what is left is reading, routing and writing.
void empty_endpoint() {
  const Router router({{HttpMethod::get, "/v1/experiments/{eid}/nothing", "nothing",
                        [](HttpRequest&&, const PathParameters&, HttpReply reply) {
                          reply.send({200, {{"Content-Type", "application/json"}}, "{}"});
                        }}});
  const std::string request =
      "GET /v1/experiments/hybrid/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      "Authorization: Bearer duel_duel_0123456789abcdef\r\nAccept: */*\r\n\r\n";
  constexpr int kRuns = 5;
  fmt::print(
      "\n## An empty endpoint on loopback, the clients on the same machine in one thread; medians "
      "of {} runs (lowest - highest) of at most 1e5 requests or 3 s, wall time\n\n",
      kRuns);
  fmt::print("| server threads | connections | requests/s | p50, ms | p99, ms | p99.9, ms |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const std::size_t threads : {1, 2}) {
    for (const std::size_t connections : {1, 8, 64, 512}) {
      auto server = std::move(HttpServer::listen({"127.0.0.1", 0}, {}, threads,
                                                 [&](HttpRequest&& one, HttpReply reply) {
                                                   router.handle(std::move(one), std::move(reply));
                                                 }))
                        .value();
      std::vector<HttpLoadResult> runs;
      for (int run_number = 0; run_number < kRuns; ++run_number) {
        HttpLoad load;
        load.address = server->address();
        load.connections = connections;
        load.next = [&](std::size_t, const std::string&) { return request; };
        runs.push_back(run(load));
        DUEL_CHECK(runs.back().failures == 0);
      }
      const auto spread = [&](const auto& value, double unit, int digits) {
        std::vector<double> values;
        for (const HttpLoadResult& one : runs) values.push_back(unit * value(one));
        std::ranges::sort(values);
        return fmt::format("{:.{}f} ({:.{}f} - {:.{}f})", values[kRuns / 2], digits, values.front(),
                           digits, values.back(), digits);
      };
      const auto latency = [&](double share) {
        return spread([share](const HttpLoadResult& one) { return one.quantile(share); }, 1e3, 3);
      };
      fmt::print("| {} | {} | {} | {} | {} | {} |\n", threads, connections,
                 spread([](const HttpLoadResult& one) { return one.per_second(); }, 1, 0),
                 latency(0.5), latency(0.99), latency(0.999));
    }
  }
}

// A duel is two requests: it is asked for, and its outcome is reported and synced.
void serve_and_report() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("duel-bench-{}", getpid());
  std::filesystem::create_directories(folder);
  fmt::print(
      "\n## Serve and report, two requests a duel, durable, on one SQLite file, 10 arms, policy "
      "auto; 2 server threads; beside it the empty endpoint in the same run\n\n");
  fmt::print("| connections | requests/s | empty | ratio | p50, ms | p99, ms | empty p99, ms |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const std::size_t connections : {8, 64, 256}) {
    auto store = std::shared_ptr<Store>(
        std::move(SqliteStore::open(folder / fmt::format("{}.db", connections))).value());
    auto tokens = std::move(ApiTokens::open(store)).value();
    auto engine = std::move(Engine::start(store)).value();
    Api* api = nullptr;
    auto server = std::move(HttpServer::listen({"127.0.0.1", 0}, {}, 2,
                                               [&](HttpRequest&& one, HttpReply reply) {
                                                 if (one.path == "/nothing") {
                                                   return reply.send({200, {}, "{}"});
                                                 }
                                                 api->handle(std::move(one), std::move(reply));
                                               }))
                      .value();
    Api made(*engine, *tokens, {server->address(), "", {}});
    api = &made;
    const std::string host = server->address().to_string();
    const auto request = [&](std::string_view method, std::string_view path,
                             std::string_view body) {
      return fmt::format(
          "{} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
          "Content-Length: {}\r\n\r\n{}",
          method, path, host, body.size(), body);
    };
    const auto once = [&](const std::string& text) {
      HttpLoad load{.address = server->address(), .most_requests = 1};
      load.next = [&](std::size_t, const std::string&) { return text; };
      DUEL_CHECK(run(load).failures == 0);
    };
    std::string arms;
    for (int k = 0; k < 10; ++k)
      arms += fmt::format("{}{{\"arm_id\":\"a{}\"}}", k > 0 ? "," : "", k);
    once(request("PUT", "/v1/experiments/e", "{\"arms\":[" + arms + "]}"));
    once(request("POST", "/v1/experiments/e/start", ""));
    HttpLoad load{.address = server->address(), .connections = connections};
    load.next = [&](std::size_t, const std::string& body) {
      const auto value = [&](std::string_view name) {
        const std::size_t begin = body.find(name) + name.size();
        return body.substr(begin, body.find('"', begin) - begin);
      };
      if (body.find("\"arms\":[") == std::string::npos) {
        return request("POST", "/v1/experiments/e/duels", "{}");
      }
      return request("PUT", "/v1/experiments/e/duels/" + value("\"duel_id\":\"") + "/outcome",
                     "{\"result\":\"win\",\"winner\":\"" + value("\"arm_id\":\"") + "\"}");
    };
    const HttpLoadResult duels = run(load);
    DUEL_CHECK(duels.failures == 0);
    HttpLoad nothing{.address = server->address(), .connections = connections};
    nothing.next = [&](std::size_t, const std::string&) { return request("GET", "/nothing", ""); };
    const HttpLoadResult empty = run(nothing);
    fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", connections,
               duels.per_second(), empty.per_second(), duels.per_second() / empty.per_second(),
               1e3 * duels.quantile(0.5), 1e3 * duels.quantile(0.99), 1e3 * empty.quantile(0.99));
    server.reset();
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

void serve_workload() {
  empty_endpoint();
  serve_and_report();
}

}  // namespace duel
