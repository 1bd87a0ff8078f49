// The files of a store: made for its owner alone, synced by name, locked by one process, and known
// again.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "duel/core/descriptor.h"
#include "duel/core/result.h"

namespace duel {

// Only the owner may read a new database, because it holds the key of all report tokens. SQLite
// gives its log and its index the same mode. An existing database keeps the mode that it has.
Status create_private_file(const std::filesystem::path& file);

// Syncs a file, or a directory: a rename is durable only after its directory has been synced.
Status sync_path(const std::filesystem::path& path, int flags);

// The right of one process to write: FILE.lock, locked, which says who holds it. The system
// releases the lock when the process ends, even if it is killed.
//
// The name can be guessed, and another user of the machine may have put something of that name
// there, so that a server with more rights writes where it should not: a link is not followed, only
// a plain file that has no other name is taken, and nothing is cut off.
Result<Descriptor> lock_store(const std::filesystem::path& file);

// Which file has a name: it is another one after somebody has moved or restored it.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
std::optional<FileIdentity> identity_of(const std::filesystem::path& file);

}  // namespace duel
