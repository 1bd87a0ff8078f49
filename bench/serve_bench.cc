// What an answer of the server costs.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/http_load.h"
#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/http/http.h"
#include "duel/http/router.h"
#include "duel/log/experiment_log.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "duel/store/sqlite_store.h"

namespace duel {
namespace {

// The median with the extremes; sorts.
std::string spread(std::vector<double>& values, int digits) {
  std::ranges::sort(values);
  return fmt::format("{:.{}f} ({:.{}f} - {:.{}f})", values[values.size() / 2], digits,
                     values.front(), digits, values.back(), digits);
}

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
      const auto of_runs = [&](const auto& value, double unit, int digits) {
        std::vector<double> values;
        for (const HttpLoadResult& one : runs) values.push_back(unit * value(one));
        return spread(values, digits);
      };
      const auto latency = [&](double share) {
        return of_runs([share](const HttpLoadResult& one) { return one.quantile(share); }, 1e3, 3);
      };
      fmt::print("| {} | {} | {} | {} | {} | {} |\n", threads, connections,
                 of_runs([](const HttpLoadResult& one) { return one.per_second(); }, 1, 0),
                 latency(0.5), latency(0.99), latency(0.999));
    }
  }
}

// A server on a store of its own, with an experiment `e` of ten arms that runs and an endpoint
// /nothing that does nothing.
class BenchServer {
 public:
  explicit BenchServer(EngineOptions options = {}) {
    store_ = std::move(SqliteStore::open(folder_ / "duel.db")).value();
    tokens_ = std::move(ApiTokens::open(store_)).value();
    engine_ = std::move(Engine::start(store_, std::move(options))).value();
    // As `duel serve` has it: otherwise an import is refused for its size.
    HttpLimits limits;
    limits.admit = [this](const HttpRequest& head) {
      return head.path == "/nothing" ? HttpAdmission() : api_->admit_body(head);
    };
    limits.file_directory = folder_;
    limits.connections_of_one = limits.connections;  // all clients are on this machine
    server_ = std::move(HttpServer::listen({"127.0.0.1", 0}, std::move(limits), 2,
                                           [this](HttpRequest&& one, HttpReply reply) {
                                             if (one.path == "/nothing") {
                                               return reply.send({200, {}, "{}"});
                                             }
                                             api_->handle(std::move(one), std::move(reply));
                                           }))
                  .value();
    api_ = std::make_unique<Api>(*engine_, *tokens_, ApiOptions{server_->address(), "", {}});
    start_experiment("e", 10);
  }
  ~BenchServer() {
    api_->close();
    server_.reset();
    api_.reset();
    engine_.reset();
    tokens_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  BenchServer(const BenchServer&) = delete;
  BenchServer& operator=(const BenchServer&) = delete;

  std::string request(std::string_view method, std::string_view path, std::string_view body) const {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        method, path, server_->address().to_string(), body.size(), body);
  }
  // `more`: further members of its body, with a comma before.
  void start_experiment(const std::string& id, int count, const std::string& more = "") const {
    std::string arms;
    for (int k = 0; k < count; ++k) {
      arms += fmt::format("{}{{\"arm_id\":\"a{}\"}}", k > 0 ? "," : "", k);
    }
    start_arms(id, arms, more);
  }
  void start_arms(const std::string& id, const std::string& arms, const std::string& more) const {
    once(request("PUT", "/v1/experiments/" + id, "{\"arms\":[" + arms + "]" + more + "}"));
    once(request("POST", "/v1/experiments/" + id + "/start", ""));
  }
  // Of two dimensions, whose slices are a plane as well.
  void start_space(const std::string& id, const std::string& policy) const {
    const std::string dimension = "{\"low\":0,\"high\":1,\"default\":0.5}";
    once(request("PUT", "/v1/experiments/" + id,
                 "{\"space\":{\"x\":" + dimension + ",\"y\":" + dimension + "},\"policy\":\"" +
                     policy + "\"}"));
    once(request("POST", "/v1/experiments/" + id + "/start", ""));
  }
  // Each connection asks for a duel and then reports it: two requests a duel.
  HttpLoad duels(std::size_t connections, const std::string& id = "e") const {
    return duels_of(connections, {id}, "");
  }
  // The same, connections in turn for one of several experiments; `query` of the reports.
  HttpLoad duels_of(std::size_t connections, const std::vector<std::string>& ids,
                    const std::string& query) const {
    HttpLoad load{.address = server_->address(), .connections = connections};
    load.next = [this, ids, query](std::size_t connection, const std::string& body) {
      const std::string& id = ids[connection % ids.size()];
      // An answer to a report names the reported duel before the next one.
      const std::size_t next = body.find("\"next\":");
      const auto value = [&](std::string_view name) {
        const std::size_t begin =
            body.find(name, next == std::string::npos ? 0 : next) + name.size();
        return body.substr(begin, body.find('"', begin) - begin);
      };
      if (body.find("\"arms\":[") == std::string::npos) {
        return request("POST", "/v1/experiments/" + id + "/duels", "{}");
      }
      return request(
          "PUT", "/v1/experiments/" + id + "/duels/" + value("\"duel_id\":\"") + "/outcome" + query,
          "{\"result\":\"win\",\"winner\":\"" + value("\"arm_id\":\"") + "\"}");
    };
    return load;
  }
  HttpLoad nothing(std::size_t connections) const {
    HttpLoad load{.address = server_->address(), .connections = connections};
    load.next = [this](std::size_t, const std::string&) { return request("GET", "/nothing", ""); };
    return load;
  }
  HttpAddress address() const { return server_->address(); }
  Engine::Counts counts() const { return engine_->counts(); }
  void once(const std::string& text) const {
    HttpLoad load{.address = server_->address(), .most_requests = 1};
    load.next = [&](std::size_t, const std::string&) { return text; };
    DUEL_CHECK(run(load).failures == 0);
  }

 private:
  const std::filesystem::path folder_ = [] {
    static int count = 0;
    auto folder =
        std::filesystem::temp_directory_path() / fmt::format("duel-bench-{}-{}", getpid(), ++count);
    std::filesystem::create_directories(folder);
    return folder;
  }();
  std::shared_ptr<Store> store_;
  std::unique_ptr<ApiTokens> tokens_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kWhatIsMeasured =
    "on one SQLite file, 10 arms, policy auto, 2 server threads, clients in one thread of the same "
    "process, wall time";

// The largest rates, for the loads that are shares of them.
struct Rates {
  double duels = 0;
  double empty = 0;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// `run`, and the microseconds of CPU of server and clients for each request.
struct CostedLoad {
  HttpLoadResult result;
  double cpu_us = 0;
};
CostedLoad run_costed(const HttpLoad& load) {
  const double before = cpu_seconds();
  HttpLoadResult result = run(load);
  const double spent = cpu_seconds() - before;
  return {result, 1e6 * spent / static_cast<double>(result.requests)};
}

// Turns of one and the other, since a shared machine is not equally fast for long; medians.
Rates serve_and_report(const std::vector<std::size_t>& all_connections, int turns) {
  fmt::print(
      "\n## Serve and report, two requests a duel, durable, {}; beside it the empty endpoint, in "
      "{} turns of 1 s each; medians (lowest - highest)\n\n",
      kWhatIsMeasured, turns);
  fmt::print(
      "| connections | requests/s | empty | ratio | CPU, us | empty CPU, us | ratio "
      "| requests a commit | a sync | p50, ms | p99, ms | empty p99, ms |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Rates most;
  for (const std::size_t connections : all_connections) {
    const BenchServer served;
    std::vector<double> rates, empty_rates, ratios, cpu, empty_cpu, cpu_ratios, p50, p99, empty_p99;
    std::vector<double> per_commit, per_sync;
    for (int turn = 0; turn < turns; ++turn) {
      const auto timed = [](HttpLoad load) {
        load.most_time = std::chrono::seconds(1);
        return run_costed(load);
      };
      const Engine::Counts before = served.counts();
      const CostedLoad duels = timed(served.duels(connections));
      const Engine::Counts after = served.counts();
      const auto requests = static_cast<double>(duels.result.requests);
      per_commit.push_back(requests / static_cast<double>(after.commits - before.commits));
      per_sync.push_back(requests / static_cast<double>(after.syncs - before.syncs));
      const CostedLoad empty = timed(served.nothing(connections));
      DUEL_CHECK(duels.result.failures + duels.result.refused + empty.result.failures == 0);
      rates.push_back(duels.result.per_second());
      empty_rates.push_back(empty.result.per_second());
      ratios.push_back(rates.back() / empty_rates.back());
      cpu.push_back(duels.cpu_us);
      empty_cpu.push_back(empty.cpu_us);
      cpu_ratios.push_back(duels.cpu_us / empty.cpu_us);
      p50.push_back(1e3 * duels.result.quantile(0.5));
      p99.push_back(1e3 * duels.result.quantile(0.99));
      empty_p99.push_back(1e3 * empty.result.quantile(0.99));
    }
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", connections,
               spread(rates, 0), spread(empty_rates, 0), spread(ratios, 2), spread(cpu, 1),
               spread(empty_cpu, 1), spread(cpu_ratios, 2), spread(per_commit, 1),
               spread(per_sync, 1), spread(p50, 2), spread(p99, 2), spread(empty_p99, 2));
    most.duels = std::max(most.duels, rates[static_cast<std::size_t>(turns) / 2]);
    most.empty = std::max(most.empty, empty_rates[static_cast<std::size_t>(turns) / 2]);
  }
  return most;
}

void half_load(const Rates& most) {
  fmt::print(
      "\n## Serving at half of the largest load, requests at a steady rate, 256 connections, "
      "{}\n\n| requests | rate, 1/s | p50, ms | p99, ms |\n|---|---|---|---|\n",
      kWhatIsMeasured);
  const BenchServer served;
  const auto row = [](std::string_view name, double rate, const HttpLoadResult& result) {
    fmt::print("| {} | {:.0f} | {:.2f} | {:.2f} |\n", name, rate, 1e3 * result.quantile(0.5),
               1e3 * result.quantile(0.99));
  };
  HttpLoad duels = served.duels(256);
  duels.rate = most.duels / 2;
  duels.measured = [](const std::string& request) { return request.starts_with("POST"); };
  row("serves (and as many reports)", duels.rate, run(duels));
  HttpLoad empty = served.nothing(256);
  empty.rate = most.empty / 2;
  row("empty, at half of its own largest load", empty.rate, run(empty));
  empty.rate = most.duels / 2;
  row("empty, at the rate of the serves", empty.rate, run(empty));
}

void overload() {
  fmt::print(
      "\n## Twice as many clients as requests are taken at once (4000), and afterwards, {}\n\n"
      "| clients | requests/s | of them 429 | other failures | p99, ms |\n"
      "|---|---|---|---|---|\n",
      kWhatIsMeasured);
  const BenchServer served;
  for (const std::size_t connections : {256, 8'000, 256}) {
    const HttpLoadResult result = run(served.duels(connections));
    fmt::print("| {} | {:.0f} | {:.0f} % | {} | {:.1f} |\n", connections, result.per_second(),
               100.0 * static_cast<double>(result.refused) / static_cast<double>(result.requests),
               result.failures, 1e3 * result.quantile(0.99));
  }
}

// What is at work beside the serves of `e`, until this is destroyed.
class Beside {
 public:
  template <class Load>
  Beside(const char* name, Load make) {
    thread_ = std::thread([this, name, make] {
      while (!stop_) {
        HttpLoad load = make();
        load.most_time = std::chrono::milliseconds(200);
        const HttpLoadResult result = run(load);
        if (result.failures > 0) {
          fmt::print(stderr, "beside, {}: {}\n", name, result.first_failure);
        }
        DUEL_CHECK(result.failures == 0);
        requests_ += result.requests;
      }
    });
  }
  ~Beside() {
    stop_ = true;
    thread_.join();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  std::uint64_t requests() const { return requests_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> requests_ = 0;
  std::thread thread_;
};

// Serves of `e` at a steady rate, while others read results of a large experiment, and while that
// is loaded and saved again and again. In turns, since a shared machine is not equally fast for
// long.
void beside_readers() {
  constexpr int kTurns = 7;
  constexpr double kRate = 1'000;
  fmt::print(
      "\n## Serves of a small experiment (10 arms), {:.0f} requests/s with 16 connections, beside "
      "an experiment of 600 arms that gets a duel every 0.1 s; {} turns of 2 s each, medians "
      "(lowest - highest)\n\n"
      "| beside it | p50, ms | p99, ms | p99 against nothing | requests beside it |\n"
      "|---|---|---|---|---|\n",
      kRate, kTurns);
  struct Kind {
    const char* name;
    bool reads, swaps;
    std::vector<double> p50{}, p99{}, ratio{}, beside{};
  };
  std::vector<Kind> kinds{{"nothing", false, false},
                          {"four readers of its result", true, false},
                          {"it is loaded and saved for each of its duels", false, true}};
  const BenchServer staying;
  // Only one experiment is in memory: the small one, which is always in use.
  EngineOptions options;
  options.most_in_memory = 1;
  const BenchServer swapping(options);
  for (const BenchServer* served : {&staying, &swapping}) {
    served->start_experiment("large", 600);
    HttpLoad some = served->duels(8, "large");
    some.most_requests = 4'000;
    some.most_time = std::chrono::seconds(60);
    DUEL_CHECK(run(some).failures == 0);
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    double quiet = 0;
    for (Kind& kind : kinds) {
      const BenchServer& served = kind.swaps ? swapping : staying;
      const auto trickle = [&] {
        HttpLoad load = served.duels(1, "large");
        load.rate = 20;  // two requests a duel
        return load;
      };
      const auto readers = [&] {
        HttpLoad load{.address = served.address(), .connections = 4};
        load.next = [&](std::size_t, const std::string&) {
          return served.request("GET", "/v1/experiments/large/result", "");
        };
        return load;
      };
      std::optional<Beside> changes, reads;
      if (kind.reads || kind.swaps) changes.emplace(kind.name, trickle);
      if (kind.reads) reads.emplace(kind.name, readers);
      HttpLoad serves = served.duels(16);
      serves.rate = kRate;
      serves.most_time = std::chrono::seconds(2);
      serves.measured = [](const std::string& request) { return request.starts_with("POST"); };
      const HttpLoadResult result = run(serves);
      DUEL_CHECK(result.failures + result.refused == 0);
      kind.p50.push_back(1e3 * result.quantile(0.5));
      kind.p99.push_back(1e3 * result.quantile(0.99));
      if (!kind.reads && !kind.swaps) quiet = kind.p99.back();
      kind.ratio.push_back(kind.p99.back() / quiet);
      const std::uint64_t beside = reads ? reads->requests() : changes ? changes->requests() : 0;
      kind.beside.push_back(static_cast<double>(beside));
    }
  }
  for (Kind& kind : kinds) {
    fmt::print("| {} | {} | {} | {} | {} |\n", kind.name, spread(kind.p50, 2), spread(kind.p99, 2),
               spread(kind.ratio, 2), spread(kind.beside, 0));
  }
}

// A log of an experiment of two arms with so many duels, served and answered.
std::string log_of(const std::string& id, int duels) {
  ExperimentRecord experiment;
  experiment.experiment_id = id;
  for (const char* arm : {"a", "b"}) {
    experiment.arms.push_back({.id = arm, .payload = "", .sha256 = "", .content = {}});
  }
  experiment.policy = "uniform";
  std::string text, head(kHexDigits, '0');
  Sha256 sha;
  std::uint64_t sequence = 0;
  const auto add = [&](const Record& record) {
    text += log_line(++sequence, 1'794'700'800'000, record, head, sha).value();
  };
  add(experiment);
  for (int k = 0; k < duels; ++k) {
    ServeRecord serve;
    serve.duel_id = fmt::format("d{}", k);
    serve.ordinal = static_cast<std::uint64_t>(k);
    serve.first = "a";
    serve.second = "b";
    serve.by = ServedBy::floor;
    add(serve);
    OutcomeRecord outcome;
    outcome.duel_id = serve.duel_id;
    outcome.answer = {Answered::win, k % 2 == 0 ? "a" : "b"};
    add(outcome);
  }
  return text;
}

int connection_to(const BenchServer& served) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(served.address().port);
  DUEL_CHECK(::inet_pton(AF_INET, served.address().host.c_str(), &to.sin_addr) == 1);
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  DUEL_CHECK(::connect(descriptor, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return descriptor;
}

// Readers that ask for a large export and take a few bytes of it now and then.
class SlowReaders {
 public:
  SlowReaders(const BenchServer& served, const std::string& path, std::size_t count) {
    const std::string text = served.request("GET", path, "");
    for (std::size_t k = 0; k < count; ++k) {
      descriptors_.push_back(connection_to(served));
      const int few = 4'096;
      ::setsockopt(descriptors_.back(), SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
      DUEL_CHECK(::send(descriptors_.back(), text.data(), text.size(), MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(text.size()));
    }
    thread_ = std::thread([this] {
      std::vector<char> bytes(1'024);
      while (!stop_) {
        for (const int descriptor : descriptors_) {
          (void)::recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
  }
  ~SlowReaders() {
    stop_ = true;
    thread_.join();
    for (const int descriptor : descriptors_) ::close(descriptor);
  }
  SlowReaders(const SlowReaders&) = delete;
  SlowReaders& operator=(const SlowReaders&) = delete;

 private:
  std::vector<int> descriptors_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::string arms_with_features(int count, int width) {
  std::string arms;
  for (int k = 0; k < count; ++k) {
    arms += fmt::format("{}{{\"arm_id\":\"a{}\",\"features\":[", k > 0 ? "," : "", k);
    for (int m = 0; m < width; ++m) {
      arms += fmt::format("{}{:.3f}", m > 0 ? "," : "", ((k * 31 + m * 17) % 101 - 50) / 800.0);
    }
    arms += "]}";
  }
  return arms;
}

// Serves of a small experiment at a steady rate beside each thing that one caller can do at worst.
// One owner, so that it is the small experiment's as well.
void beside_long_requests() {
  constexpr int kTurns = 5;
  constexpr double kRate = 400;
  fmt::print(
      "\n## Serves of a small experiment (10 arms), {:.0f} requests/s with 16 connections, one "
      "owner, beside what another caller does without a pause; {} turns of 3 s each, medians "
      "(lowest - highest)\n\n"
      "| beside it | p50, ms | p99, ms | longest, ms | requests beside it |\n"
      "|---|---|---|---|---|\n",
      kRate, kTurns);
  EngineOptions options;
  options.owners = 1;
  const BenchServer served(options);
  // Here only one experiment stays in memory: the small one, which is always in use.
  EngineOptions of_swapping = options;
  of_swapping.most_in_memory = 1;
  const BenchServer swapping(of_swapping);
  // Here the time can be set.
  std::atomic<std::int64_t> ahead_ms = 0;
  EngineOptions of_expiring = options;
  of_expiring.clock = [&] { return system_world().wall_time_ms() + ahead_ms; };
  const BenchServer expiring(of_expiring);
  expiring.start_experiment("many", 10, ",\"guardrails\":{\"max_pending\":1000000}");
  const auto some_of = [](const BenchServer& server, const std::string& id) {
    HttpLoad some = server.duels(8, id);
    some.most_requests = 4'000;
    some.most_time = std::chrono::seconds(60);
    DUEL_CHECK(run(some).failures == 0);
  };
  std::string tasks;
  for (int k = 0; k < 100'000; ++k) {
    tasks += fmt::format("{}{{\"task_id\":\"t{}\"}}", k > 0 ? "," : "", k);
  }
  served.start_experiment("tasks", 10, ",\"tasks\":[" + tasks + "]");
  // A thousand at once are as much as goes.
  served.start_experiment(
      "texts", 2,
      ",\"tasks\":[{\"task_id\":\"t\",\"payload\":\"" + std::string(15'000, 'x') + "\"}]");
  served.start_experiment("large", 600);
  served.start_experiment("growing", 600,
                          ",\"stopping\":{\"arms\":\"open\",\"pairs_independent\":true}");
  served.start_experiment("compared", 10);
  // The most that is served of what learns in numbers (experiment/served_work.h).
  served.start_space("space", "kernel-ts(features=512)");
  served.start_arms("features", arms_with_features(100, 256), ",\"policy\":\"lin-ts\"");
  served.start_experiment("panel", 50, ",\"about\":\"these-people\",\"panel\":{\"size\":100000}");
  some_of(served, "large");
  swapping.start_experiment("large", 600);
  some_of(swapping, "large");
  for (int k = 0; k < 20; ++k) swapping.start_experiment(fmt::format("x{}", k), 10);
  std::string outcomes;
  for (int k = 0; k < 10'000; ++k) {
    outcomes += fmt::format("{{\"duel_id\":\"none{}\",\"result\":\"tie\"}}\n", k);
  }
  std::atomic<int> number = 0, grown = 0, asked = 0;
  struct Kind {
    const char* name;
    std::function<HttpLoad()> load;
    const BenchServer* server = nullptr;  // of the serves; `served` if null
    bool expires = false;                 // 100 000 duels, a second after the beginning
    bool slow_readers = false;
    bool measures_beside = false;  // not the serves, but the requests beside them
    std::vector<double> p50{}, p99{}, longest{}, beside{};
  };
  const auto repeated = [&](std::function<std::string()> request,
                            const BenchServer* server = nullptr) {
    return [&served, server, request = std::move(request)] {
      HttpLoad load{.address = (server != nullptr ? *server : served).address()};
      load.next = [request](std::size_t, const std::string&) { return request(); };
      return load;
    };
  };
  const auto lines = [&](const std::string& path, const std::string& body) {
    std::string request = served.request("POST", path, body);
    const std::string json = "Content-Type: application/json";
    return request.replace(request.find(json), json.size(), "Content-Type: application/x-ndjson");
  };
  const auto import_of = [&](const std::string& id, int duels) {
    return lines("/v1/experiments/" + id + "/import", log_of(id, duels));
  };
  // Made before, since making one takes as long as importing it.
  std::vector<std::string> imports;
  for (int k = 0; k < 3 * kTurns; ++k) {
    imports.push_back(import_of(fmt::format("imported-large{}", k), 140'000));
  }
  std::atomic<std::size_t> imported = 0;
  std::string compared;
  for (int k = 0; k < 100'000; ++k) {
    compared += fmt::format("{}{{\"first\":\"a{}\",\"second\":\"a{}\",\"result\":\"tie\"}}",
                            k > 0 ? "," : "", k % 10, (k + 1) % 10);
  }
  const std::string comparisons =
      served.request("POST", "/v1/experiments/compared/comparisons", "[" + compared + "]");
  served.once(import_of("exported", 140'000));
  const std::string all_of = "/v1/experiments/exported/export?what=audit";
  const auto recent = repeated(
      [&] { return served.request("GET", "/v1/experiments/exported/duels?limit=20", ""); });
  std::vector<Kind> kinds{
      {"nothing", {}},
      {"1000 duels at once, 100 000 tasks", repeated([&] {
         return served.request("POST", "/v1/experiments/tasks/duels", "{\"count\":1000}");
       })},
      {"1000 duels at once, 15 kB of payload each", repeated([&] {
         return served.request("POST", "/v1/experiments/texts/duels", "{\"count\":1000}");
       })},
      {"1000 duels at once, 600 arms", repeated([&] {
         return served.request("POST", "/v1/experiments/large/duels", "{\"count\":1000}");
       })},
      {"10 000 outcomes at once",
       repeated([&] { return lines("/v1/experiments/tasks/outcomes", outcomes); })},
      {"100 000 comparisons at once", repeated([&] { return comparisons; })},
      {"imports of 40 001 lines",
       repeated([&] { return import_of(fmt::format("imported{}", ++number), 20'000); })},
      {"imports of 64 MB (280 001 lines)", repeated([&] {
         const std::size_t next = imported++;
         return next < imports.size()
                    ? imports[next]
                    : served.request("GET", "/v1/experiments/imported-large0", "");
       })},
      {"reports with `?next=1`, 600 arms",
       [&] { return served.duels_of(4, {"large"}, "?next=1"); }},
      {"new arms beside 600", repeated([&] {
         // An experiment has at most a thousand.
         if (grown == 399) return served.request("GET", "/v1/experiments/growing", "");
         return served.request("PUT", fmt::format("/v1/experiments/growing/arms/new{}", ++grown),
                               "{}");
       })},
      {"duels of a space, 512 features", [&] { return served.duels(4, "space"); }},
      {"slices of a space, 512 features",
       repeated([&] { return served.request("GET", "/v1/experiments/space/slices", ""); })},
      {"duels of 100 arms with 256 features each, `lin-ts`",
       [&] { return served.duels(4, "features"); }},
      {"questions to a panel, 50 arms", repeated([&] {
         return served.request("POST", "/v1/experiments/panel/duels",
                               fmt::format("{{\"subject_id\":\"m{}\"}}", ++asked % 100'000));
       })},
      {"lists of experiments",
       repeated([&] { return served.request("GET", "/v1/experiments", ""); })},
      {"lists of 22 experiments of which one is in memory",
       repeated([&] { return swapping.request("GET", "/v1/experiments", ""); }, &swapping),
       &swapping},
      {"600 arms are loaded and saved for each duel",
       [&] {
         HttpLoad load = swapping.duels(1, "large");
         load.rate = 20;  // two requests a duel
         return load;
       },
       &swapping},
      {"100 000 duels expire at once", {}, &expiring, true},
      {"6 slow readers of an export of 64 MB", {}, nullptr, false, true},
      {"*recent duels*, 4 connections, and nothing else", recent, nullptr, false, false, true},
      {"*recent duels* beside the 6 slow readers", recent, nullptr, false, true, true},
  };
  const auto take = [](Kind& kind, const HttpLoadResult& result) {
    kind.p50.push_back(1e3 * result.quantile(0.5));
    kind.p99.push_back(1e3 * result.quantile(0.99));
    kind.longest.push_back(1e3 * result.quantile(1));
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Kind& kind : kinds) {
      const BenchServer& server = kind.server != nullptr ? *kind.server : served;
      std::optional<SlowReaders> slow;
      if (kind.slow_readers) slow.emplace(server, all_of, 6);
      if (kind.measures_beside) {
        HttpLoad load = kind.load();
        load.connections = 4;
        load.most_time = std::chrono::seconds(3);
        const HttpLoadResult result = run(load);
        DUEL_CHECK(result.failures + result.refused == 0);
        take(kind, result);
        kind.beside.push_back(0);
        continue;
      }
      std::optional<std::thread> expiry;
      if (kind.expires) {
        HttpLoad load = repeated(
            [&] {
              return server.request("POST", "/v1/experiments/many/duels", "{\"count\":1000}");
            },
            &server)();
        load.most_requests = 100;
        load.most_time = std::chrono::seconds(60);
        DUEL_CHECK(run(load).failures == 0);
        expiry.emplace([&] {
          std::this_thread::sleep_for(std::chrono::seconds(1));
          ahead_ms += 8 * 86'400'000;
        });
      }
      std::optional<Beside> beside;
      if (kind.load) beside.emplace(kind.name, kind.load);
      HttpLoad serves = server.duels(16);
      serves.rate = kRate;
      serves.most_time = std::chrono::seconds(3);
      serves.measured = [](const std::string& request) { return request.starts_with("POST"); };
      const HttpLoadResult result = run(serves);
      DUEL_CHECK(result.failures + result.refused == 0);
      take(kind, result);
      kind.beside.push_back(beside ? static_cast<double>(beside->requests()) : 0);
      if (expiry) expiry->join();
    }
  }
  for (Kind& kind : kinds) {
    fmt::print("| {} | {} | {} | {} | {} |\n", kind.name, spread(kind.p50, 2), spread(kind.p99, 2),
               spread(kind.longest, 1), spread(kind.beside, 0));
  }
}

// One busy experiment and eight, with one owner and with two, in turns.
void several_owners() {
  constexpr int kTurns = 7;
  fmt::print(
      "\n## Serve and report with 64 connections, {}; turns of 1 s, medians of {} (lowest - "
      "highest)\n\n| experiments | owners | requests/s | CPU, us | p99, ms |\n"
      "|---|---|---|---|---|\n",
      kWhatIsMeasured, kTurns);
  struct Kind {
    std::size_t owners;
    std::unique_ptr<BenchServer> served;
    std::vector<double> rates{}, cpu{}, p99{};
  };
  for (const int experiments : {1, 8}) {
    std::vector<std::string> ids;
    for (int k = 0; k < experiments; ++k) ids.push_back(fmt::format("x{}", k));
    std::vector<Kind> kinds;
    for (const std::size_t owners : {1, 2}) {
      EngineOptions options;
      options.owners = owners;
      kinds.push_back({owners, std::make_unique<BenchServer>(options)});
      for (const std::string& id : ids) kinds.back().served->start_experiment(id, 10);
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      for (Kind& kind : kinds) {
        HttpLoad load = kind.served->duels_of(64, ids, "");
        load.most_time = std::chrono::seconds(1);
        const CostedLoad costed = run_costed(load);
        DUEL_CHECK(costed.result.failures + costed.result.refused == 0);
        kind.rates.push_back(costed.result.per_second());
        kind.cpu.push_back(costed.cpu_us);
        kind.p99.push_back(1e3 * costed.result.quantile(0.99));
      }
    }
    for (Kind& kind : kinds) {
      fmt::print("| {} | {} | {} | {} | {} |\n", experiments, kind.owners, spread(kind.rates, 0),
                 spread(kind.cpu, 1), spread(kind.p99, 2));
    }
  }
}

double resident_mib() {
  std::ifstream input("/proc/self/status");
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// Connections that have asked for a stream and read nothing.
class IdleStreams {
 public:
  IdleStreams(const BenchServer& served, std::size_t count) {
    const std::string text = served.request("GET", "/v1/experiments/quiet/stream", "");
    for (std::size_t k = 0; k < count; ++k) {
      descriptors_.push_back(connection_to(served));
      DUEL_CHECK(::send(descriptors_.back(), text.data(), text.size(), MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(text.size()));
    }
  }
  ~IdleStreams() {
    for (const int descriptor : descriptors_) ::close(descriptor);
  }
  IdleStreams(const IdleStreams&) = delete;
  IdleStreams& operator=(const IdleStreams&) = delete;

 private:
  std::vector<int> descriptors_;
};

void idle_streams() {
  fmt::print(
      "\n## Idle event streams of another experiment, {}\n\n"
      "| streams | CPU while nothing happens, ms/s | requests/s, 64 connections |\n"
      "|---|---|---|\n",
      kWhatIsMeasured);
  const BenchServer served;
  HttpLoad quiet{.address = served.address(), .most_requests = 1};
  quiet.next = [&](std::size_t, const std::string&) {
    return served.request("PUT", "/v1/experiments/quiet",
                          R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}]})");
  };
  DUEL_CHECK(run(quiet).failures == 0);
  const auto row = [&](std::size_t streams) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double before = cpu_seconds();
    constexpr int kSeconds = 5;
    std::this_thread::sleep_for(std::chrono::seconds(kSeconds));
    const double idle = (cpu_seconds() - before) / kSeconds;
    fmt::print("| {} | {:.2f} | {:.0f} |\n", streams, 1e3 * idle,
               run(served.duels(64)).per_second());
  };
  row(0);
  {
    const IdleStreams streams(served, 1'000);
    row(1'000);
  }
  row(0);
}

}  // namespace

void serve_workload() {
  empty_endpoint();
  const Rates most = serve_and_report({8, 64, 256, 1024}, 7);
  half_load(most);
  several_owners();
  beside_readers();
  beside_long_requests();
  overload();
  idle_streams();
}

void requests_workload() { (void)serve_and_report({64}, 15); }

void owners_workload() {
  several_owners();
  beside_long_requests();
}

void soak_workload() {
  const char* text = std::getenv("DUEL_BENCH_SOAK_S");
  const int seconds = text == nullptr ? 30 : std::stoi(text);
  fmt::print(
      "\n## Memory under load, 64 connections, as many duels as go for {} s "
      "(DUEL_BENCH_SOAK_S), {}\n\n| after, s | requests | resident, MiB |\n|---|---|---|\n",
      seconds, kWhatIsMeasured);
  const BenchServer served;
  std::uint64_t requests = 0;
  constexpr int kParts = 6;
  for (int part = 1; part <= kParts; ++part) {
    HttpLoad load = served.duels(64);
    load.most_requests = ~std::size_t{0};
    load.measured = [](const std::string&) { return false; };  // latencies would take memory
    load.most_time = std::chrono::milliseconds(1000 * seconds / kParts);
    requests += run(load).requests;
    fmt::print("| {} | {} | {:.0f} |\n", seconds * part / kParts, requests, resident_mib());
  }
}

}  // namespace duel
