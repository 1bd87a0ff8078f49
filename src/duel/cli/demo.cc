#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "duel/cli/commands.h"
#include "duel/cli/demo_shop.h"
#include "duel/cli/demo_stay.h"
#include "duel/cli/demo_tune.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/progress.h"
#include "duel/cli/study_runner.h"
#include "duel/client/api_client.h"
#include "duel/client/remote_api.h"
#include "duel/client/running_server.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/core/timestamp.h"
#include "duel/study/spec.h"
#include "duel/truth/lower_bound.h"

namespace duel::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kShopSeed = 7;
constexpr const char* kExperiment = "rankers";
constexpr std::size_t kConnections = 8;
constexpr std::uint64_t kVisits = 10'000;  // at least; more come until there is a winner
constexpr std::uint64_t kMostVisits = 200'000;
// Share of the pages that go to any two rankers: what a winner needs beyond the least regret.
constexpr double kExploreFloor = 0.03;
constexpr std::uint64_t kTruthPages = 10'000;  // for each pair: a standard error below 0.006
// Whatever the machine, the demonstration ends by itself within a minute.
constexpr auto kMostTime = std::chrono::seconds(40);
constexpr auto kDemoPatience = milliseconds(5'000);
constexpr auto kDemoLook = milliseconds(500);

struct DemoArguments {
  bool policies = false;
  bool tune = false;
  bool serve = false;
  std::string output = "duel-demo";
  std::uint64_t seed = 1;
  const Option* output_option = nullptr;
};

// One user's visit: a search, a page, clicks, and away.
struct Visitor {
  const DemoShop& shop;
  ApiClient& client;
  const std::vector<std::string>& lists;
  std::uint64_t seed;

  // The rankers that the page was made of.
  Result<std::vector<std::string>> visit(std::uint64_t number) {
    RoundRng rng = Stream(seed, 0, Purpose::impression, "demo/visits").at(number + 1);
    const std::size_t query = DemoShop::query_of(rng);
    const std::string query_id = fmt::format("q-{}", number);
    DUEL_ASSIGN(const Json page,
                post(experiment_target(kExperiment, "/interleavings"),
                     fmt::format(R"({{"duel_id":"{}","subject_id":"user-{}","lists":{}}})",
                                 query_id, number, lists[query])));
    std::vector<std::string> shown;
    for (const Json& item : page.at("items").items()) {
      if (shown.size() == DemoShop::kPage) break;
      shown.push_back(item.at("object_id").get<std::string>());
    }
    std::vector<std::string> made_of;
    for (const Json& arm : page.at("arms").items()) {
      made_of.push_back(arm.at("arm_id").get<std::string>());
    }
    const std::vector<std::size_t> places = shop.clicks(shown, query, rng);
    // One ranker alone was shown: nobody learns from that page.
    if (made_of.size() < 2) return made_of;
    if (!places.empty()) {
      std::string events;
      for (const std::size_t place : places) {
        events += fmt::format(
            R"({}{{"action_name":"click","query_id":"{}","timestamp":"{}","event_attributes":)"
            R"({{"object":{{"object_id":"{}"}},"position":{{"ordinal":{}}}}}}})",
            events.empty() ? "" : ",", query_id, format_timestamp(current_time_ms()), shown[place],
            place + 1);
      }
      DUEL_RETURN_IF_ERROR(post("/v1/events", "[" + events + "]"));
    }
    Json close;
    close["result"] = "close";
    DUEL_RETURN_IF_ERROR(client.ask(
        HttpMethod::put, experiment_target(kExperiment, "/duels/" + query_id + "/outcome"), close));
    return made_of;
  }

  Result<Json> post(const std::string& target, const std::string& body) {
    DUEL_ASSIGN(const HttpResponse response,
                client.send(HttpMethod::post, target, body, "application/json", Repeat::safe));
    return client.content_of(response);
  }
};

class Demonstration {
 public:
  Demonstration(const DemoArguments& arguments, CommandContext& context)
      : arguments_(arguments), context_(context), shop_(kShopSeed) {}

  Result<int> run() {
    DUEL_ASSIGN(const std::unique_ptr<RunningServer> server, RunningServer::start());
    url_ = server->url();
    prepare_lists();
    DUEL_ASSIGN(const std::unique_ptr<RemoteApi> client, RemoteApi::make(url_, "", kDemoPatience));
    DUEL_RETURN_IF_ERROR(create(*client));
    context_.print(
        "A server at {0} on a store of its own, six rankers of a shop, and\n"
        "simulated users who search and click on interleaved pages, over HTTP.\n"
        "Watch it in a browser: {0}/experiments/{1}\n\n",
        url_, kExperiment);
    context_.note("users come over {} connections", kConnections);
    const InterruptGuard guard;
    const auto begun = Clock::now();
    DUEL_RETURN_IF_ERROR(let_users_come(guard, *client));
    const double took = std::chrono::duration<double>(Clock::now() - begun).count();
    DUEL_ASSIGN(const Json result, client->get(experiment_target(kExperiment, "/result")));
    print_outcome(result, took);
    if (guard.interrupted()) return guard.exit_code();
    if (!arguments_.serve) {
      // Somebody who looks at the page has not finished when the visits have.
      stay_until_enter(url_, kExperiment, guard, context_);
      if (guard.interrupted()) return guard.exit_code();
      context_.print("The server was at {}; 'duel demo --serve' keeps it up. Next: duel serve\n",
                     url_);
      return result.at("certificate").is_null() ? kExitUndecided : kExitDone;
    }
    context_.print(
        "The server stays at {0}, and users still come. Try\n"
        "  {0}/experiments/{1} in a browser\n"
        "  duel result {1} --server {0}\n",
        url_, kExperiment);
    context_.note("Ctrl-C ends it");
    DUEL_RETURN_IF_ERROR(let_users_trickle(guard, *client));
    return guard.exit_code();
  }

 private:
  void prepare_lists() {
    for (std::size_t query = 0; query < DemoShop::kQueries; ++query) {
      Json lists;
      for (std::size_t k = 0; k < shop_.rankers().size(); ++k) {
        lists[shop_.rankers()[k]] = Json(shop_.ranking(k, query));
      }
      lists_.push_back(lists.dump());
    }
  }

  Status create(ApiClient& client) const {
    Json arms = Json::array();
    for (const std::string& ranker : shop_.rankers()) arms.push_back({{"arm_id", ranker}});
    Json body;
    body["name"] = "Rankers of the demonstration";
    body["mode"] = "interleave";
    body["arms"] = std::move(arms);
    // Every user comes once, so that no cause reaches two pairs.
    body["stopping"]["pairs_independent"] = true;
    body["guardrails"]["explore_floor"] = kExploreFloor;
    body["interleave"]["length"] = std::uint64_t{DemoShop::kPage};
    body["seed"] = arguments_.seed;
    DUEL_RETURN_IF_ERROR(client.ask(HttpMethod::put, experiment_target(kExperiment), body));
    DUEL_RETURN_IF_ERROR(client.ask(HttpMethod::post, experiment_target(kExperiment, "/start")));
    return Done{};
  }

  void count(const std::vector<std::string>& made_of) {
    const std::lock_guard lock(mutex_);
    ++visits_;
    for (const std::string& ranker : made_of) {
      shown_[ranker] += 1.0 / static_cast<double>(made_of.size());
    }
  }

  Status let_users_come(const InterruptGuard& guard, ApiClient& client) {
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> ends = false;
    std::optional<Error> error;
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < kConnections; ++k) {
      threads.emplace_back([&] {
        const auto work = [&]() -> Status {
          DUEL_ASSIGN(const std::unique_ptr<RemoteApi> connection,
                      RemoteApi::make(url_, "", kDemoPatience));
          Visitor visitor{shop_, *connection, lists_, arguments_.seed};
          while (!ends.load()) {
            const std::uint64_t number = next.fetch_add(1);
            if (number >= kMostVisits || (number >= kVisits && certified_at_ > 0)) break;
            DUEL_ASSIGN(const std::vector<std::string> made_of, visitor.visit(number));
            count(made_of);
          }
          return Done{};
        };
        if (const Status status = work(); !status.ok()) {
          const std::lock_guard lock(mutex_);
          error = status.error();
          ends = true;
        }
      });
    }
    watch(guard, client, ends);
    ends = true;
    for (std::thread& thread : threads) thread.join();
    if (error) return *error;
    return Done{};
  }

  // Until all have come, the time is up, or somebody has had enough.
  void watch(const InterruptGuard& guard, ApiClient& client, const std::atomic<bool>& ends) {
    Progress progress("visits", kVisits, context_.quiet);
    const auto deadline = Clock::now() + kMostTime;
    std::string verdict;
    auto looked = Clock::now();
    while (!ends.load() && !guard.interrupted() && Clock::now() < deadline) {
      std::uint64_t done = 0;
      {
        const std::lock_guard lock(mutex_);
        done = visits_;
      }
      if (done >= kMostVisits || (done >= kVisits && certified_at_ > 0)) break;
      if (Clock::now() - looked >= kDemoLook) {
        looked = Clock::now();
        const auto result = client.get(experiment_target(kExperiment, "/result"));
        if (result.ok()) verdict = result->at("verdict").get<std::string>();
        if (certified_at_ == 0 && result.ok() && !result->at("certificate").is_null()) {
          certified_at_ = result->at("duels").at("served").get<std::uint64_t>();
        }
      }
      progress.update(std::min(done, kVisits), verdict);
      std::this_thread::sleep_for(milliseconds(50));
    }
  }

  Status let_users_trickle(const InterruptGuard& guard, ApiClient& client) {
    Visitor visitor{shop_, client, lists_, arguments_.seed};
    for (std::uint64_t number = kMostVisits; !guard.interrupted(); ++number) {
      DUEL_RETURN_IF_ERROR(visitor.visit(number));
      std::this_thread::sleep_for(milliseconds(300));
    }
    return Done{};
  }

  void print_outcome(const Json& result, double took) const {
    const PreferenceMatrix truth = shop_.truth(kTruthPages);
    const auto& names = shop_.rankers();
    const std::size_t best =
        static_cast<std::size_t>(std::ranges::find(names, "hybrid-50") - names.begin());
    double regret = 0, split = 0;
    Table table;
    table.column("ranker", Align::left).column("pages").column("share");
    table.column("won").column("lost").column("loses to the best by");
    for (const Json& arm : result.at("arms").items()) {
      const std::string id = arm.at("arm_id").get<std::string>();
      const auto k = static_cast<std::size_t>(std::ranges::find(names, id) - names.begin());
      const double gap = truth.gap(static_cast<Arm>(best), static_cast<Arm>(k));
      const auto found = shown_.find(id);
      const double pages = found == shown_.end() ? 0 : found->second;
      regret += pages * gap;
      split += static_cast<double>(visits_) * gap / static_cast<double>(names.size());
      table.row(std::vector<std::string>{
          id, fmt::format("{:.0f}", pages),
          fmt::format("{:.1f} %",
                      100 * pages / static_cast<double>(std::max<std::uint64_t>(visits_, 1))),
          fmt::format("{}", arm.at("wins").get<std::uint64_t>()),
          fmt::format("{}", arm.at("losses").get<std::uint64_t>()),
          k == best ? "" : fmt::format("{:.3f}", gap)});
    }
    const Paint paint = stdout_paint();
    context_.print(paint.bold(result.at("verdict").get<std::string>()) + "\n\n" +
                   table.to_string());
    std::string text = fmt::format(
        "\n{} visits over {} connections in {:.1f} s{}\n", visits_, kConnections, took,
        certified_at_ > 0 ? fmt::format("; certified within {} duels", certified_at_.load())
                          : std::string());
    text += fmt::format("{:<36}{:>8.1f}\n", "Regret of Duel", regret);
    text += fmt::format("{:<36}{:>8.1f}\n", "of an A/B/n split of the same traffic", split);
    const auto bound = regret_lower_bound(truth);
    if (bound.ok() && visits_ > 1) {
      text += fmt::format("{:<36}{:>8.1f}\n", "lower bound, LB ln T",
                          bound->value * std::log(static_cast<double>(visits_)));
    }
    text +=
        "Regret adds up, over all pages, by how much their rankers lose to the best one (the last\n"
        "column, from simulated pages; a page of two counts half for each).\n\n";
    context_.print(text);
  }

  const DemoArguments& arguments_;
  CommandContext& context_;
  DemoShop shop_;
  std::string url_;
  std::vector<std::string> lists_;  // of all rankers as JSON, by query
  std::mutex mutex_;
  std::uint64_t visits_ = 0;
  std::map<std::string, double> shown_;          // pages by ranker
  std::atomic<std::uint64_t> certified_at_ = 0;  // duels served when it was seen first
};

// --- policies ------------------------------------------------------------------------------------

constexpr const char* kDemoName = "duel demo";

StudySpec demo_spec() {
  StudySpec spec;
  spec.name = kDemoName;
  spec.policies = {"rucb", "rmed1", "if2", "btm", "savage-condorcet", "uniform"};
  spec.matrices = {"arxiv"};
  spec.rounds = 100'000;
  spec.trials = 100;
  spec.seed = 1;
  return spec;
}

// An earlier demonstration in the directory may be replaced; somebody's study may not.
bool holds_demo(const std::filesystem::path& directory) {
  const auto draft = read_study_file(directory / "spec.toml");
  return draft.ok() && draft->name == kDemoName;
}

// Six policies on the rankers of the arXiv search engine: prints the comparison, and writes results
// and pictures into the directory.
Result<int> demonstrate_policies(const std::string& directory, CommandContext& context) {
  context.print(
      "Six rankers of the arXiv search engine, and only clicks to tell which of two is better:\n"
      "which policy finds the best one while showing the worse ones least?\n\n");
  context.note("6 policies, 100 trials each, 1e5 rounds");
  StudyRun study(context);
  const auto ran = study.run([&](StudyOptions& options) {
    options.output = directory;
    options.force = holds_demo(directory);
    return run_study(demo_spec(), options);
  });
  if (!ran.ok()) {
    Error error = ran.error();
    if (error.code == ErrorCode::unsupported) error.hint = "choose another directory with -o";
    return error;
  }
  const StudyOutcome& outcome = *ran;
  print_results(outcome.results, false, context);
  if (outcome.results.interrupted) {
    study.explain_interruption(outcome, directory);
    return study.exit_code();
  }

  bool drawn = true;
  for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
    PlotOptions options;
    options.format = format;
    const std::string file =
        (std::filesystem::path(directory) / ("regret." + to_string(format))).string();
    const Result<int> picture = draw(outcome.results, options, file, context);
    if (!picture.ok() && picture.error().code == ErrorCode::not_found) {
      context.warn(picture.error().to_string());
      drawn = false;
      break;
    }
    if (!picture.ok()) return picture.error();
    if (*picture != kExitDone) return *picture;
  }

  std::string text =
      "\nRegret counts how much worse the shown rankers were than the best one, summed over all\n"
      "rounds; ± is the standard error over the trials. 'informative' counts duels between two\n"
      "different rankers, 'accuracy' the share of trials that would recommend the best one.\n"
      "Uniform choice never stops paying; a good policy pays about ln T, and none can pay less\n"
      "than the lower bound in the long run.\n\n";
  if (drawn) text += fmt::format("Pictures   {0}/regret.svg, {0}/regret.png\n", directory);
  text += fmt::format("Numbers    {0}/results.csv, {0}/spec.toml\n\n", directory);
  text +=
      "Next:\n"
      "  duel policies                 what there is, with papers and guarantees\n"
      "  duel matrix show arxiv        this problem: winners, gaps, assumptions, lower bound\n"
      "  duel simulate --policy rmed1,rucb --matrix arxiv --rounds 1e7\n"
      "  duel simulate --policy rmed1,rucb --matrix my.csv     your own preference matrix\n";
  return context.done(text);
}

Result<int> run_demo(const DemoArguments& arguments, CommandContext& context) {
  if (arguments.policies) {
    if (arguments.serve) return Error::invalid_argument("excludes --policies", "--serve");
    if (arguments.tune) return Error::invalid_argument("excludes --policies", "--tune");
    return demonstrate_policies(arguments.output, context);
  }
  if (arguments.output_option->given()) {
    return Error::invalid_argument("is for --policies", arguments.output_option->name(),
                                   "the demonstration of the server writes no files");
  }
  if (arguments.tune) return demonstrate_tuning(arguments.seed, arguments.serve, context);
  return Demonstration(arguments, context).run();
}

}  // namespace

void add_demo_command(Command& program) {
  Command& command = program.add_command(
      "demo",
      "Shows the whole system at work: a server, users who click, a certified winner.\n"
      "Starts a server on a store of its own and a free port of this machine, creates an "
      "experiment of six rankers, and lets simulated users search and click on interleaved pages "
      "over HTTP. "
      "Ends in less than a minute with the verdict and with the regret beside that of an A/B/n "
      "split and the lower bound; on a terminal the server stays until you press Enter. With "
      "--policies it compares six policies by simulation instead, "
      "and writes the results and a picture into a directory.\n"
      "Exit codes: 0 certified, 3 undecided because time was short, 130 interrupted.");
  DemoArguments& arguments = command.runs(run_demo);
  command.add("--serve", &arguments.serve,
              "Keep the server up afterwards, with users who come slowly, until Ctrl-C.");
  command.add("--policies", &arguments.policies,
              "Compare six policies on the rankers of the arXiv search engine.");
  command.add("--tune", &arguments.tune,
              "Tune the weight of a hybrid ranker from clicks instead of choosing among six.");
  arguments.output_option = &command.add("-o,--output DIR", not_empty(&arguments.output),
                                         "Directory of --policies (default ./duel-demo).");
  command.add("--seed N", count(&arguments.seed, 0, 1'000'000'000),
              "Seed of the users (default 1).");
  command.footer =
      "Examples:\n  duel demo\n  duel demo --serve\n  duel demo --tune\n"
      "  duel demo --policies -o demo";
}

}  // namespace duel::cli
