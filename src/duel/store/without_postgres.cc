// Takes the place of the store on PostgreSQL in a build without libpq: opening one is an error.
#include "duel/store/postgres_database.h"
#include "duel/store/postgres_store.h"

namespace duel {
namespace {

Error without_postgres() {
  return Error::unsupported("this program was built without PostgreSQL", "",
                            "install libpq-dev and build it again");
}

}  // namespace

PostgresDatabase::PostgresDatabase(std::string, std::chrono::milliseconds answer_limit,
                                   std::chrono::milliseconds lease)
    : where_("postgresql://"), answer_limit_(answer_limit), lease_(lease) {}

Result<std::unique_ptr<DatabaseSession>> PostgresDatabase::connect(SessionUse) {
  return without_postgres();
}

bool has_postgres() { return false; }

bool has_password(const std::string&) { return false; }

std::string shown_location(const std::string&) { return "postgresql://"; }

Result<std::unique_ptr<Store>> open_postgres_store(const std::string&, PostgresOptions) {
  return without_postgres();
}

}  // namespace duel
