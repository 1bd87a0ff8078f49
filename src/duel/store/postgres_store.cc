#include "duel/store/postgres_store.h"

#include <utility>

#include "duel/store/node_store.h"
#include "duel/store/postgres.h"
#include "duel/store/postgres_database.h"

namespace duel {

bool has_postgres() { return true; }

bool has_password(const std::string& location) { return postgres_password_in(location); }

std::string shown_location(const std::string& location) { return postgres_place(location); }

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& location,
                                                   PostgresOptions options) {
  if (const auto wrong = postgres_location_error(location)) {
    return Error::invalid_argument("the location of the database is wrong: " + *wrong);
  }
  NodeStoreOptions of_node;
  of_node.url = std::move(options.url);
  of_node.lease = options.lease;
  of_node.sync_interval = options.sync_interval;
  of_node.most_readers = options.most_readers;
  of_node.first_pause = options.first_pause;
  of_node.last_pause = options.last_pause;
  auto store = std::make_unique<NodeStore>(
      std::make_shared<PostgresDatabase>(location, options.answer_limit, options.lease),
      std::move(of_node));
  DUEL_RETURN_IF_ERROR(options.access == PostgresAccess::own ? store->open()
                                                             : store->open_for_reading());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace duel
