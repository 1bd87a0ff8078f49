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
  const Option* server_option = nullptr;
  const Option* store_option = nullptr;

  // A server rather than the local store. A store named on the command line wins over a server that
  // a variable or a file names.
  bool uses_server() const;
};

// Declares --server, --token-file and --store.
void add_client_options(Command& command, ClientOptions& options);

enum class StoreUse { existing, created };

// The client that the options ask for. A store that is not there is made where `use` says so.
Result<std::unique_ptr<ApiClient>> open_client(const ClientOptions& options, StoreUse use,
                                               std::chrono::milliseconds patience);

// Does the work with a client. Where the server stays out of reach, that is printed and the exit
// code is 75.
Result<int> with_client(const ClientOptions& options, StoreUse use,
                        const std::function<Result<int>(ApiClient&)>& work);

}  // namespace duel::cli
