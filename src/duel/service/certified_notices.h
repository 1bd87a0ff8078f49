// Tells somebody outside of every certificate, at least once: what was not told before a stop is
// told after the next start. A mark in the store says what was told.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "duel/core/json.h"
#include "duel/core/world.h"
#include "duel/service/engine.h"

namespace duel {

class CertifiedNotices {
 public:
  // Tells it, or says that it could not: then it is tried again. Called on a thread of its own; it
  // should look at `stop` every now and then and give up.
  using Deliver = std::function<bool(const Json& notice, const std::function<bool()>& stop)>;

  // {"notice_id": .., "experiment_id": .., "certificate": {..}}; whoever gets a notice twice knows
  // it by its `notice_id`. REQUIRES: the engine outlives this.
  CertifiedNotices(Engine& engine, Deliver deliver,
                   std::chrono::milliseconds first_pause = std::chrono::seconds(1));
  // Gives up what is under way; it is told after the next start.
  ~CertifiedNotices();
  CertifiedNotices(const CertifiedNotices&) = delete;
  CertifiedNotices& operator=(const CertifiedNotices&) = delete;

 private:
  // The engine keeps its listeners, so that the way from them to here outlives this.
  struct Heard {
    std::mutex mutex;
    CertifiedNotices* notices = nullptr;  // null where it is gone
  };

  void begin();
  void attend(const std::string& experiment_id);
  void tell_next();
  bool is_told(const std::string& experiment_id) const;
  // Whether nothing is left to tell of it.
  bool tell(const std::string& experiment_id);

  Engine& engine_;
  Deliver deliver_;
  std::chrono::milliseconds first_pause_;
  // Of the queue's tasks alone.
  std::deque<std::string> untold_;
  std::chrono::milliseconds pause_;  // before the next try
  bool pausing_ = false;
  std::atomic<bool> stopping_ = false;
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  std::unique_ptr<TaskQueue> queue_;
};

}  // namespace duel
