// What this node is asked about experiments that other nodes own goes to their owners, and their
// answers come back. A few threads of its own wait for them; neither the engine nor the threads of
// connections do.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/world.h"
#include "duel/http/http.h"
#include "duel/http/http_client.h"
#include "duel/nodes/hop.h"
#include "duel/service/engine.h"
#include "duel/store/nodes.h"

namespace duel {

struct ForwardingOptions {
  std::size_t threads = 32;
  std::size_t most_waiting = 4'000;  // requests; beyond: 429
};

class Forwarding {
 public:
  using Respond = std::function<void(HttpResponse)>;
  // Works on the request on this node and answers 421 where another one has to.
  using Here = std::function<void(HttpRequest request, Respond respond)>;

  Forwarding(World& world, Nodes& nodes, const Hops& hops, ForwardingOptions options = {});
  ~Forwarding() { stop(); }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  // Answers by the owner of the experiment: here where it is ours or nobody's, otherwise there. An
  // owner that answers 421 is not the owner any more: the tenure is read again, once. 503
  // (retryable) where the owner cannot be reached or cannot be found.
  void send(const std::string& experiment, HttpRequest request, Here here, Respond respond);
  // What waits is answered 503, and so is what comes later. Returns when no thread is left.
  void stop();

  // Lines for Prometheus.
  std::string metrics() const;

 private:
  struct Owner {
    NodeAddress address;
    std::uint64_t epoch = 0;
    bool operator==(const Owner&) const = default;
  };
  struct Job {
    std::string experiment;
    HttpRequest request;
    Here here;
    Respond respond;
    std::optional<Owner> owner;  // to ask; nothing: to be looked up
    int worked_here = 0;
    int asked = 0;
  };
  enum class Outcome { answered, misdirected, unreachable, overloaded, gave_up };
  struct Idle {
    HttpClient client;
    World::Moment since;
  };

  // Works on the first job for whose owner there is a thread left, and then on the next.
  void work_on_next();
  void enqueue(std::shared_ptr<Job> job);
  void work_here(const std::shared_ptr<Job>& job);
  void work(const std::shared_ptr<Job>& job);
  // The owner to ask, as the store has it. Nothing where the job was answered or goes on here.
  std::optional<Owner> look_up(const std::shared_ptr<Job>& job);
  struct Asked {
    Result<HttpResponse> response;
    bool may_be_done = false;  // the owner may have got the request
    bool unsure = false;       // it has no lease
  };
  Asked ask(const Job& job, const Owner& owner);
  bool has_moved(const Job& job, const Owner& owner);
  void give_up(const Job& job, const std::string& why);
  void count(Outcome outcome);
  std::optional<Owner> known(const std::string& experiment) const;
  void remember(const std::string& experiment, const Owner& owner);
  void forget(const std::string& experiment);

  World& world_;
  Nodes& nodes_;
  const Hops& hops_;
  const ForwardingOptions options_;

  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::map<std::string, std::size_t> under_way_;   // by node id
  std::map<std::string, Owner> owners_;            // by experiment, as last seen
  std::map<std::string, std::vector<Idle>> idle_;  // connections by node id
  std::atomic<bool> stopping_ = false;
  std::array<std::uint64_t, 5> outcomes_{};
  double seconds_ = 0;                // of what was answered
  std::unique_ptr<TaskQueue> queue_;  // last: its threads use the rest
};

}  // namespace duel
