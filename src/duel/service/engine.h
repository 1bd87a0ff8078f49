// The owner of all experiments of this process. One thread takes requests in order, works on the
// experiments and appends what they staged in groups; a second thread waits for the disk. Long work
// on a single experiment (loading, saving, importing) runs on a third thread: the experiment is
// `away` meanwhile, and its requests wait while those of other experiments go on.
//
// Guarantees: an answer goes out only when what it rests on is in the store: a serve when it is
// appended, an outcome when it is synced. If an append fails, the states that were built on it are
// dropped and folded again, and nothing of them was told to anybody.
//
// If several nodes use the store (nodes.h), this one answers for the experiments that it owns and
// takes those that nobody owns. Requests for another node's experiment are refused with
// `Reason::not_ours`, and the caller forwards them (forwarding.h). An answer without an append
// behind it, such as "there is no such duel", may be out of date if another node has taken the
// experiment, so it is given only while this node's lease holds.
// Any thread may call the public functions. Work runs on the engine's thread. Answers are delivered
// on the engine's or the syncing thread, or on the caller's if the request is refused at once. Work
// and delivery must not block: every other experiment would wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/duration_histogram.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/core/world.h"
#include "duel/experiment/experiment.h"
#include "duel/service/audits.h"
#include "duel/service/experiment_metrics.h"
#include "duel/service/imported_log.h"
#include "duel/store/store.h"
#include "duel/verdict/history.h"

namespace duel {

// When an answer may go out.
enum class AnswerWhen { appended, durable };

struct EngineOptions {
  std::size_t most_waiting = 20'000;  // requests; further ones are refused as `overloaded`
  std::size_t most_in_memory = 200;   // experiments; the one that idled longest leaves
  // An experiment that nobody asks for this long leaves memory, too; its snapshot brings it back.
  std::chrono::milliseconds idle_time = std::chrono::minutes(10);
  // A snapshot is written after this many records, but not more often than the interval: a busy
  // experiment would otherwise spend its time on snapshots.
  std::uint64_t snapshot_every = 20'000;
  std::chrono::milliseconds snapshot_interval = std::chrono::seconds(5);
  std::size_t largest_group = 512;        // requests in one commit
  std::size_t most_arms = 1'000;          // of a new experiment: its state grows with their square
  // An experiment whose last record is further ahead of the clock is not served, and a log with
  // such a line not imported. Clocks of machines differ by less.
  std::chrono::milliseconds most_ahead = std::chrono::hours(1);
  World* world = &system_world();         // time, random bytes and threads
  std::function<std::int64_t()> clock{};  // milliseconds since 1970; the world's if empty
  // Receives messages for the operator. Any thread of the engine calls it.
  std::function<void(const std::string&)> say{};
};

// A request's turn on an experiment.
struct Turn {
  Experiment& experiment;
  Moment moment;
};

// What the caller should know about how an answer came about.
struct Delivery {
  // No append backs it and this node has no lease: another node may own the experiment by now, and
  // the caller should ask there.
  bool without_lease = false;
};

// Whether an answer depends on no record, so that it can be given even if the store is down.
template <class Answer>
bool rests_on_nothing(const Answer& /*answer*/) {
  return false;
}
inline bool rests_on_nothing(const Offer& offer) { return std::holds_alternative<Fallback>(offer); }
inline bool rests_on_nothing(const std::vector<Offer>& offers) {
  return std::ranges::all_of(offers, [](const Offer& one) { return rests_on_nothing(one); });
}
inline bool rests_on_nothing(const Page& page) { return page.fallback; }
inline bool rests_on_nothing(const Experiment::ServedPage& served) { return served.page.fallback; }

// Turns an error of the store about an experiment into the one that a caller gets: there is no such
// experiment, or its records are damaged.
Error said_of(const std::string& experiment_id, Error error);

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
    submit<Answer>(
        when,
        [this, id = std::move(experiment_id), work = std::move(work)](
            std::int64_t now, Facts& facts) { return ask_one<Answer>(id, work, now, facts); },
        std::move(done));
  }
  // The same over several experiments, for events. `work` finds all of them before it changes any:
  // one that is away puts the whole request off.
  using Find = std::function<Result<Turn>(const std::string& experiment_id)>;
  template <class Answer, class Work, class Deliver>
  void ask_all(AnswerWhen when, Work work, Deliver done) {
    submit<Answer>(
        when,
        [this, work = std::move(work)](std::int64_t now, Facts& facts) -> Result<Answer> {
          return work([&](const std::string& id) { return turn_of_known(id, now, facts); });
        },
        std::move(done));
  }
  // Creates the experiment and shows it; one that was created by the same request is shown as it
  // is, by `show(turn, created)`.
  template <class Answer, class Show, class Deliver>
  void create(const ExperimentRecord& record, Show show, Deliver done) {
    submit<Answer>(
        AnswerWhen::durable,
        [this, record, show = std::move(show)](std::int64_t now, Facts& facts) -> Result<Answer> {
          DUEL_ASSIGN(const bool created, create_now(record, now, facts));
          DUEL_ASSIGN(const Turn turn, turn_of_known(record.experiment_id, now, facts));
          return show(turn, created);
        },
        std::move(done));
  }
  // A log becomes an experiment. It is followed and folded first, on the caller's thread, and
  // nothing of it is written where that fails (`invalid_data`, with the line). `exists` where there
  // is one of that name.
  template <class Answer, class Show, class Deliver>
  void import_log(const std::string& experiment_id, LogText log, Show show, Deliver done) {
    auto marks = check_imported(experiment_id, log.text,
                                {options_.most_arms, options_.clock(), options_.most_ahead});
    if (!marks.ok()) {
      return done(Result<Answer>(Error::invalid_data(marks.error().to_string())), Delivery{});
    }
    const auto import = std::make_shared<Import>(
        Import{experiment_id, std::move(log), std::move(*marks), std::nullopt});
    submit<Answer>(
        AnswerWhen::durable,
        [this, import, show = std::move(show)](std::int64_t now, Facts& facts) -> Result<Answer> {
          DUEL_RETURN_IF_ERROR(write_imported(import, facts));
          DUEL_ASSIGN(const Turn turn, turn_of_known(import->experiment_id, now, facts));
          return show(turn);
        },
        std::move(done));
  }
  // What callers are told of an exception, which is always a mistake of ours; the operator is told
  // what it says, which may name sources and files. Any thread may call it.
  Error mistake(const std::exception& exception) const;
  // The overview of an experiment that is in this process's memory; nothing for any other.
  std::optional<Overview> overview_of_held(const std::string& experiment_id) const;
  // Returns when everything that was asked before has been answered.
  void wait_for_all();
  // Returns when the experiment has been loaded or has failed to load. REQUIRES, for both: not
  // called on the engine's or the syncing thread, which would then wait for itself.
  void wait_for(const std::string& experiment_id);

  using Listener = std::function<void(const EngineEvent&)>;
  void listen(Listener listener);

  // Lines for Prometheus about the experiments that this process has answered for. REQUIRES: called
  // on the engine's thread (inside ask_all).
  std::string experiment_metrics();
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
  // What the engine has to know about a request besides its answer; made for each try of it.
  struct Facts {
    std::vector<std::string> touched;  // experiments that it asked for
    bool elsewhere = false;            // another node owns one of them
    std::string away{};                // the experiment that it has to wait for, or empty
    bool leased = true;                // this node had its lease when the work began
    bool rests_on_nothing = false;     // the answer does (see above)
    std::optional<Error> error;        // in place of an answer
  };
  // One object from the caller to its answer: serves come by the ten thousand a second, and each
  // part of its own would be an allocation.
  struct Request {
    explicit Request(AnswerWhen its_when) : when(its_when) {}
    virtual ~Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    // Works the answer out and keeps it. It may be called again: the last answer counts.
    virtual void work(std::int64_t now_ms, Facts& facts) = 0;
    // Delivers the answer of the last `work`, or this error in its place.
    virtual void send(std::optional<Error> instead, const Delivery& delivery) = 0;

    const AnswerWhen when;
    int tries = 0;
  };
  template <class Answer, class Work, class Deliver>
  struct TypedRequest final : Request {
    TypedRequest(AnswerWhen its_when, Work its_work, Deliver its_done)
        : Request(its_when), work_out(std::move(its_work)), done(std::move(its_done)) {}

    void work(std::int64_t now_ms, Facts& facts) override {
      answer = work_out(now_ms, facts);
      if (!answer.ok()) facts.error = answer.error();
    }
    void send(std::optional<Error> instead, const Delivery& delivery) override {
      done(instead ? Result<Answer>(std::move(*instead)) : std::move(answer), delivery);
    }

    Work work_out;
    Deliver done;
    Result<Answer> answer = Error{};
  };
  using Requests = std::vector<std::unique_ptr<Request>>;
  // The fate of a commit, by experiment.
  struct Commit {
    TextMap<ErrorCode> failed;
    std::set<std::string> appended;
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
    std::vector<Tenancy> tenancies{};
    std::vector<EngineEvent> events{};
  };

  Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret);

  template <class Answer, class Work, class Deliver>
  void submit(AnswerWhen when, Work work, Deliver done) {
    enqueue(std::make_unique<TypedRequest<Answer, Work, Deliver>>(when, std::move(work),
                                                                  std::move(done)));
  }
  void enqueue(std::unique_ptr<Request> request);
  template <class Answer, class Work>
  Result<Answer> ask_one(const std::string& experiment_id, const Work& work, std::int64_t now,
                         Facts& facts) {
    DUEL_ASSIGN(const Turn turn, turn_of(experiment_id, now, facts));
    const Before before(turn.experiment.ledger());
    Result<Answer> answer = work(turn);
    bool unreadable = turn.moment.store == StoreAccess::unreadable;
    if (nodes_ != nullptr && !unreadable && !answer.ok() && answer.error().code == ErrorCode::io) {
      // The store could not be read. A caller that waits for a duel gets a fallback.
      unreadable = true;
      Result<Answer> again = work(Turn{turn.experiment, {now, StoreAccess::unreadable}});
      if (again.ok() && rests_on_nothing(*again)) answer = std::move(again);
    }
    facts.rests_on_nothing = answer.ok() && rests_on_nothing(*answer);
    if (unreadable) {
      // The log may have gone on without this state: "no such duel" could deny a duel that another
      // node has acknowledged. Only what the store itself said can be passed on.
      const bool of_store = !answer.ok() && answer.error().code == ErrorCode::io;
      if (facts.rests_on_nothing || of_store) return answer;
      return refused(Reason::store_unavailable, "the store does not take it: it is unreachable");
    }
    tell(turn.experiment, before);
    return answer;
  }
  void start_queues();
  // Posts a turn unless one is already on its way. REQUIRES: mutex_ is held.
  void wake();
  // Works on everything that has arrived so far, as one group. On the engine's thread.
  void take_turn();
  void wait_for_company();
  void finish();
  void tick_later();
  void sync_waiting();
  Requests take_group();
  Facts work_on(Request& request, std::int64_t now_ms);
  Commit append_staged();
  // Sends the answers that need no sync, and puts the others into `unsynced`.
  void answer_group(Requests& group, std::vector<Facts>& facts, const Commit& commit,
                    std::int64_t now_ms, std::vector<Waiting>& unsynced);
  std::vector<Tenancy> tenancies_of(const std::vector<std::string>& experiments) const;
  void ask_again(Requests requests);
  void tell_listeners(const std::vector<EngineEvent>& events);
  void tick(std::int64_t now_ms);
  void watch_store();
  // Expires the duels that are due. False if that failed halfway and the state must be dropped.
  bool expire(Experiment& experiment, std::int64_t now_ms);
  std::uint64_t ticks_to_alive() const;
  bool holds_lease() const { return nodes_ == nullptr || nodes_->holds_lease(); }
  struct Held;
  struct Asleep;
  // The experiment for a request. Notes in `facts` that it was touched, is away or elsewhere.
  Result<Turn> turn_of(const std::string& experiment_id, std::int64_t now_ms, Facts& facts);
  // The same, but an error if the state is only good for fallbacks.
  Result<Turn> turn_of_known(const std::string& experiment_id, std::int64_t now_ms, Facts& facts);
  // The last known state of an experiment whose records cannot be read: good for fallbacks only.
  Result<Turn> turn_of_lost(const std::string& experiment_id, std::int64_t now_ms,
                            const Error& why);
  // Runs `job` for the experiment on the keeper's thread. It returns a function that the engine's
  // thread calls when the experiment is back. REQUIRES: the experiment is not away.
  using Homecoming = std::function<void()>;
  void send_away(const std::string& experiment_id, std::function<Homecoming()> job);
  void take_back();
  // Marks the request as waiting for the experiment. Returns the error with which `work` stops.
  Error wait_for_away(const std::string& experiment_id, Facts& facts);
  void put_off(std::unique_ptr<Request> request, const std::string& experiment_id);
  void load(const std::string& experiment_id, std::int64_t now_ms);
  void take_loaded(const std::string& experiment_id, Result<std::unique_ptr<Experiment>> loaded,
                   Held held);
  Result<bool> create_now(const ExperimentRecord& record, std::int64_t now_ms, Facts& facts);
  struct Import {
    std::string experiment_id;
    LogText log;
    std::vector<LineMark> marks;
    std::optional<Status> written;  // the result of the append, once it was tried
  };
  Status write_imported(const std::shared_ptr<Import>& import, Facts& facts);
  Error is_elsewhere(const std::string& experiment_id, Facts& facts);
  void drop(const std::string& experiment_id);
  StoreAccess access() const {
    return store_refuses_ ? StoreAccess::read_only : StoreAccess::writable;
  }
  void give_all_away();
  Status own(const std::string& experiment_id, Facts& facts);
  std::optional<std::uint64_t> epoch_of(const std::string& experiment_id) const;
  void save_changed_states(const std::vector<EngineEvent>& events);
  // The parts that an experiment of this engine gets. REQUIRES: `history` outlives the experiment.
  Setting setting_of(const std::string& experiment_id, History& history) const;
  void wake_due(std::int64_t now_ms);
  // Writes a snapshot if there are records since the last one, so that loading the experiment need
  // not read its whole log. A large state is saved on the keeper's thread.
  enum class Then { stay, sleep };
  void save(const std::string& experiment_id, Then then);
  void save_in_place(Held& held);
  struct Saved;
  Saved save_now(const Held& held) const;
  void note_saved(Held& held, const Saved& saved);
  void save_what_grew(std::int64_t now_ms);
  void forget_idle(std::int64_t now_ms);
  // Takes the experiment out of memory until somebody asks for it or one of its duels is due.
  void put_to_sleep(const std::string& experiment_id);
  void wake_later(const std::string& experiment_id, const Asleep& asleep);
  void hold(const std::string& experiment_id, Held held);
  void publish(const std::string& experiment_id, const Experiment& experiment);
  // Adds the duels that have ended since the last count to the metrics.
  void count_outcomes(Held& held);
  // Tell the operator once that the store refuses records, and once that it takes them again.
  void say_refusal(const Error& error);
  void say_recovery();
  Status find_sleepers();
  // The marks of an experiment before a request, from which `tell` sees what has changed.
  struct Before {
    explicit Before(const Ledger& ledger)
        : sequence(ledger.sequence()),
          configured(ledger.configured_at()),
          certified(ledger.certificate_recorded()) {}
    std::uint64_t sequence;
    std::uint64_t configured;
    bool certified;
  };
  void tell(const Experiment& experiment, const Before& before);

  std::shared_ptr<Store> store_;
  Nodes* nodes_;  // null if this process is the only one on the store
  EngineOptions options_;
  std::string secret_;

  struct Held {
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<History> history;  // the experiment's follower
    std::uint64_t used = 0;            // the value of groups_ at the last request
    std::int64_t used_ms = 0;
    std::uint64_t saved = 0;               // the last record in its snapshot
    std::optional<std::uint64_t> epoch{};  // in which this node owns it, if there are nodes
    std::int64_t saved_ms = 0;
    OutcomeCounts counted{};  // what the metrics have counted
  };
  TextMap<Held> held_;  // here to ticks_: engine's thread only, but for store_refuses_, metrics_
  // Experiments that the keeper works on, and the requests that wait for them.
  TextMap<Requests> away_;
  // Why a load failed, for the requests that waited for it; forgotten at the end of the turn.
  TextMap<Error> load_errors_;
  // States that may differ from the log. They give fallbacks while the store cannot be read.
  TextMap<Held> lost_;
  // Experiments that are not in memory but were, or have a duel that will expire. They are woken
  // when the duel is due.
  struct Asleep {
    std::int64_t due_ms = 0;   // 0: never
    bool after_pause = false;  // no process was there to take its answers
    std::optional<std::uint64_t> epoch{};
  };
  TextMap<Asleep> asleep_;
  std::set<std::pair<std::int64_t, std::string>> due_;
  std::uint64_t groups_ = 0;
  std::size_t last_group_ = 0;       // how many requests the last turn had
  std::vector<EngineEvent> events_;  // of the group at hand
  std::vector<EngineEvent> moved_;   // `reset` and `moved`, which wait for no sync
  // The last append failed. No further append is tried until a probe succeeds, because each failed
  // one costs the folded state of its experiment.
  std::atomic<bool> store_refuses_ = false;
  bool refusal_said_ = false;
  ExperimentMetrics metrics_;  // has its own lock

  std::int64_t last_tick_ms_ = 0;
  std::uint64_t ticks_ = 0;

  mutable std::mutex mutex_;  // guards the members from here to overviews_
  std::deque<std::unique_ptr<Request>> requests_;
  bool awake_ = false;  // a turn is posted or runs
  bool stopping_ = false;
  std::promise<void> finished_;
  Counts counts_;
  DurationHistogram append_durations_;
  std::vector<Listener> listeners_;
  std::vector<std::pair<std::string, Homecoming>> returned_;
  TextMap<Overview> overviews_;  // of the experiments in memory

  std::mutex sync_mutex_;  // guards unsynced_ and syncing_
  std::vector<Waiting> unsynced_;
  bool syncing_ = false;  // a task that will take them is posted

  std::unique_ptr<Audits> audits_;     // has its own lock
  std::unique_ptr<TaskQueue> keeper_;  // loads, saves and imports
  std::unique_ptr<TaskQueue> syncs_;
  std::unique_ptr<TaskQueue> turns_;
};

}  // namespace duel
