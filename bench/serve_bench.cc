// What an answer of the server costs.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/http_load.h"
#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/server/http.h"
#include "duel/server/router.h"

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

}  // namespace

void serve_workload() { empty_endpoint(); }

}  // namespace duel
