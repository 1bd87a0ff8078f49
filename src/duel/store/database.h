// What the store of several nodes (node_store.h) asks of its database: typed statements, each of
// which happens as a whole or not at all, and sees the others either before or after it. PostgreSQL
// is behind one implementation (postgres_database.h); tests have tables in memory behind another,
// so that leases, epochs and tails can be run through crashes by the thousand.
//
// The rules that every implementation keeps:
// - A commit that does not wait for the disk is seen at once, and a crash of the database may take
//   it back together with all that came after it. One that waits (marked "durable" below) brings
//   everything to the disk that was committed before it.
// - A `life` lasts from one crash to the next. Sessions end with a crash.
// - A lease is judged by the database's clock. An owner lives while its lease holds, and after a
//   crash for a lease's time from the beginning of the new life: its lease may have run out while
//   the database was away, but only this node has the lines that the crash took.
// - If a session is `lost` after an error, the statement may have been executed, or be executed
//   later. After any other error it was not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/nodes.h"
#include "duel/store/store.h"

namespace duel {

// An experiment as it is in the table.
struct ExperimentRow {
  std::uint64_t id = 0;
  std::string owner;  // empty: nobody
  std::uint64_t epoch = 0;
  Head head;
};

// The lines of one experiment in a commit.
struct HeadMove {
  std::string experiment;
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  Head at;
  Head to;
  std::vector<const Line*> lines;
  std::vector<std::size_t> groups;  // the caller's groups that are in it, by index
};

// How far the syncs by the clock have got.
struct ClockMark {
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
};

struct Taking {
  std::string experiment;
  bool is_new = false;           // make it if it does not exist
  std::uint64_t kept_epoch = 0;  // the epoch that we certainly hold, and keep
  // Its last line must be one of these.
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
};

struct Taken {
  std::string owner_before;          // empty: nobody
  bool moved = false;                // it got a new epoch
  std::optional<ExperimentRow> row;  // nothing: there is no such experiment
  bool owner_lives = false;          // the one in `row`
};

struct Renewal {
  bool held = false;        // the lease had not run out before
  std::int64_t now_ms = 0;  // the database's clock, milliseconds since 1970
};

// Some lines after a position.
struct LinePortion {
  std::string bytes;
  std::vector<std::size_t> ends;  // of each line in `bytes`
  bool more = false;              // there may be further ones
};

// REQUIRES: one thread at a time.
class DatabaseSession {
 public:
  virtual ~DatabaseSession() = default;

  // Whether it cannot be used any more.
  virtual bool lost() const = 0;
  // The same, after a look whether the other side has closed it meanwhile.
  virtual bool lost_meanwhile() = 0;

  // Makes the tables, or brings them up to date, and forgets nodes that went silent days ago.
  virtual Status prepare() = 0;
  // An error unless the tables are there and up to date.
  virtual Status look() = 0;

  // --- Nodes and their leases ---
  // Durable. A node that is taking something from this one is waited for.
  virtual Result<Renewal> renew(const NodeAddress& node, std::chrono::milliseconds lease) = 0;
  virtual Status probe() = 0;
  // Experiments of the node with their epochs.
  virtual Result<std::vector<std::pair<std::string, std::uint64_t>>> owned_by(
      const std::string& node_id) = 0;
  // The life of the database. If it has just begun, it gets the name.
  virtual Result<std::string> life(const std::string& name_of_new) = 0;

  // --- Ownership ---
  // Makes the node the owner of an experiment that nobody alive owns, in a new epoch. Durable. All
  // that the owner before has appended in this life counts as synced.
  virtual Result<Taken> take(const std::string& node_id, const std::string& life,
                             const Taking& taking) = 0;
  // Gives one experiment away if the epoch is still the same; or all, and ends the lease. Durable.
  virtual Status give_away(const std::string& node_id, const std::string& life,
                           const std::string& experiment, std::uint64_t epoch) = 0;
  virtual Status leave(const std::string& node_id, const std::string& life) = 0;

  // --- Writing ---
  virtual Result<std::vector<ExperimentRow>> rows(std::span<const std::uint64_t> ids) = 0;
  // Moves the heads of those experiments whose row has the node, the epoch and the head of the
  // move, and writes their lines. Returns their ids; of the others nothing is written.
  virtual Result<std::set<std::uint64_t>> append(const std::string& node_id,
                                                 const std::string& life,
                                                 std::span<const HeadMove> moves) = 0;
  // Says that of these experiments all lines are there in this life.
  virtual Status set_life(const std::string& node_id, const std::string& life,
                          std::span<const std::uint64_t> ids) = 0;
  // False if there is no such experiment.
  virtual Result<bool> put_snapshot(const std::string& experiment, const Snapshot& snapshot) = 0;
  virtual Result<bool> add_tags(const std::string& experiment,
                                std::span<const std::uint64_t> tags) = 0;
  // Durable, both.
  virtual Status put(std::string_view space, std::string_view key, std::string_view bytes) = 0;
  virtual Result<bool> erase(std::string_view space, std::string_view key) = 0;

  // --- Durability ---
  // Returns when all that was committed before is durable.
  virtual Status sync() = 0;
  virtual Status set_marks(const std::string& node_id, std::span<const ClockMark> marks) = 0;
  // Up to which line an experiment is known to be durable; nothing if it has no line.
  virtual Result<std::optional<std::uint64_t>> synced(const std::string& experiment) = 0;
  // Whether a crash may have taken lines of some experiment that nobody has brought back.
  virtual Result<bool> lines_in_doubt() = 0;

  // --- Reading ---
  virtual Result<std::optional<ExperimentRow>> row(const std::string& experiment) = 0;
  virtual Result<LinePortion> lines(std::uint64_t id, std::uint64_t after) = 0;
  virtual Result<std::vector<FoundLine>> find(std::uint64_t id, std::string_view key) = 0;
  virtual Result<std::vector<std::string>> experiments_of(std::string_view key) = 0;
  // Whether an owner may still come back after a crash and bring lines with it.
  virtual Result<bool> owners_may_come_back() = 0;
  // The head of the experiment and whether it has the tag; nothing if there is no such experiment.
  virtual Result<std::optional<std::pair<std::uint64_t, bool>>> tagged(
      const std::string& experiment, std::uint64_t tag) = 0;
  virtual Result<std::optional<Snapshot>> snapshot(std::uint64_t id) = 0;
  virtual Result<std::vector<std::string>> list() = 0;
  virtual Result<std::vector<Outline>> outlines() = 0;
  virtual Result<std::optional<std::string>> get(std::string_view space, std::string_view key) = 0;
  virtual Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) = 0;
  // As in nodes.h.
  virtual Result<std::optional<Tenure>> tenure(const std::string& experiment) = 0;
  virtual Result<std::vector<Tenure>> tenures() = 0;
  virtual Result<std::vector<std::string>> ownerless() = 0;
  virtual Result<std::vector<NodeAddress>> live() = 0;
  virtual Result<std::vector<NodeState>> states() = 0;

  // --- Upkeep ---
  virtual Status check() = 0;
  virtual Status compact() = 0;
};

// What a session is for. A database may give each its own limits and settings.
enum class SessionUse { writing, syncing, lease, reading, upkeep };

class Database {
 public:
  virtual ~Database() = default;

  // An error after a limited time if it cannot be reached.
  virtual Result<std::unique_ptr<DatabaseSession>> connect(SessionUse use) = 0;
  // The database, for messages: without user and password.
  virtual const std::string& where() const = 0;
};

}  // namespace duel
