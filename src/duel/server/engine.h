// The owner of all experiments of this process: one thread that takes requests in order, answers
// them from the folded state and appends what they changed in groups, and one that waits for the
// disk. An answer goes out when what it rests on is durable: a serve when it is appended, an
// outcome when it is synced.
//
// Where several nodes use the store (nodes.h) this one answers for what it owns. What nobody owns
// it takes; what another node owns is answered 421, and whoever asks goes there (forwarding.h). An
// append that the store refuses for one experiment drops the state of that one, and its requests
// are asked again. An answer that no append backs may come from a state that is history by now, so
// it is given only while this node's lease holds.
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
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/duration_histogram.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/server/experiment_metrics.h"
#include "duel/server/owned_experiment.h"
#include "duel/store/store.h"
#include "duel/wire/reply.h"
#include "duel/wire/report_token.h"

namespace duel {

// When an answer may go out.
enum class AnswerWhen { appended, durable };

struct EngineOptions {
  std::size_t most_waiting = 20'000;  // requests; beyond: 429
  std::size_t most_in_memory = 200;   // experiments; the one that idled longest leaves
  // One that nobody has asked for so long leaves, too. They come back from their snapshots.
  std::chrono::milliseconds idle_time = std::chrono::minutes(10);
  // A snapshot is written after so many records, and not more often than this: where records come
  // fast it is worth waiting for more of them.
  std::uint64_t snapshot_every = 20'000;
  std::chrono::milliseconds snapshot_interval = std::chrono::seconds(5);
  std::size_t largest_group = 512;        // requests in one commit
  std::size_t most_arms = 1'000;          // of a new experiment: its state grows with their square
  std::function<std::int64_t()> clock{};  // milliseconds since 1970; the system's if empty
  // Takes what an operator should know; on the engine's thread.
  std::function<void(const std::string&)> say{};
};

// On an answer that no append backs, given without a lease: there may be another owner.
inline constexpr const char* kLeaseHeader = "duel-lease";

// What happened to an experiment, for streams and notices.
struct EngineEvent {
  std::string experiment_id;
  std::uint64_t sequence = 0;
  // result | state | certified; `reset`: this node answers from now on; `moved`: it does not any
  // more; `alive` of no experiment, every few seconds.
  std::string kind;
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
  // Runs `work` on the experiment when its turn comes. 404 where there is none, 421 where another
  // node owns it, 429 where too much waits, 503 (retryable) where it cannot be appended.
  void ask(const std::string& experiment_id, AnswerWhen when, Work work, Send send);
  // The same over several experiments, for events.
  using WorkOnAll = std::function<Result<ServerAnswer>(
      const std::function<Result<OwnedExperiment*>(const std::string& experiment_id)>& find,
      std::int64_t now_ms)>;
  void ask_all(AnswerWhen when, WorkOnAll work, Send send);
  void create(const ExperimentRecord& record, Send send);
  // A log becomes an experiment. It is followed and folded first, on the caller's thread, and
  // nothing of it is written where that fails: 422, with the line. 409 where there is one of that
  // name.
  void import_log(const std::string& experiment_id, std::string text, Send send);
  // A summary of each experiment whose id comes after `after`, `limit` of them. Those that
  // are not in memory stay where they are.
  void list(std::string after, std::size_t limit, Send send);

  using Listener = std::function<void(const EngineEvent&)>;
  void listen(Listener listener);

  // Lines for Prometheus of the experiments that this process has answered for. Only on the
  // engine's thread (ask_all).
  std::string experiment_metrics();
  ExperimentMetrics& metrics() { return metrics_; }
  // How long the store took to append.
  DurationHistogram append_durations() const;

  // Whether outcomes can be taken.
  bool ready() const;
  // Finds out whether the store takes records again. A server that is not ready gets no requests,
  // so it must find out by itself that it could be. Any thread may call it.
  void probe_store();
  // A write or a sync failed, and nobody can say what is on the disk: only a new start can. Nothing
  // is acknowledged any more.
  bool failed() const { return store_->broken(); }
  Store& store() { return *store_; }
  std::size_t most_arms() const { return options_.most_arms; }
  const ReportTokens& tokens() const { return *tokens_; }
  // A key for one purpose, derived from the store's secret: the same on every node.
  std::string key_for(std::string_view purpose) const;

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
    int tries = 0;
  };
  // A request's answer, before its records are appended.
  struct Answered {
    ServerAnswer answer;
    std::vector<std::string> touched;  // experiments
    bool leased = true;                // when it was worked out
    bool rests_on_nothing = false;     // a fallback
  };
  // What came of a commit, by experiment.
  struct Commit {
    TextMap<ErrorCode> failed;
    std::set<std::string> appended;
  };
  struct Spoken {
    std::string experiment;
    std::optional<std::uint64_t> epoch;
  };
  struct Waiting {  // for the disk
    ServerAnswer answer;
    Send send;
    std::vector<Spoken> spoken{};  // for which experiments
  };

  Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret);

  void submit(AnswerWhen when, std::function<Result<ServerAnswer>(std::int64_t)> work, Send send);
  void run_threads();
  void run();
  void run_syncs();
  void take_group(std::vector<Request>& group);
  Answered answer_to(const Request& request, std::int64_t now_ms);
  Commit append_staged();
  // Sends what can be sent now, and keeps for the disk what has to wait for it.
  void answer_group(std::vector<Request>& group, std::vector<Answered>& answered,
                    const Commit& commit, std::int64_t now_ms, std::vector<Waiting>& unsynced);
  std::vector<Spoken> epochs_of(const std::vector<std::string>& experiments) const;
  void ask_again(std::vector<Request> requests);
  void tell_listeners(const std::vector<EngineEvent>& events);
  void tick(std::int64_t now_ms);
  bool holds_lease() const { return nodes_ == nullptr || nodes_->holds_lease(); }
  // The state of an experiment whose records cannot be had: good for fallbacks.
  Result<OwnedExperiment*> find_lost(const std::string& experiment_id, const Error& why);
  Result<OwnedExperiment*> load(const std::string& experiment_id, std::int64_t now_ms);
  Error is_elsewhere(const std::string& experiment_id);
  void drop(const std::string& experiment_id, std::unique_ptr<OwnedExperiment> state);
  void give_all_away();
  Status own(const std::string& experiment_id);
  std::optional<std::uint64_t> epoch_of(const std::string& experiment_id) const;
  void save_changed_states(const std::vector<EngineEvent>& events);
  Result<OwnedExperiment*> find(const std::string& experiment_id, std::int64_t now_ms);
  ExperimentSecrets secrets_of(const std::string& experiment_id) const;
  struct Held;
  struct Asleep;
  void wake_due(std::int64_t now_ms);
  // What the store lacks of the experiment's state, so that it can come back without its whole log.
  void save(Held& held);
  void save_what_grew(std::int64_t now_ms);
  void forget_idle(std::int64_t now_ms);
  Json summary_of(const Outline& outline, std::int64_t now_ms);
  void forget(const std::string& experiment_id);
  void falls_asleep(const std::string& experiment_id, const Asleep& asleep);
  void hold(const std::string& experiment_id, Held held);
  // What became of its duels since it was last counted.
  void count_outcomes(Held& held);
  // What an operator should know of the store, said once.
  void say_refusal(const Error& error);
  void say_recovery();
  Status find_sleepers();
  void tell(const OwnedExperiment& experiment, std::uint64_t before, bool was_certified,
            std::uint64_t configured_before);

  std::shared_ptr<Store> store_;
  Nodes* nodes_;  // null where this process is the only one
  EngineOptions options_;
  std::string secret_;
  std::unique_ptr<ReportTokens> tokens_;

  struct Held {
    std::unique_ptr<OwnedExperiment> experiment;
    std::uint64_t used = 0;  // by the count of groups
    std::int64_t used_ms = 0;
    std::uint64_t saved = 0;               // the last record in its snapshot
    std::optional<std::uint64_t> epoch{};  // in which it is ours, where there are nodes
    std::int64_t saved_ms = 0;
    OutcomeCounts counted{};  // what the metrics know of
  };
  TextMap<Held> held_;  // the engine thread's
  // States that are not known to be those of the log, while the store cannot be read.
  TextMap<std::unique_ptr<OwnedExperiment>> lost_;
  // Of the request at hand: what it asked for, whether that is another node's, whether the answer
  // rests on no record.
  std::vector<std::string> touched_;
  bool elsewhere_ = false;
  bool rests_on_nothing_ = false;
  // Those that left, or that were left by the process before with something to wait for. They are
  // woken when it is due.
  struct Asleep {
    std::int64_t due_ms = 0;   // 0: never
    bool after_pause = false;  // nobody has answered for it meanwhile
    std::optional<std::uint64_t> epoch{};
  };
  TextMap<Asleep> asleep_;
  std::set<std::pair<std::int64_t, std::string>> due_;
  std::uint64_t groups_ = 0;
  std::vector<EngineEvent> events_;  // of the group at hand
  std::vector<EngineEvent> moved_;   // `reset` and `moved`, which no record backs
  // The last append failed. Until a write succeeds nothing is tried: each try would cost the folded
  // state of its experiment.
  std::atomic<bool> store_refuses_ = false;
  bool refusal_said_ = false;  // the engine thread's
  ExperimentMetrics metrics_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> requests_;
  bool stopping_ = false;
  Counts counts_;
  DurationHistogram append_durations_;
  std::vector<Listener> listeners_;

  std::mutex sync_mutex_;
  std::condition_variable sync_arrived_;
  std::vector<Waiting> unsynced_;
  bool sync_stopping_ = false;

  std::thread syncer_;
  std::thread thread_;
};

}  // namespace duel
