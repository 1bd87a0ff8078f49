// A request to an experiment on its way through the engine: from the caller to the owner of the
// experiment, from there to the commit and the sync that its answer rests on, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/experiment/experiment.h"
#include "duel/service/imported_log.h"

namespace duel {

// When an answer may go out.
enum class AnswerWhen { appended, durable };

// A request's turn on an experiment.
struct Turn {
  Experiment& experiment;
  Moment moment;
  bool created = false;  // by this very request
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
inline bool rests_on_nothing(const Offer& offer) {
  const auto* fallback = std::get_if<Fallback>(&offer);
  return fallback != nullptr && !fallback->named;
}
inline bool rests_on_nothing(const std::vector<Offer>& offers) {
  return std::ranges::all_of(offers, [](const Offer& one) { return rests_on_nothing(one); });
}
inline bool rests_on_nothing(const Page& page) { return page.fallback; }
inline bool rests_on_nothing(const Experiment::ServedPage& served) {
  return rests_on_nothing(served.offer);
}

// How long a long request may go on before others have their turn.
struct Slice {
  World& world;
  World::Moment until;
  bool is_over() const { return world.now() >= until; }
};

// What the owner has to know about a request besides its answer; made for each try of it.
struct RequestFacts {
  bool leased = true;             // this node had its lease when the work began
  bool elsewhere = false;         // another node owns the experiment
  bool rests_on_nothing = false;  // the answer does (see above)
  bool more = false;              // the slice was over before the work was done
  std::optional<Error> error{};   // in place of an answer
};

// A log that becomes an experiment.
struct Import {
  LogText log;
  std::vector<LineMark> marks;
  std::optional<Status> written{};  // the result of the appends, once they were tried
};

// One object from the caller to its answer: serves come by the ten thousand a second, and each part
// of its own would be an allocation.
struct Request {
  Request(std::string its_experiment, AnswerWhen its_when)
      : experiment_id(std::move(its_experiment)), when(its_when) {}
  virtual ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // Works the answer out and keeps it, or as much of it as the slice allows (`facts.more`). It may
  // be called again for the same: the last answer counts.
  virtual void work(const Turn& turn, const Slice& slice, RequestFacts& facts) = 0;
  // What `work` staged since the last of these calls is in the store, or it is not, and was taken
  // out of the experiment.
  virtual void appended() {}
  virtual void not_appended() {}
  // Delivers the answer, or this error in its place.
  virtual void send(std::optional<Error> instead, const Delivery& delivery) = 0;

  const std::string experiment_id;
  const AnswerWhen when;
  std::unique_ptr<ExperimentRecord> creates{};  // the experiment, before the work
  std::unique_ptr<Import> imports{};            // the same from a log
  bool aside = false;          // takes long where the experiment is large, and cannot be cut
  bool together = false;       // all that it stages goes into one append
  bool begun = false;          // has had a slice, and goes on after the others
  int tries = 0;               // whose lines the store refused
  bool may_be_logged = false;  // the lines of a try may be in the store all the same
};

template <class Answer, class Work, class Deliver>
struct WholeRequest final : Request {
  WholeRequest(std::string its_experiment, AnswerWhen its_when, Work its_work, Deliver its_done)
      : Request(std::move(its_experiment), its_when),
        work_out(std::move(its_work)),
        done(std::move(its_done)) {}

  void work(const Turn& turn, const Slice& /*slice*/, RequestFacts& facts) override {
    answer = work_out(turn);
    if (!answer.ok()) facts.error = answer.error();
    facts.rests_on_nothing = answer.ok() && rests_on_nothing(*answer);
  }
  void send(std::optional<Error> instead, const Delivery& delivery) override {
    done(instead ? Result<Answer>(std::move(*instead)) : std::move(answer), delivery);
  }

  Work work_out;
  Deliver done;
  Result<Answer> answer = Error{};
};

// A request of many parts, each of which takes little time. Between two of them others may have
// their turn, and what the parts before have staged may be committed.
template <class Item, class Part, class Deliver>
struct PartsRequest final : Request {
  using Items = std::vector<Item>;

  PartsRequest(std::string its_experiment, AnswerWhen its_when, std::size_t its_count,
               Part its_part, Deliver its_done)
      : Request(std::move(its_experiment), its_when),
        count(its_count),
        part(std::move(its_part)),
        done(std::move(its_done)) {}

  void work(const Turn& turn, const Slice& slice, RequestFacts& facts) override {
    while (next < count) {
      if (const Status status = part(turn, next, items); !status.ok()) {
        facts.error = status.error();
        return;
      }
      ++next;
      if (next < count && slice.is_over()) {
        facts.more = true;
        return;
      }
    }
    facts.rests_on_nothing = rests_on_nothing(items);
  }
  void appended() override {
    kept = next;
    kept_items = items.size();
  }
  void not_appended() override {
    next = kept;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept_items), items.end());
  }
  void send(std::optional<Error> instead, const Delivery& delivery) override {
    done(instead ? Result<Items>(std::move(*instead)) : Result<Items>(std::move(items)), delivery);
  }

  const std::size_t count;
  Part part;
  Deliver done;
  std::size_t next = 0;  // part
  Items items;
  std::size_t kept = 0, kept_items = 0;  // how far the store has it
};

using Requests = std::vector<std::unique_ptr<Request>>;

}  // namespace duel
