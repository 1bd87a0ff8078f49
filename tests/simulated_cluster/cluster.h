// A whole cluster in one thread: nodes with engine, store and upkeep, their database, clients, and
// faults, all under one seed. Clients keep a history of what they were told; when the faults are
// over, it is held against the log. Or one server on a disk of its own in their place.
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
  // The database crashes and stands still, its disk is slow and its syncs fail; the nodes are well:
  // nothing may be lost.
  database,
  // Nodes are killed, paused and cut off, statements and their answers are lost and late; the
  // database only stops.
  nodes,
  // All of it at once. A serve may be lost where the database crashes and its owner, too, but never
  // an outcome that was acknowledged.
  both,
  // One server with an SQLite database in place of the nodes. It is killed and paused; its disk is
  // slow, full, fails, and loses power in the middle of a write. A serve may be lost with the
  // power, and what is left of the serves that were not synced is no evidence.
  disk,
  // As `nodes`, and a byte of a record below a snapshot changes: nothing may be certified by those
  // who come later, and the experiment has to go out of service.
  damage,
};

// A rule that the run is to do without, so that a test can show that its violation is found. Each
// is broken through what the tests own: the clients' words, the database in memory, or a function
// that is public anyway. No source of the product knows of this.
enum class Without {
  nothing,
  // Under an id that may have been logged no fallback is given (Experiment::serve). Clients say of
  // each id that it was made for this very request.
  ids_that_may_be_logged,
  // What an object says that is not known to be the fold of the log is not passed on
  // (Engine::Owner::work): it denies duels that another node has acknowledged. Errors pass for
  // answers that rest on nothing.
  silence_of_lost_states,
  // After a crash of the database an owner has a lease's time to come back (Database, `take`).
  time_to_come_back,
  // Nothing is certified on a log that was not read (service/audits.h). Every log passes for read.
  audits,
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
  std::uint64_t damages = 0;
  std::uint64_t failed_syncs = 0;
  std::uint64_t losses_of_power = 0;
  std::uint64_t full_disks = 0;
  std::uint64_t recoveries = 0;  // records that say what is no evidence
};

// A seed and the one that comes so many later have the same trouble, up to the seeds of a disk: one
// of those takes a second or more, since everything is written to files that are looked at.
inline constexpr std::uint64_t kTroubles = 4;
inline constexpr std::uint64_t kFirstDiskSeed = 1'000'000;
Trouble trouble_of(std::uint64_t seed);
// `story`: where to tell what happens; null: nowhere.
ClusterRun run_cluster(std::uint64_t seed, std::ostream* story = nullptr,
                       Without without = Without::nothing);

}  // namespace duel
