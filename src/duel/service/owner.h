// An owner of experiments: one thread that holds them, works on their requests and answers. An
// engine has a few owners, and an experiment's id says whose it is (Engine::owner_of).
//
// A turn (take_turn) is the owner's only loop, and its order is what the guarantees of engine.h
// rest on: work on requests, which stages records and applies them to the state in memory; have
// what is staged appended; only then send the answers, or leave those that need the disk to the
// syncing thread. So no answer leaves before its records, and many requests share a commit.
//
// Nobody waits long for another's experiment: requests wait by experiment and are worked on in
// rotation, one of each; a turn ends after kTurn; a request of many parts is cut there and goes on
// in later turns, after the requests that came meanwhile; and so do duels that expire together.
//
// While others have an experiment (the keeper, or the owner that commits for all) its place is
// closed: nothing here touches the experiment, and its requests wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/service/engine.h"
#include "duel/verdict/history.h"

namespace duel {

class Engine::Owner {
 public:
  // `first`: of the owners, the one that also does what is to be done once.
  Owner(Engine& engine, bool first);
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void start();
  // The experiment is not in memory, and one of its duels is due then. REQUIRES: before `start`.
  void know_sleeper(const std::string& experiment_id, std::int64_t due_ms);

  // Any thread may call these.
  void enqueue(std::unique_ptr<Request> request);
  void post(std::function<void()> task);
  void wake_up();
  std::optional<Overview> overview_of(const std::string& experiment_id) const;

  // On the owner's thread, by a posted task.
  // Whether all that was asked before has been answered or waits for the disk.
  bool is_idle() const;
  // Counts the outcomes of all experiments for the metrics, in slices like a request of many parts,
  // and calls `done`.
  void count_outcomes(std::function<void()> done);
  std::string epochs() const;  // lines for Prometheus

  // Gives the place of each group's experiment back. By the owner that committed them.
  void hand_back(std::vector<Laid> laid);

  // Answers what waits and saves all states. Nothing more may be asked: Engine::stopping_ is set.
  void stop();

 private:
  // How long an owner works before it commits and answers, and how long a request of many parts
  // keeps the others waiting.
  static constexpr std::chrono::milliseconds kTurn{5};

  struct Held {
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<History> history;  // the experiment's follower
    std::uint64_t used = 0;            // the value of turns_ at the last request
    std::int64_t used_ms = 0;
    std::uint64_t saved = 0;               // the last record in its snapshot
    std::optional<std::uint64_t> epoch{};  // in which this node owns it, if there are nodes
    std::int64_t saved_ms = 0;
    OutcomeCounts counted{};  // what the metrics have counted
    OutcomeCounts stored{};   // what the store holds, for a state that is dropped with more staged
  };
  struct Worked {
    std::unique_ptr<Request> request;
    RequestFacts facts;
  };
  // What this owner has of an experiment.
  struct Place {
    std::string id;
    std::deque<std::unique_ptr<Request>> waiting{};
    std::unique_ptr<Held> held{};       // if it is in memory and ours
    std::vector<Worked> worked{};       // not answered yet
    std::vector<EngineEvent> events{};  // of records that are not appended yet
    bool closed = false;                // others have the experiment
    bool in_rotation = false;
    bool visited = false;   // is in visited_
    bool expiring = false;  // is in expiring_
    // Why a load failed, and for how many of the requests that wait; later ones try again.
    std::optional<Error> load_error{};
    std::size_t load_failed_for = 0;
  };
  // Why a log was refused, and until when that is passed on without reading the log again.
  struct RefusedLoad {
    Error why;
    World::Moment until;
  };
  // A function that the owner's thread calls when the experiment is back from the keeper.
  using Homecoming = std::function<void()>;
  // Experiments that are not in memory but were, or have a duel that will expire. They are woken
  // when the duel is due.
  struct Asleep {
    std::int64_t due_ms = 0;   // 0: never
    bool after_pause = false;  // no process was there to take its answers
    std::optional<std::uint64_t> epoch{};
  };
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

  // --- The turn (owner.cc) -----------------------------------------------------------------------
  // Posts a turn unless one is already on its way. REQUIRES: mutex_ is held.
  void wake();
  void tick_later();
  void take_turn();
  void wait_for_company();
  // Takes what has come from other threads.
  void receive();
  void end_turn();
  Place& place_of(const std::string& experiment_id);
  void visit(Place& place);
  // Puts the place where the next turn finds it, if requests wait there and it is open.
  void queue_up(Place& place);
  void work_on_waiting();
  void work_on_next(Place& place, const Slice& slice);
  Result<Turn> turn_for(Place& place, Request& request, RequestFacts& facts);
  void work(Place& place, Request& request, const Turn& turn, const Slice& slice,
            RequestFacts& facts);
  void go_on_later(Place& place);
  void commit();
  // Answers what was worked on. `laid`: what came of the lines; null if there were none.
  void settle(Place& place, const Laid* laid);
  // False if the request is to be worked on again, and was not answered.
  bool answer(Place& place, Worked& worked, const Laid* laid);
  void tell(Place& place, const Experiment& experiment, const Before& before);
  void tick();
  // Records a certificate that has waited for the check of the log.
  void pass_audit(Place& place);
  // Has expire_due expire the experiment's duels that are due, if any are.
  void note_due(Place& place);
  void expire_due();
  // As many as the slice allows, and at least one.
  void expire(Place& place, const Slice& slice);
  std::uint64_t ticks_to_alive() const;
  StoreAccess access() const {
    return engine_.store_refuses_ ? StoreAccess::read_only : StoreAccess::writable;
  }

  // --- Experiments come and go (owner_residents.cc) ----------------------------------------------
  // The experiment for a request. Notes in `facts` that it is elsewhere; closes the place where it
  // must be loaded first.
  Result<Turn> turn_of(Place& place, RequestFacts& facts);
  // The same, but an error if the state is only good for fallbacks.
  Result<Turn> turn_of_known(Place& place, RequestFacts& facts);
  // The last known state of an experiment whose records cannot be read: good for fallbacks only.
  Result<Turn> turn_of_lost(const Place& place, const Error& why);
  Status own(Place& place, RequestFacts& facts);
  Error is_elsewhere(Place& place, RequestFacts& facts);
  // Runs `job` for the experiment on the keeper's thread and closes the place until it is back.
  // REQUIRES: it is open.
  void send_away(Place& place, std::function<Homecoming()> job);
  void load(Place& place);
  // `took`: as long as reading its log did.
  void take_loaded(Place& place, Result<std::unique_ptr<Experiment>> loaded, Held held,
                   World::Moment::duration took);
  // Nothing if its log may be read again.
  std::optional<Error> refusal_of(const Place& place);
  Result<bool> create_now(Place& place, const ExperimentRecord& record, RequestFacts& facts);
  Status write_imported(Place& place, Import& import, RequestFacts& facts);
  void hold(Place& place, Held held);
  std::unique_ptr<Held> let_go(Place& place);
  void publish(const Experiment& experiment);
  // Takes a state out of use that may differ from the log. The experiment is loaded again when it
  // is next asked for; while the store cannot be read, the dropped state still gives fallbacks.
  void drop(Place& place);
  // Writes a snapshot if there are records since the last one, so that loading the experiment need
  // not read its whole log. A large state is saved on the keeper's thread.
  enum class Then { stay, sleep };
  void save(Place& place, Then then);
  struct Saved {
    std::uint64_t sequence = 0;  // 0: nothing was to be saved
    Status put = Done{};
  };
  Saved save_now(const Held& held) const;
  void note_saved(Held& held, const Saved& saved);
  void save_what_grew();
  void forget_idle();
  // Takes the experiment out of memory until somebody asks for it or one of its duels is due.
  void put_to_sleep(Place& place);
  void wake_later(const std::string& experiment_id, const Asleep& asleep);
  void wake_due();
  // Adds the duels that have ended since the last count to the metrics.
  void count_outcomes(Held& held);
  void count_outcomes_of(std::vector<std::string> ids, std::function<void()> done);

  Engine& engine_;
  const bool first_;

  // From here to counting_: by the owner's thread only.
  TextMap<std::unique_ptr<Place>> places_;
  std::size_t num_held_ = 0;       // but for those that leave when the keeper has saved them
  std::vector<Place*> visited_;    // in this turn; each once
  std::deque<Place*> rotation_;    // open places where requests wait, in the order of their turns
  std::deque<Place*> continuing_;  // the same where the first has had a slice already
  std::deque<Place*> expiring_;    // where duels are due
  // States that may differ from the log. They give fallbacks while the store cannot be read.
  TextMap<std::unique_ptr<Held>> lost_;
  TextMap<RefusedLoad> refused_;
  TextMap<Asleep> asleep_;
  std::set<std::pair<std::int64_t, std::string>> due_;
  std::uint64_t turns_ = 0;
  std::int64_t now_ms_ = 0;         // of this turn
  std::size_t last_worked_ = 0;     // how many requests the last turn that had any worked on
  std::vector<Waiting> unsynced_;   // of this turn
  std::vector<EngineEvent> moved_;  // `reset` and `moved`, which wait for no sync
  std::int64_t none_idle_before_ms_ = 0;
  std::int64_t last_tick_ms_ = 0;
  std::uint64_t ticks_ = 0;
  std::vector<std::function<void()>> due_tasks_;  // at the end of this turn
  std::size_t counting_ = 0;                      // counts of outcomes that are under way

  mutable std::mutex mutex_;  // guards the members from here to overviews_
  bool awake_ = false;        // a turn is posted or runs
  Requests arrived_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::pair<Place*, Homecoming>> returned_;
  std::vector<Laid> settled_;
  TextMap<Overview> overviews_;  // of the experiments in memory
  std::promise<void> finished_;

  std::unique_ptr<TaskQueue> turns_queue_;  // last: its thread uses the rest
};

}  // namespace duel
