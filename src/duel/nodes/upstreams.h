// Live pages of experiments that another node owns: this node opens one stream to the owner for all
// of its pages, and passes the events on. When the owner changes it connects to the new one and
// tells the pages to load everything again (`event: reset`). The owner signs each event (hop.h), so
// that a program at a dead node's address cannot tell the pages anything, and a stream that says
// something else is left. Any thread may call it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "duel/core/world.h"
#include "duel/nodes/hop.h"
#include "duel/store/nodes.h"

namespace duel {

class Upstreams {
 public:
  static constexpr std::size_t kMost = 200;  // experiments; each has a thread

  // The pages of clients of this node: whether any listens to the experiment, and what they hear.
  struct Pages {
    std::function<bool(const std::string& experiment)> listen;
    std::function<void(const std::string& experiment, const std::string& text)> hear;
  };

  Upstreams(World& world, Nodes& nodes, const Hops& hops, Pages pages);
  ~Upstreams() { stop(); }
  Upstreams(const Upstreams&) = delete;
  Upstreams& operator=(const Upstreams&) = delete;

  // Listens to the owner for as long as a client listens here and this node is not the owner.
  // `reset`: its pages have heard another owner before. False if kMost are followed already.
  bool follow(const std::string& experiment, bool reset = false);
  // The sequence of the last event, for a page that comes later; nothing before the first event.
  std::optional<std::uint64_t> last_sequence(const std::string& experiment) const;
  void stop();

 private:
  struct Upstream {
    std::atomic<bool> ended = false;
    std::atomic<std::uint64_t> sequence = 0;
    bool reset = false;  // tell its pages to load again; this and `heard`: its own tasks only
    std::optional<Tenure> heard{};
    std::unique_ptr<TaskQueue> queue;  // last: its thread uses the rest
  };

  // Listens to the owner until the stream ends, and posts itself again a little later.
  void attend(const std::string& experiment, Upstream& upstream);
  void listen(const std::string& experiment, Upstream& upstream, const Tenure& tenure);
  // What has come of one stream, as an answer to this hop.
  struct Heard {
    std::string hop;
    std::uint64_t events = 0;
    std::string rest{};  // of an event that has not come whole
  };
  // False if it is not the owner that speaks.
  bool pass_on(const std::string& experiment, Upstream& upstream, Heard& heard) const;

  World& world_;
  Nodes& nodes_;
  const Hops& hops_;
  const Pages pages_;
  mutable std::mutex mutex_;
  std::atomic<bool> stopping_ = false;
  std::map<std::string, std::unique_ptr<Upstream>> upstreams_;
};

}  // namespace duel
