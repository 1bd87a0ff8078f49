// The server's routes in this process, on a store that it opens: what a client command asks where
// no server runs.
#pragma once

#include <memory>
#include <string>

#include "duel/client/api_client.h"
#include "duel/core/result.h"
#include "duel/server/api.h"
#include "duel/server/api_tokens.h"
#include "duel/service/engine.h"
#include "duel/store/store.h"

namespace duel {

class LocalApi final : public ApiClient {
 public:
  // An error where another process owns the store. The token is for the node that owns an
  // experiment of a store that is shared; the store itself asks for none.
  static Result<std::unique_ptr<LocalApi>> open(const std::string& location,
                                                const std::string& token = "");

  Result<HttpResponse> send(HttpMethod method, const std::string& target, const std::string& body,
                            const std::string& media_type, Repeat repeat) override;
  Result<HttpResponse> stream(const std::string& target, const Sink& sink) override;
  std::string place() const override { return file_; }

 private:
  LocalApi(std::string file, std::string token, std::shared_ptr<Store> store)
      : file_(std::move(file)), token_(std::move(token)), store_(std::move(store)) {}

  Result<HttpResponse> exchange(HttpMethod method, const std::string& target,
                                const std::string& body, const std::string& media_type,
                                const Sink& sink);

  std::string file_;
  std::string token_;
  std::shared_ptr<Store> store_;
  std::unique_ptr<ApiTokens> tokens_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;  // last: it waits for the engine when it goes
};

}  // namespace duel
