// Every kind of store that the conformance tests run against: a new one is an entry here.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "duel/store/log_file.h"
#include "duel/store/node_store.h"
#include "duel/store/postgres_store.h"
#include "duel/store/sqlite_store.h"
#include "duel/store/store.h"
#include "tests/store/faulty_disk.h"
#include "tests/store/faulty_store.h"
#include "tests/store/faulty_vfs.h"
#include "tests/store/memory_database.h"
#include "tests/store/postgres_server.h"
#include "tests/store/shelf.h"
#include "tests/support/temporary_directory.h"

namespace duel {

struct StoreKind {
  std::string name;
  // Whether it does all of the interface; a log file does what a file can.
  bool is_database;
  // Opens what is kept in the directory; twice, as two processes would.
  std::function<std::unique_ptr<Store>(const TemporaryDirectory&)> open;
  // Whether it is one file, which it can copy.
  bool is_file = true;
  // Why it cannot be tested here; empty: it can.
  std::string missing{};

  friend void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
};

// Owns the store where nobody else does, and reads it otherwise.
inline std::unique_ptr<Store> open_sqlite(const std::filesystem::path& file,
                                          const std::string& vfs = "") {
  SqliteOptions options;
  options.vfs = vfs;
  auto store = SqliteStore::open(file, options);
  if (!store.ok()) {
    options.access = SqliteAccess::read;
    store = SqliteStore::open(file, options);
  }
  EXPECT_TRUE(store.ok()) << store.error().to_string();
  return std::move(store).value();
}

// A database for each test; as in a directory the same one is opened again.
inline std::unique_ptr<Store> open_postgres(const TemporaryDirectory& directory) {
  const std::filesystem::path file = directory / "location";
  if (!std::filesystem::exists(file)) write_content(file, PostgresServer::shared().new_database());
  auto store = open_postgres_store(content_of(file));
  EXPECT_TRUE(store.ok()) << store.error().to_string();
  return std::move(store).value();
}

// A node of a database in memory, which is the directory's for as long as the program runs.
inline std::unique_ptr<Store> open_node_in_memory(const TemporaryDirectory& directory) {
  static std::map<std::filesystem::path, std::shared_ptr<MemoryServer>> servers;
  std::shared_ptr<MemoryServer>& server = servers[directory.path()];
  if (!server) {
    server = std::make_shared<MemoryServer>([] { return system_world().wall_time_ms(); });
  }
  auto store =
      std::make_unique<NodeStore>(std::make_shared<MemoryDatabase>(server), NodeStoreOptions());
  EXPECT_TRUE(store->open().ok());
  return store;
}

inline std::vector<StoreKind> store_kinds() {
  const auto key = [](std::string_view line) { return std::string(key_of(line)); };
  return {
      {"log_files", false,
       [key](const TemporaryDirectory& directory) {
         return std::make_unique<LogFiles>(directory.path(), Disk::real(), key);
       }},
      // The stores of the tests with faults, as long as there is none.
      {"log_files_on_a_faulty_disk", false,
       [key](const TemporaryDirectory& directory) {
         static FaultyDisk disk;
         return std::make_unique<LogFiles>(directory.path(), disk, key);
       }},
      {"sqlite", true,
       [](const TemporaryDirectory& directory) { return open_sqlite(directory / "store.db"); }},
      {"sqlite_on_a_faulty_vfs", true,
       [](const TemporaryDirectory& directory) {
         static FaultyVfs vfs;
         return open_sqlite(directory / "store.db", vfs.name());
       }},
      {"faulty_store", true,
       [](const TemporaryDirectory& directory) {
         return std::make_unique<FaultyStore>(open_sqlite(directory / "store.db"));
       }},
      {"node_in_memory", true, open_node_in_memory, false},
      {"postgres", true, open_postgres, false,
       PostgresServer::available() ? "" : "PostgreSQL or libpq is missing (scripts/setup --test)"},
  };
}

}  // namespace duel
