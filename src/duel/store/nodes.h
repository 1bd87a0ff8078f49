// Several processes on one store: nodes. Each experiment belongs to at most one of them at a time,
// its owner, which alone appends to it; the others ask the owner.
//
// A node lives as long as it renews its lease. An experiment's row names its owner and an epoch
// that grows with every change of owner, and an append names both: if a node is taken for dead and
// comes back, its appends are refused (`conflict`) and nothing of them is stored. So a lease that
// is misjudged costs time and never a record.
//
// A store that several processes can use has a `Nodes` beside its `Store` (Store::nodes). There
// `own` takes an experiment that no living node owns, and is a `conflict` if one does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"

namespace duel {

struct NodeAddress {
  std::string node_id;  // random, new with every start
  std::string url;      // where other nodes reach it; empty: nowhere
  bool operator==(const NodeAddress&) const = default;
};

// Which node owns an experiment, and since which change of owner. Any thread may call `Nodes`.
struct Tenure {
  std::string experiment;
  std::optional<NodeAddress> owner;  // nothing: nobody whose lease holds
  std::uint64_t epoch = 0;
  bool operator==(const Tenure&) const = default;
};

struct NodeState {
  NodeAddress address;
  std::int64_t lease_left_ms = 0;  // negative: it ran out so long ago
  std::uint64_t experiments = 0;   // that it owns
};

class Nodes {
 public:
  virtual ~Nodes() = default;

  virtual const NodeAddress& self() const = 0;
  virtual std::chrono::milliseconds lease() const = 0;
  // Whether this node's lease holds, by its own steady clock, counted from before the renewal was
  // sent: while it holds, no other node can have taken an experiment from this one. Answers without
  // an append behind them (an unknown id, a conflict, a late answer) may be given only then.
  virtual bool holds_lease() const = 0;
  // Whether the store answered when it was last asked, which happens every few seconds even without
  // work. The lease holds for a while after the store is lost.
  virtual bool reachable() const = 0;
  // The store's clock, milliseconds since 1970. The clocks of nodes differ; this one is the same
  // for all.
  virtual std::int64_t now_ms() const = 0;

  // Who owns it now, as the store has it; `not_found` if there is no such experiment.
  virtual Result<Tenure> tenure(const std::string& experiment) = 0;
  // The epoch in which this node believes it owns the experiment; nothing if it does not. A `sync`
  // makes lines durable only if their experiment has kept its epoch since they were appended: a
  // crash of the store can lose lines, and another node can take the experiment without them.
  virtual std::optional<std::uint64_t> epoch(const std::string& experiment) const = 0;
  // Lets other nodes take it at once. No error if it is not ours any more.
  virtual Status give_away(const std::string& experiment) = 0;
  // Experiments that nobody alive owns, sorted by name.
  virtual Result<std::vector<std::string>> ownerless() = 0;
  // Nodes whose lease holds, sorted by id; `states` has all that are known.
  virtual Result<std::vector<NodeAddress>> live() = 0;
  virtual Result<std::vector<NodeState>> states() = 0;
  virtual Result<std::vector<Tenure>> tenures() = 0;

  struct Counts {
    std::uint64_t taken_over = 0;  // from a node whose lease had run out
    std::uint64_t fenced = 0;      // appends refused because another node owns the experiment
    std::uint64_t reconnects = 0;  // to the store
    std::uint64_t tails_appended_again = 0;  // after the store had lost what was not yet durable
  };
  virtual Counts counts() const = 0;
};

}  // namespace duel
