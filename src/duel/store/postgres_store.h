// All experiments in one PostgreSQL database, which several nodes share (nodes.h).
//
// An append is one statement for a whole commit. It moves the heads of those experiments whose row
// still has the owner, the epoch and the head that the append names, and writes the lines of those
// and no others. It commits with synchronous_commit=off, so that it waits for no disk; `sync` makes
// everything before it durable by one small synchronous commit for all who wait, and the clock does
// so every `sync_interval`. So a node that is killed loses nothing, and a crash of the database at
// most the last interval of what nobody waited for.
//
// What is not durable yet is kept here too, the tail. A store that finds its database again after a
// crash, and its experiments as it left them but for a part of their tails, appends the tails
// again unchanged. An experiment that stands anywhere else is dropped: it has no epoch here any
// more, its next append is a `conflict`, and `own` takes it anew.
//
// A lost connection is no failure of the store (`broken` stays false). An append or sync that was
// under way is an `io` error and of unknown fate: the experiments concerned take lines again after
// `own`, which raises their epoch, so that what is still on its way comes too late. Connections are
// tried again with growing pauses, and calls fail at once meanwhile.
//
// All calls may be made from any thread; reads have connections of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

enum class PostgresAccess {
  own,   // a node from the start; tables that are not there are made
  read,  // a node with the first call that writes; the tables must be there
};

struct PostgresOptions {
  PostgresAccess access = PostgresAccess::own;
  std::string url{};  // where other nodes reach this one
  // A node that does not renew its lease for so long may be taken for dead.
  std::chrono::milliseconds lease{10'000};
  // After that a statement is given up.
  std::chrono::milliseconds answer_limit{5'000};
  std::chrono::milliseconds sync_interval{100};
  std::size_t most_readers = 4;  // connections for reading, each opened when it is needed
  // Between attempts to connect; it doubles from the first to the last, more or less by chance.
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds last_pause{2'000};
};

// Whether this build can.
bool has_postgres();
// Whether a location names a PostgreSQL database: postgresql://.. or postgres://..
inline bool is_postgres(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}
// Whether a location holds a password, which every user of the machine could read in a list of
// processes.
bool has_password(const std::string& location);
// The location as messages show it: without user and password.
std::string shown_location(const std::string& location);

// An error where the database cannot be reached, where its schema `duel` is none of ours or of a
// newer version of Duel, and (`unsupported`) where Duel was built without PostgreSQL.
Result<std::unique_ptr<Store>> open_postgres_store(const std::string& location,
                                                   PostgresOptions options = {});

}  // namespace duel
