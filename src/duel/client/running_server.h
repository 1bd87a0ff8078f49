// A server in this process, on a store of its own that is gone with it: for demonstrations.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "duel/core/result.h"
#include "duel/http/http.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "duel/store/store.h"

namespace duel {

class RunningServer {
 public:
  // On a free port of the loopback interface.
  static Result<std::unique_ptr<RunningServer>> start();
  // Answers what is in flight, stops, and removes the store.
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::string url() const { return "http://" + server_->address().to_string(); }

 private:
  explicit RunningServer(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Status begin();

  std::filesystem::path directory_;
  std::shared_ptr<Store> store_;
  std::unique_ptr<ApiTokens> tokens_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
  std::atomic<Api*> ready_ = nullptr;  // the port is part of what `Host` may say
  std::unique_ptr<HttpServer> server_;
};

}  // namespace duel
