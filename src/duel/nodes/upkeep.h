// What a node does by the clock if several use one store: it takes experiments that nobody owns,
// once per lease; reads the tokens again, so that a revocation counts on every node within seconds;
// and finds out that a lost store is back. Any thread may call it, but no task of its own `stop`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duel/core/world.h"
#include "duel/service/engine.h"
#include "duel/store/nodes.h"

namespace duel {

class Upkeep {
 public:
  // A revocation must count everywhere within 5 s.
  static constexpr std::chrono::milliseconds kTokensEvery{2'000};

  // `sweeps` is false for a node that others cannot reach, as a command is: it must not take
  // experiments that other nodes may be asked for.
  Upkeep(Engine& engine, Nodes& nodes, std::function<Status()> read_tokens, bool sweeps);
  ~Upkeep() { stop(); }
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  // Reads the tokens and calls `then`, for a request with an unknown token: it may be newer than
  // the last reading. False if too many wait; `then` is not called in that case.
  bool want_tokens(std::function<void()> then);
  void stop();

 private:
  void probe();
  void read_tokens();
  void read_tokens_again();
  void sweep();
  void take_next();

  Engine& engine_;
  Nodes& nodes_;
  const std::function<Status()> read_tokens_;
  std::vector<std::string> to_take_;  // what the last sweep found; touched by queue_'s tasks only
  std::mutex mutex_;                  // guards the three that follow
  World::Moment tokens_read_;
  std::vector<std::function<void()>> waiting_;  // for the tokens
  bool stopping_ = false;
  std::unique_ptr<TaskQueue> queue_;
};

}  // namespace duel
