#include "duel/cli/api_client.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "duel/cli/local_api.h"
#include "duel/cli/remote_api.h"
#include "duel/cli/store_location.h"
#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"
#include "duel/core/whole_file.h"
#include "duel/store/postgres_store.h"

namespace duel::cli {
namespace {

// One command may find the server in the middle of a restart.
constexpr auto kPatience = std::chrono::milliseconds(3'000);

// JSON pointers of request bodies, and the fields by which the command line knows them.
struct PointedField {
  std::string_view pointer;
  std::string_view field;
};
constexpr std::array<PointedField, 12> kPointedFields = {{{"/arms", "arms"},
                                                          {"/name", "title"},
                                                          {"/mode", "mode"},
                                                          {"/policy", "policy"},
                                                          {"/goal", "goal"},
                                                          {"/top", "top"},
                                                          {"/epsilon", "epsilon"},
                                                          {"/assume", "assume"},
                                                          {"/stopping/alpha", "alpha"},
                                                          {"/stopping/max_duels", "max_duels"},
                                                          {"/exclude", "exclude"},
                                                          {"/task_id", "task"}}};

std::string field_of(std::string_view pointer) {
  for (const auto& [known, field] : kPointedFields) {
    if (pointer == known || (pointer.starts_with(known) && pointer[known.size()] == '/')) {
      return std::string(field);
    }
  }
  return {};
}

ErrorCode code_of(int status) {
  switch (status) {
    case 400:
      return ErrorCode::invalid_argument;
    case 404:
      return ErrorCode::not_found;
    case 409:
    case 412:
      return ErrorCode::conflict;
    case 422:
      return ErrorCode::invalid_data;
    default:
      return status >= 500 || status == 429 ? ErrorCode::io : ErrorCode::unsupported;
  }
}

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

void add_client_options(Command& command, ClientOptions& options) {
  Option& server = command.add_configurable(
      "--server URL", not_empty(&options.server),
      "Server to ask, as http://127.0.0.1:7557 (default: the store on this machine).");
  command.add_configurable("--token-file FILE", not_empty(&options.token_file),
                           "File with the token for the server; - for standard input. Or put the "
                           "token itself in the variable DUEL_TOKEN.");
  Option& store =
      command.add_configurable("--store FILE", not_empty(&options.store),
                               "SQLite database (default $XDG_STATE_HOME/duel/duel.db), or "
                               "postgresql://HOST/DATABASE.");
  options.server_option = &server;
  options.store_option = &store;
}

Result<Json> ApiClient::get(const std::string& target) { return ask(HttpMethod::get, target); }

Result<Json> ApiClient::ask(HttpMethod method, const std::string& target, const Json& body,
                            Repeat repeat) {
  DUEL_ASSIGN(const HttpResponse response,
              send(method, target, body.is_null() ? std::string() : body.dump(),
                   body.is_null() ? "" : "application/json", repeat));
  return content_of(response);
}

Result<Json> ApiClient::content_of(const HttpResponse& response) {
  if (response.status >= 400) {
    out_of_reach_ = is_temporary(response.status);
    return refused(response);
  }
  auto json = Json::parse(response.body);
  if (json) return std::move(*json);
  return Error::invalid_data("the answer is not JSON", place(), "is this a Duel server?");
}

bool is_temporary(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

Error refused(const HttpResponse& response) {
  Error error;
  error.code = code_of(response.status);
  error.message =
      fmt::format("the server answered {} {}", response.status, reason_phrase(response.status));
  const auto json = Json::parse(response.body);
  if (!json) return error;
  if (const Json* detail = json->find("detail"); detail != nullptr && detail->is_string()) {
    error.message = detail->get<std::string>();
  }
  if (const Json* errors = json->find("errors"); errors != nullptr && !errors->empty()) {
    const Json* pointer = errors->items()[0].find("pointer");
    if (pointer != nullptr && pointer->is_string()) {
      const std::string at = pointer->get<std::string>();
      error.field = field_of(at);
      if (!at.empty() && error.message.starts_with(at + " ")) error.message.erase(0, at.size() + 1);
      // The place in the body says more than the option alone where it lies deeper.
      if (error.field.empty() || at.starts_with("/arms/")) error.where = at;
    }
  }
  if (response.status == 401) {
    error.hint = "give a token with --token-file or in the variable DUEL_TOKEN";
  }
  return error;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::string experiment_target(const std::string& experiment_id, std::string_view rest) {
  return fmt::format("/v1/experiments/{}{}", percent_encoded(experiment_id), rest);
}

std::string new_client_id() {
  std::string id = fmt::format("c{:012x}", static_cast<std::uint64_t>(current_time_ms()));
  for (const char byte : random_bytes(8)) {
    id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return id;
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

}  // namespace duel::cli
