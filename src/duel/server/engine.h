// The owner of all experiments of this process: one thread that takes requests in order, answers
// them from the folded state and appends what they changed in groups, and one that waits for the
// disk. An answer goes out when what it rests on is durable: a serve when it is appended, an outcome
// when it is synced.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/server/owned_experiment.h"
#include "duel/server/report_token.h"
#include "duel/server/server_answer.h"
#include "duel/store/store.h"

namespace duel {

// When an answer may go out.
enum class AnswerWhen { appended, durable };

struct EngineOptions {
  std::size_t most_waiting = 20'000;  // requests; beyond: 429
  std::size_t most_in_memory = 200;   // experiments; the one that idled longest leaves
  // One that nobody has asked for so long leaves, too. They come back from their snapshots.
  std::chrono::milliseconds idle_time = std::chrono::minutes(10);
  std::uint64_t snapshot_every = 20'000;  // records
  std::size_t largest_group = 512;        // requests in one commit
  std::function<std::int64_t()> clock{};  // milliseconds since 1970; the system's if empty
  // Takes what an operator should know; on the engine's thread.
  std::function<void(const std::string&)> say{};
};

// What happened to an experiment, for streams and notices.
struct EngineEvent {
  std::string experiment_id;
  std::uint64_t sequence = 0;
  std::string kind;  // result | state | certified; `alive` of no experiment, every few seconds
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> start(std::shared_ptr<Store> store,
                                               EngineOptions options = {});
  // Answers what waits, makes it durable, and stops.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  using Send = std::function<void(ServerAnswer)>;
  using Work = std::function<Result<ServerAnswer>(OwnedExperiment&, std::int64_t now_ms)>;
  // Runs `work` on the experiment when its turn comes. 404 where there is none, 429 where too much
  // waits, 503 (retryable) where it cannot be appended.
  void ask(const std::string& experiment_id, AnswerWhen when, Work work, Send send);
  // The same over several experiments, for events.
  using WorkOnAll = std::function<Result<ServerAnswer>(
      const std::function<Result<OwnedExperiment*>(const std::string& experiment_id)>& find,
      std::int64_t now_ms)>;
  void ask_all(AnswerWhen when, WorkOnAll work, Send send);
  void create(const ExperimentRecord& record, Send send);
  // A log whose chain was followed becomes an experiment. 409 where there is one of that name.
  void import_log(const std::string& experiment_id, std::string text, Send send);
  // A summary of each experiment whose id comes after `after`, `limit` of them. Those that
  // are not in memory stay where they are.
  void list(std::string after, std::size_t limit, Send send);

  using Listener = std::function<void(const EngineEvent&)>;
  void listen(Listener listener);

  // Lines for Prometheus of the experiments in memory. Only on the engine's thread (ask_all).
  std::string experiment_metrics() const;

  // Whether outcomes can be taken.
  bool ready() const;
  // A write or a sync failed, and nobody can say what is on the disk: only a new start can. Nothing
  // is acknowledged any more.
  bool failed() const { return store_->broken(); }
  Store& store() { return *store_; }
  const ReportTokens& tokens() const { return *tokens_; }

  struct Counts {
    std::uint64_t appended_lines = 0;
    std::uint64_t commits = 0;
    std::uint64_t syncs = 0;
    std::uint64_t waiting = 0;
    std::uint64_t in_memory = 0;
    std::uint64_t failed_appends = 0;
    std::uint64_t snapshots = 0;          // written
    std::uint64_t snapshots_refused = 0;  // found, and not used
  };
  Counts counts() const;

 private:
  struct Request {
    AnswerWhen when;
    std::function<Result<ServerAnswer>(std::int64_t now_ms)> work;
    Send send;
  };
  struct Waiting {  // for the disk
    ServerAnswer answer;
    Send send;
  };

  Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret);

  void submit(AnswerWhen when, std::function<Result<ServerAnswer>(std::int64_t)> work, Send send);
  void run_threads();
  void run();
  void run_syncs();
  void take_group(std::vector<Request>& group);
  static ServerAnswer answer_to(const Request& request, std::int64_t now_ms);
  bool append_staged();
  void tick(std::int64_t now_ms);
  void probe_store();
  Result<OwnedExperiment*> find(const std::string& experiment_id, std::int64_t now_ms);
  ExperimentSecrets secrets_of(const std::string& experiment_id) const;
  struct Held;
  struct Asleep;
  void wake_due(std::int64_t now_ms);
  // What the store lacks of the experiment's state, so that it can come back without its whole log.
  void save(Held& held);
  void save_what_grew();
  void forget_idle(std::int64_t now_ms);
  Json summary_of(const Outline& outline, std::int64_t now_ms);
  void forget(const std::string& experiment_id);
  void falls_asleep(const std::string& experiment_id, const Asleep& asleep);
  Status find_sleepers();
  void tell(const OwnedExperiment& experiment, std::uint64_t before, bool was_certified,
            std::uint64_t configured_before);

  std::shared_ptr<Store> store_;
  EngineOptions options_;
  std::string secret_;
  std::unique_ptr<ReportTokens> tokens_;

  struct Held {
    std::unique_ptr<OwnedExperiment> experiment;
    std::uint64_t used = 0;  // by the count of groups
    std::int64_t used_ms = 0;
    std::uint64_t saved = 0;  // the last record in its snapshot
  };
  TextMap<Held> held_;  // the engine thread's
  // Those that left, or that were left by the process before with something to wait for. They are
  // woken when it is due.
  struct Asleep {
    std::int64_t due_ms = 0;   // 0: never
    bool after_pause = false;  // nobody has answered for it meanwhile
  };
  TextMap<Asleep> asleep_;
  std::set<std::pair<std::int64_t, std::string>> due_;
  std::uint64_t groups_ = 0;
  std::vector<EngineEvent> events_;  // of the group at hand
  // The last append failed. Until a write succeeds nothing is tried: each try would cost the folded
  // state of its experiment.
  std::atomic<bool> store_refuses_ = false;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> requests_;
  bool stopping_ = false;
  Counts counts_;
  std::vector<Listener> listeners_;

  std::mutex sync_mutex_;
  std::condition_variable sync_arrived_;
  std::vector<Waiting> unsynced_;
  bool sync_stopping_ = false;

  std::thread syncer_;
  std::thread thread_;
};

}  // namespace duel
