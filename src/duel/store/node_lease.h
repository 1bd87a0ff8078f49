// A node's lease in a database that several nodes share: a queue with a session of its own renews
// it, tells the time by the database's clock, and finds out whether the database is there.
//
// A node that takes an experiment judges the lease of the node that owned it in the same step as it
// takes it (Database, `take`); a renewal comes before that or after. So while a renewed lease
// holds, nothing is taken from its node, and what was taken before the renewal can be seen after
// it. A lease that had run out holds again only after `lapsed` has looked at that. Any thread may
// ask.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/store/database.h"
#include "duel/store/nodes.h"
#include "duel/store/reconnect_pause.h"

namespace duel {

// A clock that goes on while the machine is suspended, and that nobody can set.
std::chrono::nanoseconds time_since_boot();

class NodeLease {
 public:
  // REQUIRES: database and world outlive the lease.
  struct Settings {
    Database& database;
    World& world;
    std::function<std::chrono::nanoseconds()> since_boot;
    NodeAddress self;
    std::chrono::milliseconds lease;
  };
  // Called with the session when a lease had run out and was renewed.
  using Lapsed = std::function<Status(DatabaseSession&)>;

  // REQUIRES: `pause` outlives the lease.
  NodeLease(Settings settings, ReconnectPause& pause, Lapsed lapsed);
  NodeLease(const NodeLease&) = delete;
  NodeLease& operator=(const NodeLease&) = delete;
  ~NodeLease();

  // Enters the node into the table, and renews its lease from then on.
  Status begin();
  // Ends the renewals. The node's row stays, until its lease has run out.
  void stop();

  bool holds() const;
  // Whether the database answered the last renewal, or the last probe between two renewals.
  bool reachable() const { return reachable_; }
  // Milliseconds since 1970 by the database's clock; never goes back.
  std::int64_t now_ms() const;
  std::uint64_t reconnects() const { return reconnects_; }

 private:
  Status connect();
  Status renew();
  Status ask();
  // Renews the lease if it is time, and probes the database otherwise; comes again by itself.
  void step();
  std::chrono::milliseconds between_renewals() const { return settings_.lease / 4; }

  const Settings settings_;
  ReconnectPause& pause_;
  const Lapsed lapsed_;
  std::unique_ptr<DatabaseSession> session_;
  bool connected_before_ = false;
  std::atomic<std::uint64_t> reconnects_ = 0;
  World::Moment due_;  // the next renewal

  std::atomic<bool> reachable_ = true;
  std::atomic<std::int64_t> holds_until_ns_ = 0;   // since boot
  std::atomic<std::int64_t> clock_offset_ms_ = 0;  // the database's clock less the time since boot
  mutable std::atomic<std::int64_t> latest_ms_ = 0;

  std::unique_ptr<TaskQueue> queue_;  // last: its tasks use the rest
};

}  // namespace duel
