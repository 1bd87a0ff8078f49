// The experiments of this process. Each belongs to one of a few owners (owner.h), by its id: a
// thread that takes the requests to its experiments in turns, works on them, and has what they
// staged appended in groups that all owners share (commit_queue.h). A further thread waits for the
// disk. Work that cannot be cut (loading, importing, saving or changing a large experiment) runs on
// the keeper's threads: the experiment is `away` meanwhile, and only its own requests wait.
//
// Guarantees: an answer goes out only when what it rests on is in the store: a serve when it is
// appended, an outcome when it is synced. If an append fails, the states that were built on it are
// dropped and folded again, and nothing of them was told to anybody. Requests to one experiment are
// worked on in the order in which they came.
//
// If several nodes use the store (nodes.h), this one answers for the experiments that it owns and
// takes those that nobody owns. Requests for another node's experiment are refused with
// `Reason::not_ours`, and the caller forwards them (forwarding.h). An answer without an append
// behind it, such as "there is no such duel", may be out of date if another node has taken the
// experiment, so it is given only while this node's lease holds.
// Any thread may call the public functions. Work runs on the thread of the experiment's owner, or
// on the keeper's. Answers are delivered on an owner's or the syncing thread, or on the caller's if
// the request is refused at once. Work and delivery must not block: other experiments would wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/duration_histogram.h"
#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/experiment/experiment.h"
#include "duel/service/audits.h"
#include "duel/service/commit_queue.h"
#include "duel/service/experiment_metrics.h"
#include "duel/service/imported_log.h"
#include "duel/service/request.h"
#include "duel/store/store.h"

namespace duel {

class History;

struct EngineOptions {
  std::size_t owners = 0;             // threads that work on experiments; 0: one per core
  std::size_t most_waiting = 20'000;  // requests; further ones are refused as `overloaded`
  std::size_t most_in_memory = 200;   // experiments; the one that idled longest leaves
  // An experiment that nobody asks for this long leaves memory, too; its snapshot brings it back.
  std::chrono::milliseconds idle_time = std::chrono::minutes(10);
  // A snapshot is written after this many records, but not more often than the interval: a busy
  // experiment would otherwise spend its time on snapshots.
  std::uint64_t snapshot_every = 20'000;
  std::chrono::milliseconds snapshot_interval = std::chrono::seconds(5);
  std::size_t largest_group = 512;  // requests that an owner puts into one commit
  std::size_t most_arms = 1'000;    // of a new experiment: its state grows with their square
  // An experiment whose last record is further ahead of the clock is not served, and a log with
  // such a line not imported. Clocks of machines differ by less.
  std::chrono::milliseconds most_ahead = std::chrono::hours(1);
  World* world = &system_world();         // time, random bytes and threads
  std::function<std::int64_t()> clock{};  // milliseconds since 1970; the world's if empty
  // Receives messages for the operator, one at a time, on threads of the engine.
  std::function<void(const std::string&)> say{};
};

// Turns an error of the store about an experiment into the one that a caller gets: there is no such
// experiment, or its records are damaged.
Error said_of(const std::string& experiment_id, Error error);
// That the store does not take what a request would add to it, and why.
Error cannot_store(const std::string& why);

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

  // Runs `work(turn)`, which gives a Result<Answer>, on the experiment when its turn comes, and
  // gives that to `done(Result<Answer>, const Delivery&)`. Errors of the engine itself:
  // unknown_experiment, not_ours, overloaded, store_unavailable, damaged.
  template <class Answer, class Work, class Deliver>
  void ask(std::string experiment_id, AnswerWhen when, Work work, Deliver done) {
    enqueue(request<Answer>(std::move(experiment_id), when, std::move(work), std::move(done)));
  }
  // The same for work that takes long if the experiment is large and cannot be cut into parts.
  template <class Answer, class Work, class Deliver>
  void ask_aside(std::string experiment_id, AnswerWhen when, Work work, Deliver done) {
    auto asked = request<Answer>(std::move(experiment_id), when, std::move(work), std::move(done));
    asked->aside = true;
    enqueue(std::move(asked));
  }
  // Runs `part(turn, k, items)` for each k below `count` in order, which adds to a vector of items
  // and gives a Status, and gives the vector to `done(Result<std::vector<Item>>, const Delivery&)`.
  // Requests to other experiments have their turn in between. If parts are appended `one_by_one`,
  // so that an append is never long, the log may hold the first parts alone after a failure. A
  // failed part ends the request with its error.
  enum class Parts { one_by_one, together };
  template <class Item, class Part, class Deliver>
  void ask_in_parts(std::string experiment_id, AnswerWhen when, Parts appended, std::size_t count,
                    Part part, Deliver done) {
    auto asked = std::make_unique<PartsRequest<Item, Part, Deliver>>(
        std::move(experiment_id), when, count, std::move(part), std::move(done));
    asked->together = appended == Parts::together;
    enqueue(std::move(asked));
  }
  // Creates the experiment and shows it by `show(turn)`; one that was created by the same request
  // is shown as it is.
  template <class Answer, class Show, class Deliver>
  void create(const ExperimentRecord& record, Show show, Deliver done) {
    auto asked = request<Answer>(record.experiment_id, AnswerWhen::durable, std::move(show),
                                 std::move(done));
    asked->creates = std::make_unique<ExperimentRecord>(record);
    enqueue(std::move(asked));
  }
  // A log becomes an experiment. It is followed and folded first, on the caller's thread, and
  // nothing of it is written where that fails (`invalid_data`, with the line). `exists` where there
  // is one of that name. An import that a stop of the process has cut short is finished by another
  // one of the same log; until then there is no experiment of that name.
  template <class Answer, class Show, class Deliver>
  void import_log(const std::string& experiment_id, LogText log, Show show, Deliver done) {
    auto marks = check_imported(experiment_id, log.text,
                                {options_.most_arms, options_.clock(), options_.most_ahead});
    if (!marks.ok()) {
      return done(Result<Answer>(Error::invalid_data(marks.error().to_string())), Delivery{});
    }
    auto asked =
        request<Answer>(experiment_id, AnswerWhen::durable, std::move(show), std::move(done));
    asked->imports = std::make_unique<Import>(Import{std::move(log), std::move(*marks)});
    enqueue(std::move(asked));
  }
  // Runs `task` on the thread of the experiment's owner at the end of its next turn.
  void post(const std::string& experiment_id, std::function<void()> task);
  // What callers are told of an exception, which is always a mistake of ours; the operator is told
  // what it says, which may name sources and files. Any thread may call it.
  Error mistake(const std::exception& exception);
  // The overview of an experiment that is in this process's memory; nothing for any other.
  std::optional<Overview> overview_of_held(const std::string& experiment_id) const;
  // Returns when everything that was asked before has been answered.
  void wait_for_all();
  // Returns when the experiment has been loaded or has failed to load. REQUIRES, for both: not
  // called on a thread of the engine, which would then wait for itself.
  void wait_for(const std::string& experiment_id);

  using Listener = std::function<void(const EngineEvent&)>;
  void listen(Listener listener);

  // Gives lines for Prometheus about the experiments that this process has answered for to `done`,
  // on an owner's thread.
  void experiment_metrics(std::function<void(std::string)> done);
  ExperimentMetrics& metrics() { return metrics_; }
  // How long the store took to append.
  DurationHistogram append_durations() const;

  // Which logs this process has read whole, and which experiments are out of service.
  Audits& audits() { return *audits_; }
  // Whether outcomes can be taken.
  bool ready() const;
  // Finds out whether the store takes records again. A server that is not ready gets no requests,
  // so it must find out by itself that it could be. Any thread may call it.
  void probe_store();
  // A write or a sync failed, so it is unknown what is on the disk until the process starts again
  // and reads it. Nothing is acknowledged any more.
  bool failed() const { return store_->broken(); }
  Store& store() { return *store_; }
  std::shared_ptr<Store> shared_store() const { return store_; }
  World& world() const { return *options_.world; }
  std::size_t most_arms() const { return options_.most_arms; }
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
  class Owner;  // owner.h
  // One experiment's lines on their way into the store. Its owner leaves the experiment alone until
  // it is told what came of them.
  struct Laid {
    Owner* owner;
    const Experiment* experiment;
    std::vector<Line> lines;
    std::optional<Error> failed;
  };
  // The epoch in which an answer about the experiment is valid: it must not go out in a later one.
  struct Tenancy {
    std::string experiment;
    std::optional<std::uint64_t> epoch;
  };
  // What waits for the disk: an answer, or events for the listeners.
  struct Waiting {
    std::unique_ptr<Request> request{};
    std::optional<Error> error{};
    Delivery delivery{};
    std::optional<Tenancy> tenancy{};
    std::vector<EngineEvent> events{};
  };

  Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret);

  template <class Answer, class Work, class Deliver>
  static std::unique_ptr<Request> request(std::string experiment_id, AnswerWhen when, Work work,
                                          Deliver done) {
    return std::make_unique<WholeRequest<Answer, Work, Deliver>>(std::move(experiment_id), when,
                                                                 std::move(work), std::move(done));
  }
  void enqueue(std::unique_ptr<Request> request);
  Owner& owner_of(std::string_view experiment_id) const;
  void start_queues();
  Status find_sleepers();
  void give_all_away();
  void watch_store();
  // Appends the lines of all owners in one commit and notes what came of each.
  void append(std::vector<Laid>& all);
  void sync_later(std::vector<Waiting> waiting);
  void sync_waiting();
  void tell_listeners(const std::vector<EngineEvent>& events);
  // The parts that an experiment of this engine gets. REQUIRES: `history` outlives the experiment.
  Setting setting_of(const std::string& experiment_id, History& history) const;
  bool holds_lease() const { return nodes_ == nullptr || nodes_->holds_lease(); }
  std::optional<std::uint64_t> epoch_of(const std::string& experiment_id) const {
    return nodes_ != nullptr ? nodes_->epoch(experiment_id) : std::nullopt;
  }
  void say(const std::string& message);
  // Tell the operator once that the store refuses records, and once that it takes them again.
  void say_refusal(const Error& error);
  void say_recovery();

  std::shared_ptr<Store> store_;
  Nodes* nodes_;  // null if this process is the only one on the store
  EngineOptions options_;
  std::string secret_;
  // The last append failed. No further append is tried until a probe succeeds, because each failed
  // one costs the folded state of its experiment.
  std::atomic<bool> store_refuses_ = false;
  std::atomic<bool> refusal_said_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> waiting_ = 0;    // requests that no owner has worked on yet
  std::atomic<std::uint64_t> in_memory_ = 0;  // experiments
  ExperimentMetrics metrics_;                 // has its own lock
  CommitQueue<Laid> commits_;                 // has its own lock

  std::mutex say_mutex_;
  mutable std::mutex mutex_;  // guards the members from here to listeners_
  Counts counts_;
  DurationHistogram append_durations_;
  std::vector<Listener> listeners_;

  std::mutex sync_mutex_;  // guards unsynced_ and syncing_
  std::vector<Waiting> unsynced_;
  bool syncing_ = false;  // a task that will take them is posted

  std::unique_ptr<Audits> audits_;  // has its own lock
  std::vector<std::unique_ptr<Owner>> owners_;
  std::unique_ptr<TaskQueue> keeper_;  // loads, saves and imports
  std::unique_ptr<TaskQueue> syncs_;
};

}  // namespace duel
