// A whole cluster in one thread: nodes with engine, store and upkeep, their database, clients, and
// faults, all under one seed. Clients keep a history of what they were told; when the faults are
// over, it is held against the log.
//
// The clients are in the place of HTTP and forwarding: they ask any node, and another one when the
// first says that it does not own the experiment. The database is a table in memory under the
// store's own protocol (store/database.h), which is what this is about: leases, epochs, tails that
// are appended again, and appends of unknown fate.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace duel {

// Which faults there are, and so what may be lost.
enum class Trouble {
  // The database crashes and stands still, the nodes are well: nothing may be lost.
  database,
  // Nodes are killed, paused and cut off, statements are lost and late; the database only stops.
  nodes,
  // All of it at once. A serve may be lost where the database crashes and its owner, too, but never
  // an outcome that was acknowledged.
  both,
};

struct ClusterRun {
  std::vector<std::string> violations;
  std::uint64_t trace = 0;  // the same for the same seed
  std::uint64_t serves = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t retries = 0;
  std::uint64_t kills = 0;
  std::uint64_t outages = 0;
  std::uint64_t crashes = 0;
  std::uint64_t lost_serves = 0;
  std::uint64_t tails_appended_again = 0;
  std::uint64_t taken_over = 0;
  std::uint64_t certificates = 0;
};

Trouble trouble_of(std::uint64_t seed);
// `story`: where to tell what happens; null: nowhere.
ClusterRun run_cluster(std::uint64_t seed, std::ostream* story = nullptr);

}  // namespace duel
