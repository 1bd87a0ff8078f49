// A node's lease in a PostgreSQL store: a thread with a connection of its own renews it, tells the
// time by the database's clock, and finds out whether the database is there.
//
// A node that takes an experiment locks the row of the node that owned it and checks that its lease
// has run out (postgres_writing.cc); a renewal waits for that lock. So while a renewed lease holds,
// nothing is taken from its node, and what was taken before the renewal can be seen after it. A
// lease that had run out holds again only after `lapsed` has looked at that. Any thread may ask.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "duel/core/result.h"
#include "duel/store/nodes.h"
#include "duel/store/postgres.h"
#include "duel/store/reconnect_pause.h"

namespace duel {

// A clock that goes on while the machine is suspended, and that nobody can set.
std::chrono::nanoseconds time_since_boot();

class NodeLease {
 public:
  struct Settings {
    std::string location;
    NodeAddress self;
    std::chrono::milliseconds lease;
    std::chrono::milliseconds answer_limit;
  };
  // Called with the connection when a lease had run out and was renewed.
  using Lapsed = std::function<Status(PostgresConnection&)>;

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
  void run();

  const Settings settings_;
  ReconnectPause& pause_;
  const Lapsed lapsed_;
  PostgresConnection connection_;
  bool connected_before_ = false;
  std::atomic<std::uint64_t> reconnects_ = 0;

  std::atomic<bool> reachable_ = true;
  std::atomic<std::int64_t> holds_until_ns_ = 0;   // since boot
  std::atomic<std::int64_t> clock_offset_ms_ = 0;  // the database's clock less the time since boot
  mutable std::atomic<std::int64_t> latest_ms_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace duel
