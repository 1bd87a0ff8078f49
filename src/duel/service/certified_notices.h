// Tells a receiver outside about every certificate, at least once: one that was not told before a
// stop is told after the next start. A mark in the store says which have been told.
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
  // Delivers the notice. On false it is called again later. Called on the thread of the notices,
  // which waits for it: it must look at `stop` now and then and give up if that is true.
  using Deliver = std::function<bool(const Json& notice, const std::function<bool()>& stop)>;

  // A notice is {"notice_id": .., "experiment_id": .., "certificate": {..}}. It may arrive twice
  // with the same `notice_id`. REQUIRES: the engine outlives this.
  CertifiedNotices(Engine& engine, Deliver deliver,
                   std::chrono::milliseconds first_pause = std::chrono::seconds(1));
  // Gives up what is under way; it is told after the next start.
  ~CertifiedNotices();
  CertifiedNotices(const CertifiedNotices&) = delete;
  CertifiedNotices& operator=(const CertifiedNotices&) = delete;

 private:
  // The engine never drops a listener, so the listener holds this instead of a dangling `this`.
  struct Heard {
    std::mutex mutex;
    CertifiedNotices* notices = nullptr;  // null after the destructor has begun
  };

  void begin();
  void attend(const std::string& experiment_id);
  void tell_next();
  bool is_told(const std::string& experiment_id) const;
  // True if there is nothing left to tell about the experiment; false: try again.
  bool tell(const std::string& experiment_id);

  Engine& engine_;
  Deliver deliver_;
  std::chrono::milliseconds first_pause_;
  // These three are touched by the queue's tasks only.
  std::deque<std::string> untold_;
  std::chrono::milliseconds pause_;  // before the next try
  bool pausing_ = false;
  std::atomic<bool> stopping_ = false;
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  std::unique_ptr<TaskQueue> queue_;
};

}  // namespace duel
