#include "duel/cli/client_options.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "duel/client/local_api.h"
#include "duel/client/remote_api.h"
#include "duel/client/store_location.h"
#include "duel/core/display_width.h"
#include "duel/core/id.h"
#include "duel/core/whole_file.h"
#include "duel/store/postgres_store.h"

namespace duel::cli {
namespace {

// One command may find the server in the middle of a restart.
constexpr auto kPatience = std::chrono::milliseconds(3'000);

Result<std::string> token_of(const ClientOptions& options) {
  if (options.token_file.empty()) {
    const char* variable = std::getenv("DUEL_TOKEN");
    return std::string(variable != nullptr ? variable : "");
  }
  constexpr std::size_t kMostBytes = 4096;
  const std::string file = options.token_file == "-" ? "/dev/stdin" : options.token_file;
  auto text = read_whole_file(file, kMostBytes);
  if (!text.ok()) return usage_error("--token-file", text.error());
  std::string token = text->substr(0, text->find('\n'));
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) {
    token.pop_back();
  }
  if (token.empty()) {
    return usage_error("--token-file", Error::invalid_argument("the file is empty", file));
  }
  return token;
}

}  // namespace

bool ClientOptions::uses_server() const {
  if (server.empty()) return false;
  return !store_option->on_command_line() || server_option->on_command_line();
}

bool ClientOptions::name_experiment(const std::string& name) const {
  if (server_option->on_command_line() || store_option->on_command_line()) return true;
  std::error_code unknown;
  if (name == "-" || std::filesystem::exists(name, unknown)) return false;
  if (!check_id("an experiment", name).ok()) return false;
  return uses_server() || store_may_exist(store);
}

Option& add_store_option(Command& command, std::string* store, const std::string& more) {
  return command.add_configurable("--store FILE", not_empty(store),
                                  "SQLite database (default $XDG_STATE_HOME/duel/duel.db), or "
                                  "postgresql://HOST/DATABASE." +
                                      more);
}

void add_client_options(Command& command, ClientOptions& options) {
  Option& server = command.add_configurable(
      "--server URL", not_empty(&options.server),
      "Server to ask, as http://127.0.0.1:7557 (default: the store on this machine).");
  command.add_configurable("--token-file FILE", not_empty(&options.token_file),
                           "File with the token for the server; - for standard input. Or put the "
                           "token itself in the variable DUEL_TOKEN.");
  options.server_option = &server;
  options.store_option = &add_store_option(command, &options.store);
}

void add_named_log(Command& command, NamedLog& log) {
  command.add_required("NAME LOG", &log.name,
                       "Log to read; or the id of an experiment of the store or the server.");
  command.add("-o,--output FILE", &log.output, "File to write (default: standard output).");
  add_client_options(command, log.client);
}

void add_json_client_options(Command& command, ClientOptions& options) {
  add_client_options(command, options);
  command.add("--json", &options.json, "Print JSON.");
}

Result<std::unique_ptr<ApiClient>> open_client(const ClientOptions& options, StoreUse use,
                                               std::chrono::milliseconds patience) {
  if (options.uses_server()) {
    if (options.store_option->on_command_line()) {
      return Error::invalid_argument("excludes --server", "--store",
                                     "a server has a store of its own");
    }
    DUEL_ASSIGN(const std::string token, token_of(options));
    DUEL_ASSIGN(std::unique_ptr<RemoteApi> remote,
                RemoteApi::make(options.server, token, patience));
    return std::unique_ptr<ApiClient>(std::move(remote));
  }
  const std::string file = store_file(options.store);
  if (use == StoreUse::existing && !store_may_exist(options.store)) {
    return Error::not_found("there is no store", file,
                            "'duel experiment new' creates one; --server URL asks a server");
  }
  std::string token;
  if (is_postgres(options.store)) {
    DUEL_ASSIGN(token, token_of(options));
  }
  DUEL_ASSIGN(std::unique_ptr<LocalApi> local, LocalApi::open(options.store, token));
  return std::unique_ptr<ApiClient>(std::move(local));
}

Result<int> with_client(const ClientOptions& options, StoreUse use,
                        const std::function<Result<int>(ApiClient&)>& work) {
  DUEL_ASSIGN(const std::unique_ptr<ApiClient> client, open_client(options, use, kPatience));
  Result<int> ended = work(*client);
  if (ended.ok() || !client->out_of_reach()) return ended;
  print_error(ended.error());
  return kExitTemporary;
}

Result<int> print_answer(const ClientOptions& options, HttpMethod method, const std::string& target,
                         const Json& body, const std::function<std::string(const Json&)>& text,
                         CommandContext& context) {
  return with_client(options, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json answer, client.ask(method, target, body));
    return context.done(options.json ? answer.dump_pretty() : text(answer));
  });
}

std::string shown_text(const Json& value) {
  if (value.is_null()) return "";
  return printable_line(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string shown_text(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  return value == nullptr ? "" : shown_text(*value);
}

}  // namespace duel::cli
