#include <chrono>
#include <filesystem>
#include <thread>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/server_log.h"
#include "duel/client/store_location.h"
#include "duel/http/http.h"
#include "duel/http/http_client.h"
#include "duel/judging/child_process.h"
#include "duel/judging/judge_command.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/certified_notices.h"
#include "duel/service/engine.h"
#include "duel/store/postgres_store.h"

namespace duel::cli {
namespace {

struct ServeArguments {
  std::string listen = "127.0.0.1:7557";
  std::string store;
  std::string advertise;
  std::uint64_t lease = 10;
  std::uint64_t threads = 2;
  std::uint64_t most_ahead = 3'600;
  std::uint64_t connections_of_one = HttpLimits{}.connections_of_one;
  EngineOptions engine;
  ApiOptions api;
  std::string on_certified;
  std::uint64_t on_certified_timeout = 60;
  std::string log_format = "text";
};

// Runs the program that the operator has told of certificates, without a shell, gives it `input`,
// and waits for its end. An error where it cannot be started, ends with another code than 0, or
// takes longer than `timeout`: then it and everything that it started is killed. `stop`: whether to
// give up.
Status run_certified_command(const std::vector<std::string>& words, const std::string& input,
                             std::chrono::milliseconds timeout, const std::function<bool()>& stop) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  DUEL_ASSIGN(ChildProcess child, ChildProcess::start(words));
  child.send(input);
  child.end_input();
  while (!child.ended()) {
    if (stop()) return Error::unsupported("the server stops");
    if (std::chrono::steady_clock::now() > deadline) {
      return Error::unsupported(
          fmt::format("'{}' did not end within {} s", words.front(), timeout.count() / 1000));
    }
    child.wait(std::chrono::milliseconds(100));
    child.output().clear();
  }
  if (child.exit_code() == 0) return Done{};
  return Error::unsupported(fmt::format("'{}': {}", words.front(), child.how_it_ended()), "",
                            child.complaint());
}

// Tells the operator's program of certificates; what it could not be told is tried again.
Result<std::unique_ptr<CertifiedNotices>> notices_of(const ServeArguments& arguments,
                                                     Engine& engine, ServerLog& log) {
  if (arguments.on_certified.empty()) return std::unique_ptr<CertifiedNotices>();
  auto words = split_words(arguments.on_certified);
  if (words.ok() && words->empty()) words = Error::invalid_argument("the command is empty");
  if (!words.ok()) return usage_error("--on-certified", words.error());
  if (const Status found = ChildProcess::check_program(words->front()); !found.ok()) {
    return usage_error("--on-certified", found.error());
  }
  const std::chrono::seconds timeout(arguments.on_certified_timeout);
  return std::make_unique<CertifiedNotices>(
      engine,
      [words = *words, timeout, &log](const Json& notice, const std::function<bool()>& stop) {
        const Status told = run_certified_command(words, notice.dump() + "\n", timeout, stop);
        if (!told.ok() && !stop()) {
          log.note("--on-certified: " + told.error().to_string() + "; it is tried again");
        }
        return told.ok();
      });
}

// Beside the store's file, because the directory for temporary files is memory on many systems.
std::filesystem::path directory_of_bodies(const std::string& store) {
  if (is_postgres(store)) return std::filesystem::temp_directory_path();
  const std::filesystem::path directory = std::filesystem::path(store_file(store)).parent_path();
  return directory.empty() ? "." : directory;
}

Result<int> run_serve(const ServeArguments& arguments, CommandContext& context) {
  // First, so that it is there as long as anybody has something to say.
  ServerLog log(arguments.log_format == "json", context);
  auto address = parse_http_address(arguments.listen);
  if (!address.ok()) return usage_error("--listen", address.error());
  if (!arguments.advertise.empty()) {
    const auto url = HttpClient::make(arguments.advertise, {});
    if (!url.ok()) return usage_error("--advertise", url.error());
  } else if (is_postgres(arguments.store)) {
    log.note("other servers on the same store cannot reach this one without --advertise URL");
  }
  DUEL_ASSIGN(
      const std::shared_ptr<Store> store,
      open_store(arguments.store, {arguments.advertise, std::chrono::seconds(arguments.lease)}));
  DUEL_ASSIGN(const std::unique_ptr<ApiTokens> tokens, ApiTokens::open(store));
  if (!address->is_loopback() && !tokens->any()) {
    return Error::unsupported("without tokens the server listens on this machine only")
        .with_hint("`duel token create --scope admin` creates the first one")
        .in_field("listen");
  }
  EngineOptions options = arguments.engine;
  options.most_ahead = std::chrono::seconds(arguments.most_ahead);
  options.say = [&log](const std::string& message) { log.note(message); };
  DUEL_ASSIGN(const std::unique_ptr<Engine> engine, Engine::start(store, std::move(options)));
  // The port is part of what `Host` may say, and known only once it is taken.
  std::unique_ptr<Api> api;
  std::atomic<Api*> ready = nullptr;
  HttpLimits limits;
  limits.admit = [&ready](const HttpRequest& head) {
    Api* const now = ready.load();
    if (now == nullptr) return HttpAdmission{.refusal = problem(503, "the server starts", true)};
    return now->admit_body(head);
  };
  limits.file_directory = directory_of_bodies(arguments.store);
  limits.connections_of_one = arguments.connections_of_one;
  DUEL_ASSIGN(const std::unique_ptr<HttpServer> server,
              HttpServer::listen(*address, limits, arguments.threads,
                                 [&ready](HttpRequest&& request, HttpReply reply) {
                                   Api* const now = ready.load();
                                   if (now == nullptr) {
                                     return reply.send(problem(503, "the server starts", true));
                                   }
                                   now->handle(std::move(request), std::move(reply));
                                 }));
  ApiOptions api_options = arguments.api;
  api_options.listen = server->address();
  api_options.on_answered = log.on_answered();
  api = std::make_unique<Api>(*engine, *tokens, std::move(api_options));
  DUEL_ASSIGN(const std::unique_ptr<CertifiedNotices> notices, notices_of(arguments, *engine, log));
  ready = api.get();
  context.print("http://{}\n", server->address().to_string());
  log.note(fmt::format("serving; store {}; Ctrl-C ends it",
                       arguments.store.empty() ? default_store() : arguments.store));
  if (!tokens->any()) {
    log.note("there are no tokens: every program on this machine has full access");
  }
  const InterruptGuard guard;
  while (!guard.interrupted() && !engine->failed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (!engine->failed()) log.note("draining");
  api->close();
  server->drain(std::chrono::seconds(10));
  // After a failed sync the system may have dropped what it could not write. Only a new process
  // that opens the store can find out what is on the disk.
  if (engine->failed()) {
    return Error::io("a write or a sync failed; nothing was acknowledged since",
                     arguments.store.empty() ? default_store() : arguments.store,
                     "check the disk and start again");
  }
  return guard.exit_code() == kExitInterrupted ? kExitInterrupted : kExitDone;
}

}  // namespace

void add_serve_command(Command& program) {
  Command& command = program.add_command(
      "serve",
      "Serves experiments over HTTP: chooses the next pair, takes the outcome, says when to "
      "stop.\nA request that succeeded is on disk. Only one process can serve a store in a file; "
      "several can share a store on PostgreSQL.");
  ServeArguments& arguments = command.runs(run_serve);
  command.add("--listen ADDRESS", &arguments.listen,
              "Where to listen (default 127.0.0.1:7557). Port 0 takes a free one.");
  add_store_option(command, &arguments.store,
                   " The password of the latter comes from PGPASSWORD or PGPASSFILE.");
  command.add("--advertise URL", not_empty(&arguments.advertise),
              "URL where the other servers on the same PostgreSQL store reach this one.");
  command.add("--lease S", count(&arguments.lease, 1, 3'600),
              "Seconds after which the others take over the experiments of a server that has gone "
              "silent (default 10). PostgreSQL only.");
  command.add("--public-url URL", &arguments.api.public_url,
              "URL that callers use, if the server is behind a proxy.");
  command.add("--allow-origin ORIGIN", &arguments.api.allow_origins,
              "Allow pages of this origin to call the server. May be repeated.");
  command.add("--threads N", count(&arguments.threads, 1, 64),
              "Threads for client connections (default 2).");
  command.add("--owners N", count(&arguments.engine.owners, 1, 64),
              "Threads that choose pairs and take outcomes; each experiment belongs to one of them "
              "(default: one per core).");
  command.add(
      "--max-resident N", count(&arguments.engine.most_in_memory, 1, 1'000'000),
      "Experiments kept in memory (default 200). Others are loaded from the store when needed.");
  command.add("--max-arms N", count(&arguments.engine.most_arms, 2, 100'000),
              "Arms of an experiment (default 1000). Its memory grows with their square.");
  command.add(
      "--most-ahead S", count(&arguments.most_ahead, 1, 3'650ULL * 86'400),
      "Seconds by which the last record of an experiment may be ahead of the clock (default "
      "3600). Others are not served: their clock was wrong, or this one is.");
  command.add(
      "--rate-limit N",
      number(
          &arguments.api.rate_limit, [](double value) { return value >= 0; },
          "0 or more requests a second"),
      "Requests per second for each token; more get status 429 (default 5000). 0 means no limit.");
  command.add("--connections-per-address N", count(&arguments.connections_of_one, 1, 10'000),
              "Connections of one address, or of one IPv6 network of 64 bits, of the 10000 in all "
              "(default 5000). Behind a proxy all connections have its address.");
  command.add("--client-address-header NAME", not_empty(&arguments.api.client_address_header),
              "Header in which a proxy before this server adds the client's address, such as "
              "X-Forwarded-For; its last entry counts. Share links are limited by address.");
  command.add("--on-certified CMD", &arguments.on_certified,
              "Program to run for every certificate, without a shell. It reads a JSON notice on "
              "standard input, and is run again until it exits with 0.");
  command.add("--on-certified-timeout S", count(&arguments.on_certified_timeout, 1, 86'400),
              "Seconds until that program is killed (default 60).");
  command.add_configurable("--log-format FORMAT", one_of(&arguments.log_format, {"text", "json"}),
                           "json: what goes to stderr is one JSON object a line, with a line for "
                           "every request; text (default): notes for people, no requests.");
  command.footer =
      "Examples:\n"
      "  duel serve\n"
      "  curl -X PUT localhost:7557/v1/experiments/logo -H 'Content-Type: application/json' \\\n"
      "       -d '{\"arms\":[{\"arm_id\":\"red\"},{\"arm_id\":\"blue\"}]}'";
}

}  // namespace duel::cli
