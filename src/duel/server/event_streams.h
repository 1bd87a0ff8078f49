// The open streams of server-sent events, by experiment: one for each live page, and one for each
// other node, which passes the events on to all of its pages. Any thread may call it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/experiment/ledger.h"
#include "duel/http/http.h"
#include "duel/service/engine.h"

namespace duel {

// The event as it goes over the stream; its `id` is the sequence.
std::string to_text(const EngineEvent& event);

// The events for a page that has seen everything up to the sequence `seen`, or nothing: at most one
// of each kind, since a page fetches whole results and not differences. A page that has seen more
// than the log now has saw records that were lost, and has to load everything again (`reset`).
std::vector<EngineEvent> events_since(const Ledger& ledger, std::optional<std::uint64_t> seen);

// Who listens: a client, or another node for its clients.
enum class Listens { client, node };

class EventStreams {
 public:
  // Whether the holder of a token may still listen; the id is empty where none was needed.
  using IsWelcome = std::function<bool(const std::string& token_id)>;
  explicit EventStreams(IsWelcome is_welcome = {}) : is_welcome_(std::move(is_welcome)) {}

  struct Listener {
    std::shared_ptr<HttpStream> stream;
    Listens who = Listens::client;
    std::string token_id{};
    // What is written in place of an event or a comment to another node, which takes only what is
    // signed. Called once for each, in their order.
    std::function<std::string(std::string_view event)> sign{};

    // One event or comment, or several of them. False: the stream is closed, or too slow.
    bool write(std::string_view text) const;
  };
  void add(const std::string& experiment_id, Listener listener);
  // Sends the event to all that listen to the experiment, and drops streams that are closed or too
  // slow. `moved` ends the streams of other nodes instead: they connect to the new owner.
  void tell(const EngineEvent& event);
  // Passes text that the owner sent to this node on to the clients that listen here, unchanged.
  void relay(const std::string& experiment_id, const std::string& text);
  bool has_clients(const std::string& experiment_id) const;
  // Ends the streams of clients whose token was revoked or has expired.
  void end_unwelcome();
  // The same, and a comment to the others, so that proxies do not take a quiet stream for a dead
  // one.
  void keep_alive();
  void close();
  std::size_t size() const;

 private:
  const IsWelcome is_welcome_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Listener>> streams_;
};

}  // namespace duel
