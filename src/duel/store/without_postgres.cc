// Takes the place of the store on PostgreSQL in a build without libpq: opening one is an error.
#include "duel/store/postgres_store.h"

namespace duel {

bool has_postgres() { return false; }

bool has_password(const std::string&) { return false; }

std::string shown_location(const std::string&) { return "postgresql://"; }

Result<std::unique_ptr<Store>> open_postgres_store(const std::string&, PostgresOptions) {
  return Error::unsupported("this program was built without PostgreSQL", "",
                            "install libpq-dev and build it again");
}

}  // namespace duel
