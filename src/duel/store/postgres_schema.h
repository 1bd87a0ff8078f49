// The tables of a PostgreSQL store, in a schema of their own named `duel`, and how a database of an
// older version is brought up to date.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "duel/core/result.h"
#include "duel/store/postgres.h"

namespace duel {

// Step k leads from version k to version k + 1; version 0 is a database without our schema. A step
// that was released never changes: the next version is a new step at the end.
std::span<const std::string_view> postgres_schema_steps();

// The version of the database; 0 if it has no schema of ours. An error if the schema is somebody
// else's, or newer than `steps`.
Result<std::size_t> postgres_schema_version(PostgresConnection& connection,
                                            std::span<const std::string_view> steps);
// Takes the steps that are missing, all in one transaction. Nodes that start together wait for each
// other.
Status bring_up_to_date(PostgresConnection& connection, std::span<const std::string_view> steps);

}  // namespace duel
