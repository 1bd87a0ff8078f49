#include "duel/client/store_location.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "duel/core/whole_file.h"
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

// The folders that are made are the owner's alone: a store holds the key of all report tokens, and
// who may write beside it could put links there. One that was there keeps its mode, unless it is
// Duel's `own`, which older versions made readable for all.
Status make_private_folder(const std::filesystem::path& folder, bool own) {
  std::vector<std::filesystem::path> missing;
  std::error_code error;
  for (std::filesystem::path at = folder; !std::filesystem::exists(at, error);
       at = at.parent_path()) {
    if (at == at.parent_path()) break;
    missing.push_back(at);
  }
  while (!missing.empty()) {
    if (::mkdir(missing.back().c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      return system_error("the directory cannot be created", missing.back(), errno);
    }
    missing.pop_back();
  }
  if (own) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  return Done{};
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
  DUEL_RETURN_IF_ERROR(
      make_private_folder(std::filesystem::absolute(path).parent_path(), path == default_store()));
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
