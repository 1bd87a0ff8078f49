// Live pages listen here: server-sent events, one stream per page, by experiment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duel/server/engine.h"
#include "duel/server/http.h"

namespace duel {

class EventStreams {
 public:
  void add(const std::string& experiment_id, std::shared_ptr<HttpStream> stream);
  // To all that listen to the experiment. Those that are gone or too slow are dropped.
  void tell(const EngineEvent& event);
  // A comment, so that proxies do not take a quiet stream for a dead one.
  void keep_alive();
  void close();
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::shared_ptr<HttpStream>>> streams_;
};

}  // namespace duel
