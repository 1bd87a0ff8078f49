#include "duel/client/running_server.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "duel/client/store_location.h"
#include "duel/core/whole_file.h"

namespace duel {

Result<std::unique_ptr<RunningServer>> RunningServer::start() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  std::string name = (folder / "duel-demo-XXXXXX").string();
  if (failed || ::mkdtemp(name.data()) == nullptr) {
    return system_error("cannot be made", name, failed ? failed.value() : errno);
  }
  auto server = std::unique_ptr<RunningServer>(new RunningServer(name));
  DUEL_RETURN_IF_ERROR(server->begin());
  return server;
}

Status RunningServer::begin() {
  DUEL_ASSIGN(store_, open_store((directory_ / "duel.db").string()));
  DUEL_ASSIGN(tokens_, ApiTokens::open(store_));
  DUEL_ASSIGN(engine_, Engine::start(store_));
  DUEL_ASSIGN(server_,
              HttpServer::listen({"127.0.0.1", 0}, HttpLimits(), 2,
                                 [this](HttpRequest&& request, HttpReply reply) {
                                   Api* const api = ready_.load();
                                   if (api == nullptr) {
                                     return reply.send(problem(503, "the server starts", true));
                                   }
                                   api->handle(std::move(request), std::move(reply));
                                 }));
  ApiOptions options;
  options.listen = server_->address();
  api_ = std::make_unique<Api>(*engine_, *tokens_, std::move(options));
  ready_ = api_.get();
  return Done{};
}

RunningServer::~RunningServer() {
  if (api_) api_->close();
  if (server_) server_->drain(std::chrono::seconds(5));
  server_.reset();
  api_.reset();
  engine_.reset();
  tokens_.reset();
  store_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace duel
