// Sends requests about experiments that other nodes own to their owners, and brings the answers
// back. Its own threads wait for the owners; neither the engine nor the threads of connections do.
// Any thread may call it. Answers come on those threads, or on the caller's if refused at once.
#pragma once

#include <array>
#include <atomic>
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
  std::size_t most_waiting = 4'000;  // requests; further ones are answered 429
};

class Forwarding {
 public:
  using Respond = std::function<void(HttpResponse)>;
  // Works on the request on this node. Answers 421 if another node has to.
  using Here = std::function<void(HttpRequest request, Respond respond)>;

  Forwarding(World& world, Nodes& nodes, const Hops& hops, ForwardingOptions options = {});
  ~Forwarding() { stop(); }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  // Has the owner of the experiment answer: this node if the experiment is ours or nobody's,
  // otherwise the other one. If that one answers 421, it is no longer the owner: the store is asked
  // once more. 503 (retryable) if the owner cannot be reached or cannot be found, or if who answers
  // in its place does not know the store's secret. `token_id`: of the caller's token (hop.h).
  void send(const std::string& experiment, HttpRequest request, std::string token_id, Here here,
            Respond respond);
  // Requests that wait or come later are answered 503. Returns when no thread is left.
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
    std::string token_id;
    Here here;
    Respond respond;
    std::optional<Owner> owner;  // the node to ask; nothing: look it up first
    int worked_here = 0;
    int asked = 0;
  };
  enum class Outcome { answered, misdirected, unreachable, overloaded, gave_up };
  struct Idle {
    HttpClient client;
    World::Moment since;
  };

  // Works on the first job whose owner does not keep too many threads busy already.
  void work_on_next();
  void enqueue(std::shared_ptr<Job> job);
  void work_here(const std::shared_ptr<Job>& job);
  void work(const std::shared_ptr<Job>& job);
  // The owner to ask, as the store has it. Nothing: the job was answered or is worked on here.
  std::optional<Owner> look_up(const std::shared_ptr<Job>& job);
  struct Asked {
    Result<HttpResponse> response;
    bool may_be_done = false;  // the owner may have got the request
    bool unsure = false;       // the owner had no lease: another node may own the experiment
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

  mutable std::mutex mutex_;  // guards what follows, but for queue_; never held during a request
  std::deque<std::shared_ptr<Job>> waiting_;
  std::map<std::string, std::size_t> under_way_;   // by node id
  std::map<std::string, Owner> owners_;            // by experiment, as last seen
  std::map<std::string, std::vector<Idle>> idle_;  // connections by node id
  std::atomic<bool> stopping_ = false;
  std::array<std::uint64_t, 5> outcomes_{};
  double seconds_ = 0;                // the sum over answered requests
  std::unique_ptr<TaskQueue> queue_;  // last: its threads use the rest
};

}  // namespace duel
