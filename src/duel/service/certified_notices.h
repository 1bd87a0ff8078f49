// Tells somebody outside of every certificate, at least once: what was not told before a stop is
// told after the next start. A mark in the store says what was told.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "duel/core/json.h"
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
  // The engine keeps its listeners, so that what they hear outlives this.
  struct Heard {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<std::string> experiments;
    bool stopping = false;
  };

  void run();
  bool is_told(const std::string& experiment_id) const;
  // Whether nothing is left to tell of it.
  bool tell(const std::string& experiment_id);
  bool stopping() const;

  Engine& engine_;
  Deliver deliver_;
  std::chrono::milliseconds first_pause_;
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  std::thread thread_;
};

}  // namespace duel
