// Live pages listen here: server-sent events, one stream per page, by experiment. Other nodes
// listen as well, once for all of their pages.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duel/experiment/ledger.h"
#include "duel/http/http.h"
#include "duel/service/engine.h"

namespace duel {

// As a stream says it: `id` is the sequence.
std::string to_text(const EngineEvent& event);

// What somebody has to hear who has heard everything up to the event `seen`, or nothing: at most
// one event of each kind, since results and states are whole and not differences. Whoever has seen
// what is yet to come knows another history, and begins anew (`reset`).
std::vector<EngineEvent> events_since(const Ledger& ledger, std::optional<std::uint64_t> seen);

// Who listens: a client, or another node for its clients.
enum class Listens { client, node };

class EventStreams {
 public:
  void add(const std::string& experiment_id, std::shared_ptr<HttpStream> stream,
           Listens who = Listens::client);
  // To all that listen to the experiment. Those that are gone or too slow are dropped.
  // `moved` ends those of other nodes: they go to the new owner.
  void tell(const EngineEvent& event);
  // What the owner told this node, as it came, to the clients that listen to the experiment here.
  void relay(const std::string& experiment_id, const std::string& text);
  bool has_clients(const std::string& experiment_id) const;
  // A comment, so that proxies do not take a quiet stream for a dead one.
  void keep_alive();
  void close();
  std::size_t size() const;

 private:
  struct Listening {
    std::shared_ptr<HttpStream> stream;
    Listens who;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Listening>> streams_;
};

}  // namespace duel
