#include "duel/client/store_location.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "duel/store/postgres_store.h"
#include "duel/store/sqlite_store.h"

namespace duel {
namespace {

Result<std::shared_ptr<Store>> open_database(const std::string& location,
                                             const PostgresOptions& options) {
  if (has_password(location)) {
    return Error::unsupported(
               "a password does not belong in the location of the store, "
               "which every user of the machine can see")
        .in_field("store")
        .with_hint("set PGPASSWORD or PGPASSFILE, or give ?passfile=FILE in the location");
  }
  auto store = open_postgres_store(location, options);
  if (!store.ok()) return Error(store.error()).in_field("store");
  return std::shared_ptr<Store>(std::move(*store));
}

Status check_scheme(const std::string& location) {
  const std::string path = store_file(location);
  if (path != location || path.find("://") == std::string::npos) return Done{};
  return Error::unsupported("'" + path + "' is not a store that this program knows")
      .in_field("store")
      .with_hint("a path, sqlite:PATH, or postgresql://HOST/DATABASE");
}

}  // namespace

std::string default_store() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::string(state) + "/duel/duel.db";
  }
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : ".") + "/.local/state/duel/duel.db";
}

std::string store_file(const std::string& location) {
  constexpr std::string_view kScheme = "sqlite:";
  if (location.empty()) return default_store();
  if (is_postgres(location)) return shown_location(location);
  return location.starts_with(kScheme) ? location.substr(kScheme.size()) : location;
}

bool store_may_exist(const std::string& location) {
  std::error_code unknown;
  return is_postgres(location) || std::filesystem::exists(store_file(location), unknown);
}

Result<std::shared_ptr<Store>> open_store(const std::string& location, const NodeSettings& node) {
  if (is_postgres(location)) {
    PostgresOptions options;
    options.url = node.advertise;
    if (node.lease.count() > 0) options.lease = node.lease;
    return open_database(location, options);
  }
  if (!node.advertise.empty()) {
    return Error::unsupported("only one process can use a store in a file")
        .in_field("advertise")
        .with_hint("several nodes share a store on PostgreSQL");
  }
  DUEL_RETURN_IF_ERROR(check_scheme(location));
  const std::string path = store_file(location);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error::io("the directory cannot be created: " + error.message(), folder.string());
  DUEL_ASSIGN(std::unique_ptr<SqliteStore> store, SqliteStore::open(path));
  return std::shared_ptr<Store>(std::move(store));
}

Result<std::shared_ptr<Store>> open_store_for_reading(const std::string& location) {
  if (is_postgres(location)) {
    PostgresOptions options;
    options.access = PostgresAccess::read;
    return open_database(location, options);
  }
  DUEL_RETURN_IF_ERROR(check_scheme(location));
  SqliteOptions options;
  options.access = SqliteAccess::read;
  DUEL_ASSIGN(std::unique_ptr<SqliteStore> store, SqliteStore::open(store_file(location), options));
  return std::shared_ptr<Store>(std::move(store));
}

}  // namespace duel
