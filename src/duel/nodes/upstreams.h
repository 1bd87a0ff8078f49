// Live pages of experiments that another node owns: this node listens to the owner once for all of
// its pages, and passes on what it hears. When the owner changes it goes to the new one and tells
// the pages to look anew (`event: reset`).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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

  Upstreams(Nodes& nodes, const Hops& hops, Pages pages);
  ~Upstreams() { stop(); }
  Upstreams(const Upstreams&) = delete;
  Upstreams& operator=(const Upstreams&) = delete;

  // Listens to the owner for as long as a client listens here and this node is not the owner.
  // `reset`: its pages have heard another owner before. False where there are too many.
  bool follow(const std::string& experiment, bool reset = false);
  // What was last heard of it, for a page that comes later; nothing before the first word.
  std::optional<std::uint64_t> last_sequence(const std::string& experiment) const;
  void stop();

 private:
  struct Upstream {
    std::thread thread;
    std::atomic<bool> ended = false;
    std::atomic<std::uint64_t> sequence = 0;
  };

  void run(const std::string& experiment, Upstream& upstream, bool reset);
  void listen(const std::string& experiment, Upstream& upstream, const Tenure& tenure);
  void pass_on(const std::string& experiment, Upstream& upstream, std::string& heard) const;
  void pause();

  Nodes& nodes_;
  const Hops& hops_;
  const Pages pages_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::atomic<bool> stopping_ = false;
  std::map<std::string, std::unique_ptr<Upstream>> upstreams_;
};

}  // namespace duel
