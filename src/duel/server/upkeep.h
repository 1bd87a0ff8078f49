// What a node does by the clock where several use one store: it sweeps for experiments that nobody
// owns, once per lease; reads the tokens again, so that a revocation counts on every node within
// seconds; and finds out that a lost store is back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "duel/server/api_tokens.h"
#include "duel/server/engine.h"
#include "duel/store/nodes.h"

namespace duel {

class Upkeep {
 public:
  // A revocation must count everywhere within 5 s.
  static constexpr std::chrono::milliseconds kTokensEvery{2'000};

  Upkeep(Engine& engine, Nodes& nodes, ApiTokens& tokens);
  ~Upkeep() { stop(); }
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  // Reads the tokens and calls `then`: for a token that is not known here and may be newer than the
  // last reading. False where too many wait.
  bool want_tokens(std::function<void()> then);
  void stop();

 private:
  void run();
  void sweep();
  bool stopping();

  Engine& engine_;
  Nodes& nodes_;
  ApiTokens& tokens_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace duel
