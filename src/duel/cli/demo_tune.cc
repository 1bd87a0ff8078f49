#include "duel/cli/demo_tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "duel/cli/demo_shop.h"
#include "duel/cli/demo_stay.h"
#include "duel/cli/options.h"
#include "duel/cli/progress.h"
#include "duel/client/api_client.h"
#include "duel/client/remote_api.h"
#include "duel/client/running_server.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/core/timestamp.h"

namespace duel::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTunedShopSeed = 7;
constexpr const char* kTunedExperiment = "hybrid-weight";
constexpr std::size_t kTunedConnections = 4;
constexpr std::uint64_t kMostTunedVisits = 20'000;
// The shop's ranker goes by words alone today.
constexpr double kWeightToday = 0;
constexpr auto kMostTuningTime = std::chrono::seconds(40);
constexpr auto kTuningPatience = milliseconds(5'000);
constexpr auto kTuningLook = milliseconds(500);
constexpr std::uint64_t kPagesOfTruth = 20'000;

// One user's visit: a duel of two weights, a page of both rankings, clicks, and away.
struct TunedVisitor {
  const DemoShop& shop;
  ApiClient& client;
  std::uint64_t seed;

  // Whether there was a duel.
  Result<bool> visit(std::uint64_t number) {
    RoundRng rng = Stream(seed, 0, Purpose::impression, "demo/tune").at(number + 1);
    const std::size_t query = DemoShop::query_of(rng);
    const std::string id = fmt::format("q-{}", number);
    Json wish;
    wish["duel_id"] = id;
    wish["subject_id"] = fmt::format("user-{}", number);
    DUEL_ASSIGN(const Json duel,
                client.ask(HttpMethod::post, experiment_target(kTunedExperiment, "/duels"), wish));
    const auto arms = duel.at("arms").items();
    if (arms.size() < 2) return false;
    Json lists = Json::object();
    for (const Json& arm : arms) {
      const double weight = arm.at("payload").at("weight").get<double>();
      lists.add(arm.at("arm_id").get<std::string>(), Json(shop.hybrid(weight, query)));
    }
    Json body;
    body["lists"] = std::move(lists);
    const std::string target = experiment_target(kTunedExperiment, "/duels/" + id);
    DUEL_ASSIGN(const Json page, client.ask(HttpMethod::put, target + "/interleaving", body));
    std::vector<std::string> shown;
    for (const Json& item : page.at("items").items()) {
      shown.push_back(item.at("object_id").get<std::string>());
    }
    std::string events;
    for (const std::size_t place : shop.clicks(shown, query, rng)) {
      events += fmt::format(
          R"({}{{"action_name":"click","query_id":"{}","timestamp":"{}","event_attributes":)"
          R"({{"object":{{"object_id":"{}"}}}}}})",
          events.empty() ? "" : ",", id, format_timestamp(current_time_ms()), shown[place]);
    }
    if (!events.empty()) {
      DUEL_ASSIGN(const HttpResponse response,
                  client.send(HttpMethod::post, "/v1/events", "[" + events + "]",
                              "application/json", Repeat::safe));
      DUEL_RETURN_IF_ERROR(client.content_of(response));
    }
    Json close;
    close["result"] = "close";
    DUEL_RETURN_IF_ERROR(client.ask(HttpMethod::put, target + "/outcome", close));
    return true;
  }
};

class Tuning {
 public:
  Tuning(std::uint64_t seed, bool serve, CommandContext& context)
      : seed_(seed), serve_(serve), context_(context), shop_(kTunedShopSeed) {}

  Result<int> run() {
    DUEL_ASSIGN(const std::unique_ptr<RunningServer> server, RunningServer::start());
    url_ = server->url();
    DUEL_ASSIGN(const std::unique_ptr<RemoteApi> client,
                RemoteApi::make(url_, "", kTuningPatience));
    DUEL_RETURN_IF_ERROR(create(*client));
    context_.print(
        "A server at {0} on a store of its own, and a shop whose search mixes words and meaning. "
        "Today\nthe weight of meaning is {2}. Simulated users click on pages of two weights, over "
        "HTTP.\nWatch it in a browser: {0}/experiments/{1}\n\n",
        url_, kTunedExperiment, kWeightToday);
    const InterruptGuard guard;
    const auto begun = Clock::now();
    DUEL_RETURN_IF_ERROR(let_users_come(guard, *client));
    const double took = std::chrono::duration<double>(Clock::now() - begun).count();
    DUEL_ASSIGN(const Json result, client->get(experiment_target(kTunedExperiment, "/result")));
    print_outcome(result, took);
    if (guard.interrupted()) return guard.exit_code();
    if (!serve_) {
      stay_until_enter(url_, kTunedExperiment, guard, context_);
      if (guard.interrupted()) return guard.exit_code();
      context_.print("'duel demo --tune --serve' keeps the server up. Next: duel tune --help\n");
      return result.at("certificate").is_null() ? kExitUndecided : kExitDone;
    }
    context_.print("The server stays at {0}: {0}/experiments/{1}\n", url_, kTunedExperiment);
    context_.note("Ctrl-C ends it");
    while (!guard.interrupted()) std::this_thread::sleep_for(milliseconds(100));
    return guard.exit_code();
  }

 private:
  Status create(ApiClient& client) const {
    Json body;
    body["name"] = "Weight of meaning";
    body["mode"] = "interleave";
    body["space"]["weight"] = {{"low", 0}, {"high", 1}, {"default", kWeightToday}, {"step", 0.01}};
    body["stopping"]["on_certified"] = "complete";
    body["interleave"]["length"] = std::uint64_t{DemoShop::kPage};
    body["seed"] = seed_;
    DUEL_RETURN_IF_ERROR(client.ask(HttpMethod::put, experiment_target(kTunedExperiment), body));
    DUEL_RETURN_IF_ERROR(
        client.ask(HttpMethod::post, experiment_target(kTunedExperiment, "/start")));
    return Done{};
  }

  Status let_users_come(const InterruptGuard& guard, ApiClient& client) {
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> ends = false;
    std::optional<Error> error;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < kTunedConnections; ++k) {
      threads.emplace_back([&] {
        const auto work = [&]() -> Status {
          DUEL_ASSIGN(const std::unique_ptr<RemoteApi> connection,
                      RemoteApi::make(url_, "", kTuningPatience));
          TunedVisitor visitor{shop_, *connection, seed_};
          while (!ends.load()) {
            const std::uint64_t number = next.fetch_add(1);
            if (number >= kMostTunedVisits) break;
            DUEL_ASSIGN(const bool dueled, visitor.visit(number));
            if (!dueled) break;
            ++visits_;
          }
          return Done{};
        };
        const Status status = work();
        const std::lock_guard lock(mutex);
        if (!status.ok()) error = status.error();
        ends = true;  // it is certified, or broken
      });
    }
    Progress progress("visits", kMostTunedVisits, context_.quiet);
    const auto deadline = Clock::now() + kMostTuningTime;
    std::string verdict;
    auto looked = Clock::now();
    while (!ends.load() && !guard.interrupted() && Clock::now() < deadline) {
      if (Clock::now() - looked >= kTuningLook) {
        looked = Clock::now();
        const auto result = client.get(experiment_target(kTunedExperiment, "/result"));
        if (result.ok()) verdict = result->at("verdict").get<std::string>();
      }
      progress.update(visits_, verdict);
      std::this_thread::sleep_for(milliseconds(50));
    }
    ends = true;
    for (std::thread& thread : threads) thread.join();
    if (error) return *error;
    return Done{};
  }

  void print_outcome(const Json& result, double took) const {
    const Paint paint = stdout_paint();
    const Json& space = result.at("space");
    std::string text = paint.bold(wrapped(result.at("verdict").get<std::string>(), 90)) + "\n\n";
    Table table;
    table.column("weight").column("what it is").column("wins against today's");
    const auto row = [&](double weight, const char* what) {
      table.row({fmt::format("{:.2f}", weight), std::string(what),
                 fmt::format("{:.3f}", shop_.hybrid_wins(weight, kWeightToday, kPagesOfTruth))});
    };
    row(kWeightToday, "in use");
    row(space.at("recommended").at("point").at("weight").get<double>(), "the best guess");
    for (const Json& tried : space.at("tried").items()) {
      if (tried.at("state").get<std::string>() != "certified") continue;
      row(tried.at("point").at("weight").get<double>(), "certified");
    }
    text += table.to_string();
    text += fmt::format(
        "\n{} visits over {} connections in {:.1f} s. The last column is from {} simulated pages "
        "each;\nthe experiment saw none of it.\n\n",
        visits_.load(), kTunedConnections, took, kPagesOfTruth);
    context_.print(text);
  }

  std::uint64_t seed_;
  bool serve_;
  CommandContext& context_;
  DemoShop shop_;
  std::string url_;
  std::atomic<std::uint64_t> visits_ = 0;
};

}  // namespace

Result<int> demonstrate_tuning(std::uint64_t seed, bool serve, CommandContext& context) {
  return Tuning(seed, serve, context).run();
}

}  // namespace duel::cli
