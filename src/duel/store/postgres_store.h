// All experiments in one PostgreSQL database, which several nodes share (nodes.h).
//
// An append is one statement for a whole commit. It moves the heads of those experiments whose row
// still has the owner, the epoch and the head that the append names, and writes the lines of those
// and no others. It commits with synchronous_commit=off, so that it waits for no disk; `sync` makes
// everything before it durable by one small synchronous commit for all callers that wait, and the
// clock does so every `sync_interval`. So a node that is killed loses nothing, and a crash of the
// database at most the records of the last interval that nobody waited for.
//
// Lines that are not durable yet are also kept in memory, as the tail. If the database crashes and
// comes back, and an experiment's head is inside its tail, the missing part of the tail is appended
// again unchanged. If the head is anywhere else, the experiment is dropped: it has no epoch here
// any more, its next append is a `conflict`, and it has to be owned again.
//
// A lost connection is no failure of the store (`broken` stays false). An append or sync that was
// under way gives an `io` error, and it is unknown whether it happened. The experiments concerned
// take lines again after `own`, which raises their epoch, so that a statement which is still on its
// way is refused. Connections are tried again with growing pauses; meanwhile calls fail at once.
//
// Any thread may call; reads have connections of their own.
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
  // A node that does not renew its lease for this long may be taken for dead.
  std::chrono::milliseconds lease{10'000};
  // A statement that takes longer is given up.
  std::chrono::milliseconds answer_limit{5'000};
  std::chrono::milliseconds sync_interval{100};
  std::size_t most_readers = 4;  // connections for reading, each opened when it is needed
  // Between attempts to connect; it doubles from the first to the last, with a random part.
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds last_pause{2'000};
};

// Whether this build can use PostgreSQL.
bool has_postgres();
// Whether a location names a PostgreSQL database: postgresql://.. or postgres://..
inline bool is_postgres(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}
// Whether a location contains a password: on a command line every user of the machine could read it
// in the list of processes.
bool has_password(const std::string& location);
// The location as messages show it: without user and password.
std::string shown_location(const std::string& location);

// An error if the database cannot be reached, if its schema `duel` is not ours or is of a newer
// version of Duel, or (`unsupported`) if Duel was built without PostgreSQL.
Result<std::unique_ptr<Store>> open_postgres_store(const std::string& location,
                                                   PostgresOptions options = {});

}  // namespace duel
