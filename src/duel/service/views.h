// Results, health and other answers about experiments, worked out on reader threads from second
// folds of the logs (verdict/view.h): however long a result takes, no request for a duel waits.
//
// Guarantees: an outcome that was acknowledged is in the next answer, except if that answer is a
// dear one (10 ms of CPU or more). A dear answer is shared by all who ask for it so soon that
// making it again would take more than a tenth of a thread, up to a second or the time that it
// took. Every answer says the sequence of the last record in it,
// and goes out when that record is durable. Answers are text that all who ask share, so many slow
// readers hold one copy.
// Any thread may call it. Answers are delivered on reader threads, and refusals because of overload
// or a stop on the caller's. Delivery must not block.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/core/world.h"
#include "duel/experiment/experiment.h"
#include "duel/service/engine.h"
#include "duel/store/store.h"
#include "duel/verdict/glance.h"
#include "duel/verdict/view.h"

namespace duel {

struct ViewsOptions {
  std::size_t threads = 0;                          // 0: one for every two cores
  std::size_t most_bytes = std::size_t{256} << 20;  // of views; the one that idled longest leaves
  std::size_t most_waiting = 1'000;                 // requests; beyond: `overloaded`
  std::chrono::milliseconds cheap{10};              // what takes less is always of the head
  std::chrono::milliseconds shared_for{1'000};      // at most, unless making it takes longer
};

// An answer as all who ask for it share it.
struct ShownText {
  std::shared_ptr<const std::string> text;
  std::uint64_t sequence = 0;
};

// A row of the list of experiments.
struct Listed {
  std::string experiment_id;
  std::optional<Overview> summary{};
  std::optional<Glance> glance{};  // none while nobody has worked one out
  std::string error{};             // why there is no summary
};
struct ListedExperiments {
  std::vector<Listed> items;
  std::optional<std::string> next_cursor;
};

class Views {
 public:
  explicit Views(Engine& engine, ViewsOptions options = {});
  ~Views() { stop(); }
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;

  using Make = std::function<Result<std::string>(const View&)>;
  using Deliver = std::function<void(const Result<ShownText>&)>;
  // Gives what `make` makes of the experiment to `done`. `what` names the answer: requests with the
  // same name share it. Errors beside those of `make`: unknown_experiment, overloaded, damaged, and
  // those of the store.
  void show(const std::string& experiment_id, std::string what, Make make, Deliver done);

  // Summaries of the `limit` experiments after the id `after`. The engine loads none of them for
  // this: a summary comes from memory, from the snapshot, or from a view as the last resort. A
  // glance is the newest that is known: of the last result that somebody was shown, or of the
  // snapshot.
  void list(std::string after, std::size_t limit,
            std::function<void(const Result<ListedExperiments>&)> done);

  // Leaves a glance for lists. Any thread.
  void note_glance(const std::string& experiment_id, Glance glance);

  // Runs other work on a reader thread. False if too much waits; the work is dropped then.
  bool submit(std::function<void()> work) { return readers_->post(std::move(work)); }

  struct Counts {
    std::uint64_t views = 0;
    std::uint64_t bytes = 0;
    std::uint64_t folds = 0;  // views that were loaded
    std::uint64_t made = 0;   // answers
  };
  Counts counts() const;

  // Lets running work end and refuses what waits. Returns when no reader thread runs.
  void stop();

 private:
  struct Asked {
    std::string what;
    Make make;
    Deliver done;
  };
  struct Answer {
    ShownText shown;
    std::string hash;  // of the record at `shown.sequence`
    World::Moment made{};
    World::Moment::duration took{};
    std::chrono::nanoseconds cpu{};
  };
  struct Seen {
    std::vector<Asked> waiting;
    bool busy = false;  // a reader thread uses view, answers and durable, without mutex_
    std::unique_ptr<View> view{};
    std::map<std::string, Answer> answers{};
    std::uint64_t durable = 0;  // the store is known to be synced up to this sequence
    std::uint64_t used = 0;
    std::size_t bytes = 0;
  };

  // Takes the request; false, and nothing is taken, if too many wait.
  bool enqueue(const std::string& experiment_id, Asked& asked);
  // On a reader thread, which owns the view until it clears `busy`.
  void read(const std::string& experiment_id);
  void answer(const std::string& experiment_id, Seen& seen, std::vector<Asked> asked);
  // Brings the view to the head of the log, or loads it.
  Status refresh(const std::string& experiment_id, Seen& seen);
  Status make_durable(Seen& seen);
  Result<ShownText> made(Seen& seen, const Asked& asked);
  // Whether the owner has to load the experiment first: after a loss of power it writes a record of
  // which serves no longer count as evidence, and without that record a result would be wrong.
  bool awaits_owner(const std::string& experiment_id);
  Result<ListedExperiments> list_now(const std::string& after, std::size_t limit);
  Listed listed(const Outline& outline);
  Listed summary_of(const Outline& outline);
  void drop_oldest();

  Engine& engine_;
  std::shared_ptr<Store> store_;
  ViewsOptions options_;

  mutable std::mutex mutex_;
  TextMap<std::unique_ptr<Seen>> seen_;
  std::size_t waiting_ = 0;
  std::uint64_t uses_ = 0;
  bool stopping_ = false;
  Counts counts_;
  struct KnownOverview {
    Head head;
    Overview overview;
  };
  std::mutex overviews_mutex_;  // guards the next two
  TextMap<Glance> glances_;
  TextMap<KnownOverview> overviews_;  // of experiments that are not in memory and have no snapshot

  std::unique_ptr<TaskQueue> readers_;  // last: its threads use the rest
};

}  // namespace duel
