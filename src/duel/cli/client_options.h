// The options of the client commands, and the client that they ask for.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "duel/cli/options.h"
#include "duel/client/api_client.h"
#include "duel/core/result.h"

namespace duel::cli {

struct ClientOptions {
  std::string server;
  std::string token_file;
  std::string store;
  bool json = false;
  const Option* server_option = nullptr;
  const Option* store_option = nullptr;

  // A server rather than the local store. A store named on the command line wins over a server that
  // a variable or a file names.
  bool uses_server() const;
  // `duel result NAME` and `duel export NAME`: is that an experiment of a store or server, or a
  // file? An experiment where --server or --store is on the command line; otherwise a file that
  // exists wins, then what can be an experiment's id, if there is a store or a configured server to
  // ask. All else is a file that is missing.
  bool name_experiment(const std::string& name) const;
};

// Declares --store. `more` follows its text.
Option& add_store_option(Command& command, std::string* store, const std::string& more = "");
// Declares --server, --token-file and --store.
void add_client_options(Command& command, ClientOptions& options);
// The same and --json.
void add_json_client_options(Command& command, ClientOptions& options);

// What is read of a log or of an experiment, and where it is written.
struct NamedLog {
  ClientOptions client;
  std::string name;  // of a file or an experiment (ClientOptions::name_experiment)
  std::string output = "-";
};
// Declares the name, --output and the options of the client.
void add_named_log(Command& command, NamedLog& log);

enum class StoreUse { existing, created };

// The client that the options ask for. A store that is not there is made where `use` says so.
Result<std::unique_ptr<ApiClient>> open_client(const ClientOptions& options, StoreUse use,
                                               std::chrono::milliseconds patience);

// Does the work with a client. Where the server stays out of reach, that is printed and the exit
// code is 75.
Result<int> with_client(const ClientOptions& options, StoreUse use,
                        const std::function<Result<int>(ApiClient&)>& work);
// Asks, and prints the answer as JSON or what `text` makes of it.
Result<int> print_answer(const ClientOptions& options, HttpMethod method, const std::string& target,
                         const Json& body, const std::function<std::string(const Json&)>& text,
                         CommandContext& context);

// What an answer holds, in a line for people: a text as it is, all else as JSON, null as "".
std::string shown_text(const Json& value);
// The same for the member of that name; "" if the object has none.
std::string shown_text(const Json& object, std::string_view name);

}  // namespace duel::cli
