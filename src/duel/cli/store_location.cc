#include "duel/cli/store_location.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "duel/store/sqlite_store.h"

namespace duel::cli {

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
  return location.starts_with(kScheme) ? location.substr(kScheme.size()) : location;
}

Result<std::shared_ptr<Store>> open_store(const std::string& location) {
  const std::string path = store_file(location);
  if (path == location && path.find("://") != std::string::npos) {
    return Error::unsupported("'" + path + "' is no store that this program knows")
        .in_field("store")
        .with_hint("a path, or sqlite:PATH");
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) return Error::io("the folder cannot be made: " + error.message(), folder.string());
  DUEL_ASSIGN(std::unique_ptr<SqliteStore> store, SqliteStore::open(path));
  return std::shared_ptr<Store>(std::move(store));
}

}  // namespace duel::cli
