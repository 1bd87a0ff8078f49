// Processes that run the same program side by side, on one machine or on many, numbered from 0. All
// of them take the same steps; where there are independent jobs (jobs/jobs.h) they share them, and
// only rank 0 prints and writes.
//
// The transport is an interface of five functions, so that everything above it can be tested with
// threads in place of processes. The one that is used is MPI's (mpi/mpi_ranks.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// All functions are called by one thread of each rank.
class RankTransport {
 public:
  struct Message {
    unsigned from = 0;
    std::string text;
  };

  virtual ~RankTransport() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  // What everybody said, in the order of ranks. Returns once all have called it.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  // What rank 0 said. All call it; what the others pass is ignored.
  virtual std::string broadcast(std::string text) = 0;
  // Does not wait for the receiver. Messages between two ranks arrive in order.
  virtual void send(unsigned to, std::string text) = 0;
  // A message that has arrived; does not wait for one.
  virtual std::optional<Message> receive() = 0;
};

class Ranks {
 public:
  explicit Ranks(RankTransport& transport) : transport_(transport) {}

  RankTransport& transport() { return transport_; }
  unsigned rank() const { return transport_.rank(); }
  unsigned size() const { return transport_.size(); }
  bool is_first() const { return rank() == 0; }

  // All ranks begin a common step by meeting, and leave at a meeting, too. If a rank leaves early,
  // with an error of its own, the others notice it at their next step instead of waiting forever.
  // Returns what the ranks said, in their order; an error if one has left, or if they are not at
  // the same `place`.
  Result<std::vector<std::string>> meet(const std::string& place, const std::string& said = "");

  struct Farewell {
    int code = 0;         // what all ranks end with
    bool speaks = false;  // whether this rank is the one that reports its error
  };
  // Ends the common work with an exit code. Only the first call meets the others.
  Farewell leave(int code);

 private:
  RankTransport& transport_;
  std::optional<Farewell> farewell_;
};

// The ranks that this thread's jobs are shared with; null where there are none.
Ranks* current_ranks();

// Makes them this thread's while it lives.
class RanksScope {
 public:
  explicit RanksScope(Ranks& ranks);
  ~RanksScope();
  RanksScope(const RanksScope&) = delete;
  RanksScope& operator=(const RanksScope&) = delete;

 private:
  Ranks* before_;
};

// Whether this process is the one that writes: rank 0, or one that is alone.
bool is_first_rank();

// Rank 0's text, on all ranks: for what only rank 0 can know, such as the state of its files.
Result<std::string> from_first_rank(std::string mine);

}  // namespace duel
